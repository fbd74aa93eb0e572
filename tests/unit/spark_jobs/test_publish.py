"""What a sweep publishes: a table with every cell in its place, failed ones too, and the page's JSON."""

from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine import ENGINE_VERSION
from playground.whatif.shipped import heatmaps
from spark_jobs import publish, sweep
from spark_jobs.engine_build import engine_build
from spark_jobs.schema import CELLS
from spark_jobs.spec import read_spec
from sweeps import document
from sweeps.cell import run_cell
from sweeps.columns import COST
from sweeps.errors import SweepError
from sweeps.grid import Spec
from sweeps.plan import Plan, make_plan
from tests.unit.spark_jobs.test_spec import files


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> tuple[Spec, Plan, list[dict[str, Any]]]:
    """Return a sweep, and the rows of its cells, computed in a plain loop."""
    spec = read_spec(*files(tmp_path_factory.mktemp("sweep")))
    plan = make_plan(spec, ENGINE_VERSION)
    return spec, plan, [run_cell(cell, engine_build()) for cell in plan.cells]


@pytest.fixture
def computed(tmp_path: Path, cells: tuple[Spec, Plan, list[dict[str, Any]]]) -> tuple[Spec, Plan, Path]:
    """Return a sweep whose cells were computed in a plain loop; one of them failed."""
    spec, plan, of_cells = cells
    rows = [dict(row) for row in of_cells]
    failed = rows[2]
    failed.update(dict.fromkeys((*CELLS.names[8:],)), error="EngineError: no", cost_s=0.1)
    out = tmp_path / "out"
    (out / "cells").mkdir(parents=True)
    for number, row in enumerate(reversed(rows)):  # tasks end in any order
        pq.write_table(pa.Table.from_pylist([row], schema=CELLS), out / "cells" / f"part-{number}.parquet")
    return spec, plan, out


def test_failed_cells_keep_their_place_and_are_reported(computed: tuple[Spec, Plan, Path]) -> None:
    spec, plan, out = computed
    printed: list[str] = []
    assert sweep._publish(spec, plan, str(out), str(out / "cells"), printed.append) == 1
    table = pq.read_table(out / "tiny.parquet")
    assert table.column(COST).null_count == 0
    assert table.column("cell_id").to_pylist() == [cell.cell_id for cell in plan.cells]
    assert [bool(error) for error in table.column("error").to_pylist()] == [False, False, True] + [False] * 3
    assert any(line.startswith("1 cells failed") for line in printed), "each was named while the sweep ran"
    heatmap = heatmaps(out)["tiny"]
    assert heatmap.cells[2].metrics is None
    assert heatmap.scenario(heatmap.cells[3]) == plan.cells[3].scenario


def test_each_cell_is_one_line_of_the_page(computed: tuple[Spec, Plan, Path]) -> None:
    spec, plan, out = computed
    sweep._publish(spec, plan, str(out), str(out / "cells"), lambda line: None)
    lines = (out / "tiny.json").read_text().splitlines()
    assert len(lines) == 1 + len(plan.cells) + 1
    assert [msgspec.json.decode(line.rstrip(","))[0] for line in lines[1:-1]] == [
        cell.cell_id for cell in plan.cells
    ]


def test_a_missing_row_asks_for_another_run(computed: tuple[Spec, Plan, Path]) -> None:
    spec, plan, out = computed
    (out / "cells" / "part-0.parquet").unlink()
    with pytest.raises(SweepError, match="run the sweep again"):
        sweep._publish(spec, plan, str(out), str(out / "cells"), lambda line: None)


def test_a_page_has_an_upper_bound(
    computed: tuple[Spec, Plan, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, plan, out = computed
    monkeypatch.setattr(publish, "MOST_PAGE_CELLS", 5)
    with pytest.raises(SweepError, match="take steps out of an axis"):
        sweep._publish(spec, plan, str(out), str(out / "cells"), lambda line: None)
    assert (out / "tiny.parquet").exists()


@pytest.mark.parametrize(
    ("after", "written"),
    [
        ({"a": 1, "b": [{"c": 2}]}, []),
        ({"a": 1.0, "b": [{"c": 2}]}, [(["a"], 1.0)]),
        ({"a": 1, "b": [{"c": 3}], "d": 4}, [(["b", 0, "c"], 3), (["d"], 4)]),
        ({"a": 1, "b": []}, [(["b"], [])]),
        ({"b": [{"c": 2}]}, [([], {"b": [{"c": 2}]})]),
    ],
)
def test_changes_say_where_and_what(after: dict[str, Any], written: list[Any]) -> None:
    assert list(document.changes({"a": 1, "b": [{"c": 2}]}, after)) == written
