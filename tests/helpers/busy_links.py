"""Links whose picture takes seconds that nothing but the end of its process interrupts."""

from __future__ import annotations

from typing import Any

from engine.broker.commands.client_commands import pack
from playground.sessions.scenario_links import packed


def link_of(*commands: dict[str, Any]) -> str:
    """Return a link with a run whose queue drops one message for each that comes beyond ten."""
    run: dict[str, Any] = {"version": 1, "title": "x", "profile": "4.3.6", "commands": list(commands)}
    queue = {"name": "orders", "arguments": {"x-max-length": 10}}
    link = packed({**run, "topology": {"queues": [queue]}, "until_us": 1_000_000})
    assert link is not None
    assert len(link) < 300
    return link


def busy_link(count: int) -> str:
    """Return a link with so many messages in one event, each of another size than the one before."""
    sizes = pack([0, 1] * (count // 2))
    return link_of({"at_us": 0, "do": "publish", "count": count, "size_bytes": 1, "sizes": sizes})
