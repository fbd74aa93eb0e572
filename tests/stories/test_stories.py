"""Stories on the engine, against what a real node showed of the same steps; `make stories` is live."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.__main__ import targeted
from tests.stories.engine import EnginePlayer
from tests.stories.run import compared, play, read_recorded
from tests.stories.stories import STORIES
from tests.stories.story import Story, View

HERE = Path(__file__).parent
RECORDED = [
    each
    for path in (HERE / "recorded.jsonl", HERE / "targeted.jsonl", *sorted((HERE / "found").glob("*.jsonl")))
    for each in read_recorded(path)
]
WRITTEN = {story.name: story for story in (*STORIES, *targeted())}


@pytest.mark.parametrize(("story", "theirs"), RECORDED, ids=lambda each: getattr(each, "name", ""))
def test_clients_see_what_they_saw_of_the_broker(story: Story, theirs: list[View]) -> None:
    assert compared(story, play(story, EnginePlayer()), theirs) == []


def test_every_written_story_is_recorded_as_it_stands() -> None:
    recorded = {story.name: story for story, _ in RECORDED}
    for name, story in WRITTEN.items():
        assert recorded[name].steps == story.steps, (
            f"{name} changed: python -m tests.stories --known --record"
        )
