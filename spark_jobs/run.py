"""Spreading cells over Spark: each task gets its cells, runs them one by one and hands back Arrow batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Thread

import msgspec
import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from spark_jobs.errors import JobError
from spark_jobs.schema import CELLS
from spark_jobs.session import slots
from sweeps.cell import Cell, run_cell
from sweeps.plan import deal

LOOK_S = 2.0
"""Seconds between two checks of a wave's tasks."""

WAVE_CELLS_PER_SLOT = 128
"""Cells between two writes of the dataset: what an interrupt can lose, against a pause at the end of each wave."""


def cells_frame(session: SparkSession, cells: Sequence[Cell], tasks: int | None = None) -> DataFrame:
    """Return a DataFrame of the cells to run, one partition for each task.

    Args:
        session: where it will run.
        cells: what is to run, at least one.
        tasks: how many partitions; None chooses by the session's slots.
    """
    dealt = deal(cells, slots(session)) if tasks is None else [list(cells[n::tasks]) for n in range(tasks)]
    rows = [[(msgspec.json.encode(cell).decode(),) for cell in task] for task in dealt if task]
    one_task_per_slice = session.sparkContext.parallelize(rows, len(rows)).flatMap(lambda task: task)
    return session.createDataFrame(one_task_per_slice, "cell string")


def run_frame(cells: DataFrame, engine_build: str) -> DataFrame:
    """Return the DataFrame of results, with the columns of `spark_jobs.schema.CELLS`.

    Nothing may be sorted right behind it: Spark would sample the whole simulation first, to choose ranges, and
    then run it again. Write it, and sort what was written.
    """
    return cells.mapInArrow(_runner(engine_build), from_arrow_schema(CELLS))


def run_cells(
    session: SparkSession,
    cells: Sequence[Cell],
    engine_build: str,
    out: str,
    note: Callable[[int], None],
    note_tasks: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Run all cells and append their rows to the Parquet dataset `out`, wave by wave.

    Args:
        session: where to run.
        cells: what to run.
        engine_build: fingerprint of the engine, noted in every row.
        out: path or URI of the dataset; each finished wave stays there even if the next one is interrupted.
        note: called after each wave with the number of cells done so far.
        note_tasks: called now and then within a wave with the tasks done and all of them.

    Raises:
        JobError: Spark gave up, for example because every executor was lost again and again.
    """
    size = WAVE_CELLS_PER_SLOT * slots(session)
    for begin in range(0, len(cells), size):
        wave = cells[begin : begin + size]
        frame = run_frame(cells_frame(session, wave), engine_build)
        _write(session, frame, out, note_tasks)
        note(begin + len(wave))


def _write(session: SparkSession, frame: DataFrame, out: str, note_tasks: Callable[[int, int], None]) -> None:
    """Write a wave in a thread of its own, so that an interrupt meets this one, which does nothing but wait."""
    failures: list[Exception] = []

    def write() -> None:
        try:
            frame.write.mode("append").parquet(out)
        except (Py4JError, PySparkException) as error:
            failures.append(error)

    writer = Thread(target=write, daemon=True)
    writer.start()
    reported = 0
    while writer.is_alive():
        writer.join(LOOK_S)
        done, total = _tasks(session)
        if total and done > reported:
            reported = done
            note_tasks(done, total)
    if failures:
        reason = str(failures[0]).strip().splitlines()[0]
        raise JobError("spark_gave_up", why=reason)


def _tasks(session: SparkSession) -> tuple[int, int]:
    """Return how many tasks of the running stages are done, and how many there are."""
    tracker = session.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    return (
        sum(stage.numCompletedTasks for stage in stages if stage is not None),
        sum(stage.numTasks for stage in stages if stage is not None),
    )


def _runner(engine_build: str) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for text in batch.column(0).to_pylist():
                row = run_cell(msgspec.json.decode(text, type=Cell), engine_build)
                yield pa.RecordBatch.from_pylist([row], schema=CELLS)

    return run
