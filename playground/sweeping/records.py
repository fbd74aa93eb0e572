"""The sweeps that visitors asked for: one at a time for each browser, a bounded number for the server."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from playground.callers import request_callers
from playground.callers.request_callers import RequestCaller
from playground.limits import session_limits
from playground.models import OwnSweep
from playground.texts.page_message import RequestRefused
from sweeps.errors import kept
from sweeps.grid import Grid, Spec
from sweeps.plan import Plan
from sweeps.progress import SweepStanding
from workloads.remarks import Remark
from workloads.workload import Workload


def folder() -> Path:
    """Return where this server keeps them."""
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
    """Keep what somebody asks for, and what it is guessed to take; the oldest of this browser gives way.

    Raises:
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
        written = _written(spec, large, remarks)
        return OwnSweep.objects.create(
            name=spec.grid.name,
            visitor=visitor,
            group=group,
            spec=written,
            size_bytes=len(msgspec.json.encode(written)),
            cells=len(plan.cells),
            guessed_s=plan.estimate_s,
        )


def _written(spec: Spec, large: bool, remarks: Sequence[Remark]) -> dict[str, Any]:
    workload = spec.workloads[0]
    written: dict[str, Any] = {
        "workload": msgspec.to_builtins(workload),
        "grid": msgspec.to_builtins(spec.grid),
        "large": large,
        "remarks": msgspec.to_builtins(list(remarks)),
    }
    return written


def remarks_of(sweep: OwnSweep) -> list[Remark]:
    """Return the remarks of the workload's import."""
    return msgspec.convert(sweep.spec.get("remarks", []), list[Remark])


def workload_and_grid(sweep: OwnSweep) -> tuple[Workload, Grid]:
    """Return what was asked for."""
    workload = msgspec.convert(sweep.spec["workload"], Workload)
    return workload, msgspec.convert(sweep.spec["grid"], Grid)


def find(name: str) -> OwnSweep | None:
    """Return a sweep by its name, which only those know who were given it."""
    return OwnSweep.objects.filter(name=name).first()


def of_visitor(visitor: str) -> list[OwnSweep]:
    """Return the sweeps of a browser, the latest first."""
    if not visitor:
        return []
    return list(OwnSweep.objects.filter(visitor=visitor).defer("document").order_by("-created", "-pk"))


def advance(name: str, standing: SweepStanding) -> None:
    """Note how far a sweep is."""
    OwnSweep.objects.filter(name=name).update(standing=msgspec.to_builtins(standing), touched=timezone.now())


def standing(sweep: OwnSweep) -> SweepStanding:
    """Return how far a sweep is; before its first run has ended, with nothing but a guess."""
    found = msgspec.convert(sweep.standing, SweepStanding)
    return found if found.guessed_s else SweepStanding(silent=found.silent, guessed_s=sweep.guessed_s or 0.0)


def end(name: str, document: bytes | None, error: Exception | None = None) -> None:
    """Note the heatmap, or why there is none."""
    failure = "" if error is None else kept(error)
    found = {"ended": True, "document": document, "error": failure, "touched": timezone.now()}
    found["size_bytes"] = F("size_bytes") + len(document or b"")
    OwnSweep.objects.filter(name=name).update(**found)


def are_here(names: Collection[str]) -> None:
    """Note that a process has these sweeps: it runs them, or they wait there for their turn."""
    OwnSweep.objects.filter(name__in=list(names)).update(touched=timezone.now())


def lost(sweep: OwnSweep) -> bool:
    """Return whether a sweep's process is gone: the server was started again, for instance."""
    return not sweep.ended and sweep.touched < timezone.now() - STALE


def delete_older_than(days: int) -> int:
    """Delete sweeps that were asked for so long ago; return how many."""
    deleted, _by_model = OwnSweep.objects.filter(created__lt=timezone.now() - timedelta(days=days)).delete()
    return deleted
