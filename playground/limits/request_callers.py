"""The caller of a request, as all limits count: a class or a teacher, else an address, and within it a
browser. Cookies cost nothing, so a browser only counts within its address. For IPv6 the first 64 bits are the
address, because one customer has the whole network. A class often shares an address with others, so it counts
separately."""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, Final, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

KEY = "visitor"
AT_ONCE: Final = "at once"
"""In a socket's scope: sends a text at once, and returns whether it could (`playground.server.serve.DirectSocket`)."""


def visitor(browser: MutableMapping[str, Any]) -> str:
    """Return the number of a browser, which it gets at its first visit."""
    if not known_visitor(browser):
        browser[KEY] = secrets.token_hex(8)
    return known_visitor(browser)


def known_visitor(browser: Mapping[str, Any]) -> str:
    """Return the number that a browser has, or nothing."""
    found = browser.get(KEY, "")
    return found if isinstance(found, str) else ""


NETWORK_BITS: Final = 64
"""Bits of an IPv6 address that count; one customer has the whole network."""
Logger = Callable[[str, str, dict[str, Any]], None]


def last_hop(lines: Iterable[str], proxies: int) -> str:
    """Return the address that the first of our own proxies found, nothing if there is none. `lines`: of the header
    X-Forwarded-For. `proxies`: how many of our own are in a row before this server; 0: no line is believed.
    """
    hops = [hop.strip() for hop in ",".join(lines).split(",") if hop.strip()]
    if not hops or not proxies:
        return ""
    return hops[-proxies] if len(hops) >= proxies else hops[0]


@lru_cache(maxsize=4096)
def network(address: str) -> str:
    """Return what counts as one address: an IPv4 address, or the network of an IPv6 one."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    inside = found.ipv4_mapped or found.sixtofour
    return str(inside or ipaddress.ip_network((found, NETWORK_BITS), strict=False))


def address_of(scope: Mapping[str, Any]) -> str:
    """Return where a request or a socket comes from, as far as ASGI knows."""
    return network(str((scope.get("client") or ("",))[0]))


class LastHop:
    """Sets the address of a request to what the last trusted proxy wrote into X-Forwarded-For. Proxies append to that
    header, so anything further left may be invented. `proxies`: how many of our own are in a row before this server.
    """

    def __init__(self, application: Any, proxies: int = 1) -> None:
        self._application = application
        self._proxies = proxies

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        lines = [
            value.decode("latin1") for name, value in scope.get("headers", []) if name == b"x-forwarded-for"
        ]
        seen = last_hop(lines, self._proxies)
        if seen:
            scope = {**scope, "client": [seen, 0]}
        return await self._application(scope, receive, send)


def without_addresses(logger: Logger | None) -> Logger | None:
    """Return an access log that names no addresses: the page on privacy promises that none is written down."""
    if logger is None:
        return None
    return lambda protocol, action, details: logger(protocol, action, {**details, "client": "-"})


TRACE_SALT: Final = "playground.callers.request_callers"  # what is kept was made with this name
TRACE_LETTERS: Final = 4
"""Length of the stored trace of an address: 65,536 traces in all, each shared by thousands of addresses."""


class RequestCaller(NamedTuple):
    """Somebody, as limits count. `group`: an address, or two words such as "class 7": it is this that limits hold
    for. Nothing for this server. `visitor`: a browser of it; nothing where it has no cookie.
    """

    group: str
    visitor: str = ""


NOBODY: Final = RequestCaller("")

Group = Callable[[Mapping[str, Any]], str]
"""Returns the group of a browser, in two words; nothing where its address counts."""
_groups: list[Group] = []
_asking: ContextVar[HttpRequest | None] = ContextVar("asking", default=None)


def register(group: Group) -> None:
    if group not in _groups:
        _groups.append(group)


def of_request(request: HttpRequest) -> RequestCaller:
    found: RequestCaller | None = getattr(request, "caller", None)
    if found is None:
        found = _caller(request.session, address_in(request))
        request.caller = found
    return found


def again(request: HttpRequest) -> RequestCaller:
    """Return the caller of a request whose browser has got its number meanwhile."""
    return of_request(request)._replace(visitor=known_visitor(request.session))


def address_in(request: HttpRequest) -> str:
    """Return where a request comes from: what guesses at codes and passwords count by, whoever makes them."""
    return network(request.META.get("REMOTE_ADDR") or "")


def of_scope(scope: Mapping[str, Any]) -> RequestCaller:
    """Return who opened a socket. It may ask the database."""
    return _caller(scope["session"], address_of(scope))


def _caller(browser: Mapping[str, Any], address: str) -> RequestCaller:
    group = next((found for each in _groups if (found := each(browser))), "") or address
    return RequestCaller(group, known_visitor(browser))


def present() -> RequestCaller:
    """Return the caller of the current request; an empty caller if there is none."""
    request = _asking.get()
    return NOBODY if request is None else of_request(request)


def trace_of(group: str) -> str:
    """Return what is kept of a group with what it made: of an address only a number that many others have as well."""
    if " " in group or not group:
        return group
    return salted_hmac(TRACE_SALT, group, algorithm="sha256").hexdigest()[:TRACE_LETTERS]


class CallerMiddleware:
    """Knows whose request is being answered."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = _asking.set(request)
        try:
            return self._get_response(request)
        finally:
            _asking.reset(token)
