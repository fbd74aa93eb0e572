"""What the node has reported about its own parts, so that only differences become transitions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from engine.report.transitions.base import Transition, Why
from engine.report.transitions.node import ActorChanged, NodeChanged
from engine.report.transitions.queue import QueueChanged


class ReportedState:
    """Compares what a part of the node is now with what was reported of it before.

    A snapshot never reads from here: it asks the parts, so that a forgotten report shows as a difference.
    """

    def __init__(self, emit: Callable[[Transition], None]) -> None:
        self._emit = emit
        self._parts: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        self._actors: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        self._queues: defaultdict[str, dict[str, Any]] = defaultdict(dict)

    def report_part(self, part: str, rule: str, items: Why, why: Why | None = None) -> None:
        """Emit what differs in `part` (settings, memory, disk, alarms or clock), if anything does."""
        shown = self._parts[part]
        if shown == items:  # nearly always, and quicker than to look at each
            return
        changed = {name: value for name, value in items.items() if name not in shown or shown[name] != value}
        if changed:
            shown |= changed
            self._emit(NodeChanged(rule, part, changed, why or {}))

    def report_actor(self, actor: str, rule: str, items: dict[str, Any], why: Why | None = None) -> None:
        """Emit what differs of an actor, if anything does."""
        shown = self._actors[actor]
        if shown == items:
            return
        changed = {name: items[name] for name in items if name not in shown or shown[name] != items[name]}
        if changed:
            shown |= changed
            self._emit(ActorChanged(rule, actor, changed, why or {}))

    def forget_actor(self, actor: str, rule: str) -> None:
        """Emit that an actor is gone."""
        if self._actors.pop(actor, None) is not None:
            self._emit(ActorChanged(rule, actor, None))

    def report_queue(self, queue: str, rules: Mapping[str, str], items: dict[str, Any]) -> None:
        """Emit what differs of a queue, if anything does, by rule; None for what it has no longer.

        Args:
            rules: the rule that each fact follows; what is not listed follows P17.
        """
        shown = self._queues[queue]
        if shown == items:
            return
        self._queues[queue] = items
        by_rule: dict[str, dict[str, Any]] = {}
        for name in {**shown, **items}:
            if shown.get(name) != items.get(name):
                by_rule.setdefault(rules.get(name, "P17"), {})[name] = items.get(name)
        for rule, changed in by_rule.items():
            self._emit(QueueChanged(rule, queue, changed, {}))

    def forget_queue(self, queue: str) -> None:
        """Forget what was reported of a queue that ended with a transition of its own."""
        self._queues.pop(queue, None)

    def rename_queue(self, queue: str, source: str) -> None:
        """Let what was reported of one queue count for another one from now on: a mirror became the queue (H62)."""
        self._queues[queue] = self._queues.pop(source, {})
