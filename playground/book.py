"""A session's record in the database, for its host."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from channels.db import database_sync_to_async
from django.db import Error as DatabaseError

from playground import selectors, services
from playground.hosting.book import Remembered, Unreachable

T = TypeVar("T")

_writers = ThreadPoolExecutor(2, thread_name_prefix="book")
"""Apart from the thread that all sockets share: a class of thirty writes down some sixty things a second."""


def in_thread(work: Callable[..., T]) -> Callable[..., Any]:
    """Let a function use the database off the event loop. A host awaits each before the next, so order stays."""

    def attempt(*arguments: Any) -> T:
        try:
            return work(*arguments)
        except DatabaseError as error:
            raise Unreachable(str(error)) from error

    return database_sync_to_async(attempt, thread_sensitive=False, executor=_writers)


class DatabaseBook:
    """See `playground.hosting.book.Book`."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id

    async def load(self) -> Remembered:
        """Return everything on record."""
        return await in_thread(selectors.remembered)(self._session_id)

    async def add_command(self, sequence: int, at_us: int, command: dict[str, Any]) -> None:
        """Write a command down."""
        await in_thread(services.record_command)(self._session_id, sequence, at_us, command)

    async def undo_command(self, sequence: int, at_us: int) -> None:
        """Strike out the last command."""
        await in_thread(services.undo_command)(self._session_id, sequence, at_us)

    async def reached(self, at_us: int, digest: str) -> None:
        """Write down how far the run has come."""
        await in_thread(services.note_progress)(self._session_id, at_us, digest)
