"""Who asks, as all limits count: a class or a teacher, else an address; and within it a browser.

Cookies cost nothing, so a browser is only a part of its address. Of IPv6 the first 64 bits are an address: whoever has
one has all that begin so. A class is often behind one address with others; it counts by itself, wherever it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from playground.callers import browser_visitor
from playground.callers.client_addresses import address_of, network

TRACE_LETTERS: Final = 4
"""Of what is kept of an address: 65,536 traces in all, each of which thousands of addresses share."""


class RequestCaller(NamedTuple):
    """Somebody, as limits count.

    Args:
        group: an address, or two words such as "class 7": it is this that limits hold for. Nothing for this server.
        visitor: a browser of it; nothing where it has no cookie.
    """

    group: str
    visitor: str = ""


NOBODY: Final = RequestCaller("")

Group = Callable[[Mapping[str, Any]], str]
"""Returns the group of a browser, in two words; nothing where its address counts."""
_groups: list[Group] = []
_asking: ContextVar[HttpRequest | None] = ContextVar("asking", default=None)


def register(group: Group) -> None:
    """Ask this for the group of a browser."""
    if group not in _groups:
        _groups.append(group)


def of_request(request: HttpRequest) -> RequestCaller:
    """Return who sent a request."""
    found: RequestCaller | None = getattr(request, "caller", None)
    if found is None:
        found = _caller(request.session, address_in(request))
        request.caller = found
    return found


def again(request: HttpRequest) -> RequestCaller:
    """Return who sent a request, whose browser has got its number meanwhile."""
    return of_request(request)._replace(visitor=browser_visitor.known_visitor(request.session))


def address_in(request: HttpRequest) -> str:
    """Return where a request comes from: what guesses at codes and passwords count by, whoever makes them."""
    return network(request.META.get("REMOTE_ADDR") or "")


def of_scope(scope: Mapping[str, Any]) -> RequestCaller:
    """Return who opened a socket. It may ask the database."""
    return _caller(scope["session"], address_of(scope))


def _caller(browser: Mapping[str, Any], address: str) -> RequestCaller:
    group = next((found for each in _groups if (found := each(browser))), "") or address
    return RequestCaller(group, browser_visitor.known_visitor(browser))


def present() -> RequestCaller:
    """Return who sent the request that is being answered; nobody where none is."""
    request = _asking.get()
    return NOBODY if request is None else of_request(request)


def trace_of(group: str) -> str:
    """Return what is kept of a group with what it made: of an address only a number that many others have as well."""
    if " " in group or not group:
        return group
    return salted_hmac("playground.callers.request_callers", group, algorithm="sha256").hexdigest()[
        :TRACE_LETTERS
    ]


class CallerMiddleware:
    """Knows whose request is being answered."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Let the request pass."""
        token = _asking.set(request)
        try:
            return self._get_response(request)
        finally:
            _asking.reset(token)
