"""What the node has reported so far, so that only differences become transitions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from engine.report.transitions.base import Transition, Why
from engine.report.transitions.node import ActorChanged, NodeChanged
from engine.report.transitions.queue import QueueChanged


class ReportedState:
    """Compares the parts of the node with what was last reported of them. A snapshot never reads from here
    but asks the parts, so that a missing report shows as a difference.
    """

    def __init__(self, emit: Callable[[Transition], None]) -> None:
        self._emit = emit
        self._parts: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        self._actors: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        self._queues: defaultdict[str, dict[str, Any]] = defaultdict(dict)

    def report_part(self, part: str, rule: str, items: Why, why: Why | None = None) -> None:
        """Emit the differences in `part` (settings, memory, disk, alarms or clock), if any."""
        shown = self._parts[part]
        if shown == items:  # nearly always, and quicker than to look at each
            return
        changed = {name: value for name, value in items.items() if name not in shown or shown[name] != value}
        if changed:
            shown |= changed
            self._emit(NodeChanged(rule, part, changed, why or {}))

    def report_actor(self, actor: str, rule: str, items: dict[str, Any]) -> None:
        """Emit the differences of an actor, if any."""
        shown = self._actors[actor]
        if shown == items:
            return
        changed = {name: items[name] for name in items if name not in shown or shown[name] != items[name]}
        if changed:
            shown |= changed
            self._emit(ActorChanged(rule, actor, changed))

    def forget_actor(self, actor: str, rule: str) -> None:
        if self._actors.pop(actor, None) is not None:
            self._emit(ActorChanged(rule, actor, None))

    def report_queue(self, queue: str, rules: Mapping[str, str], items: dict[str, Any]) -> None:
        """Emit the differences of a queue, if any, by rule; None for facts that it no longer has. `rules`:
        the rule of each fact; others follow P17.
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
        self._queues.pop(queue, None)

    def rename_queue(self, queue: str, source: str) -> None:
        """Move the reports of one queue to another, because a mirror became the queue (H62)."""
        self._queues[queue] = self._queues.pop(source, {})
