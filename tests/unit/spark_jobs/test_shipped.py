"""The heatmaps that come with the project are what this engine computes."""

import pytest

from engine import ENGINE_VERSION
from playground.whatif.shipped import CellRun, ShippedHeatmap, heatmaps
from playground.whatif.table import findings
from spark_jobs.shipped import DESCRIPTIONS, PUBLISHED, workloads_of
from spark_jobs.spec import read_spec
from sweeps.cell import Cell, outcome
from sweeps.document import rounded
from sweeps.plan import make_plan

SHIPPED = heatmaps(PUBLISHED)
MOST_BYTES = 3_500_000
STALE = "the engine has changed since the heatmaps were made: `make heatmaps` makes them anew"


def sample(heatmap: ShippedHeatmap) -> list[CellRun]:
    """Return a few cells spread over a heatmap: of the workloads in turn the first, the middle or the last."""
    chosen = []
    for number, workload in enumerate(heatmap.workloads):
        runs = [run for run in heatmap.cells if run.workload == workload.name]
        chosen.append((runs[0], runs[len(runs) // 2], runs[-1])[number % 3])
    return chosen


SAMPLES = [(heatmap, run) for heatmap in SHIPPED.values() for run in sample(heatmap)]


def test_every_description_is_published_with_its_findings_and_not_too_large() -> None:
    assert {path.name for path in DESCRIPTIONS.iterdir() if path.is_dir()} == SHIPPED.keys(), STALE
    assert next(iter(SHIPPED)) == "paging-watermark"
    for name in SHIPPED:
        found = findings(name, PUBLISHED)
        assert found is not None
        assert (PUBLISHED / f"{name}.parquet").stat().st_size > 0
        assert any(found.cliffs(each.name, SHIPPED[name].offered[0]) for each in SHIPPED[name].workloads)
    assert sum(path.stat().st_size for path in PUBLISHED.iterdir()) < MOST_BYTES


@pytest.mark.parametrize("heatmap", SHIPPED.values(), ids=lambda each: each.name)
def test_no_cell_failed_and_all_are_of_this_engine(heatmap: ShippedHeatmap) -> None:
    assert heatmap.engine_version == ENGINE_VERSION, STALE
    assert [run.error for run in heatmap.cells if run.error] == []
    assert all(run.digest for run in heatmap.cells)


@pytest.mark.parametrize("name", SHIPPED)
def test_cells_are_those_of_the_description(name: str) -> None:
    folder = DESCRIPTIONS / name
    plan = make_plan(read_spec(workloads_of(folder), folder / "grid.json"), ENGINE_VERSION)
    assert [cell.cell_id for cell in plan.cells] == [run.cell_id for run in SHIPPED[name].cells], STALE
    assert [cell.scenario for cell in plan.cells] == [
        SHIPPED[name].scenario(run) for run in SHIPPED[name].cells
    ]


@pytest.mark.parametrize(
    ("heatmap", "run"),
    [
        pytest.param(
            *each, id=f"{each[0].name}-{each[1].cell_id}", marks=pytest.mark.soak if number % 2 else ()
        )
        for number, each in enumerate(SAMPLES)
    ],
)
def test_a_cell_computed_again_is_equal(heatmap: ShippedHeatmap, run: CellRun) -> None:
    cell = Cell(
        cell_id=run.cell_id,
        workload=run.workload,
        values={},
        seed=run.seed,
        scenario=heatmap.scenario(run),
        series_points=len(run.series_ram_kib),
    )
    again = outcome(cell)
    assert again["digest"] == run.digest, STALE
    assert tuple(rounded(again[name]) for name in heatmap.metrics) == run.metrics
    assert tuple(value // 1024 for value in again["series_ram_bytes"]) == run.series_ram_kib
