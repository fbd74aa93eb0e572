"""The workers of this server: started when they are needed, watched, and replaced when they are gone."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from playground.hosting.session import protocol
from playground.hosting.workers.end import Listener, Lost, WorkerEnd

logger = logging.getLogger(__name__)

ROOT: Final = Path(__file__).resolve().parents[3]
PING_S: Final = 5.0
SILENT_S: Final = 30.0
"""A worker that says nothing for so long, although it was asked, is killed. It ends by itself before that if it can."""

Kill = Callable[[], None]
Launch = Callable[[], tuple[socket.socket, Kill]]
"""Starts a worker; returns the server's end of the socket to it, and how to end it at once."""


def process(environment: dict[str, str] | None = None) -> tuple[socket.socket, Kill]:
    """Start a worker as a process of its own."""
    ours, theirs = socket.socketpair()
    number = theirs.fileno()
    command = [sys.executable, "-m", "playground.hosting.workers.worker", str(number)]
    with theirs:
        started = subprocess.Popen(  # noqa: S603 - this very interpreter
            command,
            cwd=ROOT,
            pass_fds=[number],
            stdin=subprocess.DEVNULL,
            env={**os.environ, **(environment or {})},
        )
    # Somebody must ask for the exit status, or the process stays in the table as a zombie.
    threading.Thread(target=started.wait, name=f"worker {started.pid}", daemon=True).start()
    return ours, started.kill


class Pool:
    """Gives each session a worker.

    Args:
        count: most workers at the same time.
        launch: starts one.
        begin: what each is told first.
    """

    def __init__(self, count: int, launch: Launch, begin: protocol.Begin) -> None:
        self._count = count
        self._launch = launch
        self._begin = begin
        self.ends: list[WorkerEnd] = []
        self._starting = asyncio.Lock()
        self._watch: asyncio.Task[None] | None = None

    async def place(self, session_id: str, listener: Listener) -> WorkerEnd:
        """Return the worker of a session that has none yet: one with few sessions.

        Raises:
            Lost: no worker can be started.
        """
        async with self._starting:
            least = min(self.ends, key=lambda end: len(end.listeners), default=None)
            if least is None or (least.listeners and len(self.ends) < self._count):
                least = await self._start()
            least.listeners[session_id] = listener
            return least

    async def _start(self) -> WorkerEnd:
        try:
            ours, kill = await asyncio.get_running_loop().run_in_executor(None, self._launch)
        except OSError as error:
            logger.exception("no worker can be started")
            raise Lost from error
        end = await WorkerEnd(self._forget, kill).connect(ours)
        end.tell(self._begin)
        self.ends.append(end)
        if self._watch is None:
            self._watch = asyncio.create_task(self._look_after())
        return end

    def _forget(self, end: WorkerEnd) -> None:
        with contextlib.suppress(ValueError):
            self.ends.remove(end)
            logger.warning("a worker is gone")

    async def _look_after(self) -> None:
        """Ask every worker whether it is there, and kill those that do not answer."""
        while True:
            await asyncio.sleep(PING_S)
            now_s = asyncio.get_running_loop().time()
            for end in tuple(self.ends):
                if now_s - end.answered_s > SILENT_S:
                    logger.error("a worker does not answer: it is killed")
                    end.kill()
                else:
                    end.tell(protocol.Ping())

    async def end(self) -> None:
        """End all workers."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
            self._watch = None
        ends, self.ends = self.ends, []
        for end in ends:
            end.close()
        await asyncio.sleep(0)

    def stop(self) -> None:
        """End all workers at once, without a loop."""
        for end in self.ends:
            end.kill()
        self.ends = []
