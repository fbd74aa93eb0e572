"""A run of messages at once ends as one by one, in a queue of version 2: state, files and stores."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec
import pytest

from engine.backing_queue.message_places import CLASSIC_V2
from engine.backing_queue.protocol import Arrival
from engine.classic_v2.settings import V4_0, V4_3, V2Settings
from engine.report.transitions.queue import QueueStarted
from engine.transitions import RunState, empty_state, fold, rows_of, to_json
from engine.values.errors import ProcessCrashed
from engine.values.sizes import plain
from engine.values.stretches import Range
from tests.unit.classic_v2.world import World
from tools.proofs.conformance.vector_v2 import Files, vector

FOLDERS = {"": "queues/q", "p/": "msg_store_persistent", "t/": "msg_store_transient"}
PROGRAMS = [*range(8), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(8, 60))]
STEPS = 30
SIZES = (0, 1, 30, 100, 301, 4000, 4095, 4096, 5000, 11_999, 12_001)
"""Of messages that differ: on both sides of where they belong to a store, and of what a load reads of it."""


def settings_of(source: random.Random) -> V2Settings:
    return msgspec.structs.replace(
        source.choice((V4_0, V4_3)),
        segment_entry_count=source.choice((2, 4, 8, 16, 64)),
        store_max_cache_size=source.choice((500, 2000, 512_000)),
        msg_store_file_size_limit=source.choice((12_000, 60_000)),
        msg_store_credit_disc_bound=(400, 200),
        write_buffer_bytes=source.choice((9_000, 1 << 20)),
    )


Calls = Sequence[Callable[[], object]]
Steps = tuple[Calls, Calls]
"""What is done to the queue of runs, and to that of single messages."""


class Both:
    """Two queues: one takes runs, the other the same messages by single calls."""

    def __init__(self, source: random.Random) -> None:
        settings = settings_of(source)
        durable = source.random() < 0.8
        self.runs, self.singles = World(settings, durable=durable), World(settings, durable=durable)

    def each(self) -> tuple[World, World]:
        return self.runs, self.singles

    def step(self, source: random.Random) -> str:
        """Do something to both, on which both crash or none; return what.

        Raises:
            ProcessCrashed: both did.
        """
        drawn = source.choices((self.publish, self.fetch, self.end, self.other), (4, 3, 3, 2))[0]
        crashes: list[ProcessCrashed] = []
        for calls in drawn(source):
            try:
                for call in calls:
                    call()
            except ProcessCrashed as crash:
                crashes.append(crash)
        assert len({str(crash) for crash in crashes}) == len(crashes) // 2, (drawn.__name__, crashes)
        if crashes:
            raise crashes[0]
        return drawn.__name__

    def arrivals(self, source: random.Random) -> list[Arrival]:
        """Return messages that all are alike, or that differ in size, mode and confirm: a log."""
        first = self.runs.next_no
        if source.random() < 0.4:
            size = source.choice((0, 30, 100, 5000))
            return [
                Arrival(source.randrange(1, 60), first, size, source.random() < 0.6, source.random() < 0.3)
            ]
        counts = [source.randrange(1, 40) for _ in range(source.randrange(1, 4))]
        sizes = [source.choice(SIZES) for _ in range(sum(counts))]
        column = self.runs.codec.column(first, sizes)
        found = []
        for count in counts:
            found.append(Arrival(count, first, column, source.random() < 0.6, source.random() < 0.3))
            first += count
        return found

    def publish(self, source: random.Random) -> Steps:
        arrivals = self.arrivals(source)
        for world in self.each():
            world.next_no += sum(each.count for each in arrivals)
        delivered = source.random() < 0.1
        direct = source.random() < 0.1 and self.runs.queue.state.len == 0
        singles = [each.part(at, 1).single() for each in arrivals for at in range(each.count)]
        runs, one = self.runs.queue, self.singles.queue
        if direct:
            return [partial(runs.publish_delivered, arrivals)], [
                partial(one.publish_delivered, [each]) for each in singles
            ]
        return [partial(runs.publish, arrivals, delivered)], [
            partial(one.publish, [each], delivered) for each in singles
        ]

    def fetch(self, source: random.Random) -> Steps:
        count, ack, drop = source.randrange(1, 60), source.random() < 0.7, source.random() < 0.2
        runs, one = ((each.queue.drop if drop else each.queue.fetch) for each in self.each())
        return [partial(runs, count, ack)], [partial(one, 1, ack)] * count

    def end(self, source: random.Random) -> Steps:
        state = self.runs.queue.state
        pending = [
            seq
            for place in (state.ram_pending, state.disk_pending)
            for e in place
            for seq in range(e.start, e.end)
        ]
        if not pending:
            return [], []
        low = source.choice(sorted(pending))
        tags = Range(low, source.randrange(1, 40))
        back = source.random() < 0.3
        runs, one = ((each.queue.requeue if back else each.queue.ack) for each in self.each())
        return [partial(runs, [tags], False)], [
            partial(one, [Range(seq, 1)], False) for seq in range(tags.start, tags.end)
        ]

    def other(self, source: random.Random) -> Steps:
        what = source.choice(("timeout", "rate", "restart", "crash", "purge", "tick", "drain"))
        rate = source.choice((0.0, 0.5, 3.0, 20.0))

        def do(world: World) -> None:
            if what == "rate":
                world.out_rate = rate
                world.rate(rate)
            elif what in ("restart", "crash"):
                getattr(world, what)()
            elif what == "tick":
                world.persistent.gc_tick()
                world.settle()
            elif what == "drain":
                world.queue.drain_mailbox()
                world.queue.drain_confirmed()
            else:
                getattr(world.queue, what)()

        return [partial(do, self.runs)], [partial(do, self.singles)]

    def shown(self, world: World) -> dict[str, Any]:
        found = Files(world.storage, FOLDERS).read()
        return vector(world.queue.state, world.persistent, world.transient, found)


def snapshot(world: World) -> dict[str, Any]:
    """Return queue and stores from their own structures, as a snapshot has them."""
    queue = world.queue.snapshot()
    queue["lanes"] = {place: [rows_of(each) for each in runs] for place, runs in queue["lanes"].items()}
    queue["counted"] = {place: rows_of(record) for place, record in queue["counted"].items()}
    stores = (world.persistent, world.transient)
    return {"queues": {"q": queue}, "stores": {store.name: store.snapshot() for store in stores}}


def folded(state: RunState) -> dict[str, Any]:
    """Return the fold's state of the same."""
    shown = to_json(state)
    queues = {
        name: {key: value for key, value in queue.items() if key != "backing_queue"}
        for name, queue in shown["queues"].items()
    }
    return plain_of({"queues": queues, "stores": shown["stores"]})


def plain_of(shown: dict[str, Any]) -> dict[str, Any]:
    """Return a snapshot as the wire has it."""
    found: dict[str, Any] = msgspec.to_builtins(shown, enc_hook=plain)
    return found


class Followed:
    """A world whose transitions are folded as they come."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.state = empty_state()
        self.state.queue("q").info["backing_queue"] = CLASSIC_V2
        self.done = 0

    def check(self) -> None:
        for each in self.world.emitted[self.done :]:
            fold(self.state, each)
            if isinstance(each, QueueStarted):
                self.state.queue("q").info["backing_queue"] = CLASSIC_V2
        self.done = len(self.world.emitted)
        assert folded(self.state) == plain_of(snapshot(self.world))
        self.world.queue.verify()


@pytest.mark.parametrize("seed", PROGRAMS)
def test_the_state_is_the_fold_of_the_transitions(seed: int) -> None:
    """W13, W35, W86, W114, W132: after every step, in runs and by single messages."""
    source = random.Random(1000 + seed)
    both = Both(source)
    followed = [Followed(world) for world in both.each()]
    for _ in range(STEPS):
        try:
            both.step(source)
        except (
            ProcessCrashed
        ):  # W202: its process is gone, and so are the queues; the rest of the steps has others
            both = Both(source)
            followed = [Followed(world) for world in both.each()]
        for each in followed:
            each.check()


@pytest.mark.parametrize("seed", PROGRAMS)
def test_a_run_ends_as_its_messages_one_by_one(seed: int) -> None:
    """W33, W40, W45, W50, W86, W114, W133: wherever a run is cut, nothing shows it."""
    source = random.Random(seed)
    both = Both(source)
    for _ in range(STEPS):
        name = ""
        try:
            name = both.step(source)
        except (
            ProcessCrashed
        ):  # W202: its process is gone, and so are the queues; the rest of the steps has others
            both = Both(source)
        assert both.shown(both.runs) == both.shown(both.singles), name
