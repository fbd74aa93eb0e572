"""Which heatmap, workload, metric and axes a reader asked for: the query string, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from playground.whatif.numbers import setting
from playground.whatif.shipped import Heatmap

MODES = ("values", "difference")
FIXED = "at_"
"""Before the name of a parameter that is swept but stands on neither axis."""


class Query(NamedTuple):
    """A checked question. `fixed` holds a value for every swept parameter that is on neither axis."""

    heatmap: Heatmap
    workload: str
    metric: str
    x: str
    y: str
    mode: str
    fixed: dict[str, Any]

    def address(self, **changes: Any) -> str:
        """Return the query string of this question, with some of it changed.

        Changing `h` keeps nothing else; giving x the parameter of y, or the other way round, swaps them.
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
            **changes,
        }
        if asked["mode"] == MODES[0]:
            del asked["mode"]
        return urlencode(asked)


def read_query(asked: Mapping[str, str], known: Mapping[str, Heatmap]) -> tuple[Query, list[str]]:
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
                _("This link asks for “%(wanted)s”, which is not there (any more). Shown instead: %(shown)s.")
                % {"wanted": wanted[:60], "shown": default}
            )
        return wanted if wanted in allowed else default

    heatmap = known[choose("h", list(known), next(iter(known)))]
    axes = [axis.parameter for axis in heatmap.axes]
    x, y = _axes(asked, axes, choose)
    query = Query(
        heatmap=heatmap,
        workload=choose("w", [each.name for each in heatmap.workloads], heatmap.workloads[0].name),
        metric=choose("m", list(heatmap.metrics), heatmap.offered[0]),
        x=x,
        y=y,
        mode=choose("mode", list(MODES), MODES[0]),
        fixed={name: _fixed(heatmap, name, asked.get(FIXED + name)) for name in axes if name not in {x, y}},
    )
    return query, notices


def _axes(asked: Mapping[str, str], axes: list[str], choose: Any) -> tuple[str, str]:
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


def _fixed(heatmap: Heatmap, name: str, wanted: str | None) -> Any:
    values = heatmap.axis(name).values
    for value in values:
        if wanted in {str(value), setting(name, value)}:
            return value
    home = heatmap.home.get(name)
    return home if home in values else values[len(values) // 2]
