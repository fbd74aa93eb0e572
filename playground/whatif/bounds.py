"""The best setting under constraints: what is to be kept, and the cell that keeps it with the best of a metric."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from engine.counting.load import blocked_s, latency_p95_s, peak_ram_bytes, peak_ram_share
from engine.metrics import BetterWay
from playground.whatif.labels import full
from playground.whatif.labels import metric as label
from playground.whatif.shipped import CellRun, ShippedHeatmap

RAM = peak_ram_bytes.name
RAM_SHARE, BLOCKED, WAIT = peak_ram_share.name, blocked_s.name, latency_p95_s.name
FIELDS = ("ram", "blocked", "wait", "least")
"""In an address: at most so many percent of RAM, seconds blocked, seconds of waiting; and what is to be best."""

LARGEST = 1e9
NOTHING_GIVEN: Final[Mapping[str, Any]] = MappingProxyType({})
DEFAULT_RAM_PERCENT, DEFAULT_BLOCKED_S = 60.0, 0.0


class GridBounds(NamedTuple):
    """What the best setting keeps; None asks for nothing.

    Args:
        ram_percent: most memory at any time, in percent of the node's RAM.
        blocked_s: longest time that publishers are blocked.
        wait_s: longest wait for delivery of 95 in 100 messages.
        least: the metric in which the best setting is best; empty for the default.
    """

    ram_percent: float | None = DEFAULT_RAM_PERCENT
    blocked_s: float | None = DEFAULT_BLOCKED_S
    wait_s: float | None = None
    least: str = ""

    def asked(self) -> dict[str, Any]:
        """Return the part of an address that differs from the default."""
        default = GridBounds()
        texts = {
            "ram": (self.ram_percent, default.ram_percent),
            "blocked": (self.blocked_s, default.blocked_s),
            "wait": (self.wait_s, default.wait_s),
        }
        changed = {key: _text(value) for key, (value, usual) in texts.items() if value != usual}
        return {**changed, **({"least": self.least} if self.least else {})}

    def objective(self, metrics: Sequence[str]) -> str:
        """Return the metric that is to be best: the asked one, else the wait, else the first that the heatmap has."""
        if self.least in metrics:
            return self.least
        return WAIT if WAIT in metrics else metrics[0]

    def limits(self, metrics: Sequence[str]) -> dict[str, float]:
        """Return the highest allowed value by metric, for those that the heatmap has."""
        wanted = {
            RAM_SHARE: None if self.ram_percent is None else self.ram_percent / 100,
            BLOCKED: self.blocked_s,
            WAIT: self.wait_s,
        }
        return {name: bound for name, bound in wanted.items() if bound is not None and name in metrics}


def read_bounds(asked: Mapping[str, str], metrics: Sequence[str]) -> GridBounds:
    """Return the bounds of an address: a missing bound has its default, an empty or impossible one is dropped."""
    default = GridBounds()
    return GridBounds(
        ram_percent=_number(asked["ram"]) if "ram" in asked else default.ram_percent,
        blocked_s=_number(asked["blocked"]) if "blocked" in asked else default.blocked_s,
        wait_s=_number(asked["wait"]) if "wait" in asked else default.wait_s,
        least=asked.get("least", "") if asked.get("least", "") in metrics else "",
    )


def reads_alike(one: float, other: float, name: str) -> bool:
    """Return whether two values of a metric are written the same."""
    kind = label(name).kind
    return full(one, kind) == full(other, kind)


def best_cell(
    heatmap: ShippedHeatmap, workload: str, bounds: GridBounds, given: Mapping[str, Any] = NOTHING_GIVEN
) -> list[CellRun] | None:
    """Return the runs of the cell that keeps the bounds with the best of the objective; None if none keeps them.

    A cell counts with the median of its runs, as the table shows it. Best is the greatest value of a metric of which
    more is better, and the least of any other.

    A metric without a value breaks no bound. Of cells that read alike the one counts that changes the fewest values of
    `home`, then the one with less memory, then the earlier one.

    Args:
        given: values of parameters that the cell must have.
    """
    objective = bounds.objective(heatmap.metrics)
    limits = bounds.limits(heatmap.metrics)

    def keeps(runs: list[CellRun]) -> bool:
        values = ((heatmap.median(runs, name), bound) for name, bound in limits.items())
        return all(value is None or value <= bound for value, bound in values)

    ram = RAM if RAM in heatmap.metrics else objective
    sign = -1 if label(objective).better is BetterWay.HIGHER else 1
    good = [
        (sign * value, runs)
        for runs in _cells(heatmap, workload, given)
        if (value := heatmap.median(runs, objective)) is not None and keeps(runs)
    ]
    if not good:
        return None
    best = min(value for value, _runs in good)
    names = [axis.parameter for axis in heatmap.axes]

    def cost(runs: list[CellRun]) -> tuple[int, float]:
        values = zip(names, runs[0].values, strict=True)
        changed = sum(heatmap.home.get(name, value) != value for name, value in values)
        return changed, heatmap.median(runs, ram) or 0

    return min((runs for value, runs in good if reads_alike(value, best, objective)), key=cost)


def feasible(
    heatmap: ShippedHeatmap, workload: str, wanted: GridBounds, given: Mapping[str, Any] = NOTHING_GIVEN
) -> GridBounds:
    """Return the bounds; where nobody asked for them and no cell keeps them, those that the most frugal cell keeps."""
    if wanted.asked().keys() - {"least"} or best_cell(heatmap, workload, wanted, given) is not None:
        return wanted

    def needs(runs: list[CellRun], name: str) -> float:
        return (heatmap.median(runs, name) if name in heatmap.metrics else None) or 0

    cells = [
        runs for runs in _cells(heatmap, workload, given) if any(run.metrics is not None for run in runs)
    ]
    if not cells:
        return wanted
    frugal = min(cells, key=lambda runs: (needs(runs, BLOCKED), needs(runs, RAM_SHARE)))
    ram_percent = float(max(DEFAULT_RAM_PERCENT, math.ceil(100 * needs(frugal, RAM_SHARE))))
    blocked_s = float(max(DEFAULT_BLOCKED_S, math.ceil(needs(frugal, BLOCKED))))
    return wanted._replace(ram_percent=ram_percent, blocked_s=blocked_s)


def _cells(heatmap: ShippedHeatmap, workload: str, given: Mapping[str, Any]) -> list[list[CellRun]]:
    """Return the runs of each cell of a workload that has the given values, in the order of the file."""
    wanted = [given.get(axis.parameter) for axis in heatmap.axes]
    return [
        runs
        for place, runs in heatmap.places.items()
        if place[0] == workload
        and all(want is None or want == value for want, value in zip(wanted, place[1:], strict=True))
    ]


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number <= LARGEST else None


def _text(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"
