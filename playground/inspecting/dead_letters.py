"""Where expired messages go at a start: dead-letter exchanges, which a node's definitions name and its files do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from engine.amqp.exchanges import Binding, Exchange, Exchanges

EXCHANGE, KEY = "x-dead-letter-exchange", "x-dead-letter-routing-key"
MOST_BYTES: Final = 4 << 20


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
        found: Counter[str] = Counter()
        for queue, count in expired.items():
            found.update(dict.fromkeys(self.queues.get(queue, ()), count))
        return {queue: count for queue, count in found.items() if count}


def read(data: bytes, vhost: str | None) -> DeadLetterRoutes | None:
    """Return the routes in definitions.json, None if it is none.

    Arguments of queues count, no policies. A message keeps its routing key where the queue names none: the default
    exchange is taken to have brought it, and no other exchange that needs a key gets it.

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
    exchanges = Exchanges()
    queues = _items(found, "queues", vhost)
    for each in queues:
        exchanges.add_queue(str(each.get("name")))
    for each in _items(found, "exchanges", vhost):
        exchanges.add(
            Exchange(name=str(each.get("name")), type=str(each.get("type")), arguments=_arguments(each))
        )
    for each in _items(found, "bindings", vhost):
        if str(each.get("source")) in exchanges.exchanges:
            exchanges.bind(
                Binding(
                    exchange=str(each["source"]),
                    queue=str(each.get("destination")),
                    routing_key=str(each.get("routing_key", "")),
                    arguments=_arguments(each),
                    to="exchange" if each.get("destination_type") == "exchange" else "queue",
                )
            )
    routes = {}
    for each in queues:
        name, exchange, key = str(each.get("name")), _arguments(each).get(EXCHANGE), _arguments(each).get(KEY)
        if isinstance(exchange, str):
            keys = (key,) if isinstance(key, str) else () if exchange else (name,)
            routes[name] = exchanges.route(exchange, keys)
    return DeadLetterRoutes(routes)


def _arguments(each: dict[str, Any]) -> dict[str, Any]:
    found = each.get("arguments")
    return found if isinstance(found, dict) else {}


def _items(found: dict[str, Any], table: str, vhost: str | None) -> list[dict[str, Any]]:
    rows = found.get(table)
    return [
        each
        for each in (rows if isinstance(rows, list) else ())
        if isinstance(each, dict) and (vhost is None or each.get("vhost", vhost) == vhost)
    ]
