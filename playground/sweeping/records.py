"""The sweeps that visitors asked for: one at a time for each browser, a bounded number for the server."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

import msgspec
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from playground import limits
from playground.messages import Refused
from playground.models import OwnSweep
from sweeps.errors import kept
from sweeps.grid import Grid, Spec
from workloads.remarks import Remark
from workloads.workload import Workload

STALE: Final = timedelta(minutes=5)
"""A sweep that wrote nothing for so long lost its process."""


def ask(visitor: str, spec: Spec, cells: int, large: bool, remarks: Sequence[Remark] = ()) -> OwnSweep:
    """Keep what a visitor asks for; the oldest that is kept for this browser gives way.

    Raises:
        Refused: this browser has a sweep under way, or too many wait on this server.
    """
    bounds = limits.current()
    with transaction.atomic():
        under_way = OwnSweep.objects.filter(ended=False, touched__gt=timezone.now() - STALE)
        if under_way.filter(visitor=visitor).exists():
            raise Refused(_("A sweep of yours is still under way. Wait for it, then ask again."))
        if under_way.count() >= bounds.sweeps_waiting:
            raise Refused(_("This server is busy with other sweeps. Try again in a few minutes."))
        kept = OwnSweep.objects.filter(visitor=visitor).order_by("-created", "-pk")
        old = kept.values_list("pk", flat=True)[max(0, bounds.sweeps_per_visitor - 1) :]
        OwnSweep.objects.filter(pk__in=list(old)).delete()
        return OwnSweep.objects.create(
            name=spec.grid.name, visitor=visitor, spec=_written(spec, large, remarks), cells=cells
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
    """Return what was told of the workload when it was read."""
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


def advance(name: str, done: int) -> None:
    """Note how many runs have ended."""
    OwnSweep.objects.filter(name=name).update(done=done, touched=timezone.now())


def end(name: str, document: bytes | None, error: Exception | None = None) -> None:
    """Note the heatmap, or why there is none."""
    failure = "" if error is None else kept(error)
    found = {"ended": True, "document": document, "error": failure, "touched": timezone.now()}
    OwnSweep.objects.filter(name=name).update(**found)


def lost(sweep: OwnSweep) -> bool:
    """Return whether a sweep's process is gone: the server was started again, for instance."""
    return not sweep.ended and sweep.touched < timezone.now() - STALE


def delete_older_than(days: int) -> int:
    """Delete sweeps that were asked for so long ago; return how many."""
    deleted, _by_model = OwnSweep.objects.filter(created__lt=timezone.now() - timedelta(days=days)).delete()
    return deleted
