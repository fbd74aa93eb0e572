"""Where two runs part: the first thing that one did and the other did not, or not then."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

import msgspec

from engine.transitions import all_kinds
from playground.comparing.side import Row

SETTINGS = frozenset({b"NodeChanged", b"ModeChanged"})
"""What the runs say of their settings and of the node around the queue: that differs because of the change itself."""

ARRIVALS = frozenset(kind.__name__.encode() for kind in all_kinds() if kind.about.arrives)


class RunDivergence(msgspec.Struct, frozen=True):
    """The first difference.

    Args:
        at_us: when.
        a, b: the transition of each run, None for one that had nothing more to do.
    """

    at_us: int
    a: msgspec.Raw | None
    b: msgspec.Raw | None


class RunComparison:
    """Compares two logs as they grow."""

    def __init__(self) -> None:
        self.found: RunDivergence | None = None
        self._began = [False, False]
        self._sides: tuple[deque[Row], deque[Row]] = (deque(), deque())

    def add(self, a: Iterable[Row], b: Iterable[Row]) -> None:
        """Take what both runs did since the last time."""
        if self.found:
            return
        for side, rows in enumerate((a, b)):
            self._sides[side].extend(row for row in rows if self._matters(side, _kind(row[1])))
        self._compare(last=False)

    def _matters(self, side: int, kind: bytes) -> bool:
        """What happens before the first message shows what was changed, not what came of it."""
        self._began[side] = self._began[side] or kind in ARRIVALS
        return self._began[side] and kind not in SETTINGS

    def end(self) -> None:
        """Compare what is left: one of the runs may have done more than the other."""
        if not self.found:
            self._compare(last=True)

    def _compare(self, last: bool) -> None:
        a, b = self._sides
        while a and b:
            if a[0] != b[0]:
                self._part(a[0], b[0])
                return
            a.popleft()
            b.popleft()
        if last and (a or b):
            self._part(a[0] if a else None, b[0] if b else None)

    def _part(self, a: Row | None, b: Row | None) -> None:
        at_us = min(row[0] for row in (a, b) if row is not None)
        self.found = RunDivergence(at_us, *(_at(row, at_us) for row in (a, b)))


def _kind(row: bytes) -> bytes:
    return row[2 : row.index(b'"', 2)]


def _at(row: Row | None, at_us: int) -> msgspec.Raw | None:
    """Return the transition if it happened then; what a run does later is not what it did instead."""
    return msgspec.Raw(row[1]) if row is not None and row[0] == at_us else None


def builtins(found: RunDivergence | None) -> Any:
    """Return the divergence as it is sent, None for runs that are alike."""
    return None if found is None else {"at_us": found.at_us, "a": found.a, "b": found.b}
