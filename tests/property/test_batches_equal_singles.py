"""Extents give the same vectors as one message at a time (architecture.md, "Extents, not messages")."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.backing_queue.protocol import Arrival, TakenMessages
from engine.classic_v1.queue.queue import VariableQueue
from engine.storage.ledger import LedgerStorage
from engine.values.errors import ProcessCrash
from engine.values.stretches import Range
from tools.proofs.conformance.door import BackingQueueDoor, settings_of


class OneAtATime:
    """A variable queue whose verbs over many messages are called once for each of them."""

    def __init__(self, queue: VariableQueue) -> None:
        self._queue = queue

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)

    def publish(self, batch: list[Arrival], already_delivered: bool = False, one_call: bool = False) -> None:
        if one_call:
            self._queue.publish(batch, already_delivered, one_call=True)
            return
        for each in [arrival.part(i, 1) for arrival in batch for i in range(arrival.count)]:
            self._queue.publish([each], already_delivered)

    def publish_delivered(self, batch: list[Arrival], one_call: bool = False) -> None:
        if one_call:
            self._queue.publish_delivered(batch, one_call=True)
            return
        for each in [arrival.part(i, 1) for arrival in batch for i in range(arrival.count)]:
            self._queue.publish_delivered([each])

    def fetch(self, count: int, ack: bool) -> list[TakenMessages]:
        return [taken for _ in range(count) for taken in self._queue.fetch(1, ack)]

    def drop(self, count: int, ack: bool) -> list[TakenMessages]:
        return [taken for _ in range(count) for taken in self._queue.drop(1, ack)]

    def ack(self, tags: list[Range], multiple: bool) -> list[Any]:
        if multiple:
            return self._queue.ack(tags, True)
        singles = [Range(tag.start + i, 1) for tag in tags for i in range(tag.count)]
        return [found for single in singles for found in self._queue.ack([single], False)]


class SingleDoor(BackingQueueDoor):
    """The same door, one message at a time."""

    def _make_queue(self) -> None:
        super()._make_queue()
        self.queue = OneAtATime(self.queue)  # type: ignore[assignment]


CONFIGS = st.fixed_dictionaries(
    {
        "durable": st.sampled_from([True, True, False]),
        "explicit_gc_run_operation_threshold": st.sampled_from([0, 3, 1000]),
        "mode": st.sampled_from(["default", "default", "lazy"]),
        "msg_store_credit_disc_bound": st.sampled_from([[8, 2], [40, 8], [4000, 800]]),
        "msg_store_file_size_limit": st.sampled_from([2000, 20000, 16777216]),
        "msg_store_io_batch_size": st.sampled_from([1, 4, 16]),
        "queue_index_embed_msgs_below": st.sampled_from([0, 300, 4096]),
        "queue_index_max_journal_entries": st.sampled_from([7, 100, 32768]),
        "rates": st.sampled_from([[0.5, 0.5, 0, 0], [0, 0.5, 0.5, 0]]),
        "segment_entry_count": st.sampled_from([4, 8, 64]),
        "queue": st.just("q"),
        "vhost": st.just("/"),
    }
)
COUNTS = st.integers(1, 40)
STEPS = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {
                "op": st.just("publish"),
                "count": COUNTS,
                "size": st.sampled_from([0, 16, 400, 5000]),
                "persistent": st.booleans(),
                "confirm": st.booleans(),
                "expiry_ms": st.sampled_from([None, None, None, 100, 300]),
            }
        ),
        st.fixed_dictionaries(
            {
                "op": st.just("publish_delivered"),
                "count": COUNTS,
                "size": st.sampled_from([16, 5000]),
                "persistent": st.booleans(),
                "confirm": st.booleans(),
            }
        ),
        st.fixed_dictionaries(
            {"op": st.sampled_from(["dropwhile", "fetchwhile"]), "now_ms": st.sampled_from([0, 200, 400])}
        ),
        st.fixed_dictionaries(
            {"op": st.just("set_duration"), "duration": st.sampled_from([0.0, 3.0, 40.0, "infinity"])}
        ),
        st.fixed_dictionaries(
            {"op": st.sampled_from(["fetch", "drop"]), "count": COUNTS, "ack": st.booleans()}
        ),
        st.fixed_dictionaries(
            {
                "op": st.sampled_from(["ack", "requeue"]),
                "tags": st.lists(st.tuples(st.integers(0, 80), st.integers(0, 9)), min_size=1, max_size=3),
                "multiple": st.booleans(),
            }
        ),
        st.fixed_dictionaries(
            {"op": st.just("set_target"), "target": st.sampled_from([0, 3, 20, "infinity"])}
        ),
        st.fixed_dictionaries({"op": st.just("set_mode"), "mode": st.sampled_from(["default", "lazy"])}),
        st.fixed_dictionaries(
            {"op": st.sampled_from(["purge", "timeout", "pre_hibernate", "resume", "drain_confirmed"])}
        ),
        st.fixed_dictionaries({"op": st.sampled_from(["restart", "crash_restart"])}),
    ),
    max_size=14,
)


def prepared(step: dict[str, Any]) -> dict[str, Any]:
    """Make tags disjoint ranges, as a channel's are."""
    if "tags" not in step:
        return step
    seen: set[int] = set()
    tags = []
    for first, more in step["tags"]:
        members = [seq for seq in range(first, first + more + 1) if seq not in seen]
        seen.update(members)
        tags += [[seq, seq] for seq in members]
    return {**step, "tags": tags}


def played(door: BackingQueueDoor, step: dict[str, Any]) -> Any:
    """Return what a step gives and leaves, or the call that no clause matches: then the process is gone."""
    try:
        return door.step(step)
    except ProcessCrash as crash:
        return crash.function, crash.arguments


def compare(release: str, config: dict[str, Any], steps: list[dict[str, Any]]) -> None:
    """Run a program by the rules of a release in batches and singly; compare what each step gives and leaves."""
    defaults = settings_of(f"RabbitMQ {release}")
    batches, singles = (
        door(config, LedgerStorage(), defaults=defaults) for door in (BackingQueueDoor, SingleDoor)
    )
    for number, drawn in enumerate(steps):
        step = prepared(drawn)
        if step["op"] == "publish_delivered" and batches.queue.state.len:
            continue  # only an empty queue hands messages over (Q23)
        found = played(batches, step)
        assert found == played(singles, step), (number, step)
        if isinstance(found, tuple) or "after" not in found:
            break  # it crashed, or never comes back (V5)


RELEASES = st.sampled_from(["3.10.8", "3.8.9"])


@settings(max_examples=200, deadline=None)
@given(release=RELEASES, config=CONFIGS, steps=STEPS)
def test_batches_equal_singles(release: str, config: dict[str, Any], steps: list[dict[str, Any]]) -> None:
    compare(release, config, steps)


@pytest.mark.soak
@settings(max_examples=5000, deadline=None)
@given(release=RELEASES, config=CONFIGS, steps=STEPS)
def test_many_batches_equal_singles(
    release: str, config: dict[str, Any], steps: list[dict[str, Any]]
) -> None:
    compare(release, config, steps)
