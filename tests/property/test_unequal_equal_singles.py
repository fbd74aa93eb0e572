"""Messages whose bodies and kinds differ, published in runs with a column, leave what they leave one by one."""

from __future__ import annotations

import tempfile
from itertools import cycle, groupby, islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.backing_queue.protocol import Arrival
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from engine.values.errors import ProcessCrash
from engine.values.extents import StoreRow
from engine.values.sizes import at
from tests.property.test_batches_equal_singles import CONFIGS, RELEASES, prepared
from tools.proofs.conformance.door import BackingQueueDoor, settings_of
from tools.proofs.conformance.operations import EPOCH_US

SIZES = st.sampled_from([0, 1, 7, 8, 9, 16, 250, 299, 300, 400, 1000, 4095, 4096, 5000])


class ColumnDoor(BackingQueueDoor):
    """The door, where what is published together comes with a column of sizes."""

    def _arrivals(self, step: dict[str, Any]) -> list[Arrival]:
        if "sizes" not in step:
            return super()._arrivals(step)
        sizes, persistent = step["sizes"], step["persistent"]
        confirms = bool(step.get("confirm")) and self.config["durable"]
        expiry_ms = step.get("expiry_ms")
        expiry_us = 0 if expiry_ms is None else EPOCH_US + expiry_ms * 1000
        column = self.codec.column(self.next_msg_no, sizes)
        arrivals: list[Arrival] = []
        for each, run in groupby(persistent):
            count = len(list(run))
            arrivals.append(Arrival(count, self.next_msg_no, column, each, confirms and each, expiry_us))
            self.next_msg_no += count
        return arrivals


class SingleDoor(BackingQueueDoor):
    """The door, where each message comes alone."""

    def _arrivals(self, step: dict[str, Any]) -> list[Arrival]:
        if "sizes" not in step:
            return super()._arrivals(step)
        pattern = [list(each) for each in zip(step["sizes"], step["persistent"], strict=True)]
        return super()._arrivals({**step, "pattern": pattern})


def unequal(op: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "op": st.just(op),
            "sizes": st.lists(SIZES, min_size=1, max_size=60),
            "persistent": st.lists(st.booleans(), min_size=1, max_size=9),
            "confirm": st.booleans(),
            "batch": st.booleans(),
            "expiry_ms": st.sampled_from([None, None, None, 100]),
        }
    ).map(with_kinds)


def with_kinds(step: dict[str, Any]) -> dict[str, Any]:
    """Let the kinds drawn for the first messages come again and again: all of one kind, or neighbours that differ."""
    count = len(step["sizes"])
    return {**step, "count": count, "persistent": list(islice(cycle(step["persistent"]), count))}


ENOUGH = st.integers(5, 60)
OTHERS = st.one_of(
    st.fixed_dictionaries({"op": st.just("set_target"), "target": st.sampled_from([0, 3, 20, "infinity"])}),
    st.fixed_dictionaries(
        {"op": st.sampled_from(["fetch", "fetch", "drop"]), "count": ENOUGH, "ack": st.booleans()}
    ),
    st.fixed_dictionaries(
        {
            "op": st.sampled_from(["ack", "ack", "requeue"]),
            "tags": st.lists(st.tuples(st.integers(0, 99), st.integers(0, 30)), min_size=1, max_size=3),
            "multiple": st.booleans(),
        }
    ),
    st.fixed_dictionaries(
        {"op": st.sampled_from(["resume", "timeout", "purge", "restart", "crash_restart"])}
    ),
    st.fixed_dictionaries({"op": st.just("dropwhile"), "now_ms": st.sampled_from([0, 200])}),
)
PROGRAMS = st.lists(
    st.one_of(unequal("publish"), unequal("publish"), unequal("publish_delivered"), OTHERS, OTHERS),
    min_size=4,
    max_size=14,
)
TIGHT = CONFIGS.map(
    lambda config: {
        **config,
        "mode": "default" if config["segment_entry_count"] > 4 else config["mode"],
        "queue_index_embed_msgs_below": config["queue_index_embed_msgs_below"] // 14,
        "msg_store_file_size_limit": min(20000, int(str(config["msg_store_file_size_limit"]))),
    }
)
"""Most messages belong to a store, whose files are small."""


def played(door: BackingQueueDoor, step: dict[str, Any]) -> Any:
    try:
        return door.step(step)
    except ProcessCrash as crash:
        return crash.function, crash.arguments


def compare(release: str, config: dict[str, Any], steps: list[dict[str, Any]]) -> None:
    """Run a program with columns on a ledger and on files, and one by one; compare after each step."""
    defaults = settings_of(f"RabbitMQ {release}")
    with tempfile.TemporaryDirectory() as root:
        storages = (LedgerStorage(), DirectoryStorage(root, fsync=False), LedgerStorage())
        kinds = (ColumnDoor, ColumnDoor, SingleDoor)
        ledger, files, singles = (
            kind(config, storage, defaults=defaults) for kind, storage in zip(kinds, storages, strict=True)
        )
        for number, drawn in enumerate(steps):
            step = prepared(drawn)
            if step["op"] == "publish_delivered" and ledger.queue.state.len:
                continue  # only an empty queue hands messages over (Q23)
            found = played(singles, step)
            assert played(ledger, step) == found, (number, step)
            assert played(files, step) == found, (number, step)
            bytes_of = [contents(storage) for storage in storages]
            assert bytes_of[0] == bytes_of[2], (number, step)
            assert bytes_of[1] == bytes_of[2], (number, step)
            assert rows_of(ledger) == rows_of(files) == rows_of(singles), (number, step)
            if isinstance(found, tuple) or "after" not in found:
                break  # it crashed, or never comes back (V5)


def rows_of(door: BackingQueueDoor) -> list[tuple[int, ...]]:
    """Return where each message lies: those in RAM and in the queue's maps, and each record of both stores."""
    found: list[tuple[int, ...]] = []
    for place, extents in enumerate(door.queue.state.lanes_snapshot().values()):
        for extent in extents:
            sizes = [at(extent.size_bytes, extent.msg_no + skip) for skip in range(extent.count)]
            for skip, size in enumerate(sizes):
                found.append((place, extent.start + skip, extent.msg_no + skip, size, extent.flags))
    for store in (door.persistent, door.transient):
        for start, count, refs, file, offset, each, step in store.snapshot()["rows"]:
            row = StoreRow(start, count, refs, file, offset, each, step)
            for skip in range(count):
                found.append((start + skip, refs, file, row.offset_of(skip), at(each, start + skip)))
        store.verify()
    return found


def contents(storage: Any) -> dict[str, bytes]:
    """Return all files of a storage, by their paths."""
    paths: list[str] = storage.paths()
    return {path: storage.read_bytes(path, 0, storage.size(path) or 0) for path in paths}


@settings(max_examples=60, deadline=None)
@given(release=RELEASES, config=st.one_of(TIGHT, CONFIGS), program=PROGRAMS)
def test_unequal_equal_singles(release: str, config: dict[str, Any], program: list[dict[str, Any]]) -> None:
    compare(release, config, program)


@pytest.mark.soak
@settings(max_examples=5000, deadline=None)
@given(release=RELEASES, config=st.one_of(TIGHT, CONFIGS), program=PROGRAMS)
def test_many_unequal_equal_singles(
    release: str, config: dict[str, Any], program: list[dict[str, Any]]
) -> None:
    compare(release, config, program)
