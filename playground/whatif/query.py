"""Which heatmap, workload, metric, axes and bounds a reader asked for, checked, and the best setting within them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from engine.counting.load import blocked_s, latency_p95_s, peak_ram_bytes, peak_ram_share
from engine.metrics import BetterWay
from playground.whatif.labels import full, setting
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


MODES = ("values", "difference")
CLAMPS = (100, 99, 95, 90)
"""How many in a hundred cells get colours of their own; those above share the last colour."""

FIXED = "at_"
"""Before the name of a parameter that is swept but stands on neither axis."""
WORKLOAD = "w"
"""What `minus` names beside the swept parameters."""

MOST_PINS = 2


class SubtractedCells(NamedTuple):
    """What is taken away from each cell: the cell of another workload, or of another value of a fixed parameter."""

    key: str
    value: Any

    def __str__(self) -> str:
        return f"{self.key}:{self.value}"


class HeatmapQuery(NamedTuple):
    """A checked question. `fixed` holds a value for every swept parameter that is on neither axis."""

    heatmap: ShippedHeatmap
    workload: str
    metric: str
    x: str
    y: str
    mode: str
    fixed: dict[str, Any]
    minus: SubtractedCells | None = None
    clamp: int = CLAMPS[0]
    pins: tuple[str, ...] = ()
    bounds: GridBounds = GridBounds()

    def address(self, **changes: Any) -> str:
        """Return the query string of this question, with some of it changed.

        Changing `h` keeps nothing else; giving x the parameter of y, or the other way round, swaps them; another
        axis or a mode ends the difference that `minus` asks for.
        """
        if "h" in changes:
            return urlencode({"h": changes["h"]})
        if changes.get("x") == self.y:
            changes["y"] = self.x
        elif changes.get("y") == self.x:
            changes["x"] = self.y
        asked = {
            "h": self.heatmap.name,
            "w": self.workload,
            "m": self.metric,
            "x": self.x,
            "y": self.y,
            "mode": self.mode,
            **{FIXED + name: str(value) for name, value in self.fixed.items()},
            "minus": "" if self.minus is None else str(self.minus),
            "clamp": self.clamp,
            "pin": ",".join(self.pins),
            **self.bounds.asked(),
            **changes,
        }
        if "mode" in changes and "minus" not in changes:
            asked["minus"] = ""
        if asked["mode"] == MODES[0]:
            del asked["mode"]
        if asked["clamp"] == CLAMPS[0]:
            del asked["clamp"]
        return urlencode({key: value for key, value in asked.items() if value != ""})

    @property
    def difference(self) -> bool:
        return self.minus is not None or self.mode == "difference"

    def other(self) -> HeatmapQuery | None:
        """Return the question whose cells are taken away, None if there is none."""
        if self.minus is None:
            return None
        if self.minus.key == WORKLOAD:
            return self._replace(workload=self.minus.value, minus=None)
        return self._replace(fixed={**self.fixed, self.minus.key: self.minus.value}, minus=None)


def read_query(
    asked: Mapping[str, str], known: Mapping[str, ShippedHeatmap]
) -> tuple[HeatmapQuery, list[str]]:
    """Return the question, and a sentence for each part of it that was not possible and was replaced.

    Args:
        asked: the query string's values.
        known: the published heatmaps, at least one.
    """
    notices: list[str] = []

    def choose(key: str, allowed: list[str], default: str) -> str:
        wanted = asked.get(key, "")
        if wanted and wanted not in allowed:
            notices.append(
                _(
                    "This link asks for “%(wanted)s”, which does not exist (any more). Shown instead: "
                    "%(shown)s."
                )
                % {"wanted": wanted[:60], "shown": default}
            )
        return wanted if wanted in allowed else default

    heatmap = known[choose("h", list(known), next(iter(known)))]
    axes = [axis.parameter for axis in heatmap.axes]
    x, y = _axes(asked, axes, choose)
    query = HeatmapQuery(
        heatmap=heatmap,
        workload=choose("w", [each.name for each in heatmap.workloads], heatmap.workloads[0].name),
        metric=choose("m", list(heatmap.metrics), heatmap.offered[0]),
        x=x,
        y=y,
        mode=choose("mode", list(MODES), MODES[0]),
        fixed={name: _fixed(heatmap, name, asked.get(FIXED + name)) for name in axes if name not in {x, y}},
        clamp=int(choose("clamp", [str(each) for each in CLAMPS], str(CLAMPS[0]))),
        pins=_pins(asked.get("pin", ""), heatmap),
        bounds=read_bounds({key: asked[key] for key in FIELDS if key in asked}, heatmap.metrics),
    )
    # nothing is taken away where the view has become the very thing that was to be taken away
    minus = next((each for each in subtractions(query) if str(each) == asked.get("minus", "")), None)
    return query._replace(minus=minus), notices


def subtractions(query: HeatmapQuery) -> list[SubtractedCells]:
    """Return everything that can be taken away from the present view: workloads, and values of fixed parameters."""
    others = [
        SubtractedCells(WORKLOAD, each.name)
        for each in query.heatmap.workloads
        if each.name != query.workload
    ]
    for name, value in query.fixed.items():
        others += [SubtractedCells(name, each) for each in query.heatmap.axis(name).values if each != value]
    return others


def _pins(wanted: str, heatmap: ShippedHeatmap) -> tuple[str, ...]:
    """Return the pinned cells that are there, the latest ones."""
    ids = [each for each in dict.fromkeys(wanted[:200].split(",")) if each in heatmap.runs]
    return tuple(ids[-MOST_PINS:])


def _axes(
    asked: Mapping[str, str], axes: list[str], choose: Callable[[str, list[str], str], str]
) -> tuple[str, str]:
    """Return two different parameters; where both pickers name the same one, the other axis gives way."""
    x = choose("x", axes, axes[0])
    y = choose("y", axes, axes[1] if axes[1] != x else axes[0])
    if x == y:
        # The picker that was touched is the one that differs from the axes shown before.
        before_x, before_y = asked.get("was_x"), asked.get("was_y")
        if before_y == x and before_x in axes:
            return x, before_x
        if before_x == y and before_y in axes:
            return before_y, y
        y = next(name for name in axes if name != x)
    return x, y


def _fixed(heatmap: ShippedHeatmap, name: str, wanted: str | None) -> Any:
    values = heatmap.axis(name).values
    for value in values:
        if wanted in {str(value), setting(name, value)}:
            return value
    home = heatmap.home.get(name)
    return home if home in values else values[len(values) // 2]
