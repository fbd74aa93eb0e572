"""What a class gained between the two forms of the inventory, with the uncertainty of a small class.

Only students who took both forms count. The class's gain is the normalised one, (after - before) / (1 - before) of its
mean shares of right answers: how much of what was missing has come. Its interval is the bootstrap over students.
For single items and misconceptions the change of a share is given with the interval of Agresti and Min for paired
proportions (half a student is added to each of the four cells), which stays honest where all or none have changed.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

Z: Final = 1.96
RESAMPLES: Final = 2000
FEWEST: Final = 2
"""Students below whom nothing is said of a class."""


class ShareChange(NamedTuple):
    """How a share of the students changed, as parts of one.

    Args:
        before, after: how many of them, in each form.
        change: of the share.
        low, high: its interval of 95 %.
    """

    before: int
    after: int
    change: float
    low: float
    high: float


class ClassGain(NamedTuple):
    """The normalised gain of a class; None where nothing was missing before, or nobody took both forms."""

    students: int
    before: float
    after: float
    gain: float | None
    low: float | None
    high: float | None


def change(pairs: Sequence[tuple[bool, bool]]) -> ShareChange:
    """Return how a share changed; each pair says of one student whether it was so before, and after."""
    up = sum(after and not before for before, after in pairs)
    down = sum(before and not after for before, after in pairs)
    n = len(pairs)
    n_, up_, down_ = n + 2, up + 0.5, down + 0.5
    middle = (up_ - down_) / n_
    half = Z * math.sqrt(max(0.0, up_ + down_ - (up_ - down_) ** 2 / n_)) / n_
    return ShareChange(
        sum(before for before, _after in pairs),
        sum(after for _before, after in pairs),
        (up - down) / n if n else 0.0,
        max(-1.0, middle - half),
        min(1.0, middle + half),
    )


def normalised(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return the normalised gain of shares before and after; None where nothing was missing."""
    before, after = (sum(each) / len(pairs) for each in zip(*pairs, strict=True))
    return None if before >= 1 else (after - before) / (1 - before)


def of_class(shares: Mapping[int, tuple[float, float]]) -> ClassGain:
    """Return the gain of a class.

    Args:
        shares: of right answers before and after, by the number of the student.
    """
    pairs = [shares[each] for each in sorted(shares)]
    if len(pairs) < FEWEST:
        return ClassGain(len(pairs), 0.0, 0.0, None, None, None)
    chance = random.Random(len(pairs))  # the same report twice has the same interval
    drawn = (normalised(chance.choices(pairs, k=len(pairs))) for _each in range(RESAMPLES))
    found = sorted(each for each in drawn if each is not None)
    before, after = (sum(each) / len(pairs) for each in zip(*pairs, strict=True))
    gain = normalised(pairs)
    if gain is None or not found:
        return ClassGain(len(pairs), before, after, None, None, None)
    low, high = found[round(0.025 * (len(found) - 1))], found[round(0.975 * (len(found) - 1))]
    return ClassGain(len(pairs), before, after, gain, low, high)
