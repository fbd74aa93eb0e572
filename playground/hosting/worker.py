"""The worker program: it runs the engines of some sessions in one thread, turn after turn. It ends when the
server closes the socket, or by itself when a turn does not end. The server starts it with `python -m
playground.hosting.worker FD`.
"""

from __future__ import annotations

import contextlib
import gc
import heapq
import logging
import math
import os
import resource
import socket
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from greenlet import GreenletExit, getcurrent, greenlet

from playground.hosting import protocol
from playground.hosting.link import NEW_OBJECTS, LinkClosed, ProcessLink, run
from playground.hosting.pacer import FrameThrottle
from playground.hosting.real_engine import EngineDoor
from playground.hosting.run import RunStorage
from playground.hosting.session import EngineSession, SessionWork
from playground.hosting.session_files import CheckpointStore, SessionFiles

KEPT: Final = 4
"""Idle stacks to keep for each thread; more are only in use if many long events take turns."""


class _Stack(greenlet):
    """Does one piece of work after the other; an error ends only that piece."""

    work: Callable[[], Any] | None = None
    """What is to be done next."""

    def run(self) -> None:
        while self.work is not None:
            work, self.work = self.work, None
            work()
            del work  # it holds on to a session
            if len(_idle.stacks) >= KEPT:
                return
            _idle.stacks.append(self)
            self.parent.switch(_DONE)


class _Idle(threading.local):
    """Idle stacks; each belongs to the thread that made it."""

    def __init__(self) -> None:
        self.stacks: list[_Stack] = []


_idle = _Idle()
_DONE: Final = object()


class SessionJob(SessionWork):
    """One piece of work. `work`: called on the first `go_on`; calls `breathe` where it may be interrupted. `clock`:
    real seconds.
    """

    def __init__(self, work: Callable[[], Any], clock: Callable[[], float]) -> None:
        super().__init__(work, clock)
        self._clock = clock
        self._deadline_s = 0.0
        self._stack: _Stack | None = None
        """Its stack, from the first `go_on` until it is done."""

    def go_on(self, budget_s: float) -> bool:
        self._deadline_s = self._clock() + budget_s
        if self._stack is None:
            self._stack = _idle.stacks.pop() if _idle.stacks else _Stack()
            self._stack.work = self._work
        self._stack.parent = getcurrent()
        if self._stack.switch() is not _DONE and not self._stack.dead:
            return False
        self._stack = None
        return True

    def breathe(self) -> None:
        """Let others have their turn if this one's is over."""
        if self._clock() >= self._deadline_s and getcurrent() is self._stack:
            self._stack.parent.switch()

    def abandon(self) -> None:
        if self._stack is not None and self._stack and not self._stack.dead:
            self._stack.parent = getcurrent()
            self._stack.throw(GreenletExit)


GRID_S: Final = 0.025
CALM_S: Final = 1.0
"""Seconds after a request during which a session's turn does not come early; its next turn often comes with the next
request.
"""


class WorkerAgenda:
    """Sessions by name, each with the time at which it wants a turn."""

    def __init__(self) -> None:
        self._asked: deque[str] = deque()
        self._since_s: dict[str, float] = {}
        self._heap: list[tuple[float, str]] = []
        self._due_s: dict[str, float] = {}
        """Due time of each session; minus infinity after a request. Different entries in the heap are outdated."""
        self._early_s: dict[str, float] = {}
        """By how much each turn may come early; 0 for those that must be on time."""
        self._asked_s: dict[str, float] = {}
        """Time of each session's last request."""
        self._on_beat = False
        """Whether the last turn was due, so that others may come with it."""

    def put(self, name: str, due_s: float, now_s: float = 0.0, early_s: float = 0.0) -> None:
        """Set the due time of a session's next turn, infinity for never. `now_s`: the current time; an earlier due
        time does not count as late. `early_s`: how much earlier it may come together with others, unless requests
        follow each other.
        """
        if due_s == -math.inf:
            self._asked_s[name] = now_s
        calm = now_s - self._asked_s.get(name, -math.inf) > CALM_S
        self._early_s[name] = early_s if calm else 0.0
        if self._due_s.get(name) == due_s:
            return
        if due_s < self._due_s.get(name, math.inf):
            self._since_s[name] = now_s
        if due_s == math.inf:
            self._due_s.pop(name, None)
            return
        self._due_s[name] = due_s
        if due_s == -math.inf:
            self._asked.append(name)
        else:
            heapq.heappush(self._heap, (due_s, name))

    def forget(self, name: str) -> None:
        self._due_s.pop(name, None)
        self._since_s.pop(name, None)
        self._early_s.pop(name, None)
        self._asked_s.pop(name, None)

    @property
    def asked(self) -> bool:
        return self._next_asked() is not None

    def wait_s(self, now_s: float) -> float:
        if self._next_asked() is not None:
            return 0.0
        self._on_beat = self._on_beat and self._may_come(now_s)
        return 0.0 if self._on_beat else max(0.0, self._next_beat_s() - now_s)

    def take(self, now_s: float) -> tuple[str, float] | None:
        """Return the session that has the next turn, and how late it is; None if none is due yet."""
        name = self._next_asked()
        if name is not None:
            self._asked.popleft()
            del self._due_s[name]
            return name, 0.0
        self._on_beat = self._may_come(now_s)
        if not self._on_beat:
            return None
        beat_s = self._next_beat_s()
        name = heapq.heappop(self._heap)[1]
        del self._due_s[name]
        return name, max(0.0, now_s - max(beat_s, self._since_s[name]))

    def _next_asked(self) -> str | None:
        while self._asked and self._due_s.get(self._asked[0]) != -math.inf:
            self._asked.popleft()
        return self._asked[0] if self._asked else None

    def _may_come(self, now_s: float) -> bool:
        """Return whether a session is due, or nearly due right after other turns."""
        beat_s = self._next_beat_s()
        return bool(self._heap) and beat_s - self._on_beat * self._early_s[self._heap[0][1]] <= now_s

    def _next_beat_s(self) -> float:
        """Return the beat of the grid for the next turn, infinity if there is none."""
        while self._heap and self._due_s.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return math.ceil(self._heap[0][0] / GRID_S) * GRID_S if self._heap else math.inf


STATM: Final = "/proc/self/statm"
RESIDENT, DATA = 1, 5
"""Places in STATM of the pages in memory, and of the pages of data, which the limit of data counts."""
PAGE_BYTES: Final = resource.getpagesize()


class WorkerMemory:
    """Measures this process. Without /proc, nothing is known and nothing is taken."""

    def __init__(self) -> None:
        self._statm: int | None = None
        with contextlib.suppress(OSError):
            self._statm = os.open(STATM, os.O_RDONLY | os.O_CLOEXEC)
        self._first = self._noted = self._pages(RESIDENT)
        self._by_session: Counter[str] = Counter()

    def close(self) -> None:
        statm, self._statm = self._statm, None
        if statm is not None:
            os.close(statm)

    def bind(self, most_bytes: int) -> None:
        """Bound the data of this process, for what is asked for at once: whoever asks for more gets a MemoryError.
        `most_bytes`: that are added; nothing is bound where the system does not say how many there are.
        """
        if self._statm is not None:
            most_bytes += self._pages(DATA) * PAGE_BYTES
            resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, resource.RLIM_INFINITY))

    def _pages(self, place: int) -> int:
        return 0 if self._statm is None else int(os.pread(self._statm, 128, 0).split()[place])

    def taken_bytes(self) -> int:
        """Return the bytes in memory that were added since the beginning."""
        return (self._pages(RESIDENT) - self._first) * PAGE_BYTES

    def note(self, session: str) -> None:
        """Count what was added or freed since the last note for a session, whose turn ends."""
        now = self._pages(RESIDENT)
        self._by_session[session] += now - self._noted
        self._noted = now

    def forget(self, session: str) -> None:
        """Forget a session that is gone, and what was freed with it."""
        del self._by_session[session]
        self._noted = self._pages(RESIDENT)

    def largest(self, turn: str | None) -> str:
        """Return the session that takes most. `turn`: the session that has the turn, if one has: what was added since
        the last note is its own.
        """
        taken = self._by_session.copy()
        if turn is not None:
            taken[turn] += self._pages(RESIDENT) - self._noted
        return max(taken, key=taken.__getitem__, default="")


TURN_S: Final = 0.03
"""Real time of one session's turn when others wait."""
LONGEST_WAIT_S: Final = 1.0
READ_S: Final = 0.004
"""How long a command may wait to be read, and an answer to be sent, while turns follow each other."""
OVERRUN_S: Final = 20.0
"""Processor time after which a turn counts as endless; real time would be wrong on a busy machine."""
LOOK_S: Final = 0.25
"""Real time between two looks at time and memory."""
STUCK: Final = 3
"""Exit status of a worker that ended itself because a session took too much."""


class EngineWorker:
    """Takes messages, and gives turns to sessions. `clock`: real seconds."""

    def __init__(
        self, link: ProcessLink, door: EngineDoor, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.sessions: dict[str, EngineSession] = {}
        self.turn: tuple[str, float] | None = None
        """The session that has the turn, and this thread's processor time at its start."""
        self.memory = WorkerMemory()
        self._link = link
        self._door = door
        self._clock = clock
        self.begin: protocol.BeginWorker | None = None
        self._files: SessionFiles | None = None
        self._checkpoints: CheckpointStore | None = None
        self._agenda = WorkerAgenda()
        self._ease = FrameThrottle()
        self._heard_s = 0.0

    def serve(self) -> None:
        """Work until the server is gone. The server notices the end in any case."""
        try:
            with contextlib.suppress(LinkClosed):
                while True:
                    self.go_on()
        finally:
            try:
                for session in self.sessions.values():
                    session.close()
                self.sessions.clear()
            finally:
                self.memory.close()
                self._link.close()

    def go_on(self) -> None:
        """Give a turn to the session that is due first; then receive and send messages, if it is time."""
        now_s = self._clock()
        wait_s = self._agenda.wait_s(now_s)
        if wait_s or now_s - self._heard_s >= READ_S:
            self._link.flush()
            for message in self._link.receive(min(wait_s, LONGEST_WAIT_S)):
                self._take(message)
            now_s = self._heard_s = self._clock()
        taken = self._agenda.take(now_s)
        if taken is not None:
            self._give_turn(self.sessions[taken[0]], now_s, taken[1])

    def _give_turn(self, session: EngineSession, now_s: float, late_s: float) -> None:
        goes_on = session.is_busy
        if goes_on:
            self._link.flush()  # it may come back late
        elif session.due_s() > -math.inf:
            self._ease.late(now_s, late_s)
        self.turn = session.session_id, time.thread_time()
        session.turn(TURN_S)
        if self._may_go_on(session):
            session.turn(TURN_S)
        self.turn = None
        self.memory.note(session.session_id)
        self._plan(session)

    def _may_go_on(self, session: EngineSession) -> bool:
        """Return whether a session may show its answer at once, because nobody else waits. The answer and the
        frame then leave together, which wakes the reader once.
        """
        return not (session.is_busy or self._agenda.asked) and -math.inf < session.due_s() <= self._clock()

    def _plan(self, session: EngineSession) -> None:
        due_s = session.due_s()
        now_s = self._clock()
        if session.is_busy:  # a turn that was left in the middle goes on behind those that are due by now
            self._agenda.put(session.session_id, now_s - GRID_S, now_s)
        else:
            self._agenda.put(session.session_id, due_s, now_s, session.early_s(due_s))

    def _take(self, message: Any) -> None:
        match message:
            case protocol.BeginWorker():
                self._prepare(message)
            case protocol.WorkerPing():
                self._link.send(protocol.WorkerPong())
            case protocol.FrameSpacing():
                self._ease.ask(message.factor)
            case protocol.DropSession():
                session = self.sessions.pop(message.session, None)
                if session is not None:
                    self._agenda.forget(message.session)
                    session.close()
                    self.memory.forget(message.session)
            case _:
                session = self._session(message.session)
                session.receive(message)
                if not session.is_busy:
                    self._plan(session)

    def _prepare(self, message: protocol.BeginWorker) -> None:
        self.begin = message
        self._files = SessionFiles(Path(message.root))
        if message.key:
            self._checkpoints = CheckpointStore(
                Path(message.checkpoints),
                door=self._door,
                key=message.key,
                build=message.build,
                most_bytes=message.checkpoint_bytes,
            )

    def _session(self, session_id: str) -> EngineSession:
        session = self.sessions.get(session_id)
        if session is None:
            if self.begin is None or self._files is None:
                raise RuntimeError("the first message is BeginWorker")
            session = self.sessions[session_id] = EngineSession(
                session_id,
                door=self._door,
                storage=RunStorage(self._files, self._checkpoints),
                bounds=self.begin.bounds,
                send=self._link.send,
                clock=self._clock,
                work=SessionJob,
                ease=self._ease,
            )
        return session


def watch(worker: EngineWorker, link: ProcessLink, overrun_s: float, thread: int) -> None:
    """End this process when a turn does not end, or when the sessions take too much memory; report the session.
    `overrun_s`: processor time that no turn needs.
    """
    worked = time.pthread_getcpuclockid(thread)
    is_bound = False
    while True:
        time.sleep(min(LOOK_S, overrun_s / 4))
        if worker.begin is None:
            continue
        if not is_bound:
            worker.memory.bind(2 * worker.begin.memory_bytes)
            is_bound = True
        turn = worker.turn
        if turn is not None and time.clock_gettime(worked) - turn[1] > overrun_s:
            _end(link, protocol.RunStuck(turn[0], "time"))
        if worker.memory.taken_bytes() > worker.begin.memory_bytes:
            gc.collect()  # what ended sessions left
        if worker.memory.taken_bytes() > worker.begin.memory_bytes:
            _end(link, protocol.RunStuck(worker.memory.largest(turn and turn[0]), "memory"))


def _end(link: ProcessLink, stuck: protocol.RunStuck) -> None:
    """End this process because of a session."""
    logging.getLogger("playground.hosting.worker").error(
        "session %s takes too much %s", stuck.session, stuck.excess
    )
    with contextlib.suppress(LinkClosed):
        link.send_now(stuck)
    os._exit(STUCK)


def serve(handle: int) -> None:
    """Serve over a socket, and end this process. `handle`: number of the worker's end of the socket."""
    level = os.environ.get("WATERLINE_LOG_LEVEL", "INFO")
    form = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format=form)
    logging.getLogger("playground").setLevel(level)
    link = ProcessLink(socket.socket(fileno=handle))
    worker = EngineWorker(link, EngineDoor())
    overrun_s = float(os.environ.get("WATERLINE_OVERRUN_S", OVERRUN_S))
    gc.set_threshold(*NEW_OBJECTS)
    watched = worker, link, overrun_s, threading.get_ident()
    threading.Thread(target=watch, args=watched, daemon=True).start()
    try:
        worker.serve()
    finally:  # after a MemoryError too, whose handlers may have no memory either
        os._exit(0)  # nothing is left to tidy up, and nobody waits for it


if __name__ == "__main__":
    run(serve)
