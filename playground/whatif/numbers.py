"""Numbers as the page writes them: one unit for a whole heatmap, thin spaces between thousands."""

from __future__ import annotations

from typing import NamedTuple

from playground.whatif.labels import WORDS, parameter

THIN_SPACE = "\u202f"
MINUS = "\u2212"
FAILED = "×"
"""Stands where a run failed."""
NOTHING = "–"
"""Stands where a run has no value, as a waiting time has none when no message was delivered."""

KIB, MIB, GIB = 1024, 1024**2, 1024**3


class NumberUnit(NamedTuple):
    """What the numbers of one metric are divided by, and what is after them."""

    divisor: float
    name: str


UNITS = {"rate": NumberUnit(1, "/s"), "share": NumberUnit(0.01, "%"), "factor": NumberUnit(1, "B/B")}
"""Units of the kinds that have but one."""


def unit_for(kind: str, largest: float) -> NumberUnit:
    """Choose a unit so that the largest number has at most four digits before the point."""
    if kind == "bytes":
        for divisor, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
            if largest >= 2 * divisor:
                return NumberUnit(divisor, name)
        return NumberUnit(1, "B")
    if kind == "seconds":
        return NumberUnit(1, "s") if largest == 0 or largest >= 1 else NumberUnit(0.001, "ms")
    if kind == "count" and largest >= 10_000_000:
        return NumberUnit(1_000_000, "M")
    if kind == "count" and largest >= 10_000:
        return NumberUnit(1000, "k")
    return UNITS.get(kind, NumberUnit(1, ""))


def grouped(value: int) -> str:
    """Return a whole number with thin spaces between thousands."""
    return f"{value:,}".replace(",", THIN_SPACE).replace("-", MINUS)


def short(value: float, unit: NumberUnit) -> str:
    """Return a number for a cell: at most four digits, no unit."""
    scaled = value / unit.divisor
    if scaled == 0:
        return "0"
    if unit.divisor == 1 and unit.name in {"", "B"}:
        return grouped(round(scaled))
    if abs(scaled) < 0.05:
        return "<0.1" if scaled > 0 else f">{MINUS}0.1"
    if abs(scaled) < 9.95:
        return f"{scaled:.1f}".replace("-", MINUS)
    return grouped(round(scaled))


def signed(value: float, unit: NumberUnit) -> str:
    """Return a difference for a cell, with its sign."""
    text = short(value, unit)
    return f"+{text}" if value > 0 and text[0] not in "<>" else text


def full(value: float, kind: str) -> str:
    """Return a number with its unit, for a sentence or a table."""
    if kind == "count":
        return grouped(round(value))
    unit = unit_for(kind, abs(value))
    return f"{short(value, unit)}{THIN_SPACE}{unit.name}".strip()


def setting(name: str, value: object) -> str:
    """Return a parameter's value for an axis: 0.5, 4096 B as 4 KiB, persistent."""
    if (name, value) in WORDS:
        return str(WORDS[name, value])
    if isinstance(value, bool | str) or not isinstance(value, int | float):
        return str(value)
    kind = parameter(name).kind
    if kind == "bytes":
        return _exact_bytes(int(value))
    if kind == "ratio":
        return f"{value:g}"
    return f"{grouped(round(value))}{THIN_SPACE}/s" if kind == "rate" else grouped(round(value))


def _exact_bytes(value: int) -> str:
    """Return bytes in the largest unit that divides them evenly, so that 4092 is not written as 4.0 KiB."""
    for divisor, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if value and value % divisor == 0:
            return f"{grouped(value // divisor)}{THIN_SPACE}{name}"
    return f"{grouped(value)}{THIN_SPACE}B"
