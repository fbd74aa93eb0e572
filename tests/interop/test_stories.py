"""The AMQP stories on the engine, against what a real node showed of the same steps; `make interop` is live."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.interop.stories.engine import EnginePlayer
from tests.interop.stories.run import compared, play
from tests.interop.stories.stories import STORIES
from tests.interop.stories.story import Story, View

RECORDED: dict[str, Any] = {
    each["story"]: each
    for each in json.loads(Path(__file__).with_name("stories").joinpath("recorded.json").read_text())
}


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_a_client_sees_what_it_saw_of_the_broker(story: Story) -> None:
    recorded = RECORDED[story.name]
    assert json.loads(json.dumps(story.steps)) == recorded["steps"], "the story changed: record it again"
    theirs = [msgspec.convert(seen, View) for seen in recorded["seen"]]
    assert compared(story, play(story, EnginePlayer()), theirs) == []


def test_nothing_else_was_recorded() -> None:
    assert set(RECORDED) == {story.name for story in STORIES}
    assert len(RECORDED) >= 8
