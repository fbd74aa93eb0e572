"""Where requests come from: behind a proxy, the address that the proxy found, never one that a visitor wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

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
