"""What a metric is, and the registry in which every one of them stands once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from engine.counting.levels import RunLevels
from engine.report.transitions.base import Transition

Number = int | float
"""What an answer is; the compiler would make a whole number a broken one where only `float` stands."""


class Accumulator(ABC):
    """One number, kept up while a run goes on; 0 before the first answer."""

    __slots__ = ("_number",)

    def __init__(self) -> None:
        self._number: Number = 0

    @abstractmethod
    def add(self, answer: Number, at_us: int) -> None:
        """Take the metric's answer to a transition at `at_us`, virtual microseconds."""

    def value(self, at_us: int) -> Number | None:
        """Return the number as it is at `at_us`, None if nothing was counted; the run may go on afterwards."""
        return self._number


class TotalOf(Accumulator):
    """All answers added up."""

    __slots__ = ()

    def add(self, answer: Number, at_us: int) -> None:
        self._number += answer


class HighestOf(Accumulator):
    """The largest answer."""

    __slots__ = ()

    def add(self, answer: Number, at_us: int) -> None:
        self._number = answer if answer > self._number else self._number


class LatestOf(Accumulator):
    """The last answer."""

    __slots__ = ()

    def add(self, answer: Number, at_us: int) -> None:
        self._number = answer


class FirstOf(Accumulator):
    """At which second of virtual time the answer was yes for the first time; None if it never was."""

    __slots__ = ("_first_us",)

    def __init__(self) -> None:
        super().__init__()
        self._first_us: int | None = None

    def add(self, answer: Number, at_us: int) -> None:
        if answer and self._first_us is None:
            self._first_us = at_us

    def value(self, at_us: int) -> float | None:
        return None if self._first_us is None else self._first_us / 1e6


class LastingOf(Accumulator):
    """For how many seconds of virtual time the answer was yes."""

    __slots__ = ("_since_us",)

    def __init__(self) -> None:
        super().__init__()
        self._since_us: int | None = None

    def add(self, answer: Number, at_us: int) -> None:
        if answer and self._since_us is None:
            self._since_us = at_us
        elif not answer and self._since_us is not None:
            self._number += at_us - self._since_us
            self._since_us = None

    def value(self, at_us: int) -> Number:
        """Return the seconds up to `at_us`, those of a clock that still runs included."""
        open_us = 0 if self._since_us is None else at_us - self._since_us
        return (self._number + open_us) / 1e6


Value = int | float | None
Step = Callable[[RunLevels, Any], int | float | bool]
"""A metric that is counted: what one transition means for it, asked when the levels include that transition."""


class MetricUnit(StrEnum):
    """What a metric's number is; pages choose its format by it."""

    COUNT = "count"
    BYTES = "bytes"
    SECONDS = "seconds"
    RATE = "rate"
    """Messages a second."""
    SHARE = "share"
    """0 to 1, shown as percent."""
    FACTOR = "factor"
    """Bytes for each byte."""


class BetterWay(StrEnum):
    """Which way is better for whoever runs the broker."""

    LOWER = "lower"
    HIGHER = "higher"
    NEITHER = "neither"


class PowerCut(NamedTuple):
    """What a power cut at the end of the run costs; None where the node could not be restarted.

    Args:
        messages: those that are not there any more, ready and unacknowledged ones.
        persistent: the persistent ones among them; a confirmed one is never lost.
        returned: messages that were acknowledged, and come back since the acknowledgement was not synced.
    """

    messages: int | None
    persistent: int | None
    returned: int | None


class RunEnding(NamedTuple):
    """What is known of a run when it ends.

    Args:
        at_us: its length in virtual microseconds.
        counted: the values of all metrics that are counted while the run goes on.
        refused: how many of the scenario's commands the node refused; None if nobody looked.
        power_cut: None if nobody cut it.
        confirmed_and_lost: confirmed messages that are gone; None if nobody followed them.
    """

    at_us: int
    levels: RunLevels
    counted: Mapping[str, Value]
    refused: int | None = None
    power_cut: PowerCut | None = None
    confirmed_and_lost: int | None = None

    def number(self, metric: Metric) -> int | float:
        return self.counted[metric.name] or 0


class Metric(msgspec.Struct, kw_only=True, eq=False):
    """One figure of a run.

    Args:
        name: as in tables, exports and addresses; the name of its function.
        label: as it is in the middle of an English sentence; marked for translation.
        unit: what the number is.
        kinds: the kinds of transitions that decide it; a base class stands for all kinds below it.
        parts: metrics of which it is made at the end.
        help: one sentence for documentation: the first line of the function's docstring.
        accumulator: how the function's answers become one number; None for a metric that is asked once, at the end.
        function: `Step` with an accumulator, otherwise from `RunEnding` to the value.
        steps: what counts for kinds of which the function knows nothing, since a generation brings them.
        passed: kinds below those of `kinds` that change nothing of it.
    """

    name: str
    label: str
    unit: MetricUnit
    better: BetterWay
    kinds: tuple[type[Transition], ...]
    help: str
    accumulator: type[Accumulator] | None
    function: Callable[..., Any]
    parts: tuple[Metric, ...] = ()
    steps: dict[type[Transition], Step] = {}
    passed: tuple[type[Transition], ...] = ()

    @property
    def reads(self) -> tuple[type[Transition], ...]:
        """The kinds of transitions that decide it, and those that decide its parts."""
        return tuple(dict.fromkeys([*self.kinds, *(kind for part in self.parts for kind in part.reads)]))

    def also(self, *kinds: type[Transition]) -> None:
        """Let its function count these kinds, too."""
        self.kinds = (*self.kinds, *kinds)

    def passes(self, *kinds: type[Transition]) -> None:
        """Let its function pass over these kinds."""
        self.passed = (*self.passed, *kinds)

    def of(self, *kinds: type[Transition]) -> Callable[[Step], Step]:
        """Let the decorated function say what these kinds mean for it."""

        def register(step: Step) -> Step:
            self.also(*kinds)
            self.steps.update(dict.fromkeys(kinds, step))
            return step

        return register

    @property
    def whole(self) -> bool:
        """Whether its values are whole numbers."""
        return self.unit in {MetricUnit.COUNT, MetricUnit.BYTES}


METRICS: dict[str, Metric] = {}
"""Every metric by its name."""

Reads = tuple[type[Transition], ...]


def counted(
    label: str,
    unit: MetricUnit,
    better: BetterWay,
    accumulator: type[Accumulator] | None,
    *,
    reads: Reads = (),
    parts: tuple[Metric, ...] = (),
) -> Callable[[Callable[..., Any]], Metric]:
    """Register the decorated function as a metric that is counted with each transition that it reads."""

    def register(function: Callable[..., Any]) -> Metric:
        name = function.__name__
        if name in METRICS:
            raise ValueError(f"two metrics are called {name}")
        words = (function.__doc__ or "").strip().partition("\n")[0]
        METRICS[name] = Metric(
            name=name,
            label=label,
            unit=unit,
            better=better,
            kinds=reads,
            parts=parts,
            help=words,
            accumulator=accumulator,
            function=function,
        )
        return METRICS[name]

    return register


def at_end(
    label: str, unit: MetricUnit, better: BetterWay, *, reads: Reads = (), parts: tuple[Metric, ...] = ()
) -> Callable[[Callable[[RunEnding], Value]], Metric]:
    """Register the decorated function as a metric that is asked once, when the run has ended."""
    return counted(label, unit, better, None, reads=reads, parts=parts)
