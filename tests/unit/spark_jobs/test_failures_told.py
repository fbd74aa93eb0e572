"""While a sweep runs it tells the cells that failed, with their values and the reason, and how far it is."""

from __future__ import annotations

from pathlib import Path

import msgspec

from engine import ENGINE_VERSION
from spark_jobs.engine_build import engine_build
from spark_jobs.sweep import MOST_TOLD, SweepTeller
from sweeps.cell import run_cell
from sweeps.grid import Axis, Grid, make_spec
from sweeps.plan import make_plan
from sweeps.progress import SweepStanding
from workloads.workload import checked

SCENARIO = {
    "version": 1,
    "profile": "classroom",
    "commands": [{"at_us": 0, "do": "publish", "count": 9, "size_bytes": 60}],
    "until_us": 1_000_000,
}
AXES = (
    Axis(parameter="vm_memory_high_watermark", values=(0.2, 0.4, 0.6)),
    Axis(parameter="message_size_bytes", values=(10, 5000)),
)


def test_failed_cells_are_named() -> None:
    spec = make_spec((checked("w", SCENARIO),), Grid(version=1, name="g", title="G", axes=AXES))
    good, *others = make_plan(spec, ENGINE_VERSION).cells
    bad = [
        msgspec.structs.replace(each, scenario={**each.scenario, "settings": {"colour": 1}})
        for each in others
    ]
    rows = [run_cell(each, engine_build()) for each in (good, *bad)]
    lines: list[str] = []
    teller = SweepTeller([good, *others], lines.append)

    def told(*arrived: object) -> list[str]:
        lines.clear()
        teller.note(arrived)  # type: ignore[arg-type]
        return list(lines)

    [line] = told({**rows[0], "cost_s": 0.5})
    assert line.startswith("1 of 6 cells, ")
    assert line.endswith("a cell took 0.5 s (median), the slowest 0.5 s")
    assert teller.standing.guessed_s == 6 * 0.5, "all cells, by the first"
    failed, line = told({**rows[1], "cost_s": 2.0})
    assert failed.startswith(f"cell {bad[0].cell_id} failed with ")
    assert '"message_size_bytes":5000' in failed
    assert "colour is no setting" in failed
    assert line.endswith("a cell took 1.2 s (median), the slowest 2.0 s")
    assert told(*rows[1:])[MOST_TOLD] == f"and {len(bad) - MOST_TOLD} more failed"
    assert teller.standing.taken_s == 0.5 + 2.0 + sum(row["cost_s"] for row in rows[1:])


def test_a_page_reads_how_far_it_is_from_a_file(tmp_path: Path) -> None:
    spec = make_spec((checked("w", SCENARIO),), Grid(version=1, name="g", title="G", axes=AXES))
    cells = make_plan(spec, ENGINE_VERSION).cells
    teller = SweepTeller(cells, lambda line: None, tmp_path / "progress.json")

    def told() -> SweepStanding:
        return msgspec.json.decode((tmp_path / "progress.json").read_bytes(), type=SweepStanding)

    teller.note([{**run_cell(cells[0], engine_build()), "cost_s": 0.5}])
    assert (told().done, told().taken_s, told().silent) == (1, 0.5, ())
    teller.warn("the master is silent", ["master"])
    assert told() == teller.standing
    assert told().silent == ("master",)
    teller.warn("the master answers again", [])
    assert told().silent == ()
