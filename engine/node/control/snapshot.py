"""The node as others see it: the plain state that folding its transitions gives too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from engine.extents import Delta, Extent
from engine.fold import rows_of
from engine.node.broker.virtual_host import QUEUE
from engine.node.commands import settings
from engine.transitions import Why

if TYPE_CHECKING:
    from engine.node.node import Node


def setting_facts(node: Node) -> Why:
    """Return all settings under their names; the pair of credits as two."""
    wish = node.queues.wishes.get(QUEUE)
    queue = msgspec.structs.asdict(node.queue_settings)
    initial, more = queue.pop("msg_store_credit_disc_bound")
    return {
        "profile": node.scenario.profile,
        **queue,
        "msg_store_credit_initial": initial,
        "msg_store_credit_more": more,
        **settings.facts(node.settings, node.named_settings),
        "target_ram_count": wish.target if wish is not None else None,
        "queue_mode": wish.mode if wish is not None else "default",
    }


def snapshot(node: Node) -> dict[str, Any]:
    """Return the state of everything, from the structures that do the work."""
    return {
        "queues": {name: queue_state(node, name) for name in sorted(node.queues)},
        "stores": node.host.snapshots(),
        "node": {
            "settings": node.setting_facts(),
            "memory": node.watch.facts(),
            "disk": node.disk_facts(),
            "alarms": node.alarm_facts(),
            "clock": node.clock_facts(),
            "work": node.work_facts(),
            "app": node.life.facts(),
            "processes": node.processes.facts(),
            "actors": {actor.name: actor.facts() for actor in node.actors()},
            **node.definitions.snapshot(),
        },
    }


def queue_state(node: Node, name: str) -> dict[str, Any]:
    """Return the state of one queue."""
    queue = node.queues[name].process.queue.snapshot()
    lanes: dict[str, list[Extent]] = queue["lanes"]
    delta: Delta = queue["delta"]
    return {
        "mode": queue["mode"],
        "durable": queue["durable"],
        "lanes": {place: [rows_of(extent) for extent in lanes[place]] for place in sorted(lanes)},
        "delta": rows_of(delta),
        "counters": queue["counters"],
        "reduced": queue["reduced"],
        "index": queue["index"],
        **node.queues.facts(name),
    }
