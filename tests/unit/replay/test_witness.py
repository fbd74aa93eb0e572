"""Confirmed messages that are gone: counted over failovers, restarts and deletions (H69)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.replay import RunPlayer, RunWitness, on_ledger

SECOND_US = 1_000_000
HA = {"at_us": 2_000_000, "do": "set_policy", "name": "ha", "pattern": ".*", "definition": {"ha-mode": "all"}}
KILL = [
    {"at_us": 4_000_000, "do": "kill_node", "node": "n1"},
    {"at_us": 5_000_000, "do": "start_node", "node": "n1"},
]


def publish(at_s: int, count: int, **words: Any) -> dict[str, Any]:
    return {
        "at_us": at_s * SECOND_US,
        "do": "publish",
        "count": count,
        "size_bytes": 10,
        "persistent": True,
        "confirm": True,
        **words,
    }


def lost(*commands: dict[str, Any], nodes: int = 3, topology: Any = None) -> int | None:
    scenario = {
        "version": 1,
        "profile": "real",
        "settings": {"nodes": nodes},
        "commands": sorted(commands, key=lambda each: each["at_us"]),
        "until_us": 8 * SECOND_US,
    }
    node = on_ledger(scenario | ({"topology": topology} if topology else {}))
    witness, player = RunWitness(node), RunPlayer(node, whole=True)
    for piece in player.play(8 * SECOND_US):
        for transition in piece.rows:
            witness.observe(transition)
    assert not node.refused
    return witness.lost()


@pytest.mark.parametrize("nodes", [1, 3])
def test_without_mirrors_transient_ones_are_lost_with_their_node(nodes: int) -> None:
    assert lost(publish(1, 7), publish(1, 5, persistent=False), *KILL, nodes=nodes) == 5


def test_what_is_older_than_the_mirror_is_lost() -> None:
    assert lost(publish(1, 7), HA, publish(3, 5), *KILL) == 7


def test_synchronised_mirrors_lose_nothing() -> None:
    early = HA | {"at_us": 0}
    assert lost(early, publish(1, 7), publish(1, 5, persistent=False), *KILL) == 0


def test_what_was_taken_deleted_or_never_confirmed_is_not_lost() -> None:
    taken = {"at_us": 2_500_000, "do": "get", "count": 3, "ack": False}
    acked = [
        {"at_us": 2_600_000, "do": "get", "count": 2},
        {"at_us": 2_700_000, "do": "ack", "count": 2},
    ]
    assert lost(publish(1, 7), taken, *acked, HA, publish(3, 5), *KILL) == 2
    assert lost(publish(1, 7, confirm=False), HA, *KILL) == 0
    assert lost(publish(1, 7), {"at_us": 3_000_000, "do": "delete_queue", "name": "orders"}, *KILL) == 0


def test_a_queue_that_waits_for_its_node_has_lost_nothing_yet() -> None:
    assert lost(publish(1, 7, persistent=False), KILL[0]) == 0


def test_priorities_are_not_reported() -> None:
    queue = {"name": "orders", "arguments": {"x-max-priority": 2}}
    assert lost(publish(1, 7), *KILL, topology={"queues": [queue]}) is None
