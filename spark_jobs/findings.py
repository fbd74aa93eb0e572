"""`python -m spark_jobs analyse`: the findings of a sweep as Parquet tables, and as JSON for the what-if page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs
from pyspark.sql import DataFrame, SparkSession

from engine.counting.load import blocked_s, peak_ram_share
from spark_jobs import analyse
from spark_jobs.analyse import Axis, Constraint
from spark_jobs.dataset import inside, locate, read_table
from spark_jobs.errors import JobError
from spark_jobs.publish import AXES
from sweeps.document import rounded

DEFAULT_CONSTRAINTS = (f"{peak_ram_share.name}<=0.6", f"{blocked_s.name}<=0")
DEFAULT_OBJECTIVE = analyse.LATENCY
TABLES = ("aggregates", "sensitivity", "cliffs", "pareto", "best")


class Asked(NamedTuple):
    """What `best` is to keep and to make small."""

    constraints: tuple[Constraint, ...]
    objective: str


def asked(constraints: Sequence[str] = (), objective: str = DEFAULT_OBJECTIVE) -> Asked:
    """Return the checked question; without constraints those that `DEFAULT_CONSTRAINTS` names.

    Raises:
        JobError: a constraint or the objective is not possible.
    """
    texts = constraints or DEFAULT_CONSTRAINTS
    return Asked(tuple(map(analyse.parse_constraint, texts)), analyse.check_metric(objective))


def write_findings(
    session: SparkSession, table: str, out: str, question: Asked, report: Callable[[str], None]
) -> None:
    """Analyse a sweep's table and write what is found under `out`.

    Writes `<name>.findings/<table>.parquet` for each of TABLES, and `<name>.findings.json` for the page.

    Args:
        session: where to compute.
        table: path or URI of the sweep's Parquet table.
        out: directory or URI to write to.
        question: for the table `best`.
        report: called with lines of progress.

    Raises:
        JobError: there is no such table.
    """
    name = table.partition("?")[0].rstrip("/").rpartition("/")[2].removesuffix(".parquet")
    axes = read_axes(table)
    found = find(session.createDataFrame(read_table(table)), axes, question)
    base = inside(out, f"{name}.findings")
    filesystem, inner = locate(base)
    filesystem.create_dir(inner, recursive=True)
    page: dict[str, Any] = {"version": 1, "name": name}
    for kind in TABLES:
        rows = found[kind].toArrow()
        pq.write_table(rows, f"{inner}/{kind}.parquet", filesystem=filesystem, compression="zstd")
        page[kind] = _columns(rows)
        if kind in {"cliffs", "best"}:
            for line in _sentences(kind, rows.to_pylist(), [axis.name for axis in axes], question.objective):
                report(line)
        report(f"{name}: {rows.num_rows} rows of {kind}")
    filesystem, inner = locate(inside(out, f"{name}.findings.json"))
    with filesystem.open_output_stream(inner) as stream:
        stream.write(msgspec.json.encode(page) + b"\n")


def find(table: DataFrame, axes: Sequence[Axis], question: Asked) -> dict[str, DataFrame]:
    """Return every table of findings, each in a fixed order."""
    places = analyse.long(table, axes).cache()
    return {
        "aggregates": analyse.aggregates(places).orderBy("workload", "metric"),
        "sensitivity": analyse.sensitivity(places, axes).orderBy("workload", "metric", "parameter"),
        "cliffs": analyse.cliffs(places, axes).orderBy("workload", "metric", "rank"),
        "pareto": analyse.pareto(table, axes).orderBy("workload", analyse.RAM),
        "best": analyse.best(table, axes, question.constraints, question.objective).orderBy("workload"),
    }


def _sentences(kind: str, rows: list[dict[str, Any]], axes: list[str], objective: str) -> Iterator[str]:
    """Yield what a person wants to know first: the steepest step of the objective, and the best setting."""
    for row in rows:
        if kind == "best":
            place = ", ".join(f"{name} {row[name]}" for name in axes)
            yield f"best for {row['workload']}: {place}: {objective} {rounded(row[objective]):g}"
        elif row["metric"] == objective and row["rank"] == 1:
            step = f"{row['parameter']} {row['below']} -> {row['above']}"
            change = f"{rounded(row['before']):g} -> {rounded(row['after']):g}"
            yield f"steepest for {row['workload']}: {step}: {objective} {change}"


def read_axes(table: str) -> tuple[Axis, ...]:
    """Return the axes that a sweep's table names.

    Raises:
        JobError: there is no table, or it is not one of a sweep.
    """
    filesystem, inner = locate(table)
    if filesystem.get_file_info(inner).type != fs.FileType.File:
        raise JobError("table_missing", table=table)
    try:
        metadata = pq.read_schema(filesystem.open_input_file(inner)).metadata or {}
    except pa.ArrowInvalid as error:
        raise JobError("no_parquet_table", table=table, why=error) from None
    if AXES not in metadata:
        raise JobError("table_without_axes", table=table)
    return tuple(Axis(name, tuple(values)) for name, values in msgspec.json.decode(metadata[AXES]))


def _columns(table: pa.Table) -> dict[str, Any]:
    """Return a table as column names and rows."""
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return {"columns": table.column_names, "rows": [list(map(rounded, row)) for row in rows]}
