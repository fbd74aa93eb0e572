"""Making a session's run again: within a bound of time, and only as long as somebody waits for it."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from playground.hosting import wording
from playground.hosting.faults import RunStopped
from playground.hosting.run_owner import RunOwner

DESERTED_S: Final = 5.0
"""Nobody is there for so long: a page that is loaded again is back sooner."""


class StartTooLong(RunStopped):
    """The run takes longer to make than this server allows."""

    again = False


class RunStarter:
    """Wakes a keeper, at most once at a time.

    Args:
        most_s: real seconds that it may take.
    """

    def __init__(self, keeper: RunOwner, most_s: float) -> None:
        self._keeper = keeper
        self._most_s = most_s
        self._task: asyncio.Task[None] | None = None

    async def wake(self, **how: Any) -> None:
        """Do what `RunOwner.wake` does, and raise what it raises.

        Raises:
            Stopped: everybody has left; the next who comes starts again.
            TooLong: it is over its bound.
        """
        task = self._task = asyncio.ensure_future(self._keeper.wake(**how))
        try:
            done, _pending = await asyncio.wait([task], timeout=self._most_s)
            if done and not task.cancelled():
                task.result()
                return
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            self._keeper.abandon()
            raise RunStopped(wording.WAKES) if done else StartTooLong(wording.TOO_LONG)
        finally:
            self._task = None

    def stop(self) -> None:
        """Stop what is under way: nobody waits for it any more."""
        if self._task is not None:
            self._task.cancel()
