"""What a stop would leave, foreseen on a repetition, is what it leaves; and the page reads it from the rows alike."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import pytest

from engine.classic_v1.transitions import IndexRecovered
from engine.classic_v2.transitions import FilesFound
from engine.folding import found_at_start
from engine.replay import RunPlayer, on_ledger
from engine.replay.survival import MessageFate, fate_of, foresee
from engine.report.transitions.queue import Dropped
from engine.values.stretches import Range, RangeSet
from tests.helpers.twin import Twin

SCENARIO: Final = {"version": 1, "title": "stops", "profile": "classroom", "until_us": 0, "commands": []}


def publish(at_us: int, count: int, persistent: bool) -> tuple[int, dict[str, Any]]:
    command = {
        "do": "publish",
        "count": count,
        "size_bytes": 6000,
        "persistent": persistent,
        "confirm": False,
    }
    return at_us, command


COMMANDS: Final = [
    publish(0, 10, True),
    publish(100_000, 8, False),
    (
        200_000,
        {"do": "set_consumer", "name": "c1", "rate_per_s": 5, "prefetch": 4, "ack": "each", "running": True},
    ),
    publish(900_000, 30, True),
    publish(1_000_000, 40, False),
    publish(1_990_000, 3, True),
]
MOMENTS_US: Final = (50_000, 900_000, 1_990_000, 3_000_000)


def player_at(at_us: int) -> RunPlayer:
    """Return a player of the run, at a moment."""
    player = RunPlayer(on_ledger(dict(SCENARIO), 100_000), COMMANDS)
    player.finish(at_us)
    return player


def total(runs: list[Any]) -> int:
    return sum(count for _start, count in msgspec.to_builtins(runs))


@pytest.mark.parametrize("kind", ["clean", "kill", "power"])
def test_what_is_foreseen_is_what_is_left(kind: str, twin: Twin) -> None:
    asked: list[dict[str, Any]] = []
    for at_us in MOMENTS_US:
        fate = foresee(player_at(at_us), kind)["orders"]
        player = player_at(at_us)
        before = player.node.snapshot()["queues"]["orders"]
        rows = player.give({"do": "restart", "kind": kind}).rows
        after = player.node.snapshot()["queues"]["orders"]
        length = after["counters"]["len"]
        assert total(fate.kept) - fate.unplaced + total(fate.back) == length
        was = before["counters"]["len"] + sum(
            row[1] for name in before["lanes"] if "pending" in name for row in before["lanes"][name]
        )
        assert total(fate.kept) + total(fate.lost) + fate.unacked == was
        assert fate.transient + fate.unsynced == total(fate.lost) + fate.unplaced
        start = next(row for row in rows if isinstance(row, IndexRecovered))
        recovered, found = start.entries, found_at_start(start)
        assert fate == fate_of(before, found, length)
        for entries, expected in ((recovered, fate), (None, fate_of(before, None))):
            asked.append(
                msgspec.to_builtins(
                    {"queue": before, "recovered": entries, "length": length, "fate": expected}
                )
            )
    twin.agrees("survival-twin.mjs", asked)


def test_the_reasons_are_distinguished() -> None:
    fates: dict[str, MessageFate] = {
        kind: foresee(player_at(2_000_000), kind)["orders"] for kind in ("clean", "power")
    }
    assert fates["clean"].unsynced == 0, "who stops in order writes everything"
    assert fates["clean"].transient > 0
    assert fates["clean"].acks == 0
    assert fates["power"].unacked + fates["power"].acks > 0
    gone = fate_of(player_at(2_000_000).node.snapshot()["queues"]["orders"], None)  # type: ignore[attr-defined]
    assert not gone.survives
    assert not gone.kept


@pytest.mark.parametrize("profile", ["4.3.6-classroom", "4.0.5-classroom"])
@pytest.mark.parametrize("kind", ["clean", "kill", "power"])
def test_what_is_foreseen_of_version_2_is_what_is_left(profile: str, kind: str, twin: Twin) -> None:
    """W95-W97: a start tells which messages it found, and what leaves the queue after it are these."""
    asked: list[dict[str, Any]] = []

    def moment(at_us: int) -> RunPlayer:
        player = RunPlayer(on_ledger({**SCENARIO, "profile": profile}, 100_000), COMMANDS)
        player.finish(at_us)
        return player

    for at_us in MOMENTS_US:
        fate = foresee(moment(at_us), kind)["orders"]
        player = moment(at_us)
        before = player.node.snapshot()["queues"]["orders"]
        rows = player.give({"do": "restart", "kind": kind}).rows
        after = player.node.snapshot()["queues"]["orders"]
        start = next(row for row in rows if isinstance(row, FilesFound))
        length = after["counters"]["len"]
        assert fate == fate_of(before, start.live, length)
        asked.append(
            msgspec.to_builtins({"queue": before, "recovered": start.live, "length": length, "fate": fate})
        )
        left = RangeSet()
        for row in player.give({"do": "purge", "queue": "orders"}).rows:
            if isinstance(row, Dropped):
                left.update(RangeSet(Range(each.start, each.count) for each in row.extents))
        assert left == RangeSet(start.live), "what a start found is what a purge drops"
        assert total(fate.kept) + total(fate.back) == after["counters"]["len"]
        in_head = sum(row[1] for row in after["lanes"]["head"])
        assert in_head == min(1, after["counters"]["len"]), "one is loaded, whatever the backlog"
        held = sum(row[1] for name in before["lanes"] if "pending" in name for row in before["lanes"][name])
        assert total(fate.kept) + total(fate.lost) + fate.unacked == before["counters"]["len"] + held
        assert fate.transient + fate.unsynced == total(fate.lost)
        assert fate.unplaced == 0
    twin.agrees("survival-twin.mjs", asked)
