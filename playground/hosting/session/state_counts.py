"""What a class is shown of a session: how its messages are made up."""

from __future__ import annotations

from typing import Any

from engine.reading.message_places import LETTERS, held_messages, letters_of


def of(state: dict[str, Any]) -> list[int]:
    """Return [alpha, beta, gamma, delta, all that is held] over all queues of a snapshot (Q3)."""
    found = [letters_of(queue) for queue in state["queues"].values()]
    counts = [sum(letters[name] for letters in found) for name in LETTERS]
    return [*counts, held_messages(state)]
