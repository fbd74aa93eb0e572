"""What the node told about its own parts, so that only differences become transitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.transitions import ActorChanged, NodeChanged, QueueChanged, Transition, Why


class Board:
    """Compares what a part of the node is now with what was told of it before.

    A snapshot never reads from here: it asks the parts, so that a forgotten `tell` shows as a difference.
    """

    def __init__(self, emit: Callable[[Transition], None]) -> None:
        self._emit = emit
        self._parts: dict[str, Why] = {}
        self._actors: dict[str, dict[str, Any]] = {}
        self._queues: dict[str, dict[str, Any]] = {}

    def tell(self, part: str, rule: str, facts: Why, why: Why | None = None) -> None:
        """Emit what differs in `part` (settings, memory, disk, alarms or clock), if anything does."""
        told = self._parts.setdefault(part, {})
        changed = {name: value for name, value in facts.items() if name not in told or told[name] != value}
        if changed:
            told.update(changed)
            self._emit(NodeChanged(rule, part, changed, why or {}))

    def tell_actor(self, actor: str, rule: str, facts: dict[str, Any], why: Why | None = None) -> None:
        """Emit what differs of an actor, if anything does."""
        told = self._actors.setdefault(actor, {})
        changed = {name: value for name, value in facts.items() if name not in told or told[name] != value}
        if changed:
            told.update(changed)
            self._emit(ActorChanged(rule, actor, changed, why or {}))

    def forget_actor(self, actor: str, rule: str) -> None:
        """Emit that an actor is gone."""
        if self._actors.pop(actor, None) is not None:
            self._emit(ActorChanged(rule, actor, None))

    def tell_queue(self, queue: str, rule: str, facts: dict[str, Any], why: Why | None = None) -> None:
        """Emit what differs of a queue, if anything does; None for what it has no longer."""
        told = self._queues.setdefault(queue, {})
        changed: dict[str, Any] = {
            name: value for name, value in facts.items() if name not in told or told[name] != value
        }
        changed |= {name: None for name in told if name not in facts}
        if changed:
            self._queues[queue] = dict(facts)
            self._emit(QueueChanged(rule, queue, changed, why or {}))

    def forget_queue(self, queue: str) -> None:
        """Forget what was told of a queue, which ended with a transition of its own."""
        self._queues.pop(queue, None)
