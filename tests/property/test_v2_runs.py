"""A run of messages at once ends as one by one, in a queue of version 2: state, files and stores."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from engine.backing_queue.arrivals import Arrival
from engine.backing_queue.places import CLASSIC_V2
from engine.classic_v2.errors import ProcessCrashed
from engine.classic_v2.settings import V4_0, V4_3, V2Settings
from engine.fold import State, empty_state, fold, rows_of, to_json
from engine.report.transitions.stops import QueueStarted
from engine.values.ranges import Range
from tests.programs.conformance.vector_v2 import Files, vector
from tests.unit.classic_v2.world import World

FOLDERS = {"": "queues/q", "p/": "msg_store_persistent", "t/": "msg_store_transient"}
PROGRAMS = 20
STEPS = 30


def settings_of(source: random.Random) -> V2Settings:
    return msgspec.structs.replace(
        source.choice((V4_0, V4_3)),
        segment_entry_count=source.choice((2, 4, 8, 16, 64)),
        store_max_cache_size=source.choice((500, 2000, 512_000)),
        msg_store_file_size_limit=source.choice((12_000, 60_000)),
        msg_store_credit_disc_bound=(400, 200),
        write_buffer_bytes=source.choice((9_000, 1 << 20)),
    )


class Both:
    """Two queues: one takes runs, the other the same messages by single calls."""

    def __init__(self, source: random.Random) -> None:
        settings = settings_of(source)
        durable = source.random() < 0.8
        self.runs, self.singles = World(settings, durable=durable), World(settings, durable=durable)

    def each(self) -> tuple[World, World]:
        return self.runs, self.singles

    def step(self, source: random.Random) -> str:
        """Do something to both; return what."""
        done = source.choices((self.publish, self.fetch, self.end, self.other), (4, 3, 3, 2))[0]
        done(source)
        return done.__name__

    def publish(self, source: random.Random) -> None:
        count = source.randrange(1, 60)
        first = self.runs.next_no
        arrival = Arrival(
            count,
            first,
            source.choice((0, 30, 100, 5000)),
            source.random() < 0.6,
            source.random() < 0.3,
        )
        for world in self.each():
            world.next_no += count
        delivered = source.random() < 0.1
        direct = source.random() < 0.1 and self.runs.queue.state.len == 0
        for parts, world in zip(
            ([arrival], [arrival.part(at, 1) for at in range(count)]), self.each(), strict=True
        ):
            for part in parts:
                if direct:
                    world.queue.publish_delivered(part)
                else:
                    world.queue.publish(part, delivered)

    def fetch(self, source: random.Random) -> None:
        count, ack, drop = source.randrange(1, 60), source.random() < 0.7, source.random() < 0.2
        verb = "drop" if drop else "fetch"
        getattr(self.runs.queue, verb)(count, ack)
        for _ in range(count):
            getattr(self.singles.queue, verb)(1, ack)

    def end(self, source: random.Random) -> None:
        state = self.runs.queue.state
        pending = [
            seq
            for place in (state.ram_pending, state.disk_pending)
            for e in place
            for seq in range(e.start, e.end)
        ]
        if not pending:
            return
        low = source.choice(sorted(pending))
        tags = Range(low, source.randrange(1, 40))
        if source.random() < 0.3:
            self.runs.queue.requeue([tags], False)
            for seq in range(tags.start, tags.end):
                self.singles.queue.requeue([Range(seq, 1)], False)
        else:
            self.runs.queue.ack([tags], False)
            for seq in range(tags.start, tags.end):
                self.singles.queue.ack([Range(seq, 1)], False)

    def other(self, source: random.Random) -> None:
        what = source.choice(("timeout", "rate", "restart", "crash", "purge", "tick", "drain"))
        rate = source.choice((0.0, 0.5, 3.0, 20.0))
        for world in self.each():
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


def folded(state: State) -> dict[str, Any]:
    """Return the fold's state of the same."""
    shown = to_json(state)
    queues = {
        name: {key: value for key, value in queue.items() if key != "backing_queue"}
        for name, queue in shown["queues"].items()
    }
    return {"queues": queues, "stores": shown["stores"]}


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
        assert folded(self.state) == msgspec.to_builtins(snapshot(self.world))
        self.world.queue.verify()


@pytest.mark.parametrize("seed", range(PROGRAMS))
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


@pytest.mark.parametrize("seed", range(PROGRAMS))
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
