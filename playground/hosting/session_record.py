"""What a host must remember: the database does it in the app, a list in a test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec


class RecordedSession(msgspec.Struct):
    """A session as it is on record."""

    scenario: dict[str, Any]
    commands: list[tuple[int, dict[str, Any]]]
    """Those that nobody took back."""
    reached_us: int = 0
    digest: str = ""
    engine_version: str = ""
    """That with which the run was made."""
    recorded_by: str = ""
    """The engine version that recorded scenario["digest"]."""
    waits: bool = False
    """Whether time stands still until somebody plays: there is something to read or to predict first."""
    holds_us: int | None = None
    """Virtual time at which the run waits for an answer; None for none."""
    rows: int = 0
    """How many the record has: a command is one, and taking it back another."""
    uncharged_bytes: int = 0
    """Of its rows, that nobody was charged for yet."""


class RecordUnreachable(Exception):
    """The record cannot be read or written now; later perhaps."""


class OwnedElsewhere(Exception):
    """Another process owns the session, or it is gone: this one may neither run it nor write its record."""

    def __init__(self, node: str = "") -> None:
        super().__init__(node)
        self.node = node
        """Where the owner is found, if that is known."""


class SessionRecord(Protocol):
    """The record of one session, which its owner alone may write. Each verb may raise `RecordUnreachable`.

    Those that write raise `OwnedElsewhere` once another process has become the owner.
    """

    async def take(self, lost: Callable[[], None]) -> None:
        """Become the owner, or stay it; `lost` is called if another process becomes it. Raises `OwnedElsewhere`."""

    async def give_back(self) -> None:
        """Own the session no longer, so that the next one need not wait."""

    async def load(self) -> RecordedSession:
        """Return everything on record."""

    async def make_room(self, command: dict[str, Any]) -> None:
        """Let a command be kept before the engine gets it. Raises `Refused` where there is no room for it."""

    async def add_command(self, sequence: int, at_us: int, command: dict[str, Any]) -> None:
        """Write a command down as row `sequence`; it counts as given only after this."""

    async def undo_command(self, sequence: int, at_us: int) -> None:
        """Write down as row `sequence` that the last command is taken back; the run ends at `at_us`."""

    async def answer(self, option: int) -> None:
        """Write down what was answered to the question at which the run waits."""

    def note(self, at_us: int) -> None:
        """Write down soon how far the run has come, in the middle of things; never waits and never fails."""

    async def reached(self, at_us: int, digest: str) -> None:
        """Write down how far the run has come."""
