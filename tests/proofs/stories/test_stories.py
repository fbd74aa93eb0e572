"""Stories on the engine, against what a real node showed of the same steps; `make stories` is live."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.proofs.stories.__main__ import targeted
from tools.proofs.stories.engine import EnginePlayer
from tools.proofs.stories.run import compared, play, read_recorded
from tools.proofs.stories.stories import STORIES
from tools.proofs.stories.story import Story

HERE = Path(__file__).parent
RECORDED = [
    each
    for path in (HERE / "recorded.jsonl", HERE / "targeted.jsonl", *sorted((HERE / "found").glob("*.jsonl")))
    for each in read_recorded(path)
]
WRITTEN = {story.name: story for story in (*STORIES, *targeted())}


OUTCOMES = {
    story.name: [theirs for other, theirs in RECORDED if other.name == story.name] for story, _ in RECORDED
}
"""What the broker showed of each story; a story of several lines has an order that the broker leaves to chance.

In p20000253 a channel and a queue send to the same third queue, the one copies (BCC) and the other dead letters.
Erlang keeps the order of what one process sends to another, and of nothing else; of 20 runs on a node with two
schedulers, 2 mixed them as the engine does, which finishes each publish before the next.
"""


@pytest.mark.parametrize(
    "story", {story.name: story for story, _ in RECORDED}.values(), ids=lambda each: each.name
)
def test_clients_see_what_they_saw_of_the_broker(story: Story) -> None:
    ours = play(story, EnginePlayer())
    found = [compared(story, ours, theirs) for theirs in OUTCOMES[story.name]]
    assert [] in found, found[0]


def test_what_is_left_to_chance_is_recorded_with_its_outcomes() -> None:
    by_chance = {name: seen for name, seen in OUTCOMES.items() if len(seen) > 1}
    assert by_chance.keys() == {"p20000253"}
    for seen in by_chance.values():
        assert len({repr(views) for views in seen}) == len(seen)


def test_every_written_story_is_recorded_as_it_stands() -> None:
    recorded = {story.name: story for story, _ in RECORDED}
    for name, story in WRITTEN.items():
        assert recorded[name].steps == story.steps, (
            f"{name} changed: python -m tools.proofs.stories --known --record"
        )
