"""Entries, delta, the queue's record, its invariants, and the arithmetic of its totals (Q1-Q17)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.backing_queue.protocol import Arrival
from engine.classic_v1.queue.pending import trim, write_body
from engine.classic_v1.queue.state import COUNTERS, LANES, PENDING, check, new_extents
from engine.classic_v1.transitions import EntriesRecorded
from engine.formats.message import MessageTemplate
from engine.values.errors import InvariantBroken
from engine.values.extents import (
    BLANK,
    HOME_STORE,
    IN_RAM,
    IN_STORE,
    INDEXED,
    PERSISTENT,
    DeltaExtent,
    Extent,
)
from tests.rules.world import LARGE, SMALL, World, picked


@pytest.mark.parametrize(
    ("durable", "delivery_mode_2", "persistent"),
    [(True, True, True), (True, False, False), (False, True, False), (False, False, False)],
)
def test_a_message_is_persistent_only_in_a_durable_queue(
    durable: bool, delivery_mode_2: bool, persistent: bool
) -> None:
    """Q1."""
    world = World(durable=durable)
    world.publish(1, LARGE, delivery_mode_2)
    entry = world.q.q4.first
    assert (entry.persistent, entry.raw_persistent, entry.in_store) == (
        persistent,
        delivery_mode_2,
        persistent,
    )


def test_seq_ids_are_never_used_again() -> None:
    """Q1: not after an end, and a requeued message keeps its own."""
    world = World()
    world.publish(3)
    world.fetch(2)
    world.ack([0, 0])
    world.requeue([1, 1])
    world.publish(1)
    assert world.lanes() == "q4: 1a 2a 3a"


def test_entries_of_a_busy_queue_keep_their_assertions() -> None:
    """Q2: persistent means indexed, and a body that is not in RAM is somewhere else."""
    world = World.classroom()
    world.target(2)
    for number in range(12):
        world.publish(3, (SMALL, LARGE)[number % 2], number % 3 == 0)
    world.fetch(5)
    entries = [e for place in LANES + PENDING for e in world.q.extents_of(place)]
    assert len(entries) > 3
    for entry in entries:
        assert entry.indexed or not entry.persistent
        assert entry.in_ram or entry.in_store or (entry.indexed and not entry.home_store)


def test_names_of_states_are_predicates() -> None:
    """Q3: pushing an embedded message changes its sub-queue only; a transient one read back is indexed: a gamma."""
    world = World.classroom()
    world.publish(1, SMALL)
    before = world.q.q4.first
    world.target(0)
    assert list(world.q.q3) == [before]
    world = World.classroom(mode="lazy")
    world.publish(2, LARGE)
    after = world.fetch(1)
    assert picked(after, "gammas", "betas") == [[0, 1], [0, 0]]


@pytest.mark.parametrize(
    ("before", "seq_id", "transient", "after"),
    [
        (BLANK, 7, 0, DeltaExtent(7, 1, 0, 8)),
        (DeltaExtent(5, 0, 0, 5), 7, 1, DeltaExtent(7, 1, 1, 8)),
        (DeltaExtent(5, 2, 0, 9), 3, 1, DeltaExtent(3, 3, 1, 9)),
        (DeltaExtent(5, 2, 0, 9), 9, 0, DeltaExtent(5, 3, 0, 10)),
        (DeltaExtent(5, 2, 1, 9), 12, 0, DeltaExtent(5, 3, 1, 13)),
        (DeltaExtent(5, 2, 0, 9), 6, 1, DeltaExtent(5, 3, 1, 9)),
        (DeltaExtent(4, 0, 0, 8), 6, 0, DeltaExtent(4, 1, 0, 8)),
    ],
)
def test_delta_grows(before: DeltaExtent, seq_id: int, transient: int, after: DeltaExtent) -> None:
    """Q4: blank, in front, behind, far behind, inside; and (low, 0, _, next) is not blank."""
    assert before.extended(seq_id, 1, transient) == after


def test_a_new_queue() -> None:
    """Q5: every field begins as the table says."""
    after = World().do("init")
    assert picked(after, "q1", "q2", "q3", "q4", "delta") == [0, 0, 0, 0, [None, 0, 0, None]]
    assert picked(after, "next_seq_id", "next_deliver_seq_id", "transient_threshold") == [0, 0, 0]
    assert picked(after, "target_ram_count", "mode", "pending", "waiting_bump") == [
        "infinity",
        "default",
        [0, 0, 0],
        False,
    ]
    zero = "len bytes unacked_bytes persistent_count persistent_bytes ram_msg_count ram_bytes disk_read_count"
    assert set(picked(after, *zero.split())) == {0}


def test_each_counter_is_the_field_of_its_name() -> None:
    """Q5: the record's numbers, and the credit of both clients, stand where COUNTERS says."""
    q = World().q
    fields = [name for name in COUNTERS if name in vars(q)]
    for number, name in enumerate(fields):
        setattr(q, name, 100 + number)
    counters = q.counters()
    assert tuple(counters.values()) == q.counted()
    assert {name: counters[name] for name in fields} == {name: getattr(q, name) for name in fields}
    assert len(fields) == COUNTERS.index("unconfirmed_count")


@pytest.mark.parametrize(
    ("rule", "mode", "change"),
    [
        ("Q6: q1", "default", {"q1": 1, "len": 1}),
        ("Q6: q2", "default", {"q2": 1, "q3": 1, "len": 2}),
        ("Q6: delta", "default", {"delta": DeltaExtent(0, 1, 0, 1), "q4": 1, "len": 2}),
        ("Q6: len", "default", {"len": 1}),
        ("Q7: a lazy", "lazy", {"q4": 1, "len": 1}),
        ("Q7: len", "lazy", {"q3": 1, "len": 2}),
        ("Q8: bytes", "default", {"bytes": -1}),
        ("Q8: more bodies", "default", {"ram_msg_count": 1}),
        ("Q8: more bytes", "default", {"ram_bytes": 1}),
    ],
)
def test_a_record_that_contradicts_itself_is_a_defect(rule: str, mode: str, change: dict[str, Any]) -> None:
    """Q6, Q7, Q8: each assertion is made after every operation, and stops the engine."""
    q = World().q
    q.mode = mode
    for at, (name, value) in enumerate(change.items()):
        if name in ("q1", "q2", "q3", "q4"):
            q.extents_of(name).insert(Extent(10 * at, 1, at, 0, IN_RAM))
        else:
            setattr(q, name, value)
    with pytest.raises(InvariantBroken, match=rule):
        check(q, q.counted())


def test_where_delta_may_hold_everything() -> None:
    """Q9: a default queue keeps something in q3 or q4, a lazy one usually nothing."""
    default, lazy = World.classroom(), World.classroom(mode="lazy")
    default.target(0)
    for world in (default, lazy):
        world.publish(30, LARGE)
    assert default.q.q3.total >= 1
    assert lazy.q.delta.count == lazy.q.len == 30


def test_sizes_are_those_of_bodies() -> None:
    """Q11: headers, properties and routing keys count nowhere but in the record's own length."""
    world = World()
    world.publish(3, 100, True)
    assert picked(world.do("init"), "bytes", "ram_bytes", "persistent_bytes") == [300, 300, 300]
    template = MessageTemplate(properties=bytes.fromhex("8000") + b"\x0atext/plain")
    number = world.door.codec.template_no(template)
    (extent,) = new_extents(world.q, [Arrival(1, 9, 100, template=number)])
    assert extent.size_bytes == 100


@pytest.mark.parametrize(
    ("size", "properties", "embed_below", "home_store"),
    [
        (4092, None, 4096, False),
        (4093, None, 4096, True),
        (4096, None, 4096, True),
        (4082, b"\x90\x00\x0atext/plain\x02", 4096, True),
        (4081, b"\x90\x00\x0atext/plain\x02", 4096, False),
        (0, None, 0, True),
        (0, None, 3, True),
        (0, None, 4, False),
    ],
)
def test_home(size: int, properties: bytes | None, embed_below: int, home_store: bool) -> None:
    """Q12, S57: the body's bytes, then with the property block's; persistence does not matter, and 0 is never."""
    world = World(queue_index_embed_msgs_below=embed_below)
    number = world.door.codec.template_no(MessageTemplate(properties=properties))
    for persistent in (True, False):
        (entry,) = new_extents(world.q, [Arrival(1, 0, size, persistent, template=number)])
        assert entry.home_store is home_store


TOTALS = (
    "len ram_msg_count bytes unacked_bytes ram_bytes persistent_count persistent_bytes delta_transient_bytes"
)


@pytest.mark.parametrize(
    ("mode", "persistent", "steps", "totals"),
    [
        ("default", True, ["publish"], [1, 1, 5000, 0, 5000, 1, 5000, 0]),
        ("lazy", False, ["publish"], [1, 0, 5000, 0, 0, 0, 0, 5000]),
        ("default", False, ["publish_delivered"], [0, 0, 0, 5000, 5000, 0, 0, 0]),
        ("default", True, ["publish", "fetch"], [0, 0, 0, 5000, 5000, 1, 5000, 0]),
        ("default", True, ["publish", "fetch", "ack"], [0, 0, 0, 0, 0, 0, 0, 0]),
        ("default", True, ["publish", "drop"], [0, 0, 0, 0, 0, 0, 0, 0]),
        ("default", True, ["publish", "fetch", "requeue"], [1, 1, 5000, 0, 5000, 1, 5000, 0]),
        ("default", True, ["publish", "target"], [1, 0, 5000, 0, 0, 1, 5000, 0]),
        ("default", True, ["publish", "fetch", "target"], [0, 0, 0, 5000, 0, 1, 5000, 0]),
        ("lazy", False, ["publish", "fetch"], [0, 0, 0, 5000, 0, 0, 0, 0]),
        ("lazy", False, ["publish", "fetch", "requeue"], [1, 0, 5000, 0, 0, 0, 0, 0]),
    ],
)
def test_totals(mode: str, persistent: bool, steps: list[str], totals: list[int]) -> None:
    """Q13: each event of the table."""
    world = World.classroom(mode=mode)
    after: dict[str, Any] = {}
    for step in steps:
        match step:
            case "publish" | "publish_delivered":
                after = world.do(step, count=1, size=LARGE, persistent=persistent)
            case "ack" | "requeue":
                after = world.do(step, tags=[[0, 0]], multiple=True)
            case "target":
                after = world.target(0)
            case _:
                after = world.do(step, count=1, ack=step == "fetch")
    assert picked(after, *TOTALS.split()) == totals


def test_trim() -> None:
    """Q14: a body whose home is the store leaves RAM, an embedded one stays."""
    stored, embedded = Extent(0, 1, 0, LARGE, IN_RAM | HOME_STORE), Extent(0, 1, 0, SMALL, IN_RAM)
    q = World().q
    assert not trim(q, stored).in_ram
    assert trim(q, embedded) is embedded


def test_write_body() -> None:
    """Q15: once, to the store named by persistence, when forced or persistent; embedded bodies never."""
    world = World()
    transient = Extent(0, 1, 0, LARGE, IN_RAM | HOME_STORE)
    assert write_body(world.q, False, transient) is transient
    assert write_body(world.q, True, transient).flags == transient.flags | IN_STORE
    written = write_body(world.q, False, transient.with_flags(PERSISTENT))
    assert written.in_store
    assert write_body(world.q, True, written) is written
    assert write_body(world.q, True, Extent(0, 1, 0, SMALL, IN_RAM | PERSISTENT)).in_store is False
    assert world.q.disk_write_count == 2
    assert (world.q.transient.account.left, world.q.persistent.account.left) == (3999, 3999)


def test_write_index() -> None:
    """Q16: a record with its deliver, once; only embedded bodies count as disk writes."""
    world = World()
    assert world.publish(2, SMALL, True)["disk_write_count"] == 2
    assert world.publish(2, LARGE, True)["disk_write_count"] == 4, "the store's writes, not the index's"
    assert [(t.action, t.count) for t in world.of(EntriesRecorded)] == [("publish_deliver", 2)] * 2
    world.target(0)
    assert sum(t.count for t in world.of(EntriesRecorded)) == 4, "what is indexed is not indexed again"
    assert all(e.flags & INDEXED for e in (*world.q.q3, *world.q.q4))


@pytest.mark.parametrize(("batch", "actions"), [(False, ["publish_deliver"]), (True, ["publish", "deliver"])])
def test_direct_and_batch_form(batch: bool, actions: list[str]) -> None:
    """Q17: record by record with its deliver, or all publishes first and then all delivers."""
    world = World()
    world.publish(5, SMALL, True, batch=batch)
    assert [t.action for t in world.of(EntriesRecorded)] == actions
    assert {t.count for t in world.of(EntriesRecorded)} == {5}
