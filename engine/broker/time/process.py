"""A process of the broker: a mailbox with priorities, work that takes virtual time, and credit (P6, F1-F3)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec

from engine.broker.time.credit import CreditFlow, CreditGrant, CreditPair, CreditSpec
from engine.broker.time.scheduler import RandomDraws, ScheduledTimer, TimerScheduler
from engine.costs import CPU, DISK, PROFILES, SYNCS, WorkProfile
from engine.report.transitions.base import Transition
from engine.report.transitions.queue import BufferWritten


class HibernateBackoff:
    """The wait of one process; it grows when the process is woken soon after it fell asleep.

    Args:
        seed: all draws follow from it.
        minimum_ms: the shortest wait, and the first.
        desired_ms: after a longer sleep than this, the next wait is half as long.
    """

    __slots__ = ("wait_ms", "_minimum_ms", "_desired_ms", "_draws")

    def __init__(self, seed: str, minimum_ms: int, desired_ms: int) -> None:
        self.wait_ms = minimum_ms
        self._minimum_ms = minimum_ms
        self._desired_ms = desired_ms
        self._draws = RandomDraws(seed)

    def wake(self, slept_us: int) -> None:
        """Draw the next wait: one to two times the last one, or half of it after a long sleep. `slept_us`:
        for how long the process hibernated, in microseconds.
        """
        gap_us = slept_us + 1000 * self.wait_ms
        base = self.wait_ms
        if gap_us > 1000 * (self._minimum_ms + self._desired_ms):
            base = max(self._minimum_ms, self.wait_ms // 2)
        self.wait_ms = base + self._draws.below(base) + 1


class WorkMeter:
    """Adds up the cost of transitions since it was last read. So a message that triggers a reduction, a flush
    or a read from disk is slow itself.
    """

    def __init__(self) -> None:
        self.profile: WorkProfile = PROFILES["instant"]
        self._ns = self._disk_ns = 0
        self._unsynced: dict[str, int] = {}
        """Bytes of each store's current file that no fsync has covered yet."""

    def take(self) -> tuple[int, int]:
        """Return the nanoseconds of processor and of disk since the last call."""
        taken = self._ns, self._disk_ns
        self._ns = self._disk_ns = 0
        return taken

    def add(self, ns: int) -> None:
        """Count work for which there is no transition."""
        self._ns += ns

    def again(self, ns: int, disk_ns: int) -> None:
        """Count work again for the process that has to wait for it."""
        self._ns += ns
        self._disk_ns += disk_ns

    def observe(self, transition: Transition) -> None:
        """Count the cost of a transition, if work takes time."""
        kind = type(transition)
        if isinstance(transition, BufferWritten):
            self._unsynced[transition.store] = self._unsynced.get(transition.store, 0) + transition.bytes_
            self._disk_ns += self.profile.disk.write(transition.bytes_)
        elif kind in SYNCS:
            written = self._unsynced.pop(transition.store, 0)  # type: ignore[attr-defined]  # as SYNCS says
            self._disk_ns += self.profile.disk.fsync(written)
        else:
            if kind in CPU:
                self._ns += CPU[kind](self.profile, transition)
            if kind in DISK:
                self._disk_ns += DISK[kind](self.profile, transition)

    def forget(self) -> None:
        self.take()
        self._unsynced.clear()


QUANTUM_NS: Final = 4_000_000
"""Work that a process handles at a time, in nanoseconds; messages that arrive meanwhile come afterwards."""
MILLI: Final = 1000
FLOW_MEMORY_US: Final = 5_000_000
"""How long a connection shows `flow` after its reader was blocked, in microseconds (A4)."""

FIRST: Final = 9
CALLBACK: Final = 6
ACK: Final = 4
BUMP: Final = 1
PUBLISH: Final = 0
"""Priorities of the queue process: higher first (P6). Requeues, gets and purges have that of a publish."""


class MailBatch(msgspec.Struct):
    """Equal consecutive messages in a mailbox. `each_ns`: expected cost of one, so that a quantum takes as
    many as fit. `do`: handles this many messages from the front.
    """

    count: int
    each_ns: int
    do: Callable[[int], None]


class NodeCores:
    """The cores that all processes share: if more processes are busy than there are cores, each takes longer."""

    __slots__ = ("milli", "busy", "running")

    def __init__(self) -> None:
        self.milli = MILLI
        self.busy = 0
        self.running: WorkProcess | None = None
        """The process that works at this moment."""

    def begin(self, process: WorkProcess) -> None:
        """Note that another process is busy, and that current events are its work."""
        self.busy += 1
        self.running = process

    def stretched(self, ns: int) -> int:
        """Return how long work lasts with the currently busy processes, the asking one included."""
        return max(ns, ns * self.busy * MILLI // self.milli)


class ProcessContext(NamedTuple):
    """What all processes of a node share.

    Args:
        spec: returns the credit between two processes.
        peer: finds a process by its id.
        on_change: called with a process whose shown state may have changed.
    """

    scheduler: TimerScheduler
    meter: WorkMeter
    cores: NodeCores
    peer: Callable[[str], WorkProcess | None]
    on_change: Callable[[WorkProcess], None]
    spec: Callable[[], CreditSpec]


class WorkProcess:
    """One of the broker's processes on virtual time.

    A quantum does its work at its beginning; its results leave at its end, after the time of the work.

    Args:
        kind: reader, channel, writer, queue, store, gc or monitor.
        around: context that it shares with the others.
        after_each: called with this process after every quantum, when its messages have left (P1).
        may_read: returns how many messages it may handle now; only readers have such a bound (A3).
        more_credit: returns credit that is counted elsewhere (F4).
    """

    is_shown = True
    """Whether the page shows it."""

    def __init__(
        self,
        *,
        kind: str,
        id_: str,
        around: ProcessContext,
        after_each: Callable[[WorkProcess], None] | None = None,
        may_read: Callable[[WorkProcess], int] | None = None,
        more_credit: Callable[[], dict[str, CreditPair]] | None = None,
    ) -> None:
        self.kind = kind
        self.id = id_
        self.credit = CreditFlow(around.scheduler.time)
        self.busy = False
        self.busy_us = 0
        """Total virtual time that it has worked."""
        self.ended = False
        """Whether it has ended; messages to it are lost."""
        self._boxes: dict[int, deque[MailBatch]] = {}
        self._scheduler, self._meter, self._cores = around.scheduler, around.meter, around.cores
        self._peer, self._on_change, self._spec = around.peer, around.on_change, around.spec
        self._after_each = after_each
        self._may_read = may_read
        self._more_credit = more_credit
        self._outbox: list[Callable[[], None]] = []
        self._timer: ScheduledTimer | None = None

    # --- the mailbox -------------------------------------------------------------------------------------------------
    @property
    def mailbox(self) -> int:
        """Messages that wait."""
        return sum([run.count for box in self._boxes.values() for run in box])

    @property
    def idle(self) -> bool:
        """Whether nothing waits and nothing is being worked on."""
        return not self.busy and not any(self._boxes.values())

    def post(self, priority: int, count: int, do: Callable[[int], None], each_ns: int = 0) -> None:
        """Put messages into the mailbox, after those of the same priority (P6)."""
        if self.ended:
            return
        self._append(priority, count, do, each_ns)
        self.wake()
        self._on_change(self)

    def _append(self, priority: int, count: int, do: Callable[[int], None], each_ns: int) -> None:
        self._boxes.setdefault(priority, deque()).append(MailBatch(count, each_ns, do))

    def wake(self) -> None:
        """Let it check its mailbox, because it may have work."""
        if not self.busy and self._timer is None and not self.ended:
            self._timer = self._scheduler.after(0, self._serve)

    def wake_now(self) -> None:
        """Let it check its mailbox within this event; do not call while another process works."""
        if not self.busy:
            self._stop_timer()
            self._serve()

    def clear(self) -> None:
        """Lose everything in the mailbox and on its way out (D4)."""
        self._boxes.clear()
        self._outbox.clear()
        self._stop_timer()
        self._rest()

    # --- working -----------------------------------------------------------------------------------------------------
    def _take(self, everything: bool) -> Callable[[], object] | None:
        """Take the next messages out of the mailbox and return their work; None when there is nothing to do
        (P6). `everything`: all equal messages at once, else as many as fit into a quantum.
        """
        waiting = [priority for priority, box in self._boxes.items() if box]
        if not waiting:
            return None
        box = self._boxes[max(waiting)]
        run = box[0]
        count = run.count if everything else min(run.count, max(1, QUANTUM_NS // max(run.each_ns, 1)))
        if self._may_read is not None:
            count = min(count, self._may_read(self))
            if count <= 0:
                return None
        run.count -= count
        if not run.count:
            box.popleft()
        return partial(run.do, count)

    def _serve(self) -> None:
        self._timer = None
        work = self._take(everything=False)
        if work is None:
            self._on_change(self)
            return
        self.busy = True
        self._cores.begin(self)
        self._meter.take()
        work()
        cpu_ns, disk_ns = self._meter.take()
        took_us = (self._cores.stretched(cpu_ns) + disk_ns) // 1000
        self._cores.running = None
        self.busy_us += took_us
        if took_us:
            self._timer = self._scheduler.after(took_us, self._end)
            self._on_change(self)
        else:
            self._end()

    def _end(self) -> None:
        self._timer = None
        self._rest()
        self._send_all()
        if self._after_each is not None:
            self._after_each(self)
        if not self.idle:
            self.wake()
        self._on_change(self)

    def _rest(self) -> None:
        if self.busy:
            self.busy = False
            self._cores.busy -= 1

    def _send_all(self) -> None:
        outbox, self._outbox = self._outbox, []
        for send in outbox:
            send()

    def work_off(self) -> bool:
        """Handle everything at once, when work starts to take no time; return whether there was anything."""
        worked = self.busy or bool(self._outbox)
        self._stop_timer()
        self._rest()
        self._send_all()
        while (work := self._take(everything=True)) is not None:
            work()
            self._send_all()
            worked = True
        if worked and self._after_each is not None:
            self._after_each(self)
        self._on_change(self)
        return worked

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def in_flow(self) -> bool:
        """Whether a connection whose reader this is shows `flow` (A4)."""
        return not self.ended and self.credit.blocked_within(FLOW_MEMORY_US)

    @property
    def flow_until_us(self) -> int:
        """When this, or the connection whose reader it is, no longer shows `flow` if nobody blocks it; 0 where nothing
        shows it, or somebody blocks it now (A4, F7).
        """
        if self.credit.blocked:
            return 0
        if self.credit.in_flow:
            return self.credit.blocked_until_us()
        return self.credit.blocked_until_us(FLOW_MEMORY_US) if self.kind == "reader" and self.in_flow else 0

    # --- credit ------------------------------------------------------------------------------------------------------
    def send(self, action: Callable[[], None]) -> None:
        """Send something at the end of this quantum, or at once if it is not working."""
        if self.busy:
            self._outbox.append(action)
        else:
            action()

    def may_send(self, to: str) -> int:
        """Return how many messages it may send to another process: none while anybody blocks it (F2, F3)."""
        return 0 if self.credit.blocked else self.credit.left(to, self._spec())

    def pay(self, to: str, count: int) -> None:
        """Pay credit for messages to another process (F2)."""
        self.credit.sent(to, count, self._spec())

    def earned(self, sender: str, count: int) -> None:
        """Count handled messages of a sender and grant what is due at the end of this quantum (F1, F3)."""
        for grant in self.credit.handled(sender, count, self._spec()):
            self.send(partial(self.hand_over, [grant]))

    def blocked_elsewhere(self, by: str, blocked: bool) -> None:
        """Note that a receiver with its own count of credit blocks this process, or no longer does (F3)."""
        if blocked:
            self.credit.block(by)
        else:
            self.hand_over(self.credit.unblock(by))

    def hand_over(self, grants: list[CreditGrant]) -> None:
        for grant in grants:
            sender = self._peer(grant.to)
            if sender is not None:
                sender.take_grant(self.id, grant.amount)

    def take_grant(self, by: str, amount: int) -> None:
        """Take credit, which may unblock this process so that it releases its own grants and reads on (F2, F3, A3)."""
        self.hand_over(self.credit.granted(by, amount))
        self.wake()
        self._on_change(self)

    def peer_gone(self, peer: str) -> None:
        """Forget a process that ended (F3)."""
        self.hand_over(self.credit.peer_gone(peer))
        self.wake()

    # --- looking -----------------------------------------------------------------------------------------------------
    def info_items(self) -> dict[str, Any]:
        """Return what is shown of it."""
        pairs = self.credit.pairs() | (self._more_credit() if self._more_credit is not None else {})
        return {
            "kind": self.kind,
            "mailbox": self.mailbox,
            "busy": self.busy,
            "busy_us": self.busy_us,
            "state": "flow" if self.credit.in_flow else "running",
            "blocked_by": list(self.credit.blocked_by),
            "blocked_us": self.credit.blocked_us,
            "deferred": dict(sorted(self.credit.deferred.items())),
            "credit": {to: list(pair) for to, pair in pairs.items()},
        }
