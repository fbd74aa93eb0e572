"""Hooks through which other parts decide who may answer now, and learn of answers. The classroom registers for both."""

from __future__ import annotations

from collections.abc import Callable

from django.dispatch import Signal

from playground.exercises.models import Learner
from playground.texts.page_message import PageMessage

worked = Signal()
"""Sent with `work` after it changed; and with `learner` alone when somebody deleted their work."""

Gate = Callable[[Learner, str], PageMessage | None]
_gates: list[tuple[Gate, bool]] = []


def register(gate: Gate, *, hides: bool = False) -> None:
    """Ask this gate before each answer to an exercise; one that hides is asked before its page is shown as well."""
    if (gate, hides) not in _gates:
        _gates.append((gate, hides))


def closed(learner: Learner, slug: str, *, hidden: bool = False) -> PageMessage | None:
    """Return why a learner may not continue an exercise now, or with `hidden` not even see it; None if allowed."""
    for gate, hides in _gates:
        reason = gate(learner, slug) if hides or not hidden else None
        if reason is not None:
            return reason
    return None
