"""Which heatmap, workload, metric and axes a reader asked for: the query string, checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from playground.whatif.bounds import FIELDS, GridBounds, read_bounds
from playground.whatif.labels import setting
from playground.whatif.shipped import ShippedHeatmap

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
