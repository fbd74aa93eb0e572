"""What a host needs remembered, whoever remembers it: the database in the app, a list in a test."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec


class Remembered(msgspec.Struct):
    """A session as it is on record."""

    scenario: dict[str, Any]
    commands: list[tuple[int, dict[str, Any]]]
    reached_us: int = 0
    digest: str = ""
    engine_version: str = ""
    """That with which the run was made."""
    recorded_by: str = ""
    """The engine version that recorded scenario["digest"]."""
    waits: bool = False
    """Whether time stands still until somebody plays: there is something to read or to predict first."""


class Unreachable(Exception):
    """The record cannot be read or written now; later perhaps."""


class Book(Protocol):
    """The record of one session. Each verb may raise `Unreachable`."""

    async def load(self) -> Remembered:
        """Return everything on record."""

    async def add_command(self, sequence: int, at_us: int, command: dict[str, Any]) -> None:
        """Write a command down; it counts as given only after this."""

    async def undo_command(self, sequence: int, at_us: int) -> None:
        """Strike out the last command, with which the run cannot be repeated; the run ends at `at_us`."""

    def note(self, at_us: int) -> None:
        """Write down soon how far the run has come, in the middle of things; never waits and never fails."""

    async def reached(self, at_us: int, digest: str) -> None:
        """Write down how far the run has come."""
