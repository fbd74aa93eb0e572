"""Work that can be interrupted and continued, so that one session's event never delays others. An event of
the engine is one call, even with twenty thousand messages. It runs on its own stack (a greenlet) and can be
interrupted between two transitions without any effect on the result. Finished stacks are reused, because
making one takes longer than many events.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

from greenlet import GreenletExit, getcurrent, greenlet

KEPT: Final = 4
"""Idle stacks to keep for each thread; more are only in use if many long events take turns."""


class _Stack(greenlet):
    """Does one piece of work after the other; an error ends only that piece."""

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
    """Idle stacks; each belongs to the thread that made it."""

    def __init__(self) -> None:
        self.stacks: list[_Stack] = []


_idle = _Idle()
_DONE: Final = object()


class SessionJob:
    """One piece of work.

    Args:
        work: called on the first `go_on`; calls `breathe` where it may be interrupted.
        clock: real seconds.
    """

    def __init__(self, work: Callable[[], Any], clock: Callable[[], float]) -> None:
        self._clock = clock
        self._deadline_s = 0.0
        self._work = work
        self._stack: _Stack | None = None
        """Its stack, from the first `go_on` until it is done."""

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
        """Let others have their turn if this one's is over; called by the work itself."""
        if self._clock() >= self._deadline_s and getcurrent() is self._stack:
            self._stack.parent.switch()

    def abandon(self) -> None:
        """Leave the work as it is, for good."""
        if self._stack is not None and self._stack and not self._stack.dead:
            self._stack.parent = getcurrent()
            self._stack.throw(GreenletExit)
