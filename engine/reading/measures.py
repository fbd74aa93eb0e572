"""Measures: a number (or a text) read from the last moment of a run, or from all of them. Nothing is ever executed.

A measure is a path, a whole number, or `{"most": path}`, `{"least": path}`, `{"sum": [...]}`, `{"minus": [a, b]}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec

from engine.reading.paths import Path, value_at
from engine.values.errors import ValueRefused

DEPTH: Final = 4
State = Mapping[str, Any]


class MeasureForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A measure that combines others, or that needs the whole run.

    Args:
        most, least: the extreme of a number over all moments.
        sum: measures that are added.
        minus: the first measure minus all others.
    """

    most: Path | None = None
    least: Path | None = None
    sum: Annotated[list[Measure], msgspec.Meta(min_length=1, max_length=10)] | None = None
    minus: Annotated[list[Measure], msgspec.Meta(min_length=1, max_length=10)] | None = None

    def __post_init__(self) -> None:
        """Refuse a measure that is not exactly one of the forms, or is nested too deeply."""
        if sum(each is not None for each in (self.most, self.least, self.sum, self.minus)) != 1:
            raise ValueRefused("one_of_several", names="most, least, sum, minus")
        if _depth(self) > DEPTH:
            raise ValueRefused("measures_too_deep", most=DEPTH)


Measure = int | Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | MeasureForm


def _depth(measure: Measure) -> int:
    parts = measure.sum or measure.minus or [] if isinstance(measure, MeasureForm) else []
    return 1 + max(map(_depth, parts), default=0)


class MeasureGauge:
    """A measure that is watched during a run."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        parts = measure.sum or measure.minus or [] if isinstance(measure, MeasureForm) else []
        self._parts = [MeasureGauge(part) for part in parts]
        self._extreme: Any = None
        self.needs_every_moment: bool = self._extreme_path() is not None or any(
            part.needs_every_moment for part in self._parts
        )

    def observe(self, state: State) -> None:
        """Observe a moment; needed if `needs_every_moment`."""
        for part in self._parts:
            part.observe(state)
        path = self._extreme_path()
        if path is None:
            return
        found = value_at(state, path)
        if isinstance(found, int | float):
            choose = max if isinstance(self._measure, MeasureForm) and self._measure.most is not None else min
            self._extreme = found if self._extreme is None else choose(found, self._extreme)

    def _extreme_path(self) -> Path | None:
        return (self._measure.most or self._measure.least) if isinstance(self._measure, MeasureForm) else None

    def value(self, state: State) -> Any:
        """Return the value, with `state` as the last moment."""
        measure = self._measure
        if isinstance(measure, int):
            return measure
        if isinstance(measure, str):
            return value_at(state, measure)
        if self._extreme_path() is not None:
            return self._extreme
        values = [part.value(state) or 0 for part in self._parts]
        return sum(values) if measure.sum is not None else values[0] - sum(values[1:])
