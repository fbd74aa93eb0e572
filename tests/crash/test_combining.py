"""A process kill at every call of a combination, and the loss that S191 predicts: shown, not hidden."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.classic_v1.transitions import CombineStepped
from engine.storage.ledger import LedgerStorage
from tests.crash.faults import Died, FaultyStorage
from tests.crash.runs import run
from tests.unit.classic_v1.store.harness import Client, Harness, extent, ranges

STEPS = (
    "destination_scanned",
    "tmp_written",
    "truncated",
    "copied_back",
    "tmp_deleted",
    "source_scanned",
    "source_copied",
    "synced",
)
REMOVED = (1, 3, 6, 7, 10, 11, 13, 14, 15, 12)
"""Vector G1: files 1 and 2 are combined; of 5..8 and 9..12 there live 5, 8 and 9; 8 lies behind a gap."""
WITHOUT_GAP = (2, 3, 4, 6, 7, 8, 10, 11, 12, 14, 15, 16)
"""Files 0 and 1 are combined; each keeps its first record only."""


def before_combining(
    removed: tuple[int, ...] = REMOVED, limit: int = 4000
) -> tuple[Harness, FaultyStorage, set[int]]:
    """Return a store about to combine two files, and the messages that it holds."""
    storage = FaultyStorage(LedgerStorage())
    world = Harness(storage, limit=limit)
    world.store.start_new()
    client = Client(world.store, "q")
    client.side.write(extent(1, 18))
    world.store.settle()
    client.side.remove(ranges(*removed))
    world.store.handle_mailbox()
    assert world.store.gc_busy
    return world, storage, set(range(1, 19)) - set(removed)


def restarted(world: Harness, live: set[int]) -> set[int]:
    """Start a new store on the files, with the references that the indexes hold; return what it has."""
    store = world.make()
    clean = store.start([], lambda: [(number, 1) for number in sorted(live)])
    assert not clean
    store.settle()
    world.check()
    return {number for number, place in world.places().items() if place[0]}


def collect(world: Harness) -> None:
    """Let the garbage collector work to its end."""
    while world.store.run_gc_step():
        pass


def stepped(world: Harness) -> list[str]:
    return [each.step for each in world.of(CombineStepped)]


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_after_each_step(step: str) -> None:
    """S191: only between the cut and the end of the copy back is anything lost, and then what lay behind the gap."""
    world, _, live = before_combining()
    while step not in stepped(world):
        world.store.run_gc_step()
    world.store.kill()
    back = restarted(world, live)
    assert back == (live - {8} if step == "truncated" else live)


@pytest.mark.parametrize("step", [each for each in STEPS if each not in STEPS[1:2] + STEPS[3:5]])
def test_a_kill_without_a_gap_loses_nothing(step: str) -> None:
    """S183, S191: there is no temporary file, and the source is whole until the end."""
    world, _, live = before_combining(WITHOUT_GAP)
    while step not in stepped(world):
        world.store.run_gc_step()
    world.store.kill()
    assert restarted(world, live) == live


@pytest.mark.parametrize("step", STEPS)
def test_a_power_cut_after_each_step_loses_nothing(step: str) -> None:
    """S191, S234: the cut into the destination was not durable before the copy back was."""
    world, storage, live = before_combining()
    while step not in stepped(world):
        world.store.run_gc_step()
    world.store.kill("power")
    storage.power_cut()
    assert restarted(world, live) == live


def calls_of_a_combination() -> list[str]:
    world, storage, _ = before_combining()
    before = len(storage.names)
    collect(world)
    return storage.names[before:]


CALLS = calls_of_a_combination()


def test_the_calls_of_a_combination() -> None:
    """S183: in this order, with the temporary file safe before the cut."""
    assert CALLS == [
        "create rdt",
        "copy rdt",
        "fsync rdt",
        "truncate rdq",
        "truncate rdq",
        "overwrite rdq",
        "fsync rdq",
        "delete rdt",
        "truncate rdq",
        "copy rdq",
        "fsync rdq",
        "delete rdq",
    ]


@pytest.mark.parametrize("part", [0.0, 0.5, 0.999])
@pytest.mark.parametrize("number", range(len(CALLS)))
def test_a_kill_inside_every_call(number: int, part: float) -> None:
    """S191 row 2: from the extension with zeros until the last byte is copied back; nowhere else."""
    world, storage, live = before_combining()
    storage.left, storage.part = number + 1, part
    with pytest.raises(Died):
        collect(world)
    lost = live - restarted(world, live)
    copying_back = number == CALLS.index("overwrite rdq")
    assert lost == ({8} if copying_back else set())


def test_what_was_copied_back_before_the_kill_is_kept() -> None:
    """S191 row 2, with three records behind the gap: those that were whole again are not lost."""
    for copied, lost in ((0.0, {2, 3, 4}), (0.34, {3, 4}), (0.67, {4}), (0.99, {4})):
        world, storage, live = before_combining((1, 6, 7, 8, 10, 11, 12, 14, 15, 16), limit=4348)
        storage.left, storage.part = CALLS.index("overwrite rdq") + 1, copied
        with pytest.raises(Died):
            collect(world)
        assert live - restarted(world, live) == lost, copied


def program(calls: int, how: str) -> dict[str, Any]:
    """Return a whole queue whose confirmed messages are combined when the crash comes."""
    config = {
        "durable": True,
        "explicit_gc_run_operation_threshold": 1000,
        "mode": "default",
        "msg_store_credit_disc_bound": [4000, 800],
        "msg_store_file_size_limit": 4348,
        "msg_store_io_batch_size": 4096,
        "queue_index_embed_msgs_below": 0,
        "queue_index_max_journal_entries": 32768,
        "rates": [0.5, 0.5, 0, 0],
        "segment_entry_count": 8,
        "queue": "cq",
        "vhost": "/",
        "write_buffer_bytes": 1048576,
        "slow": None,
        "journaling": False,
    }
    acks = {"op": "ack", "from": 0, "every": 2, "count": 9, "multiple": True}
    return {
        "config": config,
        "steps": [
            {"op": "publish", "count": 18, "size": 899, "persistent": True, "confirm": True},
            {"op": "timeout"},
            {"op": "fetch", "count": 18, "ack": True},
            acks,
            {"op": "crash", "how": how, "calls": calls, "part": 0.0, "steps": 1, "torn": 1},
            {**acks, "count": 1},
        ],
    }


@pytest.mark.parametrize("how", ["kill", "power"])
def test_a_queue_loses_a_confirmed_message_only_there(how: str, tmp_path: Path) -> None:
    """S191 row 2 through the whole queue: the confirmed message behind the gap, whose entry S113.3 drops."""
    lost = [run(program(calls, how), tmp_path).lost_in_combining for calls in range(1, len(CALLS) + 1)]
    at = CALLS.index("overwrite rdq")
    assert lost == [1 if how == "kill" and number == at else 0 for number in range(len(CALLS))]
