"""Writes to records off the event loop: what several sessions want written at the same time is one transaction."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import msgspec
from django.db import Error as DatabaseError
from django.db import connection, transaction

from playground.hosting.session_record import OwnedElsewhere, RecordUnreachable
from playground.models import Session
from playground.records import session_leases


class RecordAppend(msgspec.Struct, frozen=True):
    """An addition to the record of one session.

    Args:
        epoch: of the lease under which it is written; None where no run is at stake, as in tests and tools.
        row: a new row: its number, the virtual time, and the command.
        reached: how far the run has come, and its digest there if it is known.
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
    """Write additions in one transaction, in their order; return what became of each.

    Nothing is written of a session whose lease is another process's by now; the others are not held up by it.

    Raises:
        DatabaseError: nothing is written at all, such as when another process wrote the row of this number already.
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

BETWEEN_S: Final = 0.025
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
        """Write soon. The future is done when it is on record.

        It raises `Elsewhere` where another process owns the session, and `RecordUnreachable` where the database fails.
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

_file: tuple[int, int] | None = None
"""Which file SQLite has open."""


def _keep_connection() -> None:
    """Have a connection that works, and let it stay open: making one for each write costs more than the write."""
    global _file  # noqa: PLW0603 - belongs to the one thread, as its connection does
    if connection.connection is not None and (connection.errors_occurred or _file_of_now() != _file):
        connection.close()
    if connection.connection is None:
        connection.ensure_connection()
        connection.close_at = None
        _file = _file_of_now()


def _file_of_now() -> tuple[int, int] | None:
    """Return which file has the database's name now: what is written to one that was deleted is on no record."""
    if connection.vendor != "sqlite":
        return None
    try:
        found = Path(connection.settings_dict["NAME"]).stat()
    except OSError:
        return (0, 0)
    return found.st_dev, found.st_ino


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
