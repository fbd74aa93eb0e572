"""Runs the sweeps that visitors ask for, one after the other: on a few processes that give way, or as a Spark job."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import tempfile
import threading
import time
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
from django.conf import settings
from django.db import close_old_connections

from engine import ENGINE_VERSION
from playground.limits import session_limits
from playground.limits.work_places import CallerLanes
from playground.models import OwnSweep
from playground.sweeping import records
from sweeps.columns import Row
from sweeps.document import one_cell_per_line, page
from sweeps.errors import SweepError
from sweeps.grid import Spec, make_spec
from sweeps.plan import make_plan, middle_first
from sweeps.pool import Pool
from sweeps.progress import SweepProgress, SweepStanding

logger = logging.getLogger(__name__)

NICENESS: Final = 10
"""Sessions that somebody watches come first."""
TOLERANCE: Final = 3
"""A sweep that takes so many times its bound is ended."""
SPEAKS_S: Final = 20.0
AGAIN_S: Final = 0.5
"""How often progress is written."""
ROOT: Final = Path(__file__).resolve().parents[2]


def run(sweep: OwnSweep) -> None:
    """Run a sweep to its end and keep its heatmap, or why there is none."""
    workload, grid = records.workload_and_grid(sweep)
    large = sweep.spec["large"]
    try:
        spec = make_spec((workload,), grid)
        document = _by_spark(sweep, spec) if large else _by_pool(sweep, spec)
    except (SweepError, OSError) as error:
        records.end(sweep.name, None, error)
    else:
        records.end(sweep.name, document)


def _by_pool(sweep: OwnSweep, spec: Spec) -> bytes:
    """Run the cells on this machine; return the heatmap.

    Raises:
        SweepError: it took too long, or a process ended.
    """
    cells = make_plan(spec, ENGINE_VERSION).cells
    seconds = TOLERANCE * session_limits.current().sweep_s
    with Pool(max(1, (os.cpu_count() or 1) // 2), NICENESS) as pool:
        watch = threading.Timer(seconds, pool.close)
        watch.start()
        progress = SweepProgress(cells)
        found: dict[str, Row] = {}
        notified_s = 0.0
        try:
            for row in pool.rows([cells[at] for at in middle_first(len(cells))]):
                found[row["cell_id"]] = row
                progress.note([row])
                if time.monotonic() - notified_s >= AGAIN_S:
                    notified_s = time.monotonic()
                    records.advance(sweep.name, progress.standing)
        except SweepError:
            if watch.is_alive():
                raise
            raise SweepError("sweep_too_slow", seconds=seconds) from None
        finally:
            watch.cancel()
    records.advance(sweep.name, progress.standing)
    rows = [{**found[cell.cell_id], **cell.values} for cell in cells]
    return one_cell_per_line(page(spec, rows, ENGINE_VERSION))


def _by_spark(sweep: OwnSweep, spec: Spec) -> bytes:
    """Run the cells as a Spark job; return the heatmap, and keep the job's table beside the operator's own.

    Raises:
        SweepError: the job failed or took too long.
    """
    with tempfile.TemporaryDirectory(prefix="waterline-sweep-") as place:
        folder = Path(place)
        (folder / "own.json").write_bytes(msgspec.json.encode(spec.workloads[0].scenario))
        (folder / "grid.json").write_bytes(msgspec.json.encode(spec.grid))
        command = [sys.executable, "-m", "spark_jobs", "sweep", "--workloads", str(folder / "own.json")]
        command += ["--grid", str(folder / "grid.json"), "--out", str(folder / "out")]
        command += ["--progress", str(folder / "progress.json")]
        with (folder / "words").open("w+b") as words:
            job = subprocess.Popen(  # noqa: S603 - this very program, and files that it wrote itself
                [*command, "--master", settings.SPARK_MASTER], cwd=ROOT, stdout=words, stderr=words
            )
            ends_s = time.monotonic() + TOLERANCE * session_limits.current().large_sweep_s
            while job.poll() is None:
                if time.monotonic() > ends_s:
                    job.kill()
                    job.wait()
                    raise SweepError("job_too_slow")
                time.sleep(AGAIN_S)
                records.advance(sweep.name, _told(folder / "progress.json"))
        result = folder / "out" / f"{sweep.name}.json"
        if not result.is_file():
            last = (folder / "words").read_text(errors="replace").strip().splitlines()[-1:]
            raise SweepError("job_failed", why="".join(last))
        records.advance(sweep.name, _told(folder / "progress.json"))
        records.keep(result.with_suffix(".parquet"))
        return result.read_bytes()


def _told(file: Path) -> SweepStanding:
    """Return what a Spark job last told of itself; nothing before its first cell has ended."""
    return msgspec.json.decode(file.read_bytes(), type=SweepStanding) if file.is_file() else SweepStanding()


class SweepRunner:
    """A thread that runs what it is given, for as long as this process lives: addresses and classes take turns."""

    def __init__(self) -> None:
        self._waiting: CallerLanes[str] = CallerLanes()
        self._groups: dict[str, str] = {}
        """Of what runs or waits."""
        self._begun = False
        self._changed = threading.Condition()

    def take(self, group: str, name: str) -> None:
        """Run a sweep when its turn comes."""
        with self._changed:
            self._groups[name] = group
            self._waiting.add(group, name)
            self._changed.notify_all()
            if not self._begun:
                self._begun = True
                for work in (self._work, self._speak):
                    threading.Thread(target=work, name="sweeps of visitors", daemon=True).start()

    def _next(self) -> str:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting.count)
            name = self._waiting.first()
            assert name is not None  # noqa: S101 - it was waited for
            self._waiting.remove(self._groups[name], name, has_its_turn=True)
            return name

    def _work(self) -> None:
        while True:
            name = self._next()
            try:
                sweep = records.find(name)
                if sweep is not None:
                    run(sweep)
            except Exception:
                logger.exception("the sweep %s failed", name)
                records.end(name, None, SweepError("server_fault"))
            finally:
                with self._changed:
                    del self._groups[name]
                close_old_connections()

    def _speak(self) -> None:
        """Say again and again what runs and waits here, so that nobody takes it for lost."""
        while True:
            time.sleep(SPEAKS_S)
            with self._changed:
                names = list(self._groups)
            if not names:
                continue
            try:
                records.are_here(names)
            except Exception:
                logger.exception("what became of %s sweeps could not be written", len(names))
            finally:
                close_old_connections()


@cache
def runner() -> SweepRunner:
    """Return this process's runner."""
    return SweepRunner()
