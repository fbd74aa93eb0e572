"""Every story on both sides, step by step."""

from __future__ import annotations

import collections
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from tests.differential.node import PrivateNode
from tests.interop.stories.broker import BrokerPlayer
from tests.interop.stories.engine import EnginePlayer
from tests.interop.stories.stories import STORIES
from tests.interop.stories.story import Player, Story, View, differences


class Result(msgspec.Struct):
    """Counts of all stories, and where they differ."""

    stories: int = 0
    equal: int = 0
    steps: int = 0
    deliveries: int = 0
    seen: collections.Counter[str] = msgspec.field(default_factory=collections.Counter)
    differing: list[str] = []

    def as_dict(self) -> dict[str, Any]:
        """Return the counts for the summary."""
        return {
            "stories": self.stories,
            "equal": self.equal,
            "steps": self.steps,
            "deliveries": self.deliveries,
            "seen": dict(sorted(self.seen.items())),
            "differing": self.differing,
        }


def play(story: Story, player: Player) -> list[View]:
    """Take the steps of one story; return what a client saw of each."""
    player.begin()
    return [player.take(step) for step in story.steps]


def compared(story: Story, ours: Sequence[View], theirs: Sequence[View]) -> list[str]:
    """Return in words where the views of one story differ."""
    return [
        f"{story.name}, step {number} {step}: {each}"
        for number, step in enumerate(story.steps)
        for each in differences(ours[number], theirs[number])
    ]


def as_recorded(story: Story, views: Sequence[View]) -> dict[str, Any]:
    """Return what the broker showed, to be compared with later without a broker; only what is not as usual."""
    usual = msgspec.to_builtins(View())
    seen = [
        {name: value for name, value in msgspec.to_builtins(view).items() if value != usual[name]}
        for view in views
    ]
    return {"story": story.name, "steps": list(story.steps), "seen": seen}


def _count(view: View, result: Result) -> None:
    result.deliveries += len(view.deliveries)
    result.seen["confirms"] += view.confirmed
    result.seen["nacks"] += view.nacked
    result.seen["returned"] += sum(count for _, _, count in view.returned)
    result.seen["closed"] += len(view.closed)
    result.seen["redelivered"] += sum(each.redelivered for each in view.deliveries)
    result.seen["dead letters"] += sum("x-death" in each.headers for each in view.deliveries)


def run(stories: Sequence[Story] = STORIES, record: Path | None = None) -> Result:
    """Play the stories against a private node and against the engine.

    Args:
        record: write there what the broker showed.
    """
    result, recorded = Result(), []
    with PrivateNode() as node:
        node.start()
        broker = BrokerPlayer(node)
        for story in stories:
            theirs = play(story, broker)
            found = compared(story, play(story, EnginePlayer()), theirs)
            recorded.append(as_recorded(story, theirs))
            for view in theirs:
                _count(view, result)
            result.stories += 1
            result.steps += len(theirs)
            result.equal += not found
            result.differing += found
            print(
                f"  {'DIFFERS' if found else 'equal  '} {len(story.steps):3} steps  {story.name}", flush=True
            )
            for each in found:
                print(f"          {each}", flush=True)
        broker.close()
        node.stop()
    if record is not None:
        record.write_text(
            json.dumps(recorded, separators=(",", ":")).replace('},{"story"', '},\n{"story"') + "\n"
        )
    return result
