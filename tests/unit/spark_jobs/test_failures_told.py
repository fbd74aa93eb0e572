"""Cells that fail are named while a sweep goes on, with their values and the reason."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from engine import ENGINE_VERSION
from spark_jobs.engine_build import engine_build
from spark_jobs.schema import CELLS
from spark_jobs.sweep import MOST_TOLD, tell_failures
from sweeps.cell import run_cell
from sweeps.grid import Axis, Grid, make_spec
from sweeps.plan import make_plan
from workloads.workload import checked

SCENARIO = {
    "version": 1,
    "profile": "classroom",
    "commands": [{"at_us": 0, "do": "publish", "count": 9, "size_bytes": 60}],
    "until_us": 1_000_000,
}


def test_failed_cells_of_a_wave_are_named(tmp_path: Path) -> None:
    axes = (
        Axis(parameter="vm_memory_high_watermark", values=(0.2, 0.4, 0.6)),
        Axis(parameter="message_size_bytes", values=(10, 5000)),
    )
    spec = make_spec((checked("w", SCENARIO),), Grid(version=1, name="g", title="G", axes=axes))
    good, *others = make_plan(spec, ENGINE_VERSION).cells
    bad = [
        msgspec.structs.replace(each, scenario={**each.scenario, "settings": {"colour": 1}})
        for each in others
    ]
    rows = [run_cell(each, engine_build()) for each in (good, *bad)]
    pq.write_table(pa.Table.from_pylist(rows, schema=CELLS), tmp_path / "part.parquet")

    def told(*wave: object) -> list[str]:
        lines: list[str] = []
        tell_failures(wave, str(tmp_path), lines.append)  # type: ignore[arg-type]
        return lines

    assert told(good) == []
    [line] = told(good, bad[0])
    assert line.startswith(f"cell {bad[0].cell_id} failed with ")
    assert '"message_size_bytes":5000' in line
    assert "colour is no setting" in line
    assert told(good, *bad)[MOST_TOLD:] == [f"and {len(bad) - MOST_TOLD} more of this wave failed"]
