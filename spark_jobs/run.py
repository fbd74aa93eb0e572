"""Spreading cells over Spark: each task gets its cells, runs them one by one and hands back Arrow batches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Thread
from typing import NamedTuple

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark import Broadcast
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from spark_jobs.errors import JobError
from spark_jobs.parcels import packed, unpacked
from spark_jobs.schema import CELLS
from spark_jobs.session import slots
from sweeps.cell import Cell, run_cell
from sweeps.plan import deal
from workloads.workload import messages

LOOK_S = 2.0
"""Seconds between two checks of a wave's tasks."""

WAVE_CELLS_PER_SLOT = 128
FIRST_WAVE_CELLS_PER_SLOT = 8
LONG_CELL_MESSAGES = 100_000
WAVE_S = 60.0
"""A wave ends with a write of the dataset: about so many seconds are what an interrupt can lose, and how often the
cells done are told. How long cells take is known after the first wave, which is short where they may be long.
"""
MOST_KEPT_CHARACTERS = 200_000
"""Of a scenario in a row, where hundreds of longer ones would be gigabytes: `sweeps.document` makes them again."""


class CellsFrame(NamedTuple):
    """Cells to run, without what they share, and that."""

    frame: DataFrame
    shared: Broadcast[bytes]


def cells_frame(session: SparkSession, cells: Sequence[Cell], tasks: int | None = None) -> CellsFrame:
    """Return a DataFrame of the cells to run, one partition for each task, with what they share.

    Args:
        session: where it will run.
        cells: what is to run, at least one.
        tasks: how many partitions; None chooses by the session's slots.
    """
    dealt = deal(cells, slots(session)) if tasks is None else [list(cells[n::tasks]) for n in range(tasks)]
    dealt = [task for task in dealt if task]
    shared, texts = packed([cell for task in dealt for cell in task])
    left = iter(texts)
    rows = [[(next(left).decode(),) for _cell in task] for task in dealt]
    one_task_per_slice = session.sparkContext.parallelize(rows, len(rows)).flatMap(lambda task: task)
    frame = session.createDataFrame(one_task_per_slice, "cell string")
    return CellsFrame(frame, session.sparkContext.broadcast(shared))


def run_frame(cells: CellsFrame, engine_build: str) -> DataFrame:
    """Return the DataFrame of results, with the columns of `spark_jobs.schema.CELLS`.

    Nothing may be sorted right behind it: Spark would sample the whole simulation first, to choose ranges, and
    then run it again. Write it, and sort what was written.
    """
    return cells.frame.mapInArrow(_runner(cells.shared, engine_build), from_arrow_schema(CELLS))


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
    done, size = 0, _first_wave(cells, slots(session))
    while done < len(cells):
        wave = cells[done : done + size]
        began = time.perf_counter()
        frame = cells_frame(session, wave)
        _write(session, run_frame(frame, engine_build), out, note_tasks)
        frame.shared.unpersist()
        done += len(wave)
        note(done)
        size = next_wave(len(wave), time.perf_counter() - began, slots(session))


def _first_wave(cells: Sequence[Cell], at_once: int) -> int:
    """Return how many cells the first wave has: few where some cell has many messages."""
    long = max(messages(cell.scenario) for cell in cells) > LONG_CELL_MESSAGES
    return at_once * (FIRST_WAVE_CELLS_PER_SLOT if long else WAVE_CELLS_PER_SLOT)


def next_wave(cells: int, took_s: float, at_once: int) -> int:
    """Return how many cells take about WAVE_S, if they are like those of the last wave."""
    wanted = round(cells * WAVE_S / max(took_s, 0.001) / at_once)
    return at_once * max(1, min(WAVE_CELLS_PER_SLOT, wanted))


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


def _runner(
    shared: Broadcast[bytes], engine_build: str
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for text in batch.column(0).to_pylist():
                row = run_cell(unpacked(shared.value, text), engine_build)
                if len(row["scenario"]) > MOST_KEPT_CHARACTERS:
                    row["scenario"] = ""
                yield pa.RecordBatch.from_pylist([row], schema=CELLS)

    return run
