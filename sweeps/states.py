"""How many messages are in which state, read from a snapshot: alpha, beta, gamma, delta, and unacknowledged (Q3)."""

from __future__ import annotations

from typing import Any

from engine.reading.message_places import LETTERS, letters_of, unacked_of, with_places

STATES = (*LETTERS, "unacked")


def messages_by_state(snapshot: dict[str, Any]) -> dict[str, int]:
    """Return the number of messages in each of STATES, over all queues of a node's snapshot."""
    queues = with_places(snapshot).values()
    found = {name: sum(letters_of(queue)[name] for queue in queues) for name in LETTERS}
    return {**found, "unacked": sum(map(unacked_of, queues))}
