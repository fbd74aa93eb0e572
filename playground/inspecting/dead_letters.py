"""Where expired messages go at a start: dead-letter exchanges, which a node's definitions name and its files do not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

EXCHANGE, KEY = "dead-letter-exchange", "dead-letter-routing-key"
MOST_BYTES: Final = 4 << 20
FANOUT: Final = "amq.fanout"


class DeadLetterRoutes(msgspec.Struct, frozen=True):
    """To which queues the expired messages of each queue go.

    Args:
        queues: those that get one, by the queue in which it expires.
    """

    queues: dict[str, tuple[str, ...]]

    def arrivals(self, expired: Mapping[str, int]) -> dict[str, int]:
        """Return how many messages each queue gets.

        Args:
            expired: how many expire in each.
        """
        found: dict[str, int] = {}
        for queue, count in expired.items():
            for each in self.queues.get(queue, ()) if count else ():
                found[each] = found.get(each, 0) + count
        return found


def read(data: bytes, vhost: str | None) -> DeadLetterRoutes | None:
    """Return the routes in definitions.json, None if it is none.

    Arguments of queues count, no policies; of exchanges the default one, and others by their bindings, where the
    queue names the routing key or the exchange needs none.

    Args:
        data: the file.
        vhost: name of the virtual host; None for any.
    """
    try:
        found = msgspec.json.decode(data[:MOST_BYTES])
    except (msgspec.DecodeError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    kinds = {str(each.get("name")): each.get("type") for each in _items(found, "exchanges", vhost)}
    bindings = _items(found, "bindings", vhost)
    routes = {}
    for each in _items(found, "queues", vhost):
        arguments, name = each.get("arguments"), str(each.get("name"))
        exchange = arguments.get(f"x-{EXCHANGE}") if isinstance(arguments, dict) else None
        if isinstance(exchange, str) and isinstance(arguments, dict):
            key = arguments.get(f"x-{KEY}")
            routes[name] = _to(exchange, key if isinstance(key, str) else None, name, kinds, bindings)
    return DeadLetterRoutes(routes)


def _to(
    exchange: str, key: str | None, queue: str, kinds: Mapping[str, Any], bindings: list[dict[str, Any]]
) -> tuple[str, ...]:
    if not exchange:
        return (key if key is not None else queue,)
    to_all = kinds.get(exchange) == "fanout" or exchange == FANOUT
    return tuple(
        dict.fromkeys(
            str(each.get("destination"))
            for each in bindings
            if each.get("source") == exchange
            and each.get("destination_type", "queue") == "queue"
            and (to_all or each.get("routing_key") == key)
        )
    )


def _items(found: dict[str, Any], table: str, vhost: str | None) -> list[dict[str, Any]]:
    rows = found.get(table)
    return [
        each
        for each in (rows if isinstance(rows, list) else ())
        if isinstance(each, dict) and (vhost is None or each.get("vhost", vhost) == vhost)
    ]
