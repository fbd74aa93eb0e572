"""Where others have a say: who may answer now, and who wants to hear of work. The classroom registers both."""

from __future__ import annotations

from collections.abc import Callable

from django.dispatch import Signal

from playground.exercises.models import Learner
from playground.messages import Message

worked = Signal()
"""Sent with `work` after it changed; and with `learner` alone when somebody deleted their work."""

Gate = Callable[[Learner], Message | None]
_gates: list[Gate] = []


def register(gate: Gate) -> None:
    """Ask this gate before each answer."""
    if gate not in _gates:
        _gates.append(gate)


def closed(learner: Learner) -> Message | None:
    """Return why a learner may not go on now, or None."""
    for gate in _gates:
        reason = gate(learner)
        if reason is not None:
            return reason
    return None
