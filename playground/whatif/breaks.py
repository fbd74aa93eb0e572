"""Where an axis jumps: the cells stand side by side, so a longer step between two values needs a mark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

LONGER = 1.5
"""How many times longer than the axis' shortest step a step is that gets a mark."""


def breaks(values: Sequence[Any]) -> frozenset[int]:
    """Return the indices of the values before which an axis jumps.

    An axis counts by differences or by ratios, whichever makes its steps more alike: 256, 1024, 4096 is even.

    Args:
        values: the values of the axis, ascending where they are numbers; words and switches have no steps.
    """
    numbers = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if len(numbers) < len(values) or len(values) < 3:
        return frozenset()
    scales = [[after - before for before, after in pairwise(numbers)]]
    if numbers[0] > 0:
        scales.append([math.log(after / before) for before, after in pairwise(numbers)])
    steps = min(scales, key=lambda each: max(each) / min(each))
    # a hair above, so that 0.15 after 0.1 is the same whichever way its last digit was rounded
    return frozenset(at for at, step in enumerate(steps, 1) if step > min(steps) * LONGER * 1.001)
