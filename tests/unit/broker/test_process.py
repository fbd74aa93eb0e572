"""A process: mailbox, priorities, work that takes time, credit (P6, F1-F3, A3)."""

from __future__ import annotations

from collections.abc import Callable

from engine.broker.time.credit import DEFAULT
from engine.broker.time.process import (
    ACK,
    PUBLISH,
    QUANTUM_NS,
    NodeCores,
    ProcessContext,
    WorkMeter,
    WorkProcess,
)
from engine.broker.time.scheduler import TimerScheduler
from engine.classic_v1.transitions import AlphasPushed, StoreSynced
from engine.costs import PROFILES
from engine.report.transitions.base import Transition
from engine.report.transitions.queue import BufferWritten, CountersChanged, Published, StoreRead
from engine.values.extents import HOME_STORE, IN_RAM, PERSISTENT, Extent


class Shop:
    """Processes that share a clock, a meter and cores."""

    def __init__(self, milli_cores: int = 10_000) -> None:
        self.clock = TimerScheduler()
        self.meter = WorkMeter()
        self.cores = NodeCores()
        self.cores.milli = milli_cores
        self.all: dict[str, WorkProcess] = {}
        self.did: list[tuple[int, str, int]] = []

    def process(self, id_: str, may_read: Callable[[WorkProcess], int] | None = None) -> WorkProcess:
        self.all[id_] = WorkProcess(
            kind="queue",
            id_=id_,
            around=ProcessContext(
                self.clock,
                self.meter,
                self.cores,
                peer=self.all.get,
                on_change=lambda process: None,
                spec=lambda: DEFAULT,
            ),
            may_read=may_read,
        )
        return self.all[id_]

    def work(self, name: str, each_us: int) -> Callable[[int], None]:
        """Return work that costs so much for each message and is written down."""

        def do(count: int) -> None:
            self.did.append((self.clock.now_us, name, count))
            self.meter.add(count * each_us * 1000)

        return do

    def run(self, until_us: int = 10_000_000) -> None:
        while self.clock.run_next(until_us):
            pass


def test_messages_are_handled_in_quanta_that_take_time() -> None:
    """P6: first come, first served within a priority."""
    shop = Shop()
    process = shop.process("q")
    process.post(PUBLISH, 500, shop.work("a", 20), 20_000)
    process.post(PUBLISH, 100, shop.work("b", 20), 20_000)
    assert (process.mailbox, process.idle) == (600, False)
    shop.run(0)
    assert (process.mailbox, process.busy) == (400, True)
    shop.run()
    assert QUANTUM_NS == 200 * 20_000
    assert shop.did == [(0, "a", 200), (4000, "a", 200), (8000, "a", 100), (10_000, "b", 100)]
    assert process.idle
    assert process.busy_us == 12_000


def test_acks_overtake_queued_publishes_and_requeues_do_not() -> None:
    """P6."""
    shop = Shop()
    process = shop.process("q")
    process.post(PUBLISH, 400, shop.work("publish", 20), 20_000)
    shop.run(100)
    process.post(PUBLISH, 1, shop.work("requeue", 1), 1000)
    process.post(ACK, 1, shop.work("ack", 1), 1000)
    shop.run()
    assert [name for _, name, _ in shop.did] == ["publish", "ack", "publish", "requeue"]


def test_what_a_quantum_sends_leaves_when_it_is_paid_for() -> None:
    shop = Shop()
    first, second = shop.process("a"), shop.process("b")

    def do(count: int) -> None:
        shop.work("first", 100)(count)
        first.send(lambda: second.post(PUBLISH, count, shop.work("second", 10), 10_000))

    first.post(PUBLISH, 3, do, 100_000)
    shop.run()
    assert shop.did == [(0, "first", 3), (300, "second", 3)]


def test_busy_processes_share_the_cores() -> None:
    """Three at once on one and a half cores take twice as long."""
    shop = Shop(milli_cores=1500)
    for name in "abc":
        shop.process(name).post(PUBLISH, 1, shop.work(name, 100), 100_000)
    shop.run()
    assert [process.busy_us for process in shop.all.values()] == [100, 133, 200]


def test_back_pressure_walks_upstream() -> None:
    """F1, F2, F3, A3: the queue is slow, so the channel is blocked by it, keeps its grant and starves the reader."""
    shop = Shop()
    reader = shop.process("reader", lambda it: 0 if it.credit.blocked else max(0, it.credit.left("channel")))
    channel, queue = (shop.process(name) for name in ("channel", "queue"))

    def at_queue(count: int) -> None:
        shop.meter.add(count * 100_000)
        queue.earned("channel", count)

    def at_channel(count: int) -> None:
        shop.meter.add(count * 10_000)
        channel.pay("queue", count)
        channel.send(lambda: queue.post(PUBLISH, count, at_queue, 100_000))
        channel.earned("reader", count)

    def at_reader(count: int) -> None:
        shop.meter.add(count * 5000)
        reader.pay("channel", count)
        reader.send(lambda: channel.post(PUBLISH, count, at_channel, 10_000))

    reader.post(PUBLISH, 5000, at_reader, 5000)
    shop.run(20_000)
    # The channel handled 400 and keeps both grants back, so the reader leaves the rest in the socket.
    assert list(channel.credit.blocked_by) == ["queue"]
    assert list(reader.credit.blocked_by) == ["channel"]
    assert channel.credit.deferred == {"reader": 400}
    assert channel.info_items()["credit"] == {"queue": [0, 400, 200]}
    assert reader.mailbox == 4600
    assert reader.info_items()["state"] == channel.info_items()["state"] == "flow"
    assert queue.info_items()["state"] == "running"
    shop.run(1_000_000)
    assert all(process.idle for process in shop.all.values())
    assert reader.info_items()["blocked_us"] > 300_000
    assert queue.busy_us == 500_000


def test_work_off_does_everything_at_once() -> None:
    shop = Shop()
    process = shop.process("q")
    process.post(PUBLISH, 5000, shop.work("a", 20), 20_000)
    shop.run(0)
    assert process.work_off()
    assert process.idle
    assert not process.work_off()
    assert shop.cores.busy == 0
    assert sum(count for _, _, count in shop.did) == 5000


def test_clear_forgets_what_waits_and_what_was_to_leave() -> None:
    """D4."""
    shop = Shop()
    process = shop.process("q")

    def do(count: int) -> None:
        shop.meter.add(count * 20_000)
        process.send(lambda: shop.did.append((0, "sent", count)))

    process.post(PUBLISH, 5000, do, 20_000)
    shop.run(0)
    process.clear()
    shop.run()
    assert process.idle
    assert shop.did == []
    assert shop.cores.busy == 0


def test_the_meter_charges_what_happened() -> None:
    meter = WorkMeter()
    large = Extent(0, 10, 0, 5000, IN_RAM | HOME_STORE, 0, 0)
    steps: list[tuple[Transition, int]] = [
        (Published("Q21", "q", None, "q4", (large,)), 10 * 16_760),
        (Published("Q21", "q", None, "q4", (large.with_flags(PERSISTENT),)), 10 * 48_670),
        (AlphasPushed("Q46", "q", "q4", "q3", (large,)), 10 * 21_750),
        (BufferWritten("S21", "transient", 0, 1024 * 1024), 40_000 + 291_000),
        (StoreSynced("S23", "transient", 0), 135_130 + 1_331_700),
        (StoreSynced("S23", "transient", 0), 135_130),
        (StoreRead("S155", "transient", "cache", 0, 0, 10, 0), 0),
        (CountersChanged("Q5", "q", {}), 0),
    ]
    for transition, _ in steps:
        meter.observe(transition)
        assert meter.take() == (0, 0), "instant work costs nothing"
    meter.forget()
    meter.profile = PROFILES["measured-vm"]
    for transition, cost in steps:
        meter.observe(transition)
        assert sum(meter.take()) == cost
