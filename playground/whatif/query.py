"""What a reader asked of heatmaps, checked, and the answer: what to set, what that changes, how certain it is."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from engine.broker.commands.settings import resolve
from engine.counting.load import (
    blocked_s,
    latency_p95_s,
    over_watermark_s,
    peak_ram_bytes,
    peak_ram_share,
    sent,
)
from engine.ctl.stands_for import CLIENT, STANDS_FOR
from engine.metrics import BetterWay
from playground.storybook import rehearsal
from playground.web import fidelity_figures
from playground.whatif.shipped import (
    ADVISED,
    BROKER,
    NOTHING,
    THIN_SPACE,
    CellRun,
    ShippedHeatmap,
    full,
    metric,
    named,
    parameter,
    setting,
    short,
    unit_for,
)
from playground.whatif.shipped import metric as label

RAM = peak_ram_bytes.name
RAM_SHARE, BLOCKED, WAIT = peak_ram_share.name, blocked_s.name, latency_p95_s.name
FIELDS = ("ram", "blocked", "wait", "least")
"""In an address: at most so many percent of RAM, seconds blocked, seconds of waiting; and what is to be best."""

LARGEST = 1e9
NOTHING_GIVEN: Final[Mapping[str, Any]] = MappingProxyType({})
DEFAULT_RAM_PERCENT, DEFAULT_BLOCKED_S = 60.0, 0.0


class GridBounds(NamedTuple):
    """What the best setting keeps; None asks for nothing. `ram_percent`: most memory at any time, in percent of the
    node's RAM. `blocked_s`: longest time that publishers are blocked. `wait_s`: longest wait for delivery of 95 in
    100 messages. `least`: the metric in which the best setting is best; empty for the default.
    """

    ram_percent: float | None = DEFAULT_RAM_PERCENT
    blocked_s: float | None = DEFAULT_BLOCKED_S
    wait_s: float | None = None
    least: str = ""

    def asked(self) -> dict[str, Any]:
        """Return the part of an address that differs from the default."""
        changed = {}
        for name, field in BOUND_FIELDS.items():
            value = getattr(self, field)
            if value != GridBounds._field_defaults[field]:
                changed[name] = "-" if value is None else f"{value:g}"
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


BOUND_FIELDS = dict(zip(FIELDS[:-1], GridBounds._fields, strict=False))


def read_bounds(asked: Mapping[str, str], metrics: Sequence[str]) -> GridBounds:
    """Return the bounds of an address: a missing bound has its default, an empty or impossible one is dropped."""
    given = {field: _number(asked[name]) for name, field in BOUND_FIELDS.items() if name in asked}
    least = asked.get("least", "")
    return GridBounds()._replace(**given, least=least if least in metrics else "")


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

    def cost(runs: list[CellRun]) -> tuple[int, float]:
        values = heatmap.values(runs[0]).items()
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
        """Return the query string of this question, with some of it changed. Changing `h` keeps nothing else;
        giving x the parameter of y, or the other way round, swaps them; another axis or a mode ends the difference
        that `minus` asks for.
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
    """Return the question, and a sentence for each part of it that was not possible and was replaced. `asked`: the
    query string's values. `known`: the published heatmaps, at least one.
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


TRUSTED = frozenset({"good", "rough"})
"""Verdicts with which a value is shown with a band; with the others at most the order of values can be trusted."""


class ErrorBand(NamedTuple):
    """Between what a metric is to be expected."""

    low: float
    high: float

    def apart_from(self, other: ErrorBand) -> bool:
        """Return whether two ranges have no value in common."""
        return self.high < other.low or other.high < self.low


class CellCertainty(NamedTuple):
    """What was measured of a metric's error. `verdict`: `good`, `rough`, `order`, `none`; empty where it was never
    compared with a real node. `median_pct`, `worst_pct`: of the cells that no constant was chosen by. `cells`: how
    many those are. `floor`: errors are shares of the measured value, and of at least this.
    """

    verdict: str = ""
    median_pct: float = 0.0
    worst_pct: float = 0.0
    cells: int = 0
    floor: float = 0.0

    def words(self) -> str:
        """Return what is beside the metric's name."""
        numbers = {"median": f"{self.median_pct:.0f}", "worst": f"{self.worst_pct:.0f}", "cells": self.cells}
        if self.verdict == "good":
            text = _("± %(median)s %% (median of %(cells)s measured runs), at worst %(worst)s %%")
        elif self.verdict == "rough":
            text = _("rough: ± %(median)s %% (median of %(cells)s measured runs), at worst %(worst)s %%")
        elif self.verdict == "order":
            text = _("predicts only which setting has more; values were off by %(median)s %%")
        elif self.verdict == "none":
            text = _("not predicted: off by %(median)s %% (median of %(cells)s measured runs)")
        else:
            return _("counted by the engine; never compared with a real node")
        return text % numbers


def certainty(metric: str) -> CellCertainty:
    """Return what was measured of a metric's error, where work takes no time, as in heatmaps."""
    found = fidelity_figures.predictions() or {"metrics": {}}
    each = found.get("swept", found["metrics"]).get(metric)
    if each is None:
        return CellCertainty()
    return CellCertainty(each["verdict"], each["median_pct"], each["worst_pct"], each["cells"], each["floor"])


def measured_with() -> dict[str, Any] | None:
    """Return the reference, machine and engine of the measured errors, None where there are none."""
    found = fidelity_figures.predictions()
    return None if found is None else {key: found[key] for key in ("reference", "machine", "measured_on")}


def band(heatmap: ShippedHeatmap, runs: list[CellRun], metric: str) -> ErrorBand | None:
    """Return the lowest and highest value to expect of a cell's metric; None where its runs have none. The runs of
    a cell differ in the phase of the node's timers; around their extremes lies the metric's own error.
    """
    values = [value for run in runs if (value := heatmap.value(run, metric)) is not None]
    if not values:
        return None
    sure = certainty(metric)
    share = sure.median_pct / 100 if sure.verdict in TRUSTED else 0.0
    low, high = min(values), max(values)
    return ErrorBand(
        max(0.0, low - share * max(low, sure.floor)) if low else 0.0, high + share * max(high, sure.floor)
    )


def band_words(found: ErrorBand | None, metric: str) -> str:
    """Return a band as “4 to 7 s”, empty where its ends read alike."""
    if found is None:
        return ""
    kind = label(metric).kind
    unit = unit_for(kind, found.high)
    low, high = short(found.low, unit), short(found.high, unit)
    if low == high:
        return ""
    words = _("%(low)s to %(high)s")
    if kind == "count":
        return words % {"low": full(found.low, kind), "high": full(found.high, kind)}
    return (words % {"low": low, "high": high} + f"{THIN_SPACE}{unit.name}").strip()


UNPREDICTED = "none"


class GridPlace(NamedTuple):
    """A cell of the present workload: the value of each swept parameter, and the cell's runs."""

    values: dict[str, Any]
    runs: list[CellRun]


def answer(query: HeatmapQuery) -> dict[str, Any]:
    """Return the sentences of the answer, and how to set what they advise."""
    base = base_place(query)
    best = best_place(query)
    sure = certainty(query.metric)
    lines = [] if best is None else list(_lines(query.heatmap, best.runs[0]))
    advised = [axis for axis in query.heatmap.axes if axis.parameter in ADVISED]
    return {
        "metric": metric(query.metric).name,
        "certainty": sure,
        "sentences": [] if sure.verdict == UNPREDICTED else list(_sentences(query, base, best, sure)),
        "commands": [line for kind, line in lines if kind == "command"],
        "conf": [line for kind, line in lines if kind == "line"],
        "releases": [str(each) for axis in advised for each in rehearsal.where_it_works(axis.parameter)],
    }


def base_place(query: HeatmapQuery) -> GridPlace | None:
    """Return the cell of the workload as it is, where the grid has it: a fixed property has the value in view."""
    home = query.heatmap.home
    return _place(
        query, {axis.parameter: home.get(axis.parameter) for axis in query.heatmap.axes} | given(query)
    )


def best_place(query: HeatmapQuery) -> GridPlace | None:
    """Return the cell of the best settings within the bounds, None where no setting is swept or none keeps them."""
    found = best_cell(query.heatmap, query.workload, asked_bounds(query), given(query))
    if found is None or not ADVISED.intersection(axis.parameter for axis in query.heatmap.axes):
        return None
    return GridPlace(query.heatmap.values(found[0]), found)


def given(query: HeatmapQuery) -> dict[str, Any]:
    """Return the values of the workload's properties, which no advice changes, as far as they are known."""
    known = {**query.heatmap.home, **query.fixed}
    names = [axis.parameter for axis in query.heatmap.axes if axis.parameter not in ADVISED]
    return {name: known[name] for name in names if known.get(name) is not None}


def asked_bounds(query: HeatmapQuery) -> GridBounds:
    """Return the bounds; where nobody says what is to be best, it is the shown metric, if more or less is better."""
    wanted = query.bounds
    if not wanted.least and metric(query.metric).better is not BetterWay.NEITHER:
        wanted = wanted._replace(least=query.metric)
    return feasible(query.heatmap, query.workload, wanted, given(query))


def held_back(query: HeatmapQuery, base: GridPlace | None, runs: list[CellRun]) -> str:
    """Return a sentence where a cell's number is better only because blocked publishers hold messages back."""
    heatmap, name = query.heatmap, query.metric
    if (
        base is None
        or name in {blocked_s.name, over_watermark_s.name}
        or blocked_s.name not in heatmap.metrics
    ):
        return ""
    before, after = (heatmap.median(each, blocked_s.name) or 0 for each in (base.runs, runs))
    if _alike(before, after, blocked_s.name) or after < before or not _better(query, base.runs, runs):
        return ""
    if sent.name in heatmap.metrics:
        came, comes = (heatmap.median(each, sent.name) or 0 for each in (base.runs, runs))
        if name == sent.name or comes > came:
            return ""
    text = _(
        "The number is better only because blocked publishers hold messages back: %(after)s instead of %(before)s."
    )
    return text % {"after": full(after, "seconds"), "before": full(before, "seconds")}


def base_words(heatmap: ShippedHeatmap) -> str:
    """Return what the cell of `home` is: the broker's defaults, or the workload as it is."""
    names = {axis.parameter for axis in heatmap.axes}
    defaults = broker_defaults(heatmap)
    usual = all(heatmap.home.get(name) == value for name, value in defaults.items())
    if usual and defaults.keys() == names:
        return _("the defaults")
    return (
        _("this workload, with the broker's defaults") if usual and defaults else _("the workload as it is")
    )


def broker_defaults(heatmap: ShippedHeatmap) -> dict[str, Any]:
    """Return the defaults of the swept settings of a broker, by parameter."""
    queue, node = resolve(heatmap.workloads[0].scenario["profile"], {})
    found = {name: getattr(owner, name) for owner in (queue, node) for name in BROKER if hasattr(owner, name)}
    # A queue is lazy by a command or a policy, and profiles count what the model knows: neither is the node's setting.
    found |= {"queue_mode": "default", "vm_memory_calculation_strategy": "rss"}
    return {axis.parameter: found[axis.parameter] for axis in heatmap.axes if axis.parameter in found}


def _sentences(
    query: HeatmapQuery, base: GridPlace | None, best: GridPlace | None, sure: CellCertainty
) -> Iterator[str]:
    """Yield the advice, then what else is to be known before somebody follows it."""
    if best is None and base is None:
        yield _("No cell of this sweep is the workload as it is, so there is no answer in one number.")
        return
    if best is None and base is not None:
        yield _(
            "%(metric)s: %(value)s as the workload is. Its properties are varied here, so there is nothing to set."
        ) % {"metric": _capital(metric(query.metric).name), "value": _value(query, base)}
        yield from _properties(query, base)
    if best is None:
        return
    kept = base is None or best.runs == base.runs or not _better(query, base.runs, best.runs)
    place = base if kept and base is not None else best
    names = {"metric": metric(query.metric).name, "value": _value(query, place)}
    if base is None:
        text = _("The best is %(setting)s: “%(metric)s” is %(value)s")
        advice = text % {**names, "setting": _listed(_at(best, ADVISED & best.values.keys()))}
    elif kept:
        advice = (
            _(
                "Leave the settings as they are: “%(metric)s” is %(value)s, and no other setting here makes it better"
            )
            % names
        )
    else:
        changes = [
            _change(name, base.values[name], value)
            for name, value in best.values.items()
            if value != base.values[name]
        ]
        text = _("%(change)s: “%(metric)s” is %(value)s instead of %(before)s")
        advice = text % {**names, "change": _capital(_listed(changes)), "before": _value(query, base)}
    free = list(_free(query, place, base, sure))
    yield "; ".join((advice, *free)) + "."
    if base is not None and not kept:
        yield from filter(None, (held_back(query, base, best.runs), _overlap(query, base, best)))
    usual = _place(query, {**place.values, **broker_defaults(query.heatmap)})
    if base is not None and usual is not None and usual.values not in (place.values, base.values):
        text = _("With the broker's defaults (%(setting)s): %(value)s.")
        at = _at(usual, broker_defaults(query.heatmap))
        yield text % {"setting": ", ".join(at), "value": _value(query, usual)}


def _properties(query: HeatmapQuery, base: GridPlace) -> Iterator[str]:
    """Yield, for each property on an axis, the value at which the metric differs most from what it is."""
    heatmap, found = query.heatmap, []
    now = heatmap.median(base.runs, query.metric)
    for name in (query.x, query.y):
        others = [_place(query, {**base.values, name: value}) for value in heatmap.axis(name).values]
        numbers = [(each, heatmap.median(each.runs, query.metric)) for each in others if each is not None]
        apart = [(abs(value - (now or 0)), each) for each, value in numbers if value is not None]
        most, place = max(apart, key=lambda pair: pair[0], default=(0, base))
        if most and not _alike(now or 0, heatmap.median(place.runs, query.metric) or 0, query.metric):
            text = _("%(value)s with %(setting)s")
            found.append(text % {"value": _value(query, place), "setting": "".join(_at(place, [name]))})
    if found:
        yield _("It would be %(values)s.") % {"values": _listed(found)}


def _free(
    query: HeatmapQuery, place: GridPlace, base: GridPlace | None, sure: CellCertainty
) -> Iterator[str]:
    """Yield the settings that do not matter at a place, as far as they do not."""
    heatmap = query.heatmap
    now = heatmap.median(place.runs, query.metric)
    for axis in heatmap.axes:
        name = axis.parameter
        if (
            name not in ADVISED
            or (base is not None and place.values[name] != base.values[name])
            or now is None
        ):
            continue
        alike = []
        for value in axis.values:
            there = _place(query, {**place.values, name: value})
            number = None if there is None else heatmap.median(there.runs, query.metric)
            alike.append(number is not None and _alike(now, number, query.metric, sure))
        numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in axis.values)
        here = axis.values.index(place.values[name])
        low = here - len(list(itertools.takewhile(bool, reversed(alike[:here]))))
        high = here + len(list(itertools.takewhile(bool, alike[here + 1 :])))
        ends = {"name": parameter(name).name}
        ends |= {"low": setting(name, axis.values[low]), "high": setting(name, axis.values[high])}
        if all(alike):
            yield _("the %(name)s does not matter") % ends
        elif low == high or not numbers:
            continue
        elif low == 0:
            yield _("the %(name)s does not matter up to %(high)s") % ends
        elif high == len(axis.values) - 1:
            yield _("the %(name)s does not matter from %(low)s on") % ends
        else:
            yield _("the %(name)s does not matter from %(low)s to %(high)s") % ends


def _overlap(query: HeatmapQuery, base: GridPlace, best: GridPlace) -> str:
    before, after = (band(query.heatmap, each.runs, query.metric) for each in (base, best))
    if before is None or after is None or before.apart_from(after):
        return ""
    return _("The ranges in brackets overlap, so a real node may show no difference.")


def _better(query: HeatmapQuery, before: list[CellRun], after: list[CellRun]) -> bool:
    """Return whether a cell has the better number of the shown metric, and it does not read alike."""
    old, new = (query.heatmap.median(each, query.metric) for each in (before, after))
    way = metric(query.metric).better
    if old is None or new is None or way is BetterWay.NEITHER or reads_alike(old, new, query.metric):
        return False
    return new > old if way is BetterWay.HIGHER else new < old


def _alike(one: float, other: float, name: str, sure: CellCertainty | None = None) -> bool:
    """Return whether two values read alike, or lie no further apart than the metric's measured error."""
    sure = certainty(name) if sure is None else sure
    share = sure.median_pct / 100 if sure.verdict in TRUSTED else 0.0
    return reads_alike(one, other, name) or abs(one - other) <= share * max(one, other, sure.floor)


def _change(name: str, before: Any, after: Any) -> str:
    words = {"name": parameter(name).name, "value": setting(name, after)}
    if isinstance(after, bool | str):
        return _("choose “%(value)s” as %(name)s") % words
    text = _("raise the %(name)s to %(value)s") if after > before else _("lower the %(name)s to %(value)s")
    return text % words


def _at(place: GridPlace, names: Any) -> list[str]:
    return named({name: value for name, value in place.values.items() if name in names})


def _listed(parts: list[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return _("%(before)s and %(last)s") % {"before": ", ".join(parts[:-1]), "last": parts[-1]}


def _capital(words: Any) -> str:
    text = str(words)
    return text[:1].upper() + text[1:]


def _place(query: HeatmapQuery, values: dict[str, Any]) -> GridPlace | None:
    """Return the cell at some values of the swept parameters, None where the grid has none."""
    runs = query.heatmap.runs_at(query.workload, values)
    return GridPlace(query.heatmap.values(runs[0]), runs) if runs else None


def _value(query: HeatmapQuery, place: GridPlace) -> str:
    """Return a cell's number with its range in brackets."""
    value = query.heatmap.median(place.runs, query.metric)
    if value is None:
        return NOTHING
    words = band_words(band(query.heatmap, place.runs, query.metric), query.metric)
    return full(value, metric(query.metric).kind) + (f" ({words})" if words else "")


def _lines(heatmap: ShippedHeatmap, run: CellRun) -> Iterator[tuple[str, str]]:
    """Yield what sets a run's values on a broker: `command` lines for now, `line` ones for its configuration."""
    for name, value in heatmap.values(run).items():
        from_1 = STANDS_FOR.get(f"{name}.from_1") if isinstance(value, int | float) and value >= 1 else None
        known = from_1 or STANDS_FOR.get(name)
        if known is None or name not in ADVISED:
            continue
        names = {"value": value, "queue": _("name-of-the-queue")}
        if known.command is not None:
            yield "command", known.command.format(**names)
        if known.line is not None and known.file != CLIENT:
            where = f"   # {known.file}" if known.file != "rabbitmq.conf" else ""
            yield "line", known.line.format(**names) + where
