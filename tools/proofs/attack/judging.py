"""What is too much: how much slower the innocent of an attacked server is than that of another server beside it.

Both measure on the same machine at the same time, so what others do there is the same for both.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

FLOOR_MS: Final = 100.0
"""Faster than this nobody notices: below it twice as long is no harm."""
RATIO: Final = 2.0
FEW: Final = 5
"""Commands on the server beside that say something of a stretch; shorter ones are not judged."""

Measured = list[tuple[float, float]]
"""When each of an innocent's commands was given, and how long it took in milliseconds; -1 where it was refused."""


class MeasuredStretch(NamedTuple):
    """What was tried from when to when."""

    name: str
    begin_s: float
    end_s: float


class Felt(NamedTuple):
    """What innocents felt during a stretch.

    Args:
        here_ms: p95 on the attacked server; infinite where a command was refused or none was given, None where
            the stretch is too short.
        beside_ms: the same on the other server.
    """

    stretch: MeasuredStretch
    here_ms: float | None
    beside_ms: float | None

    @property
    def is_too_much(self) -> bool:
        """Return whether the attack made it more than twice as slow, or nothing shows that it did not."""
        if self.here_ms is None or self.beside_ms is None:
            return False
        return self.beside_ms == math.inf or self.here_ms > max(RATIO * self.beside_ms, FLOOR_MS)


def p95(found: Measured, stretch: MeasuredStretch) -> float:
    """Return the p95 within a stretch: infinite if a command was not accepted, or none was given."""
    times = sorted(took for at_s, took in found if stretch.begin_s <= at_s < stretch.end_s)
    if not times or times[0] < 0:
        return float("inf")
    return times[math.ceil(0.95 * len(times)) - 1]


def felt(stretches: list[MeasuredStretch], here: Measured, beside: Measured) -> list[Felt]:
    """Return what innocents felt in each stretch; the one beside says whether it was long enough."""
    return [
        Felt(each, p95(here, each), p95(beside, each))
        if sum(each.begin_s <= at_s < each.end_s for at_s, _took in beside) >= FEW
        else Felt(each, None, None)
        for each in stretches
    ]


def words(found: Felt) -> str:
    """Return a line of the table."""
    name, begin_s, end_s = found.stretch
    both = " / ".join("-" if each is None else f"{each:.0f} ms" for each in (found.here_ms, found.beside_ms))
    return f"  {name:46} {end_s - begin_s:6.1f} s  innocent p95 here / beside: {both}"
