"""Failures of a session: the engine's own errors, and failures of files or memory. Only an engine's own error
can be a command's fault.
"""

from __future__ import annotations

import errno
from typing import Any, Final, Literal

import msgspec

Kind = Literal["bound", "outside", "engine"]
"""The session's own bound of disk was reached; files or memory failed; the engine is at fault."""

CODES: Final[dict[int, str]] = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "no_room"),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), "read_only"),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), "too_many_open"),
    **dict.fromkeys((errno.ENOENT, errno.ENOTDIR, errno.EEXIST), "files_gone"),
    errno.ENOMEM: "no_memory",
}


class WorkFailure(msgspec.Struct, frozen=True):
    """A failure.

    Args:
        kind: the cause.
        code: of its sentence.
        values: the sentence's values.
    """

    kind: Kind
    code: str
    values: dict[str, str] = {}


def of(error: BaseException, door: Any) -> WorkFailure:
    """Return the failure that an error of a run means.

    Args:
        error: what was raised.
        door: a `playground.hosting.engine_api.NodeDoor`, which sorts errors into kinds.
    """
    if isinstance(error, MemoryError):
        return WorkFailure("outside", "no_memory")
    if isinstance(error, door.full):
        if not isinstance(error.__cause__, OSError):
            return WorkFailure("bound", "full_disk")
        error = error.__cause__
    if isinstance(error, OSError):
        code = CODES.get(error.errno or 0)
        return (
            WorkFailure("outside", code)
            if code
            else WorkFailure("outside", "files_failed", {"why": str(error)})
        )
    if isinstance(error, door.outside):
        return WorkFailure("outside", "files_gone")
    return WorkFailure("engine", "broke")
