"""The one registry of this process, made when the first session needs it; and repetitions of a run, as jobs."""

from __future__ import annotations

import asyncio
import threading
import time
from functools import cache
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext_lazy as _

import engine
from engine.replay import RunPlayer
from engine.values.errors import RunTooLong
from playground.hosting.past import Kind, PastReader, fates_of, files_of, rows_of
from playground.hosting.real_engine import door
from playground.hosting.registry import HostRegistry
from playground.hosting.session.protocol import BeginWorker
from playground.hosting.session_files import build_of
from playground.hosting.session_record import RecordedSession
from playground.jobs.job import RUN, job
from playground.limits import page_scheduler, session_limits
from playground.records import database_record
from playground.records.database_record import DatabaseRecord, OwnedLeases
from playground.records.session_leases import LeaseHolder, ProcessPresence
from playground.texts import RequestRefused

DIGEST_S: Final = 20.0


@job(RUN)
def rows_missed(first: int, last: int, record: RecordedSession) -> tuple[bytes, int]:
    """Return rows of a run, and on how many commands they rest; see `past.rows_of`."""
    return rows_of(door(), session_limits.current().past_s, first, last, record)


@job(RUN)
def fates(kind: Kind, record: RecordedSession) -> tuple[bytes, int]:
    """Return what a stop would leave, and on how many commands that rests; see `past.fates_of`."""
    return fates_of(door(), session_limits.current().past_s, kind, record)


@job(RUN)
def files_of_past(root: str, number: int, record: RecordedSession) -> int:
    """Make the files of a moment; see `past.files_of`."""
    return files_of(door(), session_limits.current(), root, number, record)


@job(RUN)
def digest_at(scenario: dict[str, Any], commands: list[tuple[int, dict[str, Any]]], until_us: int) -> str:
    """Return the digest of a run at a moment. Raises Refused where it is too long."""
    deadline_s = time.monotonic() + DIGEST_S
    node = door().rehearse(scenario)
    try:
        RunPlayer(node, commands, give_up=lambda: time.monotonic() > deadline_s).finish(until_us)
    except RunTooLong:
        raise RequestRefused(_("This long session is asleep. Open it, and share it from there.")) from None
    return str(node.log.digest)


_lock = threading.Lock()


@cache
def _registry() -> HostRegistry:
    registry = HostRegistry(
        door=door(),
        book=lambda session_id: DatabaseRecord(session_id, _tenure(registry)),
        limits=session_limits.current(),
        root=settings.SESSIONS_DIR,
        begin=BeginWorker(
            root="",
            bounds=session_limits.current().bounds(),
            key=settings.SECRET_KEY.encode(),
            checkpoints=str(settings.SESSIONS_DIR / "checkpoints"),
            build=build_of(Path(engine.__file__).parent),
            checkpoint_bytes=settings.CHECKPOINT_BYTES,
            memory_bytes=settings.WORKER_BYTES,
        ),
    )
    registry.pool.others_late_s = page_scheduler.turns.late_s
    return registry


@cache
def _tenure(of: HostRegistry) -> OwnedLeases:
    holder = LeaseHolder(of.directory.path.name, settings.WATERLINE_NODE)
    several = settings.WATERLINE_NODE and connection.vendor == "postgresql"
    presence = ProcessPresence(holder.process) if several else None
    return OwnedLeases(holder, settings.WATERLINE_LEASE_S, of.directory.swept, presence)


def tenure() -> OwnedLeases:
    return _tenure(registry())


@cache
def _past(of: HostRegistry) -> PastReader:
    return PastReader(of.directory, files_of_past, of.limits.past_s)


def past() -> PastReader:
    return _past(registry())


def registry() -> HostRegistry:
    with _lock:
        return _registry()


def pressure() -> float:
    """Return the factor by which other work becomes rarer because commands are late."""
    return registry().pool.pressure.factor if _registry.cache_info().currsize else 1.0


async def end() -> None:
    """Put every session of this process to rest. The next call of `registry` starts again."""
    if _registry.cache_info().currsize:
        await _registry().end()
        if (presence := _tenure(_registry()).presence) is not None:
            await asyncio.to_thread(presence.end)
        _registry.cache_clear()
        _past.cache_clear()
        _tenure.cache_clear()
    await asyncio.to_thread(database_record.release)


def stop() -> None:
    """End every session's worker at once and remove their files, when the process cannot wait for `end`."""
    if _registry.cache_info().currsize:
        _registry().stop()
