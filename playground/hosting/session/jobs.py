"""Work that can be left in the middle and taken up again, so that one session's event never holds up the others.

An event of the engine is one call, whatever it brings: twenty thousand messages may be one. It runs on a stack of its
own (a greenlet); between two transitions it may be left, and nothing of it differs for that. A stack whose work is done
serves the next piece of work: a new one costs the system's memory each time, which takes longer than many an event.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final, Protocol

from greenlet import GreenletExit, getcurrent, greenlet


class WholeWork(Protocol):
    """A piece of work, as a session asks for it; `Job` can be left in the middle, `UninterruptedWork` cannot."""

    def go_on(self, budget_s: float) -> bool:
        """Work for about so long; return whether it is done."""

    def breathe(self) -> None:
        """Let others have their turn. Called by the work itself."""

    def abandon(self) -> None:
        """Leave the work as it is, for good."""


Begin = Callable[[Callable[[], None], Callable[[], float]], WholeWork]
"""Makes a piece of work of a function and a clock."""


class UninterruptedWork:
    """One piece of work; arguments as for Job."""

    def __init__(self, work: Callable[[], Any], clock: Callable[[], float]) -> None:
        self._work = work

    def go_on(self, budget_s: float) -> bool:
        """Do all of it."""
        self._work()
        return True

    def breathe(self) -> None:
        """Go on: nobody waits."""

    def abandon(self) -> None:
        """Forget it."""


KEPT: Final = 4
"""Stacks without work, for each thread; more are only in use where many long events take turns."""


class _Stack(greenlet):
    """Does one piece of work after the other. What one raises ends it."""

    work: Callable[[], Any] | None = None
    """What is to be done next."""

    def run(self) -> None:
        """Work, and wait for more."""
        while self.work is not None:
            work, self.work = self.work, None
            work()
            del work  # it holds on to a session
            if len(_idle.stacks) >= KEPT:
                return
            _idle.stacks.append(self)
            self.parent.switch(_DONE)


class _Idle(threading.local):
    """Stacks without work; each belongs to the thread in which it began."""

    def __init__(self) -> None:
        self.stacks: list[_Stack] = []


_idle = _Idle()
_DONE: Final = object()


class SessionJob:
    """One piece of work.

    Args:
        work: called on the first `go_on`; calls `breathe` where it may be left.
        clock: real seconds.
    """

    def __init__(self, work: Callable[[], Any], clock: Callable[[], float]) -> None:
        self._clock = clock
        self._deadline_s = 0.0
        self._work = work
        self._stack: _Stack | None = None
        """Where it is done, from the first `go_on` until it is done."""

    def go_on(self, budget_s: float) -> bool:
        """Work for about so long; return whether it is done. Raises what the work raises."""
        self._deadline_s = self._clock() + budget_s
        if self._stack is None:
            self._stack = _idle.stacks.pop() if _idle.stacks else _Stack()
            self._stack.work = self._work
        self._stack.parent = getcurrent()
        if self._stack.switch() is not _DONE and not self._stack.dead:
            return False
        self._stack = None
        return True

    def breathe(self) -> None:
        """Let others have their turn if this one's is over. Called by the work itself."""
        if self._clock() >= self._deadline_s and getcurrent() is self._stack:
            self._stack.parent.switch()

    def abandon(self) -> None:
        """Leave the work as it is, for good."""
        if self._stack is not None and self._stack and not self._stack.dead:
            self._stack.parent = getcurrent()
            self._stack.throw(GreenletExit)
