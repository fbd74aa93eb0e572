"""Finds the process that owns a session: the address has a hint, by which the proxy routes. If the hint is
wrong or its process is gone, another process gets the request and says where to go: it closes a socket with
"moved" and redirects a page. A process without a name is the only one and needs none of this.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from engine.reading.conditions import Condition
from playground.hosting.host import RunSoFar
from playground.hosting.session_record import OwnedElsewhere, RecordUnreachable
from playground.limits import page_scheduler
from playground.records import session_leases
from playground.sessions import live_hosts

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
    """Return the address of a session's socket, with the hint of its owner.

    A session without one becomes this process's for now, so that the pages, which the proxy spreads, spread sessions.
    """
    path = f"/ws/session/{public_id}/"
    if not settings.WATERLINE_NODE:
        return f"{path}?{urlencode(query)}" if query else path
    return at_node(path, urlencode(query), session_leases.node_of(public_id) or _reserve(public_id))


def _reserve(public_id: str) -> str:
    tenure = live_hosts.tenure()
    with contextlib.suppress(
        OwnedElsewhere, RecordUnreachable
    ):  # it was another's faster, or is nobody's for now
        tenure.be_seen()
        session_leases.take(public_id, tenure.holder, tenure.lasts_s)
        return tenure.holder.node
    return session_leases.node_of(public_id)


def moment(public_id: str, goals: Sequence[Condition] = ()) -> RunSoFar | None:
    """Return where a session is, and which goals hold there; None if it is nowhere awake.

    Raises `OwnedElsewhere`, and TimeoutError when it is busy.
    """
    _expect_here(public_id)
    with page_scheduler.aside():
        return live_hosts.registry().moment(public_id, goals)


def files_of(public_id: str) -> Path:
    """Return the directory of a session's files, which is there while it is awake. Raises `OwnedElsewhere`."""
    _expect_here(public_id)
    return live_hosts.registry().directory.of(public_id)


def _expect_here(public_id: str) -> None:
    """Raise `OwnedElsewhere` if another process has the session awake, and was not asked in vain."""
    if not settings.WATERLINE_NODE or live_hosts.registry().host(public_id) is not None:
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
