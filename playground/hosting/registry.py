"""The hosts of this process: at most one for each session, with a bound on awake ones."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec
from django.utils.translation import gettext_lazy as _

from engine.reading.conditions import Condition
from playground.hosting.audience import SessionClient
from playground.hosting.engine_api import NodeDoor
from playground.hosting.host import RunSoFar, SessionHost
from playground.hosting.run_owner import HostResources
from playground.hosting.session.protocol import BeginWorker
from playground.hosting.session_files import ProcessDirectory
from playground.hosting.session_record import SessionRecord
from playground.hosting.workers.pool import CAN_FORK, InThread, WorkerFactory, WorkerPool, process
from playground.limits.session_limits import SessionLimits
from playground.texts import PageMessage, RequestRefused

logger = logging.getLogger(__name__)

FEW: Final = 4
FOR_OTHERS: Final = 12
"""The fraction of all sessions (one in this many) that is reserved for addresses and classes with few."""
MOMENT_S = 20.0
"""Longest wait for a busy session's moment."""


class TooManyWatchers(RequestRefused):
    """The session has as many sockets as it may have."""


class ServerFull(RequestRefused):
    """This process hosts as many sessions as it may, and somebody watches each."""


class HostRegistry:
    """Finds, makes and ends hosts. `join` and `end` belong to the event loop; the rest may be called anywhere."""

    def __init__(
        self,
        *,
        door: NodeDoor,
        book: Callable[[str], SessionRecord],
        limits: SessionLimits,
        root: Path,
        begin: BeginWorker | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.door = door
        self.limits = limits
        self.directory = ProcessDirectory(root)
        self._book = book
        self._clock = clock
        self._hosts: dict[str, SessionHost] = {}
        self._resting: dict[str, asyncio.Task[None]] = {}
        """Work that closed hosts still have to do."""
        begin = begin or BeginWorker(root="", bounds=limits.bounds())
        self._nursery = WorkerFactory() if limits.workers and CAN_FORK else None
        self.pool = WorkerPool(
            max(1, limits.workers),
            self._nursery or (process if limits.workers else InThread(door)),
            msgspec.structs.replace(begin, root=str(self.directory.path), bounds=limits.bounds()),
        )

    def host(self, session_id: str) -> SessionHost | None:
        return self._hosts.get(session_id)

    def join(self, session_id: str, client: SessionClient) -> SessionHost:
        """Let a socket watch a session. Raises `TooManyWatchers` or `ServerFull`. Strangers share the places
        of a session; its owner always gets in.
        """
        host = self._hosts.get(session_id) or self._new(session_id, client.group)
        if not client.owner and host.audience.strangers >= self.limits.sockets_per_session:
            text = _("This session already has %(most)s viewers, which is its limit.")
            raise TooManyWatchers(text, most=self.limits.sockets_per_session)
        host.join(client)
        return host

    def _new(self, session_id: str, group: str) -> SessionHost:
        same = [host for host in self._hosts.values() if group and host.group == group]
        if len(same) >= self.limits.sessions_per_address:
            text = _(
                "%(most)s sessions of your network are open on this server, which is its limit for one address. "
                "Close a page with a session, and try again."
            )
            self._make_room(same, PageMessage(text, most=self.limits.sessions_per_address))
        most = self.limits.sessions_per_process
        if len(same) >= FEW:
            most -= most // FOR_OTHERS
        if len(self._hosts) >= most:
            text = _("This server hosts %(most)s sessions, which is its limit. Try again in a few minutes.")
            self._make_room(self._hosts.values(), PageMessage(text, most=most))
        host = SessionHost(
            session_id,
            book=self._book(session_id),
            resources=HostResources(self.door, self.pool, self.directory),
            limits=self.limits,
            clock=self._clock,
            on_closed=self._closed,
            group=group,
            after=self._resting.get(session_id),
        )
        self._hosts[session_id] = host
        return host

    def _make_room(self, among: Iterable[SessionHost], why_not: PageMessage) -> None:
        """Suspend the session among these that has been unwatched for longest."""
        unwatched = [host for host in among if not host.audience]
        if not unwatched:
            logger.warning("full: %s", why_not)
            raise ServerFull(why_not)
        longest = min(unwatched, key=lambda host: host.last_watched_s)
        longest.close()

    def _closed(self, host: SessionHost) -> None:
        if self._hosts.get(host.session_id) is host:
            del self._hosts[host.session_id]
            self._resting[host.session_id] = host.task
            host.task.add_done_callback(lambda task: self._rested(host.session_id, task))

    def _rested(self, session_id: str, task: asyncio.Task[None]) -> None:
        if self._resting.get(session_id) is task:
            del self._resting[session_id]

    def moment(self, session_id: str, goals: Sequence[Condition] = ()) -> RunSoFar | None:
        """Return where a session is, if it is here, and which goals hold. Do not call in the event loop's thread."""
        host = self._hosts.get(session_id)
        if host is None:
            return None
        return asyncio.run_coroutine_threadsafe(host.moment(goals), host.loop).result(MOMENT_S)

    async def end(self) -> None:
        await asyncio.gather(*(host.end() for host in tuple(self._hosts.values())))
        await asyncio.gather(*self._resting.values(), return_exceptions=True)
        await self.pool.end()
        self._tidy()

    def stop(self) -> None:
        """End everything at once, without a loop."""
        self.pool.stop()
        self._tidy()

    def _tidy(self) -> None:
        if self._nursery is not None:
            self._nursery.end()
        self.directory.remove()
