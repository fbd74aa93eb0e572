"""All processes of the broker, those of the stores too, and their reports if work takes time (P6, F3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from engine.backing_queue.stores import SYNC_INTERVAL_US, MessageStore
from engine.broker.time.credit import DEFAULT, CreditSpec
from engine.broker.time.process import FIRST, PUBLISH, NodeCores, ProcessContext, WorkMeter, WorkProcess
from engine.broker.time.scheduler import ScheduledTimer, TimerScheduler
from engine.costs import PROFILES, ProfileName
from engine.report.transitions.base import Transition
from engine.report.transitions.node import ProcessChanged
from engine.values.marks import ignore, override

UNBOUNDED: Final = 1 << 62
DEFAULT_SPEC: Final = partial(CreditSpec, *DEFAULT)


class ImmediateProcess(WorkProcess):
    """A process that handles each message at once: nothing waits, nobody runs out of credit, and nothing is
    shown. Only a reader that may not read leaves messages in its socket (A3).
    """

    is_shown = False
    in_flow = False

    @classmethod
    def alone(cls, id_: str, scheduler: TimerScheduler) -> ImmediateProcess:
        around = ProcessContext(scheduler, WorkMeter(), NodeCores(), ignore, ignore, DEFAULT_SPEC)
        return cls(kind="queue", id_=id_, around=around)

    def post(self, priority: int, count: int, do: Callable[[int], None], each_ns: int = 0) -> None:
        """Do the work now, or as soon as the process may read."""
        if self.ended:
            return
        if self._may_read is not None and (self._may_read(self) < count or self.mailbox):
            self._append(priority, count, do, each_ns)
            return
        do(count)
        if self._after_each is not None:
            self._after_each(self)

    def wake(self) -> None:
        """Do the waiting work, as far as it may read."""
        while not self.ended and (work := self._take(everything=True)) is not None:
            work()

    def wake_now(self) -> None:
        """Do nothing, because all posted work is done."""

    def may_send(self, to: str) -> int:
        """Return how many messages it may send to another process: any number."""
        return UNBOUNDED

    def pay(self, to: str, count: int) -> None:
        """Do nothing, because the receiver has already handled the messages."""

    def earned(self, sender: str, count: int) -> None:
        """Do nothing, because the sender did not pay."""

    def peer_gone(self, peer: str) -> None:
        """Do nothing, because nobody waits for its credit."""


MESSAGES: Final = 100
"""Messages that a store handles at a time."""


class StoreProcess(WorkProcess):
    """The server of one message store: its mailbox is the store's own."""

    def __init__(
        self, store: MessageStore, around: ProcessContext, after_each: Callable[[WorkProcess], None]
    ) -> None:
        super().__init__(kind="store", id_=f"store:{store.name}", around=around, after_each=after_each)
        self._store = store
        self._owed_since_us: int | None = None

    @property
    @override
    def mailbox(self) -> int:
        return self._store.mailbox_messages

    @property
    def idle(self) -> bool:
        """Whether it has no work, no waiting messages and no pending sync."""
        return not self.busy and not self.mailbox and not self._store.sync_owed

    def _take(self, everything: bool) -> Callable[[], object] | None:
        """Sync if it is time or nothing else is left to do, else handle the next messages (S166)."""
        store = self._store
        if not store.sync_owed:
            self._owed_since_us = None
        elif self._owed_since_us is None:
            self._owed_since_us = self._scheduler.now_us
        waited = self._owed_since_us is not None and (
            self._scheduler.now_us - self._owed_since_us >= SYNC_INTERVAL_US
        )
        if store.sync_owed and (waited or not self.mailbox):
            return self._sync
        if not self.mailbox:
            return None
        return partial(store.handle_mailbox, None if everything else MESSAGES)

    def _sync(self) -> None:
        self._owed_since_us = None
        self._store.sync()


class GcProcess(WorkProcess):
    """The garbage collector of one message store: one step of its work at a time (S183, S184)."""

    def __init__(
        self, store: MessageStore, around: ProcessContext, after_each: Callable[[WorkProcess], None]
    ) -> None:
        super().__init__(kind="gc", id_=f"gc:{store.name}", around=around, after_each=after_each)
        self._store = store

    @property
    def mailbox(self) -> int:
        """Waiting requests, including the one in progress."""
        return self._store.gc_requests

    @property
    def idle(self) -> bool:
        """Whether it has nothing to collect."""
        return not self.busy and not self._store.gc_busy

    def _take(self, everything: bool) -> Callable[[], object] | None:
        return self._store.run_gc_step if self._store.gc_busy else None


REPORT_EVERY_US: Final = 100_000
"""Shortest time between two reports of a process, in microseconds."""


class NodeProcesses:
    """The processes by id, such as `queue:orders`. If work takes no time, each handles messages at once."""

    def __init__(
        self, scheduler: TimerScheduler, emit: Callable[[Transition], None], spec: Callable[[], CreditSpec]
    ) -> None:
        self.meter = WorkMeter()
        self.timed = False
        """Whether work takes time, so that mailboxes fill."""
        self.cores = NodeCores()
        self.clock = scheduler
        self._emit = emit
        self._around = ProcessContext(scheduler, self.meter, self.cores, self.get, self._note, spec)
        self._all: dict[str, WorkProcess] = {}
        self._shown: dict[str, dict[str, Any]] = {}
        self._reported_us: dict[str, int] = {}
        self.changed: dict[str, None] = {}
        self._timer: ScheduledTimer | None = None

    def use(self, name: ProfileName) -> None:
        self.meter.profile = PROFILES[name]
        self.timed = not self.meter.profile.instant
        self.meter.forget()
        self.cores.milli = self.meter.profile.milli_cores

    # --- which there are ---------------------------------------------------------------------------------------------
    def get(self, id_: str) -> WorkProcess | None:
        """Return a process, None if there is none of this id."""
        return self._all.get(id_)

    def of(self, kind: str, name: str, **duties: Any) -> WorkProcess:
        """Return a process, starting it if needed. `duties`: callbacks for a new one, as in `WorkProcess`:
        after_each, may_read, more_credit.
        """
        id_ = f"{kind}:{name}"
        if id_ not in self._all:
            new = WorkProcess if self.timed else ImmediateProcess
            self._all[id_] = new(kind=kind, id_=id_, around=self._around, **duties)
            self._note(self._all[id_])
        return self._all[id_]

    def of_stores(self, stores: Mapping[str, MessageStore], on_worked: Callable[[], None]) -> None:
        """Start the processes of message stores that have just started; if work takes no time, callers run
        the stores. `on_worked`: called after a store or its collector worked, since queues may need to know.
        """
        if not self.timed:
            return
        worked = partial(self._store_worked, on_worked)
        for store in stores.values():
            for process in (
                StoreProcess(store, self._around, worked),
                GcProcess(store, self._around, worked),
            ):
                self._all[process.id] = process
                self.changed[process.id] = None

    def has_read_files(self, id_: str, work: tuple[int, int]) -> None:
        """Keep a queue's process busy until the node has read its files (D1, D2). `work`: nanoseconds of
        processor and of disk.
        """
        if self.timed and any(work):
            self._all[id_].post(FIRST, 1, partial(_once, partial(self.meter.again, *work)))

    def in_monitor(self, name: str, check: Callable[[], None]) -> None:
        """Run a monitor's check in its own process (M1, M7, M10)."""
        monitor = self.of("monitor", name)
        monitor.post(PUBLISH, 1, partial(_once, check))
        monitor.wake_now()

    def spacing_us(self, working_us: int, given_us: int) -> int:
        """Return the distance of messages that a process handles one after the other. `working_us`: time for
        one message, if work takes time.
        """
        return working_us if self.timed else given_us

    def _store_worked(self, on_worked: Callable[[], None], _: WorkProcess) -> None:
        self.wake_stores()
        on_worked()

    def wake_stores(self) -> None:
        """Let the stores and their collectors check for work."""
        for process in self._all.values():
            if process.kind in ("store", "gc") and not process.idle:
                process.wake()

    def mailboxes(self, *kinds: str) -> int:
        if not self.timed:
            return 0
        return sum(process.mailbox for process in self._all.values() if process.kind in kinds)

    def end(self, id_: str) -> None:
        """End a process: its mailbox is lost, and the processes that it blocked continue (F3)."""
        process = self._all.pop(id_, None)
        if process is None:
            return
        process.ended = True
        process.clear()
        for other in list(self._all.values()):
            other.peer_gone(id_)
        self._note(process)

    def end_all(self) -> None:
        for process in self._all.values():
            process.ended = True
            process.clear()
            self._note(process)
        self._all.clear()
        self.meter.forget()

    def work_off(self) -> None:
        """Handle everything that waits anywhere, at once."""
        while any(process.work_off() for process in list(self._all.values())):
            pass

    # --- what is reported --------------------------------------------------------------------------------------------
    def _note(self, process: WorkProcess) -> None:
        if process.is_shown:
            self.changed[process.id] = None

    def report_processes(self) -> None:
        """Report the processes that changed, each at most once per interval."""
        now_us = self.clock.now_us
        later: dict[str, None] = {}
        again_us: int | None = None
        for id_ in self.changed:
            process = self._all.get(id_)
            if process is None or not process.is_shown:
                self._report_end(id_)
                continue
            due_us = self._reported_us.get(id_, -REPORT_EVERY_US) + REPORT_EVERY_US
            if due_us <= now_us:
                due_us = self._report_one(process)
            if due_us > now_us:
                later[id_] = None
                again_us = due_us if again_us is None else min(again_us, due_us)
        self.changed = later
        self._report_again(again_us)

    def _report_end(self, id_: str) -> None:
        self._reported_us.pop(id_, None)
        if self._shown.pop(id_, None) is not None:
            self._emit(ProcessChanged("P6", id_, None))

    def _report_one(self, process: WorkProcess) -> int:
        """Report one process; return when to check again, 0 for only after a change."""
        now_us = self.clock.now_us
        items, shown = process.info_items(), self._shown.get(process.id, {})
        changed = {name: value for name, value in items.items() if name not in shown or shown[name] != value}
        if changed:
            self._shown[process.id] = items
            self._reported_us[process.id] = now_us
            rule = "F3" if shown and "blocked_by" in changed else "P6"
            self._emit(ProcessChanged(rule, process.id, changed))
        return process.flow_until_us

    def _report_again(self, at_us: int | None) -> None:
        """Schedule an event for the next process report."""
        if self._timer is not None and self._timer.live:
            if at_us is not None and self._timer.at_us <= at_us:
                return
            self._timer.cancel()
        # The event that ends afterwards reports everything.
        self._timer = None if at_us is None else self.clock.at(at_us, ignore)

    def info_items(self) -> dict[str, Any]:
        return {id_: dict(items) for id_, items in sorted(self._shown.items())}


def _once(do: Callable[[], None], _: int) -> None:
    do()
