"""All processes of the broker: which there are, and what is reported of them where work takes time (P6, F3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from engine.backing_queue.stores import MessageStore
from engine.broker.time.credit import CreditSpec
from engine.broker.time.immediate import ImmediateProcess
from engine.broker.time.meter import WorkMeter
from engine.broker.time.process import FIRST, PUBLISH, NodeCores, ProcessContext, WorkProcess
from engine.broker.time.scheduler import ScheduledTimer, TimerScheduler
from engine.broker.time.store_process import GcProcess, StoreProcess
from engine.costs.work import PROFILES, ProfileName
from engine.report.transitions.base import Transition
from engine.report.transitions.node import ProcessChanged

REPORT_EVERY_US: Final = 100_000
"""What is shown of a process changes at most this often, however fast its mailbox does."""


class NodeProcesses:
    """The processes by id, such as `queue:orders`. Where work takes no time each does at once what it is sent.

    Args:
        emit: takes transitions.
        spec: returns the credit that processes give each other.
    """

    def __init__(
        self,
        scheduler: TimerScheduler,
        emit: Callable[[Transition], None],
        spec: Callable[[], CreditSpec],
    ) -> None:
        self.meter = WorkMeter()
        self.timed = False
        """Whether work takes time, so that mailboxes fill. Hardly anything depends on it."""
        self.cores = NodeCores()
        self._scheduler = scheduler
        self._emit = emit
        self._around = ProcessContext(scheduler, self.meter, self.cores, self.get, self._note, spec)
        self._all: dict[str, WorkProcess] = {}
        self._shown: dict[str, dict[str, Any]] = {}
        self._reported_us: dict[str, int] = {}
        self.changed: dict[str, None] = {}
        self._timer: ScheduledTimer | None = None

    def use(self, name: ProfileName) -> None:
        """Work on another machine from now on."""
        self.meter.profile = PROFILES[name]
        self.timed = not self.meter.profile.instant
        self.meter.forget()
        self.cores.milli = self.meter.profile.milli_cores

    # --- which there are ---------------------------------------------------------------------------------------------

    def get(self, id_: str) -> WorkProcess | None:
        """Return a process, None if there is none of this id."""
        return self._all.get(id_)

    def of(self, kind: str, name: str, **duties: Any) -> WorkProcess:
        """Return a process, which begins if it is not there yet.

        Args:
            duties: what a new one is to do besides, as `WorkProcess` takes it: after_each, may_read, more_credit.
        """
        id_ = f"{kind}:{name}"
        if id_ not in self._all:
            new = WorkProcess if self.timed else ImmediateProcess
            self._all[id_] = new(kind=kind, id_=id_, around=self._around, **duties)
            self._note(self._all[id_])
        return self._all[id_]

    def of_stores(self, stores: Mapping[str, MessageStore], on_worked: Callable[[], None]) -> None:
        """Begin the processes of message stores that have just started; without time, callers let stores work.

        Args:
            on_worked: called when a store or its collector did something that queues may be notified of.
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
        """Let a queue's process wait until the node has read its files: it serves nobody before (D1, D2).

        Args:
            work: nanoseconds of processor and of disk.
        """
        if self.timed and any(work):
            self._all[id_].post(FIRST, 1, partial(_once, partial(self.meter.again, *work)))

    def in_monitor(self, name: str, check: Callable[[], None]) -> None:
        """Let a monitor look, in its own process (M1, M7, M10)."""
        monitor = self.of("monitor", name)
        monitor.post(PUBLISH, 1, partial(_once, check))
        monitor.wake_now()

    def spacing_us(self, working_us: int, given_us: int) -> int:
        """Return how far apart messages are that a process handles one after the other.

        Args:
            working_us: what the work of one takes, where it takes time.
            given_us: how far apart they were sent.
        """
        return working_us if self.timed else given_us

    def _store_worked(self, on_worked: Callable[[], None], _: WorkProcess) -> None:
        self.wake_stores()
        on_worked()

    def wake_stores(self) -> None:
        """Let the stores and their collectors check whether there is something to do."""
        for process in self._all.values():
            if process.kind in ("store", "gc") and not process.idle:
                process.wake()

    def mailboxes(self, *kinds: str) -> int:
        """Return how many messages wait in all mailboxes of these kinds."""
        if not self.timed:
            return 0
        return sum(process.mailbox for process in self._all.values() if process.kind in kinds)

    def end(self, id_: str) -> None:
        """End a process: its mailbox is lost, and those whom it blocked go on (F3)."""
        process = self._all.pop(id_, None)
        if process is None:
            return
        process.ended = True
        process.clear()
        for other in list(self._all.values()):
            other.peer_gone(id_)
        self._note(process)

    def end_all(self) -> None:
        """End with the node."""
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
        """Emit what differs of the processes that changed, each of them at most once in a while."""
        now_us = self._scheduler.now_us
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
        """Report one process; return when to look again, 0 if that is only when something changes."""
        now_us = self._scheduler.now_us
        items, shown = process.info_items(), self._shown.get(process.id, {})
        changed = {name: value for name, value in items.items() if name not in shown or shown[name] != value}
        if changed:
            self._shown[process.id] = items
            self._reported_us[process.id] = now_us
            rule = "F3" if shown and "blocked_by" in changed else "P6"
            self._emit(ProcessChanged(rule, process.id, changed))
        return process.credit.flow_until_us if items["state"] == "flow" and not items["blocked_by"] else 0

    def _report_again(self, at_us: int | None) -> None:
        """Let something happen when the next process may be reported."""
        if self._timer is not None and self._timer.live:
            if at_us is not None and self._timer.at_us <= at_us:
                return
            self._timer.cancel()
        self._timer = None if at_us is None else self._scheduler.at(at_us, _nothing)

    def info_items(self) -> dict[str, Any]:
        """Return what is shown of every process."""
        return {id_: dict(items) for id_, items in sorted(self._shown.items())}


def _once(do: Callable[[], None], _: int) -> None:
    """Do what one message asks for."""
    do()


def _nothing() -> None:
    """Only let an event happen, at whose end everything is reported."""
