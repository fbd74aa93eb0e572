"""The messages that were found, as a scenario: published again in the same order, then the node stops and starts."""

from __future__ import annotations

from itertools import groupby
from typing import Any, Final

from engine.broker.commands.scenario import parse
from engine.values.errors import EngineError
from playground.inspecting.revival import QueueRevival
from playground.inspecting.summary import queues_of

TITLE: Final = "Messages from a broker's files"
MOST_COMMANDS: Final = 400
PUBLISH_US: Final = 100_000
RESTART_US: Final = 2_000_000
UNTIL_US: Final = 3_000_000


def scenario(report: dict[str, Any], revival: QueueRevival) -> dict[str, Any] | None:
    """Return a scenario that ends with the live persistent messages as a start brings them back, or None.

    Their seq_ids begin at 0. There is no scenario for too many messages of too many sizes to list one by one.
    """
    shown: dict[str, Any] = revival.shown or {}
    names = {each["name"] for each in shown["topology"]["queues"]}
    commands: list[dict[str, Any]] = []
    for queue in queues_of(report):
        name = revival.names.get(str(queue["name"] or queue["dir"]))
        messages = queue["messages"]
        if name not in names or sum(not each["acked"] for each in messages) != queue["live_messages"]:
            continue
        alive = (each["size"] for each in messages if not each["acked"] and each["persistent"])
        for size, same in groupby(alive):
            count = sum(1 for _each in same)
            publish = {"do": "publish", "count": count, "size_bytes": size, "persistent": True}
            commands.append({"at_us": PUBLISH_US, **publish, "routing_key": name})
    if not commands or len(commands) > MOST_COMMANDS:
        return None
    restart = {"at_us": RESTART_US, "do": "restart", "kind": "clean"}
    found = {**shown, "title": TITLE, "commands": [*commands, restart], "until_us": UNTIL_US}
    try:
        return parse(found).to_json()
    except EngineError:
        return None
