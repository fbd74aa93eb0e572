"""Spreading cells over Spark: a task runs its cells one by one and writes each as soon as it is done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from threading import Thread
from typing import Final

from py4j.protocol import Py4JError
from pyspark import Broadcast, TaskContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_jobs.dataset import ArrivingRows, append_rows, finished_ids, make_directory
from spark_jobs.errors import JobError
from spark_jobs.health import ClusterHealth
from spark_jobs.parcels import packed, unpacked
from spark_jobs.session import slots
from sweeps.cell import Cell, run_cell
from sweeps.columns import Row
from sweeps.plan import deal

LOOK_S: Final = 2.0
"""Seconds between two looks at what has been written, and at the cluster."""
WRITE_S: Final = 1.0
"""A task writes what it has done when so many seconds have passed since it last did: a kill loses no more than that and
the cell that was running.
"""
MOST_KEPT_CHARACTERS: Final = 200_000
"""Of a scenario in a row, where hundreds of longer ones would be gigabytes: `sweeps.document` makes them again."""


def run_cells(
    session: SparkSession,
    cells: Sequence[Cell],
    engine_build: str,
    out: str,
    note: Callable[[list[Row]], None],
    warn: Callable[[str, Sequence[str]], None] = lambda sentence, silent: None,
) -> None:
    """Run all cells and append their rows to the Parquet dataset `out`, each as soon as it is done.

    Args:
        session: where to run.
        cells: what to run, at least one.
        engine_build: fingerprint of the engine, noted in every row.
        out: path or URI of the dataset, which the driver and all executors reach by this name.
        note: called now and then with id, values, error and cost of the cells that were done since the last call.
        warn: called with a sentence, and with what is silent now, when the master or all executors no longer answer, or
            answer again.

    Raises:
        JobError: Spark gave up, for example because every executor was lost again and again.
    """
    make_directory(out)
    arriving = ArrivingRows(out)
    dealt = deal(cells, slots(session))
    shared, texts = packed([cell for task in dealt for cell in task])
    left = iter(texts)
    parcels = [[next(left).decode() for _cell in task] for task in dealt]
    broadcast = session.sparkContext.broadcast(shared)
    tasks = session.sparkContext.parallelize(parcels, len(parcels)).flatMap(lambda task: task)
    failures: list[Exception] = []

    def run() -> None:
        try:
            tasks.foreachPartition(_runner(broadcast, engine_build, out))
        except (Py4JError, PySparkException, AttributeError) as error:
            failures.append(error)  # the last one where the context is stopped: then it has no JVM any more

    # In a thread of its own, so that an interrupt meets this one, which does nothing but wait.
    runner = Thread(target=run, daemon=True)
    runner.start()
    health = ClusterHealth(session)
    while runner.is_alive():
        runner.join(LOOK_S)
        if rows := arriving.arrived():
            note(rows)
        if runner.is_alive() and (complaint := health.complaint(time.monotonic())):
            warn(complaint, health.silent)
    if failures:
        raise JobError("spark_gave_up", why=cause_of(failures[0]))
    if rows := arriving.arrived():
        note(rows)
    broadcast.unpersist()


def cause_of(error: Exception) -> str:
    """Return what the executor itself said, in one line; else the first line of what Spark says."""
    text = str(error).strip()
    _spark, traceback, executor = text.rpartition("Traceback (most recent call last):")
    if traceback:
        return executor.partition("\n\tat ")[0].strip().splitlines()[-1]
    _before, lost, reason = text.partition("most recent failure: ")
    return (reason if lost else text).splitlines()[0]


def _runner(shared: Broadcast[bytes], engine_build: str, out: str) -> Callable[[Iterable[str]], None]:
    def run(texts: Iterable[str]) -> None:
        context = TaskContext.get()
        again = context is not None and context.attemptNumber() > 0
        finished = finished_ids(out, engine_build) if again else set[str]()
        rows: list[Row] = []
        written = time.monotonic()
        for text in texts:
            cell = unpacked(shared.value, text)
            if cell.cell_id in finished:
                continue
            row = run_cell(cell, engine_build)
            if len(row["scenario"]) > MOST_KEPT_CHARACTERS:
                row["scenario"] = ""
            rows.append(row)
            if time.monotonic() - written >= WRITE_S:
                append_rows(out, rows)
                rows, written = [], time.monotonic()
        if rows:
            append_rows(out, rows)

    return run
