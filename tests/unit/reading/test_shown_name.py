"""Which queue a page shows first, so that the bytes that are kept are those that it asks for."""

from __future__ import annotations

from typing import Any

import pytest

from engine.reading.message_places import shown_name

PARTS: dict[str, Any] = {
    "urgent": {"backing_queue": "priority_queue", "counters": {}},
    "urgent:0": {"part_of": "urgent", "priority": 0},
    "urgent:5": {"part_of": "urgent", "priority": 5},
}


@pytest.mark.parametrize(
    ("queues", "name"),
    [
        ({}, None),
        ({"audit": {}, "orders": {}}, "orders"),
        ({"audit": {}, "mail": {}}, "audit"),
        (PARTS, "urgent:5"),
    ],
)
def test_the_page_shows(queues: dict[str, Any], name: str | None) -> None:
    assert shown_name({"queues": queues}) == name
