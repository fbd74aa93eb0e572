"""How a place in a session's files is named, and why there may be no record."""

from __future__ import annotations

import re


class NotThere(LookupError):
    """There is no such record.

    `reason` is one of "asleep", "no_file", "waiting", "absent", "no_record"; of a past moment also "future",
    "too_long" and "busy".
    """

    def __init__(self, reason: str, **numbers: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.numbers = numbers


def wanted(file: str) -> tuple[str, int] | None:
    """Return kind and number of a file such as "segment:3" or "journal", or None when it is none.

    Args:
        file: what was asked for.
    """
    if file == "journal":
        return "journal", 0
    found = re.fullmatch(r"(segment|slots|bodies|persistent|transient):([0-9]{1,12})", file)
    return (found[1], int(found[2])) if found else None
