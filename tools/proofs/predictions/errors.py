"""How far predictions are from what was measured: for each metric, and in the order of settings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import median
from typing import Any, Final, NamedTuple

GOOD_PCT: Final = 15.0
ROUGH_PCT: Final = 30.0
ENOUGH: Final = 5
"""Measured cells without which nothing is called good."""
IN_ORDER: Final = 0.8
"""Least Kendall's tau with which the order of settings counts as predicted although the values do not."""


def error(predicted: float, measured: float, floor: float) -> float:
    """Return by how much a prediction is off, as a share of what was measured (of `floor` at least)."""
    return (predicted - measured) / max(abs(measured), floor)


def beyond(predicted: float, measured: tuple[float, float, float], floor: float) -> float:
    """Return how far a prediction lies outside of what repeated runs of a node showed, as a share like `error`.

    Inside it is as near as another run of the node would be: 0.

    Args:
        measured: the middle of the runs, their least and their most.
    """
    middle, low, high = measured
    return max(low - predicted, predicted - high, 0.0) / max(abs(middle), floor)


class Ordered(NamedTuple):
    """One setting: what is predicted, and the least and the most that was measured."""

    predicted: float
    low: float
    high: float


def tau(settings: Sequence[Ordered], floor: float) -> float | None:
    """Return Kendall's tau-b of predicted and measured values; None where nothing differs.

    Two settings of which repeated runs overlap have no measured order: whatever is predicted of them counts nothing.

    Args:
        floor: values that lie no further apart count as equal.
    """
    agree = disagree = only_measured = 0
    for one, other in combinations(settings, 2):
        measured = _sign(max(one.low - other.high, 0.0) - max(other.low - one.high, 0.0), floor)
        predicted = _sign(one.predicted - other.predicted, floor)
        agree += measured * predicted > 0
        disagree += measured * predicted < 0
        only_measured += measured != 0 and predicted == 0
    ordered = agree + disagree
    if not ordered:
        return None
    return float((agree - disagree) / (ordered * (ordered + only_measured)) ** 0.5)


def _sign(difference: float, floor: float) -> int:
    return 0 if abs(difference) <= floor else (1 if difference > 0 else -1)


def summary(cells: list[dict[str, Any]], name: str, order: float | None) -> dict[str, Any] | None:
    """Return a metric's figures over cells that no constant was chosen by, None where it was measured in none.

    Keys: cells, median_pct, worst_pct, beyond_pct (the worst that lies outside of the node's own range), inside (of how
    many the measured value lies in the predicted band), tau, verdict: `good`, `rough`, `order` (only the order of
    settings is predicted) or `none`.
    """
    values = [each["metrics"][name] for each in cells if name in each["metrics"]]
    if not values:
        return None
    errors = [abs(each["error_pct"]) for each in values]
    middle = median(errors)
    inside = sum(
        each["low"] <= each["measured_high"] and each["measured_low"] <= each["high"] for each in values
    )
    return {
        "cells": len(values),
        "median_pct": round(middle, 1),
        "worst_pct": round(max(errors), 1),
        "beyond_pct": max(each["beyond_pct"] for each in values),
        "inside": inside,
        "tau": None if order is None else round(order, 2),
        "verdict": verdict(middle, order, len(values)),
    }


def verdict(median_pct: float, order: float | None, cells: int = ENOUGH) -> str:
    """Return the verdict on a metric with this error; few measured cells prove nothing good."""
    if median_pct <= GOOD_PCT and cells >= ENOUGH:
        return "good"
    if median_pct <= ROUGH_PCT:
        return "rough"
    return "order" if order is not None and order >= IN_ORDER else "none"
