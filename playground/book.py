"""A session's record in the database, for its host. What several sessions write at the same time is one transaction."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from channels.db import database_sync_to_async
from django.db import Error as DatabaseError
from django.db import transaction

from playground import selectors, services
from playground.hosting.book import Remembered, Unreachable

logger = logging.getLogger(__name__)

T = TypeVar("T")
Write = Callable[[], None]

_threads = ThreadPoolExecutor(2, thread_name_prefix="book")
"""Apart from the thread that all sockets share."""


def in_thread(work: Callable[..., T]) -> Callable[..., Any]:
    """Let a function use the database off the event loop."""

    def attempt(*arguments: Any) -> T:
        try:
            return work(*arguments)
        except DatabaseError as error:
            raise Unreachable(str(error)) from error

    return database_sync_to_async(attempt, thread_sensitive=False, executor=_threads)


class Writer:
    """Writes in the order in which it is asked to: all that waits, in one transaction."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Write, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None

    def write(self, write: Write) -> asyncio.Future[None]:
        """Write soon. The future is done when it is on record; it raises `Unreachable` when it is not."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((write, done))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all())
        return done

    async def _write_all(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                failures = await in_thread(written)([write for write, _done in batch])
                for (_write, done), failure in zip(batch, failures, strict=True):
                    if done.done():  # who asked does not wait any more
                        continue
                    if failure is None:
                        done.set_result(None)
                    else:
                        done.set_exception(failure)
        finally:
            self._writing = None


def written(writes: list[Write]) -> list[Exception | None]:
    """Write them in one transaction, or, if that cannot be, one by one; return what became of each."""
    if len(writes) > 1:
        try:
            with transaction.atomic():
                for write in writes:
                    write()
        except Exception:
            logger.exception("%s writes could not be made at once", len(writes))
        else:
            return [None] * len(writes)
    return [_written(write) for write in writes]


def _written(write: Write) -> Exception | None:
    try:
        with transaction.atomic():
            write()
    except DatabaseError as error:
        return Unreachable(str(error))
    except Exception as error:
        logger.exception("a write failed")
        return error
    return None


_writers: dict[asyncio.AbstractEventLoop, Writer] = {}


def writer() -> Writer:
    """Return the writer of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _writers:
        for ended in [each for each in _writers if each.is_closed()]:
            del _writers[ended]
        _writers[loop] = Writer()
    return _writers[loop]


class DatabaseBook:
    """See `playground.hosting.book.Book`."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id

    async def load(self) -> Remembered:
        """Return everything on record."""
        return await in_thread(selectors.remembered)(self._session_id)

    async def add_command(self, sequence: int, at_us: int, command: dict[str, Any]) -> None:
        """Write a command down."""
        await self._write(services.record_command, sequence, at_us, command)

    async def undo_command(self, sequence: int, at_us: int) -> None:
        """Strike out the last command."""
        await self._write(services.undo_command, sequence, at_us)

    def note(self, at_us: int) -> None:
        """Write down soon how far the run has come."""
        self._write(services.note_progress, at_us, "").add_done_callback(_log_failure)

    async def reached(self, at_us: int, digest: str) -> None:
        """Write down how far the run has come."""
        await self._write(services.note_progress, at_us, digest)

    def _write(self, service: Callable[..., None], *arguments: Any) -> asyncio.Future[None]:
        return writer().write(partial(service, self._session_id, *arguments))


def _log_failure(done: asyncio.Future[None]) -> None:
    if not done.cancelled() and done.exception() is not None:
        logger.warning("how far a session has come could not be written down: %s", done.exception())
