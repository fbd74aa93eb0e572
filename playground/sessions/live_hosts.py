"""Which process has a session. This one has a single registry of hosts, made when the first session needs it.
Others are found by a hint in the address, by which the proxy routes. If the hint is wrong or its process is gone,
another process gets the request and says where to go: it closes a socket with "moved" and redirects a page. A
process without a name is the only one and needs none of this.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext_lazy as _

import engine
from engine.reading.conditions import Condition
from engine.replay import RunPlayer
from engine.values.errors import RunTooLong
from playground.hosting.host import HostRegistry, RunSoFar
from playground.hosting.protocol import BeginWorker
from playground.hosting.real_engine import door
from playground.hosting.session_files import build_of
from playground.hosting.session_record import OwnedElsewhere, RecordUnreachable
from playground.jobs import RUN, job
from playground.limits import page_scheduler, session_limits
from playground.records import database_record, session_leases
from playground.records.database_record import DatabaseRecord, OwnedLeases
from playground.records.session_leases import LeaseHolder, ProcessPresence
from playground.sessions.past_runs import PastReader
from playground.texts import RequestRefused

DIGEST_S: Final = 20.0


@job(RUN)
def digest_at(scenario: dict[str, Any], commands: list[tuple[int, dict[str, Any]]], until_us: int) -> str:
    """Return the digest of a run at a moment. Raises RequestRefused where it is too long."""
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
    return PastReader(of.directory, of.limits.past_s)


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


HINT = "node"

_asked: ContextVar[str] = ContextVar("asked", default="")
"""The node that the request being answered was meant for."""


def at_node(path: str, query: str, node: str) -> str:
    """Return an address with the hint of a node, in the place of one that it has."""
    fields = [(name, value) for name, value in parse_qsl(query) if name != HINT]
    return f"{path}?{urlencode([*fields, (HINT, node)])}"


def hint_of(query: str) -> str:
    """Return the node that a request is meant for, or nothing."""
    return dict(parse_qsl(query)).get(HINT, "")


def socket_path(public_id: str, **query: str) -> str:
    """Return the address of a session's socket, with the hint of its owner. A session without one becomes this
    process's for now, so that the pages, which the proxy spreads, spread sessions.
    """
    path = f"/ws/session/{public_id}/"
    if not settings.WATERLINE_NODE:
        return f"{path}?{urlencode(query)}" if query else path
    return at_node(path, urlencode(query), session_leases.node_of(public_id) or _reserve(public_id))


def _reserve(public_id: str) -> str:
    own = tenure()
    # It was another's faster, or is nobody's for now.
    with contextlib.suppress(OwnedElsewhere, RecordUnreachable):
        own.be_seen()
        session_leases.take(public_id, own.holder, own.lasts_s)
        return own.holder.node
    return session_leases.node_of(public_id)


def moment(public_id: str, goals: Sequence[Condition] = ()) -> RunSoFar | None:
    """Return where a session is, and which goals hold there; None if it is nowhere awake. Raises `OwnedElsewhere`,
    and TimeoutError when it is busy.
    """
    _expect_here(public_id)
    with page_scheduler.aside():
        return registry().moment(public_id, goals)


def files_of(public_id: str) -> Path:
    """Return the directory of a session's files, which is there while it is awake. Raises `OwnedElsewhere`."""
    _expect_here(public_id)
    return registry().directory.of(public_id)


def _expect_here(public_id: str) -> None:
    """Raise `OwnedElsewhere` if another process has the session awake, and was not asked in vain."""
    if not settings.WATERLINE_NODE or registry().host(public_id) is not None:
        return
    node = session_leases.node_of(public_id)
    if node not in ("", settings.WATERLINE_NODE, _asked.get()):
        raise OwnedElsewhere(node)


class OwnerRedirect(HttpResponseRedirect):
    """A redirect that repeats the same request: forms are sent again as they were."""

    status_code = 307


class ElsewhereMiddleware:
    """Redirects requests for a session's run to its owner, only once, because the hint may fail."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        _asked.set(hint_of(request.META.get("QUERY_STRING", "")))
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, OwnedElsewhere):
            return None
        return OwnerRedirect(at_node(request.path, request.META.get("QUERY_STRING", ""), error.node))
