"""Work that is done in one go, where one session is alone and nobody waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class WholeWork(Protocol):
    """A session's piece of work; `SessionJob` can be interrupted, `UninterruptedWork` cannot."""

    def go_on(self, budget_s: float) -> bool:
        """Work for about so long; return whether it is done."""

    def breathe(self) -> None:
        """Let others have their turn; called by the work itself."""

    def abandon(self) -> None:
        """Leave the work as it is, for good."""


Begin = Callable[[Callable[[], None], Callable[[], float]], WholeWork]
"""Makes a piece of work from a function and a clock."""


class UninterruptedWork:
    """One piece of work; arguments as for SessionJob."""

    def __init__(self, work: Callable[[], Any], clock: Callable[[], float]) -> None:
        self._work = work

    def go_on(self, budget_s: float) -> bool:
        """Do all of it."""
        self._work()
        return True

    def breathe(self) -> None:
        """Do nothing, because nobody waits."""

    def abandon(self) -> None:
        """Forget it."""
