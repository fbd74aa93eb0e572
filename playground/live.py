"""The one registry of this process, made when the first session needs it."""

from __future__ import annotations

import asyncio
import threading
from functools import cache
from pathlib import Path

from django.conf import settings
from django.db import connection

import engine
from playground import limits, repetitions, turns, writer
from playground.book import DatabaseBook, Tenure
from playground.doors import door
from playground.hosting.checkpoints import build_of
from playground.hosting.past import Past
from playground.hosting.registry import Registry
from playground.hosting.session.protocol import Begin
from playground.leases import Holder
from playground.presence import Presence

_lock = threading.Lock()


@cache
def _registry() -> Registry:
    registry = Registry(
        door=door(),
        book=lambda session_id: DatabaseBook(session_id, _tenure(registry)),
        limits=limits.current(),
        root=settings.SESSIONS_DIR,
        begin=Begin(
            root="",
            bounds=limits.current().bounds(),
            key=settings.SECRET_KEY.encode(),
            checkpoints=str(settings.SESSIONS_DIR / "checkpoints"),
            build=build_of(Path(engine.__file__).parent),
            checkpoint_bytes=settings.CHECKPOINT_BYTES,
        ),
    )
    registry.pool.others_late_s = turns.turns.late_s
    return registry


@cache
def _tenure(of: Registry) -> Tenure:
    holder = Holder(of.directory.path.name, settings.WATERLINE_NODE)
    several = settings.WATERLINE_NODE and connection.vendor == "postgresql"
    presence = Presence(holder.process) if several else None
    return Tenure(holder, settings.WATERLINE_LEASE_S, of.directory.swept, presence)


def tenure() -> Tenure:
    """Return what this process owns."""
    return _tenure(registry())


@cache
def _past(of: Registry) -> Past:
    return Past(of.directory, repetitions.files_of_past, of.limits.past_s)


def past() -> Past:
    """Return the past moments of this process's sessions."""
    return _past(registry())


def registry() -> Registry:
    """Return the hosts of this process."""
    with _lock:
        return _registry()


def pressure() -> float:
    """Return how many times as seldom everything else is to be done because commands are answered late."""
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
    await asyncio.to_thread(writer.release)
