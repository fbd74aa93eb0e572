"""What may go wrong under a session, kept apart: the engine's own errors, and failures of files, memory or the record.

Only an engine's own error can be a command's fault. When files or memory fail, the record stays as it is, the session
stands still and says what is wrong, and it is tried again until that is mended.
"""

from __future__ import annotations

import errno
from typing import Final

from playground.hosting import wording
from playground.hosting.door import Door
from playground.messages import Message, Refused

FIRST_WAIT_S: Final = 0.25
LONGEST_WAIT_S: Final = 15.0
CALM_S: Final = 60.0
"""A run that went well for so long begins with the first wait again."""

REASONS: Final[dict[int, Message]] = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), wording.NO_ROOM),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), wording.READ_ONLY),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), wording.TOO_MANY_OPEN),
    **dict.fromkeys((errno.ENOENT, errno.ENOTDIR, errno.EEXIST), wording.FILES_GONE),
    errno.ENOMEM: wording.NO_MEMORY,
}


class Stopped(Refused):
    """The run cannot be had for now, through no fault of a command. Everything acknowledged is on record."""


def is_bound(error: Exception, door: Door) -> bool:
    """Tell whether the session's own bound of disk was reached, and not the end of the server's disk."""
    return isinstance(error, door.full) and not isinstance(error.__cause__, OSError)


def told(error: BaseException, door: Door) -> Message:
    """Return what is said of a failure that no command is to blame for.

    Args:
        error: one of the door's `outside`.
        door: tells which errors mean that a bound of disk was reached.
    """
    if isinstance(error, MemoryError):
        return wording.NO_MEMORY
    if isinstance(error, door.full):
        if not isinstance(error.__cause__, OSError):
            return wording.FULL_DISK
        error = error.__cause__
    number = error.errno if isinstance(error, OSError) else errno.ENOENT
    return REASONS.get(number or 0) or wording.files_failed(str(error))


class Setbacks:
    """How long to wait before something that failed is tried again: longer each time, until all is well again."""

    def __init__(self) -> None:
        self.message: Message | None = None
        """What is wrong now; None while all is well."""
        self.play = False
        """Whether time passed before, so that it passes again afterwards."""
        self.due_s = 0.0
        self._wait_s = FIRST_WAIT_S
        self._mended_s = 0.0

    def failed(self, message: Message, play: bool, now_s: float) -> bool:
        """Note a failure; tell whether it is news to those who watch."""
        news = self.message is None or str(self.message) != str(message)
        if self.message is None:
            self.play = play
            if now_s - self._mended_s >= CALM_S:
                self._wait_s = FIRST_WAIT_S
        self.message = message
        self.due_s = now_s + self._wait_s
        self._wait_s = min(LONGEST_WAIT_S, 2 * self._wait_s)
        return news

    def mended(self, now_s: float) -> None:
        """Note that all is well again."""
        self.message = None
        self._mended_s = now_s
