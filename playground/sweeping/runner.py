"""The sweeps that visitors ask for: kept, a few at a time, and run one after the other, here or as a Spark job."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
from django.conf import settings
from django.db import close_old_connections, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from engine import ENGINE_VERSION
from playground.limits import request_callers, session_limits
from playground.limits.request_callers import RequestCaller
from playground.limits.work_places import CallerLanes
from playground.models import OwnSweep
from playground.texts import RequestRefused
from sweeps.columns import Row
from sweeps.document import one_cell_per_line, page
from sweeps.errors import SweepError, kept
from sweeps.grid import Grid, Spec, make_spec
from sweeps.plan import Plan, make_plan, middle_first
from sweeps.pool import Pool
from sweeps.progress import SweepProgress, SweepStanding
from workloads.remarks import Remark
from workloads.workload import Workload


def folder() -> Path:
    return Path(settings.VAR_DIR) / "own-sweeps"


def keep(table: Path) -> None:
    """Keep a copy of a table, which has its sweep's name."""
    folder().mkdir(parents=True, exist_ok=True)
    shutil.copyfile(table, folder() / table.name)


def delete_without_sweep() -> int:
    """Delete the tables whose sweeps are gone; return how many."""
    names = set(OwnSweep.objects.values_list("name", flat=True))
    gone = [path for path in folder().glob("*.parquet") if path.stem not in names]
    for path in gone:
        path.unlink(missing_ok=True)
    return len(gone)


STALE: Final = timedelta(minutes=2)
"""A sweep of which its process has said nothing for so long has lost it: also one that waits is spoken of."""
OF_ONE: Final = 2
"""Of the sweeps that may run or wait, one address or class has one part in so many."""


class NoSweepPlace(RequestRefused):
    """The sweep is possible, but too many run or wait already."""


def ask(
    caller: RequestCaller, spec: Spec, plan: Plan, large: bool, remarks: Sequence[Remark] = ()
) -> OwnSweep:
    """Keep what somebody asks for, and what it is guessed to take; the oldest of this browser gives way. Raises
    NoSweepPlace: this browser has a sweep under way, or too many wait, of its address or class or on this server.
    """
    bounds, visitor, group = session_limits.current(), caller.visitor, request_callers.trace_of(caller.group)
    with transaction.atomic():
        under_way = OwnSweep.objects.filter(ended=False, touched__gt=timezone.now() - STALE)
        if under_way.filter(visitor=visitor).exists():
            raise NoSweepPlace(_("A sweep of yours is still under way. Wait for it, then ask again."))
        most = max(1, bounds.sweeps_waiting // OF_ONE)
        if group and under_way.filter(group=group).count() >= most:
            text = _("Your class or network has %(most)s sweeps under way. Wait until one of them is done.")
            raise NoSweepPlace(text, most=most)
        if under_way.count() >= bounds.sweeps_waiting:
            raise NoSweepPlace(_("This server is busy with other sweeps. Try again in a few minutes."))
        kept = OwnSweep.objects.filter(visitor=visitor).order_by("-created", "-pk")
        old = kept.values_list("pk", flat=True)[max(0, bounds.sweeps_per_visitor - 1) :]
        OwnSweep.objects.filter(pk__in=list(old)).delete()
        written = {
            "workload": msgspec.to_builtins(spec.workloads[0]),
            "grid": msgspec.to_builtins(spec.grid),
            "large": large,
            "remarks": msgspec.to_builtins(list(remarks)),
        }
        return OwnSweep.objects.create(
            name=spec.grid.name,
            visitor=visitor,
            group=group,
            spec=written,
            size_bytes=len(msgspec.json.encode(written)),
            cells=len(plan.cells),
            guessed_s=plan.estimate_s,
        )


def remarks_of(sweep: OwnSweep) -> list[Remark]:
    return msgspec.convert(sweep.spec.get("remarks", []), list[Remark])


def find(name: str) -> OwnSweep | None:
    return OwnSweep.objects.filter(name=name).first()


def of_visitor(visitor: str) -> list[OwnSweep]:
    if not visitor:
        return []
    return list(OwnSweep.objects.filter(visitor=visitor).defer("document").order_by("-created", "-pk"))


def advance(name: str, standing: SweepStanding) -> None:
    OwnSweep.objects.filter(name=name).update(standing=msgspec.to_builtins(standing), touched=timezone.now())


def standing(sweep: OwnSweep) -> SweepStanding:
    """Return how far a sweep is; before its first run has ended, with nothing but a guess."""
    found = msgspec.convert(sweep.standing, SweepStanding)
    return found if found.guessed_s else SweepStanding(silent=found.silent, guessed_s=sweep.guessed_s or 0.0)


def end(name: str, document: bytes | None, error: Exception | None = None) -> None:
    failure = "" if error is None else kept(error)
    found = {"ended": True, "document": document, "error": failure, "touched": timezone.now()}
    found["size_bytes"] = F("size_bytes") + len(document or b"")
    OwnSweep.objects.filter(name=name).update(**found)


def lost(sweep: OwnSweep) -> bool:
    """Return whether a sweep's process is gone: the server was started again, for instance."""
    return not sweep.ended and sweep.touched < timezone.now() - STALE


def delete_older_than(days: int) -> int:
    deleted, _by_model = OwnSweep.objects.filter(created__lt=timezone.now() - timedelta(days=days)).delete()
    return deleted


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
    workload = msgspec.convert(sweep.spec["workload"], Workload)
    grid = msgspec.convert(sweep.spec["grid"], Grid)
    try:
        spec = make_spec((workload,), grid)
        document = _by_spark(sweep, spec) if sweep.spec["large"] else _by_pool(sweep, spec)
    except (SweepError, OSError) as error:
        end(sweep.name, None, error)
    else:
        end(sweep.name, document)


def _by_pool(sweep: OwnSweep, spec: Spec) -> bytes:
    """Run the cells on this machine; return the heatmap. Raises SweepError: it took too long, or a process ended."""
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
                    advance(sweep.name, progress.standing)
        except SweepError:
            if watch.is_alive():
                raise
            raise SweepError("sweep_too_slow", seconds=seconds) from None
        finally:
            watch.cancel()
    advance(sweep.name, progress.standing)
    rows = [{**found[cell.cell_id], **cell.values} for cell in cells]
    return one_cell_per_line(page(spec, rows, ENGINE_VERSION))


def _by_spark(sweep: OwnSweep, spec: Spec) -> bytes:
    """Run the cells as a Spark job; return the heatmap, and keep the job's table beside the operator's own. Raises
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
                advance(sweep.name, _told(folder / "progress.json"))
        result = folder / "out" / f"{sweep.name}.json"
        if not result.is_file():
            last = (folder / "words").read_text(errors="replace").strip().splitlines()[-1:]
            raise SweepError("job_failed", why="".join(last))
        advance(sweep.name, _told(folder / "progress.json"))
        keep(result.with_suffix(".parquet"))
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
                sweep = find(name)
                if sweep is not None:
                    run(sweep)
            except Exception:
                logger.exception("the sweep %s failed", name)
                end(name, None, SweepError("server_fault"))
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
                OwnSweep.objects.filter(name__in=names).update(touched=timezone.now())
            except Exception:
                logger.exception("what became of %s sweeps could not be written", len(names))
            finally:
                close_old_connections()


@cache
def sweep_runner() -> SweepRunner:
    return SweepRunner()
