"""Findings equal what plain loops over the same rows find."""

import itertools
import random
from pathlib import Path
from statistics import mean, median
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.metrics import METRICS
from playground.whatif.table import findings
from spark_jobs import analyse
from spark_jobs.analyse import Axis, parse_constraint
from spark_jobs.findings import TABLES, asked, find, read_axes, write_findings
from spark_jobs.publish import write_table
from spark_jobs.schema import CELLS
from spark_jobs.spec import read_spec
from sweeps.columns import SERIES
from sweeps.errors import SweepError
from tests.spark.conftest import GRID, write_sweep

MODES = ("default", "lazy")
SIZES = (10, 200, 3000)
AXES = (Axis("message_size_bytes", SIZES), Axis("queue_mode", MODES))
WORKLOADS = ("burst", "steady")
SEEDS = (1, 2, 3)


def made_up() -> list[dict[str, Any]]:
    """Return rows with random metrics: some failed, some without a value, one metric that never changes."""
    chance = random.Random(7)
    rows = []
    for number, (workload, seed, size, mode) in enumerate(itertools.product(WORKLOADS, SEEDS, SIZES, MODES)):
        row: dict[str, Any] = dict.fromkeys(CELLS.names)
        row |= {name: [1] for name in SERIES}
        row |= {name: chance.randrange(1000) for name in METRICS}
        row |= {"workload": workload, "seed": seed, "cell_id": f"{number:016x}", "message_size_bytes": size}
        row |= {"queue_mode": mode, "fsyncs": 5, "error": "no" if number == 4 else None}
        row["confirm_p50_s"] = None
        rows.append(row)
    return rows


@pytest.fixture(scope="module")
def found(session: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """Return every table of findings as rows."""
    path = tmp_path_factory.mktemp("table") / "t.parquet"
    schema = CELLS
    for axis, kind in zip(AXES, (pa.int64(), pa.string()), strict=True):
        schema = schema.append(pa.field(axis.name, kind))
    schema = pa.schema([pa.field(field.name, field.type) for field in schema])
    pq.write_table(pa.Table.from_pylist(made_up(), schema=schema), path)
    question = asked(["peak_ram_share<=600", "blocked_s>=200"], "latency_p95_s")
    tables = find(session.read.parquet(str(path)), AXES, question)
    return {kind: [row.asDict() for row in table.collect()] for kind, table in tables.items()}


def typical(metric: str) -> dict[tuple[str, int, str], float]:
    """Return the median over the seeds by workload and place."""
    values: dict[tuple[str, int, str], list[float]] = {}
    for row in made_up():
        if row["error"] is None and row[metric] is not None:
            place = (row["workload"], row["message_size_bytes"], row["queue_mode"])
            values.setdefault(place, []).append(row[metric])
    return {place: median(each) for place, each in values.items()}


def test_aggregates(found: dict[str, Any]) -> None:
    rows = {(row["workload"], row["metric"]): row for row in found["aggregates"]}
    assert ("burst", "confirm_p50_s") not in rows
    for workload in WORKLOADS:
        values = [value for place, value in typical("disk_reads").items() if place[0] == workload]
        row = rows[workload, "disk_reads"]
        assert (row["places"], row["least"], row["greatest"]) == (6, min(values), max(values))
        assert (row["median"], row["mean"]) == pytest.approx((median(values), mean(values)))


def test_sensitivity_is_the_mean_range_along_a_parameter(found: dict[str, Any]) -> None:
    rows = {(row["workload"], row["metric"], row["parameter"]): row for row in found["sensitivity"]}
    assert not any(metric == "fsyncs" for _workload, metric, _parameter in rows)
    values = typical("disk_reads")
    by_mode = [[values["steady", size, mode] for mode in MODES] for size in SIZES]
    by_size = [[values["steady", size, mode] for size in SIZES] for mode in MODES]
    whole = max(map(max, by_mode)) - min(map(min, by_mode))
    for parameter, lines in (("queue_mode", by_mode), ("message_size_bytes", by_size)):
        row = rows["steady", "disk_reads", parameter]
        wanted = mean(max(line) - min(line) for line in lines)
        assert row["mean_range"] == pytest.approx(wanted)
        assert row["share"] == pytest.approx(wanted / whole)


def test_cliffs_are_the_largest_changes_between_neighbours(found: dict[str, Any]) -> None:
    values = typical("disk_writes")
    steps: dict[tuple[str, str], list[float]] = {}
    for below, above in itertools.pairwise(SIZES):
        changes = [values["burst", above, mode] - values["burst", below, mode] for mode in MODES]
        steps[str(below), str(above)] = list(map(abs, changes))
    changes = [values["burst", size, "lazy"] - values["burst", size, "default"] for size in SIZES]
    steps[MODES] = list(map(abs, changes))
    largest = sorted(((max(each), *step) for step, each in steps.items()), reverse=True)[: analyse.CLIFFS]
    rows = [row for row in found["cliffs"] if (row["workload"], row["metric"]) == ("burst", "disk_writes")]
    assert [(abs(row["change"]), row["below"], row["above"]) for row in rows] == largest
    assert [row["rank"] for row in rows] == [1, 2, 3]
    assert all(row["after"] - row["before"] == row["change"] for row in rows)


def test_nothing_on_the_front_is_beaten_and_all_else_is(found: dict[str, Any]) -> None:
    for workload in WORKLOADS:
        points = {
            row["cell_id"]: (row[analyse.RAM], row[analyse.LATENCY])
            for row in made_up()
            if row["workload"] == workload and row["error"] is None
        }
        wanted = {
            cell
            for cell, (ram, wait) in points.items()
            if not any(r <= ram and w <= wait and (r, w) != (ram, wait) for r, w in points.values())
        }
        assert {row["cell_id"] for row in found["pareto"] if row["workload"] == workload} == wanted


def test_the_best_keeps_its_constraints(found: dict[str, Any]) -> None:
    for workload in WORKLOADS:
        kept = [
            row
            for row in made_up()
            if row["workload"] == workload
            and row["error"] is None
            and row["peak_ram_share"] <= 600
            and row["blocked_s"] >= 200
        ]
        wanted = min(kept, key=lambda row: (row["latency_p95_s"], row[analyse.RAM], row["cell_id"]))
        row = next(row for row in found["best"] if row["workload"] == workload)
        assert row["cell_id"] == wanted["cell_id"]


@pytest.mark.parametrize("text", ["ram < 5", "colour<=5", "blocked_s<=much", "blocked_s<=1e"])
def test_an_impossible_constraint_is_refused(text: str) -> None:
    with pytest.raises(SweepError):
        parse_constraint(text)


def test_the_page_reads_what_is_written(session: Any, tmp_path: Path) -> None:
    spec = read_spec(*write_sweep(tmp_path))
    rows = [
        {**row, "vm_memory_high_watermark": watermark, "message_size_bytes": size}
        for row, (watermark, size) in zip(made_up(), itertools.product(*spec.points.values()), strict=False)
    ]
    axes = [pa.field("vm_memory_high_watermark", pa.float64()), pa.field("message_size_bytes", pa.int64())]
    schema = pa.schema([pa.field(field.name, field.type) for field in (*CELLS, *axes)])
    path = tmp_path / f"{GRID['name']}.parquet"
    write_table(spec, pa.Table.from_pylist(rows, schema=schema), str(path))
    assert [axis.name for axis in read_axes(str(path))] == [axis.parameter for axis in spec.grid.axes]
    printed: list[str] = []
    write_findings(session, str(path), str(tmp_path), asked(), printed.append)
    assert {each.stem for each in (tmp_path / "tiny.findings").glob("*.parquet")} == set(TABLES)
    read = findings("tiny", tmp_path)
    assert read is not None
    assert read.cliffs("burst", "disk_reads")
    with pytest.raises(SweepError, match="does not exist"):
        read_axes(str(tmp_path / "none.parquet"))
