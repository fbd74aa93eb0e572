"""The server's processes for jobs: started when needed, reused, and replaced when they end. A place becomes free
however its job ends: a process whose time is over is killed, and the waiting caller gets an error. For threads.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any, Final

from django.utils import translation

from playground.hosting.link import LinkClosed, ProcessLink
from playground.hosting.pool import CAN_FORK, Launch, StartedProcess, WorkerFactory, process
from playground.jobs import LOST, BoundedJob, JobBounds, JobEnded
from playground.jobs.process import CODEC, unpacked
from playground.limits import page_scheduler
from playground.limits.work_places import PLACES, TEXT, GateBusy

logger = logging.getLogger(__name__)

PROCESS: Final = "playground.jobs.process"
CHECKS: Final = 2
"""Processes in addition to those for runs with a place of `playground.limits.work_places`, for short checks."""
PATIENCE_S: Final = 120.0
"""Longest that a job waits for a process."""


class JobProcess:
    """A process for jobs, as the server has it. `started`: by which it can be killed."""

    def __init__(self, end: socket.socket, started: StartedProcess) -> None:
        self._link = ProcessLink(end, CODEC)
        self._started = started
        self.fit = False
        """Whether it may do another job, because the last one ended and left little memory behind."""

    @property
    def is_there(self) -> bool:
        try:
            return not self._link.receive(0)
        except LinkClosed:
            return False

    def pieces(self, order: Any, bounds: JobBounds) -> Iterator[Any]:
        """Yield what it answers to an order. Raises JobEnded, and what the job raised."""
        began_s = time.monotonic()
        self.fit, kind = False, "piece"
        try:
            self._link.send_now(order)
            while kind == "piece":
                left_s = began_s + bounds.wall_s - time.monotonic()
                if left_s <= 0:
                    raise JobEnded("time")
                for kind, value, fit in self._link.receive(left_s):
                    self.fit = fit
                    if kind in ("piece", "answer"):
                        yield value
        except LinkClosed:
            # The kernel ends it after so much work, which takes at least as long.
            raise JobEnded("time" if time.monotonic() - began_s >= bounds.work_s else LOST) from None
        if kind == "raised":
            raise unpacked(*value)

    def kill(self) -> None:
        """End it at once; the waiting caller gets an error."""
        self._started.kill()
        self._link.hang_up()

    def close(self) -> None:
        """End it, and wait until it has ended."""
        self.kill()
        self._link.close()
        self._started.wait()


class JobPool:
    """Gives jobs to processes: see `JobCarrier`. `most`: processes at the same time. `patience_s`: longest that a
    job waits for one.
    """

    def __init__(self, launch: Launch, most: int, patience_s: float = PATIENCE_S) -> None:
        self._launch = launch
        self._free = most
        self._patience_s = patience_s
        self._changed = threading.Condition()
        self._idle: list[JobProcess] = []
        self.busy: set[JobProcess] = set()
        """Those that have a job."""
        self._ended = False

    def begin(self) -> None:
        with contextlib.suppress(JobEnded):
            taken = self._take()
            taken.fit = True
            self._give_back(taken)

    def pieces(
        self, work: BoundedJob[Any, Any], args: tuple[Any, ...], names: dict[str, Any]
    ) -> Iterator[Any]:
        """Yield what a job's generator yields, or its one answer."""
        order = work.name, args, names, translation.get_language() or "en"
        with page_scheduler.aside():
            taken = self._take()
            try:
                yield from taken.pieces(order, work.bounds)
            except JobEnded as ended:
                logger.warning("the job %s of %s was ended: %s", *reversed(work.name), ended.message.code)
                raise
            finally:
                self._give_back(taken)

    @property
    def is_ended(self) -> bool:
        return self._ended

    def _take(self) -> JobProcess:
        with self._changed:
            if not self._changed.wait_for(lambda: self._free or self._ended, self._patience_s):
                raise GateBusy(TEXT)
            if self._ended:
                raise JobEnded(LOST)
            self._free -= 1
            found = self._idle.pop() if self._idle else None
        try:
            if found is not None and not found.is_there:
                found.close()
                found = None
            taken = found or JobProcess(*self._launch())
        except OSError as error:
            logger.error("no process for a job can be started: %s", error)
            with self._changed:
                self._free += 1
                self._changed.notify()
            raise JobEnded(LOST) from None
        with self._changed:
            self.busy.add(taken)
            if self.is_ended:
                taken.kill()  # which its job notices
        return taken

    def _give_back(self, taken: JobProcess) -> None:
        try:
            if not taken.fit:
                taken.close()
        finally:
            with self._changed:
                self.busy.remove(taken)
                if taken.fit:
                    self._idle.append(taken)
                self._free += 1
                self._changed.notify()

    def end(self) -> None:
        """End all processes, those with a job as well."""
        with self._changed:
            self._ended = True
            idle, self._idle = self._idle, []
            busy = list(self.busy)
            self._changed.notify_all()
        for each in busy:
            each.kill()
        for each in idle:
            each.close()


class OwnProcesses:
    """The processes of this server: all jobs go to them from now on, until `end`."""

    def __init__(self) -> None:
        self._nursery = WorkerFactory(PROCESS) if CAN_FORK else None
        self.pool = JobPool(self._nursery or (lambda: process(program=PROCESS)), PLACES + CHECKS)
        BoundedJob.carrier = self.pool

    def end(self) -> None:
        """Take no job any more, and end all processes."""
        self.pool.end()
        if self._nursery is not None:
            self._nursery.end()
