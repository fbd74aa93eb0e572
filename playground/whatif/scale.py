"""The colour scale: nine steps with round boundaries, equal for every workload of a heatmap."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence

STEPS = 9
WIDE, WIDEST = 8, 2000
"""Ratios of largest to smallest from which on steps grow with the value, and are equal factors."""

NARROWEST = 1 / 10_000
"""Values below this share of the largest are one step: a clamp against outliers near zero."""


def clamped(values: Sequence[float], percent: int) -> list[float]:
    """Return the values, the largest ones cut down so that the scale distinguishes `percent` in a hundred.

    Zeros do not count: where most of a grid is zero, the rest still has its colours.
    """
    above = sorted(abs(value) for value in values if value)
    if percent >= 100 or not above:
        return list(values)
    cap = above[(len(above) - 1) * percent // 100]
    return [max(-cap, min(cap, value)) for value in values]


def boundaries(values: Sequence[float], unit: float = 1) -> list[float]:
    """Return up to eight ascending boundaries between the nine steps.

    Zero has a step of its own where it occurs, because "never" differs from "little".

    Args:
        values: all values that will be drawn, none negative.
        unit: what one is on the page, so that boundaries are round there.

    Returns:
        boundaries in raw values; none when all values are equal.
    """
    scaled = [value / unit for value in values]
    if not scaled or min(scaled) == max(scaled):
        return []
    largest, has_zero = max(scaled), min(scaled) == 0
    smallest = max(min(value for value in scaled if value > 0), largest * NARROWEST)
    inner = STEPS - 1 - has_zero
    shares = [step / (inner + 1) for step in range(1, inner + 1)]
    low = 0 if has_zero else smallest
    if largest / smallest >= WIDEST:
        edges = [smallest * (largest / smallest) ** share for share in shares]
    elif largest / smallest >= WIDE:
        edges = [low + (largest - low) * share**2 for share in shares]
    else:
        edges = [low + (largest - low) * share for share in shares]
    rounded = sorted({round_to(edge, largest) for edge in edges} - {0.0})
    return [0.0] * has_zero + [edge * unit for edge in rounded]


def round_to(value: float, largest: float) -> float:
    """Return a value with two significant digits, but no finer than a hundredth of the largest."""
    if value <= 0:
        return 0.0
    digits = 1 - math.floor(math.log10(value))
    finest = 2 - math.floor(math.log10(largest)) + 1
    return round(value, min(digits, finest))


def step_of(value: float, edges: Sequence[float]) -> int:
    """Return the step 0 to 8 of a value. With an edge at 0, only zero itself is below it."""
    if edges and edges[0] == 0:
        return 0 if value <= 0 else bisect.bisect_right(edges, value)
    return bisect.bisect_right(edges, value)


def difference_edges(values: Sequence[float]) -> list[float]:
    """Return eight boundaries that lie symmetrically around zero; step 4 is "about the same"."""
    largest = max((abs(value) for value in values), default=0)
    if largest == 0:
        return []
    positive = [round_to(largest * share, largest) for share in (0.02, 0.2, 0.45, 0.75)]
    return [*(-edge for edge in reversed(positive)), *positive]


def difference_step(value: float, edges: Sequence[float]) -> int:
    """Return the step 0 to 8 of a difference, 4 for none."""
    return bisect.bisect_right(edges, value) if edges else STEPS // 2
