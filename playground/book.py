"""A session's record in the database, for its host."""

from __future__ import annotations

from typing import Any

from channels.db import database_sync_to_async

from playground import selectors, services
from playground.hosting.book import Remembered


class DatabaseBook:
    """See `playground.hosting.book.Book`."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id

    async def load(self) -> Remembered:
        """Return everything on record."""
        return await database_sync_to_async(selectors.remembered)(self._session_id)

    async def add_command(self, sequence: int, at_us: int, command: dict[str, Any]) -> None:
        """Write a command down."""
        await database_sync_to_async(services.record_command)(self._session_id, sequence, at_us, command)

    async def undo_command(self, sequence: int, at_us: int) -> None:
        """Strike out the last command."""
        await database_sync_to_async(services.undo_command)(self._session_id, sequence, at_us)

    async def reached(self, at_us: int, digest: str) -> None:
        """Write down how far the run has come."""
        await database_sync_to_async(services.note_progress)(self._session_id, at_us, digest)
