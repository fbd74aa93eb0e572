"""From a checked sweep to cells: stable ids, what is already known, and tasks of about equal weight."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from sweeps.cell import Cell
from sweeps.cost import guessed_s, times_the_guess
from sweeps.errors import SweepError
from sweeps.grid import Spec
from sweeps.parameters import Scenario, Value, with_values
from workloads.workload import messages

TASKS_PER_SLOT = 4
"""Enough for a slow task not to keep the other slots waiting; each one costs Spark some 30 ms."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What a sweep has to do.

    Args:
        cells: every cell of the sweep, in the order of the table.
        todo: those not known yet.
        estimate_s: about how many seconds of one core they take.
    """

    cells: tuple[Cell, ...]
    todo: tuple[Cell, ...]
    estimate_s: float

    def summary(self) -> str:
        """Return one line for people."""
        published = sum(messages(cell.scenario) for cell in self.todo)
        known = len(self.cells) - len(self.todo)
        return (
            f"{len(self.cells)} cells, {known} already known, {len(self.todo)} to run "
            f"(up to {published / 1e6:.1f} million messages, about {duration(self.estimate_s)} of one core)"
        )


def make_plan(
    spec: Spec,
    engine_version: str,
    known_ids: Collection[str] = (),
    costs_s: Mapping[str, float] | None = None,
    *,
    probe: bool = False,
) -> Plan:
    """Return the cells of `spec`; those with an id in `known_ids` need no run.

    Args:
        spec: the checked sweep.
        engine_version: part of the cells' ids.
        known_ids: ids of cells that were computed before.
        costs_s: what a cell of a workload took before, by workload; others are estimated.
        probe: run one of the others, or its beginning, so that the estimate is of this machine and these runs.

    Raises:
        SweepError: a workload lacks what an axis varies.
    """
    cells = tuple(
        _cell(spec, workload.name, workload.scenario, values, seed, engine_version)
        for workload in spec.workloads
        for seed in spec.grid.seeds
        for values in spec.combinations()
    )
    wanted: dict[str, Cell] = {}
    for cell in cells:
        if cell.cell_id not in known_ids:
            wanted.setdefault(cell.cell_id, cell)
    todo = tuple(wanted.values())
    costs = costs_s or {}
    new = [cell for cell in todo if not costs.get(cell.workload)]
    times = times_the_guess(new[len(new) // 2]) if probe and new else 1.0
    estimate_s = times * sum(guessed_s(cell.scenario) for cell in new) + sum(
        costs.get(cell.workload, 0.0) for cell in todo
    )
    return Plan(cells=cells, todo=todo, estimate_s=estimate_s)


def middle_first(count: int) -> list[int]:
    """Return the numbers of so many cells from the middle of the grid on: one there is like most, so that the first to
    run tells what all of them take.
    """
    return [*range(count // 2, count), *range(count // 2)]


def duration(seconds: float) -> str:
    """Return seconds as people say them."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.0f} h"


def cell_id(
    scenario: Scenario, series_points: int, engine_version: str, power_cut_us: int | None = None
) -> str:
    """Return 16 hexadecimal digits that stand for this run under this engine version.

    The title and a recorded digest do not change a run, so they do not take part.
    """
    content = {key: value for key, value in scenario.items() if key not in {"title", "digest"}}
    measured = [series_points] if power_cut_us is None else [series_points, power_cut_us]
    text = msgspec.json.encode([engine_version, *measured, content], order="deterministic")
    return hashlib.sha256(text).hexdigest()[:16]


def deal(cells: Sequence[Cell], slots: int) -> list[list[Cell]]:
    """Spread cells over tasks: heaviest first, each to the task with the least so far.

    Args:
        cells: what is to run.
        slots: tasks that can run at the same time.

    Returns:
        At most `slots * TASKS_PER_SLOT` lists, none of them empty.
    """
    tasks: list[list[Cell]] = [[] for _ in range(min(len(cells), max(1, slots) * TASKS_PER_SLOT))]
    loads = [0] * len(tasks)
    for cell in sorted(cells, key=lambda each: -messages(each.scenario)):
        lightest = min(range(len(tasks)), key=loads.__getitem__)
        tasks[lightest].append(cell)
        loads[lightest] += messages(cell.scenario)
    return tasks


def _cell(
    spec: Spec, workload: str, base: dict[str, Any], values: dict[str, Value], seed: int, engine_version: str
) -> Cell:
    try:
        scenario = with_values(base, values, seed)
    except SweepError as error:
        raise error.inside(f"workload {workload}: ", SweepError) from None
    power_cut_us = None if spec.grid.power_cut_s is None else round(spec.grid.power_cut_s * 1_000_000)
    return Cell(
        cell_id=cell_id(scenario, spec.grid.series_points, engine_version, power_cut_us),
        workload=workload,
        values=values,
        seed=seed,
        scenario=scenario,
        series_points=spec.grid.series_points,
        power_cut_us=power_cut_us,
    )
