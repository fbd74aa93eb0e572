"""Where requests come from: behind a proxy, the address that the proxy found, never one that a visitor wrote."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

NETWORK_BITS: Final = 64
"""Of an IPv6 address: whoever has one has all that begin with these."""
Logger = Callable[[str, str, dict[str, Any]], None]


def last_hop(lines: Iterable[str], proxies: int) -> str:
    """Return the address that the first of our own proxies found, nothing if there is none.

    Args:
        lines: of the header X-Forwarded-For.
        proxies: how many of our own are in a row before this server; 0: no line is believed.
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
    """Sets the address of a request to what the last trusted proxy wrote into X-Forwarded-For.

    Proxies append to that header, so anything further left may be invented.

    Args:
        application: gets every request.
        proxies: how many of our own are in a row before this server.
    """

    def __init__(self, application: Any, proxies: int = 1) -> None:
        self._application = application
        self._proxies = proxies

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        """Hand on, with the right address."""
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
