"""From a description to cells: stable ids, known cells, balanced tasks."""

from pathlib import Path
from typing import Any

from spark_jobs.spec import read_grid
from sweeps.cell import Cell
from sweeps.cost import guessed_s
from sweeps.grid import Spec, make_spec
from sweeps.plan import cell_id, deal, make_plan
from tests.unit.spark_jobs.test_spec import GRID, WORKLOAD, files
from workloads.workload import Workload, messages


def spec(tmp_path: Path, **changes: Any) -> Spec:
    """Return the tiny sweep, with some of its grid changed."""
    _, grid = files(tmp_path, grid={**GRID, **changes})
    return make_spec((Workload(name="w", title="W", scenario=WORKLOAD),), read_grid(grid))


def test_cells_stand_in_the_order_of_the_table_with_complete_scenarios(tmp_path: Path) -> None:
    plan = make_plan(spec(tmp_path, seeds=[1, 2]), "1.0")
    assert [(cell.seed, *cell.values.values()) for cell in plan.cells[:4]] == [
        (1, 0.2, 10),
        (1, 0.2, 100),
        (1, 0.2, 1000),
        (1, 0.4, 10),
    ]
    assert len(plan.cells) == len(plan.todo) == 12
    assert plan.cells[1].scenario["commands"][0]["size_bytes"] == 100
    assert plan.cells[6].scenario["seed"] == 2


def test_ids_depend_on_the_run_and_the_engine_and_nothing_else() -> None:
    here = cell_id(WORKLOAD, 24, "1.0")
    assert here == cell_id({**WORKLOAD, "title": "renamed", "digest": "0" * 32}, 24, "1.0")
    assert here == cell_id(dict(reversed(WORKLOAD.items())), 24, "1.0")
    others = {
        cell_id({**WORKLOAD, "seed": 2}, 24, "1.0"),
        cell_id({**WORKLOAD, "until_us": 5}, 24, "1.0"),
        cell_id(WORKLOAD, 25, "1.0"),
        cell_id(WORKLOAD, 24, "1.1"),
    }
    assert len(others | {here}) == 5
    assert here == "144edd163d2ce146"  # the same on every machine and in every process


def test_known_cells_are_not_run_again(tmp_path: Path) -> None:
    first = make_plan(spec(tmp_path), "1.0")
    known = {first.cells[0].cell_id, first.cells[3].cell_id}
    again = make_plan(spec(tmp_path), "1.0", known)
    assert again.cells == first.cells
    assert {cell.cell_id for cell in again.todo} == {cell.cell_id for cell in first.cells} - known
    assert again.summary().startswith("6 cells, 2 already known, 4 to run")
    assert len(make_plan(spec(tmp_path), "1.1", known).todo) == 6


def test_equal_runs_are_run_once(tmp_path: Path) -> None:
    twice = spec(tmp_path)
    twin = Workload(name="twin", title="Same", scenario={**WORKLOAD, "title": "Same"})
    plan = make_plan(Spec(workloads=(*twice.workloads, twin), grid=twice.grid, points=twice.points), "1.0")
    assert (len(plan.cells), len(plan.todo)) == (12, 6)


def test_weight_counts_the_messages_that_a_scenario_publishes() -> None:
    commands = [
        {"at_us": 0, "do": "publish", "count": 50, "size_bytes": 1},
        {"at_us": 0, "do": "set_publisher", "name": "a", "rate_per_s": 10},
        {"at_us": 2_000_000, "do": "set_publisher", "name": "a", "rate_per_s": 100},
        {"at_us": 3_000_000, "do": "remove", "name": "a"},
        {"at_us": 1_000_000, "do": "set_publisher", "name": "b", "rate_per_s": 1},
    ]
    assert messages({"commands": commands, "until_us": 11_000_000}) == 50 + 20 + 100 + 10


def cell(number: int, messages: int) -> Cell:
    """Return a cell that publishes so many messages."""
    scenario = {"commands": [{"at_us": 0, "do": "publish", "count": messages}], "until_us": 1}
    return Cell(cell_id=str(number), workload="w", values={}, seed=1, scenario=scenario, series_points=2)


def test_tasks_get_about_equal_weights() -> None:
    cells = [cell(number, 10 * (number % 7 + 1)) for number in range(40)]
    tasks = deal(cells, 2)
    assert len(tasks) == 8
    assert sorted(each.cell_id for task in tasks for each in task) == sorted(each.cell_id for each in cells)
    loads = [sum(messages(each.scenario) for each in task) for task in tasks]
    assert max(loads) - min(loads) <= 20


def test_no_task_is_empty() -> None:
    assert [len(task) for task in deal([cell(1, 5)], 16)] == [1]


def test_the_estimate_takes_what_is_known_and_guesses_the_rest(tmp_path: Path) -> None:
    tiny = spec(tmp_path)
    timed = make_plan(tiny, "1.0", (), {"w": 7.0})
    assert timed.estimate_s == 7.0 * len(timed.cells)
    guessed = make_plan(tiny, "1.0")
    assert guessed.estimate_s == sum(guessed_s(cell.scenario) for cell in guessed.cells) > 0
    assert "of one core" in guessed.summary()
    assert guessed_s({**WORKLOAD, "until_us": 10**9}) >= guessed_s(WORKLOAD)
