"""Play stories on both sides, step by step, and compare."""

from __future__ import annotations

import collections
import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tools.proofs.differential.installation import LATEST
from tools.proofs.differential.node import PrivateNode
from tools.proofs.stories.broker import BrokerPlayer
from tools.proofs.stories.engine import EnginePlayer
from tools.proofs.stories.shrink import shrink
from tools.proofs.stories.story import Player, Story, View, as_plain, differences

SETTINGS = {"default_worker_pool_size": 1}
"""Else the broker itself is not the same twice after a crash (S207.2)."""
PATIENCE_S = 0.15
"""Before a difference counts, the story is played again with so much more time after each step."""
REPLAYS = 12
"""Before a difference counts, the broker plays the story so often: it may leave an order to chance."""


MIXTURES = 200
"""In so many ways the messages of two channels are mixed that waited together."""


class Result(msgspec.Struct):
    """Counts of all stories, and where they differ.

    Args:
        by_chance: stories of which the broker itself shows several outcomes, and the engine shows one of these.
        differing: stories of which the broker never showed what the engine shows.
    """

    stories: int = 0
    equal: int = 0
    steps: int = 0
    deliveries: int = 0
    seen: collections.Counter[str] = msgspec.field(default_factory=collections.Counter)
    by_chance: list[str] = []
    differing: list[str] = []

    def as_dict(self) -> dict[str, Any]:
        """Return the counts for the summary."""
        return {
            "stories": self.stories,
            "equal": self.equal,
            "steps": self.steps,
            "deliveries": self.deliveries,
            "seen": dict(sorted(self.seen.items())),
            "by_chance": self.by_chance,
            "differing": self.differing,
        }

    def added_to(self, before: Mapping[str, Any]) -> Result:
        """Return these counts with those that a summary has."""
        return Result(
            stories=before["stories"] + self.stories,
            equal=before["equal"] + self.equal,
            steps=before["steps"] + self.steps,
            deliveries=before["deliveries"] + self.deliveries,
            seen=collections.Counter(before["seen"]) + self.seen,
            by_chance=[*before["by_chance"], *self.by_chance],
            differing=[*before["differing"], *self.differing],
        )

    def count(self, views: Iterable[View]) -> None:
        """Add what the broker showed."""
        for view in views:
            self.steps += 1
            self.deliveries += len(view.deliveries)
            self.seen["confirms"] += view.confirmed
            self.seen["nacks"] += view.nacked
            self.seen["returned"] += sum(count for _, _, count in view.returned)
            self.seen["closed"] += len(view.closed)
            self.seen["cancelled"] += len(view.cancelled)
            self.seen["redelivered"] += sum(each.redelivered for each in view.deliveries)
            self.seen["dead letters"] += sum("x-death" in each.headers for each in view.deliveries)


def play(story: Story, player: Player) -> list[View]:
    """Take the steps of one story; return what clients saw of each."""
    player.begin()
    return [player.take(step) for step in story.steps]


def compared(story: Story, ours: Sequence[View], theirs: Sequence[View]) -> list[str]:
    """Return in words where the views of one story differ."""
    return [
        f"{story.name}, step {number} {step}: {each}"
        for number, step in enumerate(story.steps)
        for each in differences(ours[number], theirs[number])
    ]


def only_mixed(story: Story, ours: Sequence[View], theirs: Sequence[View]) -> bool:
    """Return whether views differ only in how messages of several senders mix on their way to the same queue.

    Each channel is a sender, and so is each queue that dead-letters. Erlang keeps the order of what one process sends
    to another, and of nothing else, so that each order is possible as long as each sender's own order stays.
    """
    channels = {
        size: step.get("on") or ("confirms" if step.get("confirm") else "publishes")
        for step in story.steps
        if step["do"] == "publish"
        for size in step["sizes"]
    }
    return [_by_sender(each, channels) for each in ours] == [_by_sender(each, channels) for each in theirs]


def waited_together(story: Story, theirs: Sequence[View], release: str = LATEST) -> bool:
    """Return whether the engine shows what a broker did if messages that waited in one connection mix in another way.

    While an alarm is on nobody reads the publishers' connection. When it is, its channels work side by side, and which
    of them reaches a queue first is chance: it also decides who gets what in all that follows.
    """
    if not any(step["do"] == "alarm" for step in story.steps):
        return False
    mixed = (play(story, EnginePlayer(release, random.Random(seed))) for seed in range(MIXTURES))
    return any(not compared(story, ours, theirs) for ours in mixed)


def _by_sender(view: View, channels: Mapping[int, str]) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """Return a view with its deliveries by sender, without the tags that number all of them.

    Args:
        channels: who published a message, by its size: no two of a story have the same.
    """
    plain = as_plain(view)
    senders: dict[str, list[Any]] = {}
    for each in plain.pop("deliveries", []):
        del each["tag"]
        deaths = each.get("headers", {}).get("x-death")
        sender = f"queue {deaths[0].get('queue')}" if deaths else channels.get(each["size_bytes"], "")
        senders.setdefault(sender, []).append(each)
    return plain, senders


def as_recorded(story: Story, views: Sequence[View]) -> dict[str, Any]:
    """Return what the broker showed, to be compared with later without a broker."""
    return {
        "story": story.name,
        "steps": list(story.steps),
        "seen": [as_plain(view) for view in views],
    }


def write_recorded(path: Path, recorded: Sequence[dict[str, Any]]) -> None:
    """Write recordings, one line a story."""
    lines = [json.dumps(each, separators=(",", ":"), ensure_ascii=False) for each in recorded]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_recorded(path: Path) -> list[tuple[Story, list[View]]]:
    """Read what `write_recorded` wrote."""
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        (
            Story(each["story"], "", tuple(each["steps"])),
            [msgspec.convert(seen, View) for seen in each["seen"]],
        )
        for each in found
    ]


class StoryBench:
    """A private node with a player, beside the engine.

    Args:
        report: prints a line of progress.
    """

    def __init__(self, node: PrivateNode, report: Callable[[str], None]) -> None:
        self.broker = BrokerPlayer(node)
        self._release = node.release
        self._report = report

    def differs(self, story: Story) -> list[str]:
        """Play a story on both sides, and once more with patience if they differ; return where they do."""
        theirs = play(story, self.broker)
        ours = play(story, EnginePlayer(self._release))
        if not compared(story, ours, theirs):
            self.theirs = theirs
            return []
        self.theirs = self._again(story, PATIENCE_S)
        return compared(story, ours, self.theirs)

    def by_chance(self, story: Story) -> bool:
        """Return whether the broker, asked again and again, shows what the engine shows, but not each time.

        Or whether nothing differs but the order of two senders, and what follows from it: some orders are too rare to
        wait for them.
        """
        ours = play(story, EnginePlayer(self._release))
        for number in range(REPLAYS):
            theirs = self._again(story, PATIENCE_S * (number % 2))
            if not compared(story, ours, theirs):
                self.theirs = theirs
                return True
        return only_mixed(story, ours, theirs) or waited_together(story, theirs, self._release)

    def _again(self, story: Story, patience_s: float) -> list[View]:
        """Play a story on the broker with so much time after each step."""
        self.broker.patience_s = patience_s
        try:
            return play(story, self.broker)
        finally:
            self.broker.patience_s = 0.0

    def shortened(self, story: Story) -> Story:
        """Return a shorter story that differs as well."""
        return shrink(story, lambda each: bool(self.differs(each)))


def run(
    stories: Iterable[Story],
    *,
    record: Path | None = None,
    found: Path | None = None,
    on_differing: Callable[[], None] | None = None,
    on_played: Callable[[], None] | None = None,
    report: Callable[[str], None] = print,
    result: Result | None = None,
    release: str = LATEST,
) -> Result:
    """Play the stories against a private node and against the engine.

    Args:
        record: write there what the broker showed of all.
        found: a folder; what differs is shortened and stored there.
        on_differing: called after each story that differs.
        on_played: called after each story.
        result: counts are added to these; what was counted stays if the node fails.
        release: of the node.
    """
    result, recorded = result or Result(), []
    with PrivateNode(SETTINGS, release=release) as node:
        node.start()
        bench = StoryBench(node, report)
        for story in stories:
            differing = bench.differs(story)
            if record is not None:
                recorded.append(as_recorded(story, bench.theirs))
            result.count(bench.theirs)
            result.stories += 1
            result.equal += not differing
            if differing and bench.by_chance(story):
                result.by_chance.append(story.name)
                report(f"{story.name}: the broker leaves to chance {differing[0]}")
            elif differing:
                result.differing.append(story.name)
                report(f"{story.name} DIFFERS")
                for each in differing[:3]:
                    report(f"    {each}")
                if found is not None:
                    _store(bench, story, found, report)
                if on_differing is not None:
                    on_differing()
            elif result.stories % 50 == 0:
                report(f"{result.stories} stories, {result.steps} steps, {len(result.differing)} differ")
            if on_played is not None:
                on_played()
        bench.broker.close()
    if record is not None:
        write_recorded(record, recorded)
    return result


def _store(bench: StoryBench, story: Story, folder: Path, report: Callable[[str], None]) -> None:
    short = bench.shortened(story)
    differing = bench.differs(short)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{story.name}.jsonl"
    write_recorded(path, [as_recorded(short, bench.theirs)])
    report(f"    {len(short.steps)} steps are left, in {path.name}:")
    for step in short.steps:
        report(f"      {step}")
    for each in differing[:3]:
        report(f"    {each}")
