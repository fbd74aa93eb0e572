"""Work that can be left in the middle and taken up again, so that one session's event never holds up the others.

An event of the engine is one call, whatever it brings: twenty thousand messages may be one. It runs on a stack of its
own (a greenlet); between two transitions it may be left, and nothing of it differs for that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from greenlet import GreenletExit, getcurrent, greenlet

T = TypeVar("T")


class Job(Generic[T]):
    """One piece of work.

    Args:
        work: called on the first `go_on`; calls `breathe` where it may be left.
        clock: real seconds.
    """

    def __init__(self, work: Callable[[], T], clock: Callable[[], float]) -> None:
        self._clock = clock
        self._deadline_s = 0.0
        self._stack = greenlet(work)

    def go_on(self, budget_s: float) -> bool:
        """Work for about so long; return whether it is done. Raises what the work raises."""
        self._deadline_s = self._clock() + budget_s
        self._stack.parent = getcurrent()
        self._stack.switch()
        return self._stack.dead

    def breathe(self) -> None:
        """Let others have their turn if this one's is over. Called by the work itself."""
        if self._clock() >= self._deadline_s and getcurrent() is self._stack:
            self._stack.parent.switch()

    def abandon(self) -> None:
        """Leave the work as it is, for good."""
        if self._stack and not self._stack.dead:
            self._stack.parent = getcurrent()
            self._stack.throw(GreenletExit)
