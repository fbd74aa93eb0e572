"""A sweep as the what-if page reads it: compact JSON; a cell is how it differs from its workload's first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from engine.metrics import METRICS
from sweeps.columns import Row
from sweeps.grid import Spec
from sweeps.parameters import Scenario, with_values
from sweeps.states import STATES

MOST_OFFERED = 6
"""A sweep that names no metrics offers the first ones of the registry."""


def page(spec: Spec, rows: Sequence[Row], engine_version: str) -> dict[str, Any]:
    """Return the published form, version 2.

    Keys: version, name, title, engine_version, workloads (each with the scenario of its first cell), axes, seeds,
    home, offered, metrics, columns, cells. `cells` are lists in the order of `columns`: cell_id, workload, seed,
    values (one for each axis, in the order of `axes`), digest, error, metrics (in the order of `metrics`), changes
    (how the cell's scenario differs from that of its workload's first cell, see `changes`), series_ram_kib,
    series_states (one for each of STATES).
    """
    grid = spec.grid
    metrics = [*grid.metrics, *(name for name in METRICS if name not in grid.metrics)]
    # A cell of the workload's own, so that a command which an axis adds is in all of them.
    firsts = {row["workload"]: row for row in reversed(rows)}
    bases = {name: _scenario(spec, row) for name, row in firsts.items()}
    return {
        "version": 2,
        "name": grid.name,
        "title": grid.title,
        "engine_version": engine_version,
        "workloads": [
            {"name": each.name, "title": each.title, "scenario": bases[each.name]} for each in spec.workloads
        ],
        "axes": [{"parameter": name, "values": values} for name, values in spec.points.items()],
        "seeds": grid.seeds,
        "home": grid.home,
        "offered": grid.metrics or tuple(METRICS)[:MOST_OFFERED],
        "metrics": metrics,
        "columns": COLUMNS,
        "cells": [_cell(spec, row, metrics, bases[row["workload"]]) for row in rows],
    }


COLUMNS = (
    "cell_id",
    "workload",
    "seed",
    "values",
    "digest",
    "error",
    "metrics",
    "changes",
    "series_ram_kib",
    "series_states",
)


def _scenario(spec: Spec, row: Row) -> Scenario:
    """Return the scenario of a row: its text, or made again where that is too long to be kept."""
    if row["scenario"]:
        kept: Scenario = msgspec.json.decode(row["scenario"])
        return kept
    [workload] = [each for each in spec.workloads if each.name == row["workload"]]
    return with_values(workload.scenario, {name: row[name] for name in spec.points}, row["seed"])


def _cell(spec: Spec, row: Row, metrics: list[str], base: Scenario) -> list[Any]:
    return [
        row["cell_id"],
        row["workload"],
        row["seed"],
        [row[name] for name in spec.points],
        row["digest"],
        row["error"],
        None if row["error"] else [rounded(row[name]) for name in metrics],
        list(changes(base, _scenario(spec, row))),
        [value // 1024 for value in row["series_ram_bytes"] or ()],
        [row[f"series_{state}"] or [] for state in STATES],
    ]


def rounded(value: float | None) -> float | None:
    """Return a metric as the page has it: whole numbers as they are, others with six significant digits."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def changes(
    before: Any, after: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[list[str | int], Any]]:
    """Yield the changes that turn one JSON value into another: where (keys and indices from the top), and what is new.

    A removed key, or a list of another length, is written as a change of the whole that surrounds it.
    """
    if before is after:
        return
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() <= after.keys():
        for key, value in after.items():
            if key in before:
                yield from changes(before[key], value, (*path, key))
            else:
                yield [*path, key], value
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from changes(old, new, (*path, index))
    elif before != after or type(before) is not type(after):
        yield list(path), after


def one_cell_per_line(document: dict[str, Any]) -> bytes:
    """Encode the page with each cell on a line of its own, so that one changed cell is one changed line."""
    head = msgspec.json.encode({**document, "cells": []}).removesuffix(b"]}")
    return head + b"\n" + b",\n".join(map(msgspec.json.encode, document["cells"])) + b"\n]}\n"
