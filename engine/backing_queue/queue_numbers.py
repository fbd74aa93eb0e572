"""What the queues of all generations keep of themselves (Q5, W13): their rates (Q25-Q27), their numbers, and what is
safe on disk (K7).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Generic, TypeVar

from engine.backing_queue.stores import StorePeer
from engine.report.transitions.base import Transition, Why
from engine.report.transitions.queue import ConfirmsDue, QueueStarted
from engine.values.extents import DeltaExtent, Extent
from engine.values.stretches import Range, RangeSet, Stretches

HALF_LIFE_US = 5_000_000
UPDATE_ABOVE = 100
IDLE_RATE = 0.01
TAYLOR_TERMS = 18
Real = float
"""A float that is never an int, so that the compiler can use a C double."""


@lru_cache(maxsize=256)
def decay(elapsed_us: int) -> Real:
    """Return 2 ** (-elapsed / half-life). Uses only additions, multiplications and exact scaling, so that
    every machine gets the same bits (promise 1); the C library's exp() does not promise that.
    """
    halvings, rest_us = divmod(elapsed_us, HALF_LIFE_US)
    x = -(rest_us / HALF_LIFE_US) * 0.6931471805599453
    term = 1.0
    total = 1.0
    for n in range(1, TAYLOR_TERMS):
        term = term * x / n
        total += term
    return math.ldexp(total, -min(halvings, 1100))


class QueueRates:
    """The four rates, in messages per second, and the events counted since they were last computed. `frozen`
    rates never change, as the golden traces require.
    """

    __slots__ = ("in_", "out", "ack_in", "ack_out", "counters", "timestamp_us", "frozen")

    def __init__(self, now_us: int = 0) -> None:
        self.in_ = 0.0
        self.out = 0.0
        self.ack_in = 0.0
        self.ack_out = 0.0
        self.counters = [0, 0, 0, 0]
        self.timestamp_us = now_us
        self.frozen = False

    @property
    def sum(self) -> Real:
        return self.in_ + self.out + self.ack_in + self.ack_out

    @property
    def all(self) -> tuple[float, float, float, float]:
        """(in, out, ack_in, ack_out)."""
        return (self.in_, self.out, self.ack_in, self.ack_out)

    @property
    def idle(self) -> bool:
        """Whether every rate is below the idle threshold (Q42)."""
        return max(self.all) < IDLE_RATE

    @property
    def acks_grow_faster(self) -> bool:
        """Whether pending acks grow faster than the queue, so that they are paged first (Q45)."""
        return (self.ack_in - self.ack_out) > (self.in_ - self.out)

    def freeze(self, in_: Real, out: Real, ack_in: Real, ack_out: Real) -> None:
        """Fix the rates permanently, as the golden traces do for determinism."""
        self.in_, self.out, self.ack_in, self.ack_out = float(in_), float(out), float(ack_in), float(ack_out)
        self.frozen = True

    def update(self, now_us: int) -> None:
        """Fold the counters into the rates and start counting anew (Q26)."""
        if self.frozen:
            return
        elapsed_us = now_us - self.timestamp_us
        if elapsed_us > 0:
            weight = decay(elapsed_us)
            seconds = elapsed_us / 1_000_000
            fresh = [count / seconds * (1.0 - weight) for count in self.counters]
            self.in_ = fresh[0] + self.in_ * weight
            self.out = fresh[1] + self.out * weight
            self.ack_in = fresh[2] + self.ack_in * weight
            self.ack_out = fresh[3] + self.ack_out * weight
        self.counters = [0, 0, 0, 0]
        self.timestamp_us = now_us

    def count(self, in_: int = 0, out: int = 0, ack_in: int = 0, ack_out: int = 0) -> None:
        """Count events without checking the threshold, as acks do (Q25)."""
        if not self.frozen:
            counters = self.counters
            counters[0] += in_
            counters[1] += out
            counters[2] += ack_in
            counters[3] += ack_out

    def maybe_update(self, now_us: int) -> None:
        """Update when more than 100 messages came or went (Q25)."""
        if self.counters[0] + self.counters[1] > UPDATE_ABOVE:
            self.update(now_us)

    def count_each(
        self, times: int, now_us: int, spacing_us: int, in_: int = 0, out: int = 0, ack_in: int = 0
    ) -> None:
        """Count `times` equal operations, each followed by `maybe_update`, `spacing_us` apart from `now_us`
        on. The result equals doing them one by one.
        """
        if self.frozen:
            return
        if times == 1:  # as nearly always where messages go one by one
            counters = self.counters
            counters[0] += in_
            counters[1] += out
            counters[2] += ack_in
            if counters[0] + counters[1] > UPDATE_ABOVE:
                self.update(now_us + spacing_us)
            return
        per_step = in_ + out
        if self.counters[0] + self.counters[1] + per_step * times <= UPDATE_ABOVE:
            self.count(in_ * times, out * times, ack_in * times)
            return
        while times > 0:
            pending = self.counters[0] + self.counters[1]
            steps = -(-(UPDATE_ABOVE + 1 - pending) // per_step)
            steps = min(times, max(steps, 1))
            if spacing_us == 0 and self.timestamp_us == now_us and times > steps:
                # Updates at one instant only reset the counters, so whole rounds leave no trace.
                per_round = -(-(UPDATE_ABOVE + 1) // per_step)
                rest = (times - steps) % per_round
                self.counters = [0, 0, 0, 0]
                times = rest
                continue
            self.count(in_ * steps, out * steps, ack_in * steps)
            times -= steps
            now_us += spacing_us * steps
            self.maybe_update(now_us)
            if spacing_us > 0 and self.timestamp_us == now_us:
                steps = -(-(UPDATE_ABOVE + 1) // per_step)
                rounds = times // steps
                self._update_often(rounds, spacing_us * steps, in_ * steps, out * steps, ack_in * steps)
                times -= rounds * steps
                now_us = self.timestamp_us

    def _update_often(self, rounds: int, elapsed_us: int, in_: int, out: int, ack_in: int) -> None:
        """Update repeatedly, each time a fixed number of microseconds and of events later."""
        weight = decay(elapsed_us)
        seconds = elapsed_us / 1_000_000
        fresh_in, fresh_out, fresh_ack_in = (count / seconds * (1.0 - weight) for count in (in_, out, ack_in))
        rates = self.in_, self.out, self.ack_in, self.ack_out
        in_rate, out_rate, ack_in_rate, ack_out_rate = rates
        for _round in range(rounds):
            in_rate = fresh_in + in_rate * weight
            out_rate = fresh_out + out_rate * weight
            ack_in_rate = fresh_ack_in + ack_in_rate * weight
            ack_out_rate = ack_out_rate * weight
        self.in_, self.out, self.ack_in, self.ack_out = in_rate, out_rate, ack_in_rate, ack_out_rate
        self.timestamp_us += rounds * elapsed_us


C = TypeVar("C", bound=StorePeer)


class QueueNumbers(Generic[C]):
    """Fields of one queue that generations share; the verbs of a generation work on its own kind of record.
    `settle`: lets the stores handle what was sent to them. `persistent`, `transient`: clients of the two
    message stores.
    """

    counter_names: ClassVar[Sequence[str]]
    """Numbers that a snapshot shows, in the order of `counted`."""
    lanes: ClassVar[Sequence[str]]
    """Places that have an entry for each message, the pending maps too."""

    def __init__(
        self,
        name: str,
        durable: bool,
        emit: Callable[[Transition], None],
        settle: Callable[[], None],
        persistent: C,
        transient: C,
    ) -> None:
        self.name = name
        self.durable = durable
        self.emit = emit
        self._settle = settle
        self.stores_alone = False
        """Whether the stores run at their own pace, so that no call of the queue lets them finish."""
        self.persistent = persistent
        self.transient = transient
        self.now_us = 0
        self.ram_pending: Stretches[Extent] = Stretches()
        self.disk_pending: Stretches[Extent] = Stretches()
        self.next_seq_id = 0
        self.transient_threshold = 0
        self.bytes = 0
        self.unacked_bytes = 0
        self.persistent_count = 0
        self.persistent_bytes = 0
        self.ram_msg_count = 0
        self.ram_bytes = 0
        self.disk_read_count = 0
        self.disk_write_count = 0
        self.rates = QueueRates()
        self.unconfirmed = RangeSet()
        self.confirmed = RangeSet()
        self.msgs_on_disk = RangeSet()
        self.msg_indices_on_disk = RangeSet()
        self.mailbox: deque[tuple[str, object]] = deque()
        self.last_counters: tuple[Any, ...] = ()
        """The values that were reported last."""

    def settle(self) -> None:
        """Let the stores handle their mailboxes at the end of a call of the broker's interface."""
        if not self.stores_alone:
            self._settle()

    @property
    def blocked(self) -> bool:
        """Whether the queue process is out of store credit (F3)."""
        return self.persistent.account.blocked or self.transient.account.blocked

    def extents_of(self, place: str) -> Stretches[Extent]:
        """Return the runs of a lane or pending map by its name."""
        runs: Stretches[Extent] = getattr(self, place)
        return runs

    def client(self, side: str) -> C:
        return self.persistent if side == "persistent" else self.transient

    def client_of(self, extent: Extent) -> C:
        return self.persistent if extent.persistent else self.transient

    # --- the numbers -------------------------------------------------------------------------------------------------
    def counted(self) -> tuple[Any, ...]:
        """Return the values of the counters, in the order of their names."""
        raise NotImplementedError

    def counters(self) -> Why:
        """Return every number of the record by its name."""
        return dict(zip(self.counter_names, self.counted(), strict=True))

    def begin(self, rule: str, mode: str, record: DeltaExtent) -> None:
        """Report that the queue begins. `record`: of the messages that RAM only counts."""
        self.rates.timestamp_us = self.now_us
        self.last_counters = self.counted()
        self.emit(QueueStarted(rule, self.name, mode, self.durable, record, self.counters()))

    def lanes_snapshot(self) -> dict[str, list[Extent]]:
        return {place: list(self.extents_of(place)) for place in self.lanes}

    # --- confirms ----------------------------------------------------------------------------------------------------
    def index_written(self, rule: str, messages: RangeSet) -> None:
        """Note that index records of store-homed messages are safe; confirm those whose bodies are, too (K7)."""
        done = messages.intersection(self.msgs_on_disk)
        self.msg_indices_on_disk.update(self.unconfirmed.intersection(messages))
        self.confirm(rule, "index", done)

    def bodies_written(self, rule: str, messages: RangeSet) -> None:
        """Note that bodies are safe in the persistent store; confirm those whose index records are, too (K7)."""
        done = messages.intersection(self.msg_indices_on_disk)
        self.msgs_on_disk.update(self.unconfirmed.intersection(messages))
        self.confirm(rule, "store", done)

    def confirm(self, rule: str, by: str, messages: RangeSet) -> None:
        """Confirm messages, whatever they waited for (K7). `by`: index, store, both or ignored."""
        if not messages:
            return
        ranges = list(messages)
        for waiting in (self.msgs_on_disk, self.msg_indices_on_disk, self.unconfirmed):
            waiting.subtract(ranges)
        self.confirmed.update(ranges)
        self.emit(ConfirmsDue(rule, self.name, by, tuple(ranges)))

    def drain_confirmed(self) -> list[Range]:
        """Hand over the messages whose confirms may be sent, and forget them (K8)."""
        ranges = list(self.confirmed)
        self.confirmed.clear()
        return ranges
