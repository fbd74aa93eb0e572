"""The worker program: it runs the engines of some sessions in one thread, turn after turn. It ends when the
server closes the socket, or by itself when a turn does not end. The server starts it with `python -m
playground.hosting.workers.worker FD`.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

from playground.hosting.checkpoints import CheckpointStore
from playground.hosting.directories import SessionFiles
from playground.hosting.engine_api import NodeDoor
from playground.hosting.real_engine import EngineDoor
from playground.hosting.session import protocol
from playground.hosting.session.jobs import SessionJob
from playground.hosting.session.pacer import FrameThrottle
from playground.hosting.session.run_builder import RunStorage
from playground.hosting.session.session import EngineSession
from playground.hosting.workers.agenda import GRID_S, WorkerAgenda
from playground.hosting.workers.link import LinkClosed, ProcessLink
from playground.hosting.workers.worker_memory import WorkerMemory

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
    """Takes messages, and gives turns to sessions.

    Args:
        link: to the server.
        door: makes the engines.
        clock: real seconds.
    """

    def __init__(
        self, link: ProcessLink, door: NodeDoor, clock: Callable[[], float] = time.monotonic
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
                raise RuntimeError("the first message is Begin")
            session = self.sessions[session_id] = EngineSession(
                session_id,
                door=self._door,
                storage=RunStorage(self._files, self._checkpoints),
                bounds=self.begin.bounds,
                send=self._link.send,
                clock=self._clock,
                begin=SessionJob,
                ease=self._ease,
            )
        return session


def watch(worker: EngineWorker, link: ProcessLink, overrun_s: float, thread: int) -> None:
    """End this process when a turn does not end, or when the sessions take too much memory; report the session.

    Args:
        overrun_s: processor time that no turn needs.
        thread: the thread that gives the turns.
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
            _end(link, protocol.RunStuck(worker.memory.largest(turn and turn[0]), "memory"))


def _end(link: ProcessLink, stuck: protocol.RunStuck) -> None:
    """End this process because of a session."""
    logging.getLogger(__name__).error("session %s takes too much %s", stuck.session, stuck.excess)
    with contextlib.suppress(LinkClosed):
        link.send_now(stuck)
    os._exit(STUCK)


def serve(handle: int) -> None:
    """Serve over a socket, and end this process.

    Args:
        handle: number of the worker's end of the socket.
    """
    level = os.environ.get("WATERLINE_LOG_LEVEL", "INFO")
    form = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format=form)
    logging.getLogger("playground").setLevel(level)
    link = ProcessLink(socket.socket(fileno=handle))
    worker = EngineWorker(link, cast(NodeDoor, EngineDoor()))
    overrun_s = float(os.environ.get("WATERLINE_OVERRUN_S", OVERRUN_S))
    watched = worker, link, overrun_s, threading.get_ident()
    threading.Thread(target=watch, args=watched, daemon=True).start()
    try:
        worker.serve()
    finally:  # after a MemoryError too, whose handlers may have no memory either
        os._exit(0)  # nothing is left to tidy up, and nobody waits for it


if __name__ == "__main__":
    serve(int(sys.argv[1]))
