"""A session's record in the database, for its host. What several sessions write at the same time is one transaction."""

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
from django.db import transaction

from playground import leases, selectors, services
from playground.hosting.book import Elsewhere, Remembered, Unreachable
from playground.leases import Holder

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
        except Elsewhere:
            logger.info("one of %s writes is of a session that another process has by now", len(writes))
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
    except Elsewhere as error:
        return error
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


class Tenure:
    """The sessions that this process owns. Their leases are renewed together, at a third of their time.

    Args:
        lasts_s: seconds after which a lease lapses.
        gone: processes that are known to have ended without a word; theirs need not lapse first.
    """

    def __init__(self, holder: Holder, lasts_s: float, gone: Iterable[str] = ()) -> None:
        self.holder = holder
        self.lasts_s = lasts_s
        self._gone = list(gone)
        self._kept: dict[str, Callable[[], None]] = {}
        self._renewing: asyncio.Task[None] | None = None

    async def take(self, session_id: str, epoch: int | None) -> int:
        """Become the owner of a session, or stay it under `epoch`; return the epoch. Raises `Elsewhere`."""
        if self._gone:
            await in_thread(leases.lapse)(self._gone)
            self._gone = []
        taken: int = await in_thread(leases.take)(session_id, self.holder, self.lasts_s, epoch)
        return taken

    def keep(self, session_id: str, lost: Callable[[], None]) -> None:
        """Renew the lease of a session from now on; `lost` is called once it is another process's."""
        self._kept[session_id] = lost
        if self._renewing is None or self._renewing.done():
            self._renewing = asyncio.create_task(self._renew_all(), name="leases")

    def leave(self, session_id: str) -> None:
        """Renew the lease of a session no longer."""
        self._kept.pop(session_id, None)

    def _renew(self, asked: tuple[str, ...], ours: set[str]) -> None:
        ours.clear()
        ours.update(leases.renew(self.holder, asked, self.lasts_s))

    async def _renew_all(self) -> None:
        await asyncio.sleep(self.lasts_s / 3)
        while self._kept:
            asked = tuple(self._kept)
            try:
                ours: set[str] = set()
                # Among the writes to records, not beside them: these lock leases too, in another order.
                await writer().write(partial(self._renew, asked, ours))
            except Unreachable as error:
                logger.warning("the leases of %s sessions could not be renewed: %s", len(asked), error)
            else:
                for session_id in asked:
                    if session_id not in ours and session_id in self._kept:
                        self._kept.pop(session_id)()
            await asyncio.sleep(self.lasts_s / 3)


class DatabaseBook:
    """See `playground.hosting.book.Book`.

    Args:
        tenure: what this process owns.
    """

    def __init__(self, session_id: str, tenure: Tenure) -> None:
        self._session_id = session_id
        self._tenure = tenure
        self._epoch: int | None = None

    async def take(self, lost: Callable[[], None]) -> None:
        """Become the owner, or stay it."""
        self._epoch = await self._tenure.take(self._session_id, self._epoch)
        self._tenure.keep(self._session_id, lost)

    async def give_back(self) -> None:
        """Own the session no longer."""
        if self._epoch is None:
            return
        epoch, self._epoch = self._epoch, None
        self._tenure.leave(self._session_id)
        with contextlib.suppress(Exception):  # then it lapses
            await writer().write(partial(leases.give_back, self._session_id, self._tenure.holder, epoch))

    async def load(self) -> Remembered:
        """Return everything on record."""
        return await in_thread(selectors.remembered)(self._session_id)

    async def add_command(self, sequence: int, at_us: int, command: dict[str, Any]) -> None:
        """Write a command down."""
        await self._write(services.record_command, sequence, at_us, command)

    async def undo_command(self, sequence: int, at_us: int) -> None:
        """Write down that the last command is taken back."""
        await self._write(services.undo_command, sequence, at_us)

    def note(self, at_us: int) -> None:
        """Write down soon how far the run has come."""
        self._write(services.note_progress, at_us, "").add_done_callback(_log_failure)

    async def reached(self, at_us: int, digest: str) -> None:
        """Write down how far the run has come."""
        await self._write(services.note_progress, at_us, digest)

    def _write(self, service: Callable[..., None], *arguments: Any) -> asyncio.Future[None]:
        if self._epoch is None:
            raise Elsewhere
        return writer().write(partial(service, self._session_id, *arguments, epoch=self._epoch))


def _log_failure(done: asyncio.Future[None]) -> None:
    if not done.cancelled() and done.exception() is not None:
        logger.warning("how far a session has come could not be written down: %s", done.exception())
