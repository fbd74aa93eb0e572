"""All metrics of one run, counted while it goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.counting.levels import Handler, RunLevels, handlers_of
from engine.counting.metric import METRICS, PowerCut, RunEnding, Step
from engine.report.transitions.base import Transition

Row = dict[str, Any]
Add = Callable[[float, int], None]
"""Takes the answer to a transition and its time."""


class RunMeter:
    """Counts every metric from the transitions of one run."""

    def __init__(self) -> None:
        self.levels = RunLevels()
        self._accumulators = {
            each.name: each.accumulator() for each in METRICS.values() if each.accumulator is not None
        }
        self._readers: dict[type[Transition], tuple[tuple[Handler, ...], tuple[tuple[Step, Add], ...]]] = {}
        """By kind: what brings the levels up to a transition, and what reads it then."""

    def observe(self, at_us: int, transition: Transition) -> None:
        """Add one transition that happened at `at_us`, virtual microseconds."""
        levels, kind = self.levels, type(transition)
        if kind not in self._readers:
            self._readers[kind] = handlers_of(kind), self._readers_of(kind)
        followers, readers = self._readers[kind]
        levels.at_us = at_us
        levels.transitions += 1
        for follow in followers:
            follow(levels, at_us, transition)
        for step, add in readers:
            add(step(levels, transition), at_us)

    def _readers_of(self, kind: type[Transition]) -> tuple[tuple[Step, Add], ...]:
        return tuple(
            (metric.steps.get(kind, metric.function), accumulator.add)
            for name, accumulator in self._accumulators.items()
            for metric in (METRICS[name],)
            if issubclass(kind, metric.reads) and not issubclass(kind, metric.passed)
        )

    def so_far(self, at_us: int, name: str) -> Any:
        """Return what a metric that is counted has come to at `at_us`."""
        return self._accumulators[name].value(at_us)

    def row(
        self,
        at_us: int,
        refused: int | None = None,
        power_cut: PowerCut | None = None,
        confirmed_and_lost: int | None = None,
    ) -> Row:
        """Return the metrics of the run as it is at `at_us`, in the registry's order; it may go on afterwards.

        Args:
            at_us: the end of the run, virtual microseconds.
            refused: how many commands the node refused.
            confirmed_and_lost: as `engine.replay.Witness` counted it.

        Returns:
            a value for each metric; None where nothing was counted, as a waiting time when nothing was delivered.
        """
        counted = {name: each.value(at_us) for name, each in self._accumulators.items()}
        ending = RunEnding(at_us, self.levels, counted, refused, power_cut, confirmed_and_lost)
        return {
            name: counted[name] if name in counted else metric.function(ending)
            for name, metric in METRICS.items()
        }
