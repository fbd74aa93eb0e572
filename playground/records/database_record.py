"""A session's record in the database, for its host, and the leases of the sessions that this process owns. What
several sessions want written at the same time is one transaction, off the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import groupby
from typing import Any, Final, TypeVar

import msgspec
from channels.db import database_sync_to_async
from django.db import Error as DatabaseError
from django.db import close_old_connections, connection, transaction

from playground.hosting.session_record import OwnedElsewhere, RecordedSession, RecordUnreachable
from playground.models import Session
from playground.records import kept_bytes, kept_runs, paused_sessions, session_leases
from playground.records.session_leases import LeaseHolder, ProcessPresence


class RecordAppend(msgspec.Struct, frozen=True):
    """An addition to the record of one session. `epoch`: of the lease under which it is written; None where no run is
    at stake, as in tests and tools. `row`: a new row: its number, the virtual time, and the command. `reached`: how
    far the run has come, and its digest there if it is known.
    """

    public_id: str
    epoch: int | None
    row: tuple[int, int, dict[str, Any]] | None = None
    reached: tuple[int, str] | None = None


# Written out, because this is done for each command, and every second for each session that plays: Django takes longer
# to write such statements than the database to carry them out.
_ROW: Final = """
    INSERT INTO playground_commandrecord (session_id, sequence, epoch, at_us, command)
    VALUES (%s, %s, %s, %s, %s)
"""
_REACHED: Final = "UPDATE playground_session SET reached_us = %s, digest = %s, last_seen = %s WHERE id = %s"


def append(wanted: Sequence[RecordAppend]) -> list[OwnedElsewhere | None]:
    """Write additions in one transaction, in their order; return what became of each. Nothing is written of a session
    whose lease is another process's by now; the others are not held up by it. Raises DatabaseError: nothing is
    written at all, such as when another process wrote the row of this number already.
    """
    with transaction.atomic(savepoint=False):
        keys = _keys(wanted)
        rows: list[tuple[Any, ...]] = []
        reached: dict[int, tuple[Any, ...]] = {}
        found: list[OwnedElsewhere | None] = []
        now = Session.seen_now()
        for each in wanted:
            key = keys.get((each.public_id, each.epoch))
            found.append(OwnedElsewhere(session_leases.node_of(each.public_id)) if key is None else None)
            if key is None:
                continue
            if each.row is not None:
                sequence, at_us, command = each.row
                written = connection.ops.adapt_json_value(command, None)
                rows.append((key, sequence, each.epoch or 0, at_us, written))
            if each.reached is not None:
                at_us, digest = each.reached
                reached[key] = (at_us, digest, now, key)
        with connection.cursor() as cursor:
            if rows:
                cursor.executemany(_ROW, rows)
            if reached:
                cursor.executemany(_REACHED, list(reached.values()))
    return found


def _keys(wanted: Sequence[RecordAppend]) -> dict[tuple[str, int | None], int]:
    """Return the primary keys of the sessions that may be written, and let nobody take them over meanwhile."""
    epochs = {(each.public_id, each.epoch) for each in wanted if each.epoch is not None}
    found: dict[tuple[str, int | None], int] = {}
    if epochs:
        found.update(session_leases.guard(epochs).items())
    for each in wanted:
        if each.epoch is None:
            found[each.public_id, None] = Session.objects.only("pk").get(public_id=each.public_id).pk
    return found


logger = logging.getLogger(__name__)

BETWEEN_S: Final = 0.008
"""Between the beginnings of two transactions: where many give commands, each transaction has several."""
NOTES_S: Final = 1.0
"""How long notes of how far runs have come wait for each other."""

Wanted = RecordAppend | Callable[[], None]
Outcome = Exception | None

_thread = ThreadPoolExecutor(1, thread_name_prefix="writer")
"""One is enough: every write is on record before the next begins, and all that waits meanwhile is the next."""


class RecordWriter:
    """Writes requests in order."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Wanted, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._notes: dict[str, RecordAppend] = {}
        self._next_s = 0.0

    def write(self, wanted: Wanted) -> asyncio.Future[None]:
        """Write soon. The future is done when it is on record. It raises `OwnedElsewhere` where another process owns
        the session, and `RecordUnreachable` where the database fails.
        """
        if isinstance(wanted, RecordAppend) and wanted.reached is not None:
            self._notes.pop(wanted.public_id, None)  # an older one must not come after it
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((wanted, done))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all())
        return done

    def note(self, wanted: RecordAppend) -> None:
        """Write how far a run has come, together with the notes of others; if that fails it is only logged."""
        if not self._notes:
            asyncio.get_running_loop().call_later(NOTES_S, self._write_notes)
        self._notes[wanted.public_id] = wanted

    def _write_notes(self) -> None:
        notes, self._notes = self._notes, {}
        for each in notes.values():
            self.write(each).add_done_callback(_log_failure)

    async def _write_all(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._waiting:
                await asyncio.sleep(self._next_s - loop.time())
                self._next_s = loop.time() + BETWEEN_S
                batch, self._waiting = self._waiting, []
                outcomes = await loop.run_in_executor(_thread, _attempt, [wanted for wanted, _done in batch])
                for (_wanted, done), outcome in zip(batch, outcomes, strict=True):
                    if done.done():  # who asked does not wait any more
                        continue
                    if outcome is None:
                        done.set_result(None)
                    else:
                        done.set_exception(outcome)
        finally:
            self._writing = None


def _attempt(batch: list[Wanted]) -> list[Outcome]:
    """Write with the connection that this thread keeps; without one nothing is written."""
    try:
        _keep_connection()
    except DatabaseError as error:
        connection.close()
        return [RecordUnreachable(str(error)) for _each in batch]
    return written(batch)


def written(batch: list[Wanted]) -> list[Outcome]:
    """Write all in one transaction, or, if that cannot be, one by one; return what became of each."""
    if len(batch) > 1:
        try:
            with transaction.atomic():
                return _in_order(batch)
        except Exception:
            logger.exception("%s writes could not be made at once", len(batch))
    return [_written(each) for each in batch]


def _in_order(batch: list[Wanted]) -> list[Outcome]:
    found: list[Outcome] = []
    for _together, group in groupby(batch, lambda each: isinstance(each, RecordAppend)):
        several: list[Any] = list(group)
        if isinstance(several[0], RecordAppend):
            found += append(several)
        else:
            for write in several:
                write()
                found.append(None)
    return found


def _written(wanted: Wanted) -> Outcome:
    try:
        with transaction.atomic():
            return _in_order([wanted])[0]
    except DatabaseError as error:
        return RecordUnreachable(str(error))
    except Exception as error:
        logger.exception("a write failed")
        return error


# --- the thread's connection ---


def _keep_connection() -> None:
    """Have a connection that works, and let it stay open: making one for each write costs more than the write."""
    close_old_connections()
    if connection.connection is None:
        connection.ensure_connection()
        connection.close_at = None


def release() -> None:
    """Close the connection, after what is being written. The next write makes another."""
    _thread.submit(_close).result()


def _close() -> None:
    connection.close()  # that of the thread in which this runs


def _log_failure(done: asyncio.Future[None]) -> None:
    if not done.cancelled() and done.exception() is not None:
        logger.warning("how far a session has come could not be written down: %s", done.exception())


_writers: dict[asyncio.AbstractEventLoop, RecordWriter] = {}


def writer() -> RecordWriter:
    loop = asyncio.get_running_loop()
    if loop not in _writers:
        for ended in [each for each in _writers if each.is_closed()]:
            del _writers[ended]
        _writers[loop] = RecordWriter()
    return _writers[loop]


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
    """The sessions that this process owns. Their leases are renewed together, at a third of their time. `lasts_s`:
    seconds after which a lease lapses. `gone`: processes that ended without giving back their leases, which need not
    lapse. `presence`: shows other processes that this one lives.
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
        found: RecordedSession = await in_thread(kept_runs.remembered)(self._session_id)
        self._uncharged_bytes = found.uncharged_bytes
        return found

    async def make_room(self, command: dict[str, Any]) -> None:
        """Charge whoever began the session for a command, in blocks."""
        wanted = self._uncharged_bytes + kept_runs.record_bytes(command)
        if wanted >= kept_bytes.BLOCK_BYTES:
            await in_thread(kept_bytes.charge)(self._session_id, wanted)
            wanted = 0
        self._uncharged_bytes = wanted

    async def add_command(self, sequence: int, at_us: int, command: dict[str, Any]) -> None:
        came = {"reached": (at_us, "")} if self._digest else {}
        await writer().write(self._append(row=(sequence, at_us, command), **came))
        self._digest = False

    async def undo_command(self, sequence: int, at_us: int) -> None:
        await writer().write(self._append(row=(sequence, at_us, kept_runs.UNDO), reached=(at_us, "")))

    async def answer(self, option: int | None) -> None:
        locked = paused_sessions.SKIPPED if option is None else option
        await writer().write(partial(paused_sessions.lock, self._session_id, locked))

    def note(self, at_us: int) -> None:
        writer().note(self._append(reached=(at_us, "")))

    async def reached(self, at_us: int, digest: str) -> None:
        self._digest = bool(digest)
        await writer().write(self._append(reached=(at_us, digest)))

    def _append(self, **parts: Any) -> RecordAppend:
        if self._epoch is None:
            raise OwnedElsewhere
        return RecordAppend(self._session_id, self._epoch, **parts)
