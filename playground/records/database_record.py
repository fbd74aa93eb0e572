"""A session's record in the database, for its host, and the leases of the sessions that this process owns."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from channels.db import database_sync_to_async
from django.db import Error as DatabaseError

from playground.hosting.session_record import OwnedElsewhere, RecordedSession, RecordUnreachable
from playground.records import kept_bytes, paused_sessions, selectors, session_leases
from playground.records.record_writer import RecordAppend, writer
from playground.records.session_leases import LeaseHolder, ProcessPresence

logger = logging.getLogger(__name__)

T = TypeVar("T")

_threads = ThreadPoolExecutor(2, thread_name_prefix="book")
"""Threads for the database, apart from the one that all sockets share."""


def in_thread(work: Callable[..., T]) -> Callable[..., Any]:
    """Let a function use the database off the event loop. Raises RecordUnreachable."""

    def attempt(*arguments: Any) -> T:
        try:
            return work(*arguments)
        except DatabaseError as error:
            raise RecordUnreachable(str(error)) from error

    return database_sync_to_async(attempt, thread_sensitive=False, executor=_threads)


class OwnedLeases:
    """The sessions that this process owns. Their leases are renewed together, at a third of their time.

    Args:
        lasts_s: seconds after which a lease lapses.
        gone: processes that ended without giving back their leases, which need not lapse.
        presence: shows other processes that this one lives.
    """

    def __init__(
        self,
        holder: LeaseHolder,
        lasts_s: float,
        gone: Iterable[str] = (),
        presence: ProcessPresence | None = None,
    ) -> None:
        self.presence = presence
        self.holder = holder
        self.lasts_s = lasts_s
        self._gone = list(gone)
        self._kept: dict[str, Callable[[], None]] = {}
        self._renewing: asyncio.Task[None] | None = None

    def be_seen(self) -> None:
        """Show other processes that this one lives, before it owns anything. Blocks."""
        if self.presence is not None:
            self.presence.hold()

    async def take(self, session_id: str, epoch: int | None) -> int:
        """Become the owner of a session, or stay it under `epoch`; return the epoch. Raises `OwnedElsewhere`."""
        if self._gone:
            await in_thread(session_leases.lapse)(self._gone)
            self._gone = []
        await in_thread(self.be_seen)()
        try:
            return await self._take(session_id, epoch)
        except OwnedElsewhere:
            if self.presence is None or not await self._inherit(session_id):
                raise
        return await self._take(session_id, epoch)

    async def _take(self, session_id: str, epoch: int | None) -> int:
        taken: int = await in_thread(session_leases.take)(session_id, self.holder, self.lasts_s, epoch)
        return taken

    async def _inherit(self, session_id: str) -> bool:
        """End the leases of a session's owner if that process is gone; return whether it is."""
        owner: str = await in_thread(session_leases.owner_of)(session_id)
        if not owner or not await in_thread(session_leases.is_gone)(owner):
            return not owner
        await asyncio.sleep(session_leases.GRACE_S)
        if not await in_thread(session_leases.is_gone)(owner):
            return False
        ended: int = await in_thread(session_leases.lapse)([owner])
        logger.warning("the process %s is gone: %s sessions of it can be taken over", owner, ended)
        return True

    def keep(self, session_id: str, lost: Callable[[], None]) -> None:
        """Renew a session's lease from now on; `lost` is called if another process takes it."""
        self._kept[session_id] = lost
        if self._renewing is None or self._renewing.done():
            self._renewing = asyncio.create_task(self._renew_all(), name="leases")

    def leave(self, session_id: str) -> None:
        self._kept.pop(session_id, None)

    def _renew(self, asked: tuple[str, ...], ours: set[str]) -> None:
        ours.clear()
        ours.update(session_leases.renew(self.holder, asked, self.lasts_s))

    async def _renew_all(self) -> None:
        await asyncio.sleep(self.lasts_s / 3)
        while self._kept:
            asked = tuple(self._kept)
            try:
                ours: set[str] = set()
                # Among the writes to records, not beside them: these lock leases too, in another order.
                await writer().write(partial(self._renew, asked, ours))
            except RecordUnreachable as error:
                logger.warning("the leases of %s sessions could not be renewed: %s", len(asked), error)
            else:
                for session_id in asked:
                    if session_id not in ours and session_id in self._kept:
                        self._kept.pop(session_id)()
            await asyncio.sleep(self.lasts_s / 3)


class DatabaseRecord:
    """See `playground.hosting.session_record.SessionRecord`."""

    def __init__(self, session_id: str, tenure: OwnedLeases) -> None:
        self._session_id = session_id
        self._tenure = tenure
        self._epoch: int | None = None
        self._uncharged_bytes = 0
        self._digest = False
        """Whether a digest may be on record: with one more command the run is another one, at the same moment too."""

    async def take(self, lost: Callable[[], None]) -> None:
        """Become the owner, or stay it."""
        self._epoch = await self._tenure.take(self._session_id, self._epoch)
        self._tenure.keep(self._session_id, lost)

    async def give_back(self) -> None:
        if self._epoch is None:
            return
        epoch, self._epoch = self._epoch, None
        self._tenure.leave(self._session_id)
        with contextlib.suppress(Exception):  # then it lapses
            await writer().write(
                partial(session_leases.give_back, self._session_id, self._tenure.holder, epoch)
            )

    async def load(self) -> RecordedSession:
        self._digest = True
        found: RecordedSession = await in_thread(selectors.remembered)(self._session_id)
        self._uncharged_bytes = found.uncharged_bytes
        return found

    async def make_room(self, command: dict[str, Any]) -> None:
        """Charge whoever began the session for a command, in blocks."""
        wanted = self._uncharged_bytes + selectors.record_bytes(command)
        if wanted >= kept_bytes.BLOCK_BYTES:
            await in_thread(kept_bytes.charge)(self._session_id, wanted)
            wanted = 0
        self._uncharged_bytes = wanted

    async def add_command(self, sequence: int, at_us: int, command: dict[str, Any]) -> None:
        came = {"reached": (at_us, "")} if self._digest else {}
        await writer().write(self._append(row=(sequence, at_us, command), **came))
        self._digest = False

    async def undo_command(self, sequence: int, at_us: int) -> None:
        """Write down that the last command is taken back."""
        await writer().write(self._append(row=(sequence, at_us, selectors.UNDO), reached=(at_us, "")))

    async def answer(self, option: int) -> None:
        await writer().write(partial(paused_sessions.lock, self._session_id, option))

    def note(self, at_us: int) -> None:
        """Write down soon how far the run has come."""
        writer().note(self._append(reached=(at_us, "")))

    async def reached(self, at_us: int, digest: str) -> None:
        self._digest = bool(digest)
        await writer().write(self._append(reached=(at_us, digest)))

    def _append(self, **parts: Any) -> RecordAppend:
        if self._epoch is None:
            raise OwnedElsewhere
        return RecordAppend(self._session_id, self._epoch, **parts)
