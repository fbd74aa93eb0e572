"""Where expired messages go by a node's definitions: as the engine's own exchanges route them."""

import json
from typing import Any

from playground.inspecting.revival import read


def queue(name: str, exchange: str | None = None, key: str | None = None) -> dict[str, Any]:
    named = {"x-dead-letter-exchange": exchange, "x-dead-letter-routing-key": key}
    return {
        "name": name,
        "vhost": "/",
        "arguments": {key: value for key, value in named.items() if value is not None},
    }


DEFINITIONS: dict[str, Any] = {
    "exchanges": [
        {"name": "logs", "vhost": "/", "type": "topic"},
        {"name": "all", "vhost": "/", "type": "fanout"},
        {"name": "onward", "vhost": "/", "type": "direct"},
    ],
    "queues": [
        queue("plain"),
        queue("direct", "", "plain"),
        queue("itself", ""),
        queue("topical", "logs", "a.b.c"),
        queue("broad", "all"),
        queue("lost", "onward"),
        queue("gone", "no such exchange", "x"),
    ],
    "bindings": [
        {"source": "logs", "vhost": "/", "destination": "plain", "routing_key": "a.#"},
        {"source": "all", "vhost": "/", "destination": "direct", "routing_key": ""},
        {
            "source": "all",
            "vhost": "/",
            "destination": "onward",
            "destination_type": "exchange",
            "routing_key": "",
        },
        {"source": "onward", "vhost": "/", "destination": "plain", "routing_key": "x"},
        {"source": ["odd"], "vhost": "/", "destination": "plain"},
    ],
}


def test_expired_messages_go_where_exchanges_route_them() -> None:
    routes = read(json.dumps(DEFINITIONS).encode(), "/")
    assert routes is not None
    assert routes.queues == {
        "direct": ("plain",),
        "itself": ("itself",),
        "topical": ("plain",),
        "broad": ("direct",),
        "lost": (),
        "gone": (),
    }
    assert routes.arrivals({"direct": 2, "topical": 3, "broad": 1, "lost": 4}) == {"plain": 5, "direct": 1}
    assert routes.arrivals({"direct": 0}) == {}


def test_what_is_no_definitions_file_has_no_routes() -> None:
    assert read(b"[1]", None) is None
    assert read(b"{", None) is None
    assert read(b'{"queues": 1}', None) == read(b"{}", "/")
