"""Following a node through its transitions: the fold must equal the node's own snapshot after every event."""

from __future__ import annotations

from typing import Any

from engine.broker.cluster import Cluster
from engine.transitions import empty_state, fold, to_json
from engine.values.errors import CommandError


def differences(left: Any, right: Any, path: str = "") -> list[str]:
    """Return the places where two plain values differ."""
    if isinstance(left, dict) and isinstance(right, dict):
        return [
            found
            for key in sorted(set(left) | set(right))
            for found in differences(left.get(key, "absent"), right.get(key, "absent"), f"{path}/{key}")
        ]
    return [] if left == right else [f"{path}: folded {left!r}, the node has {right!r}"]


class Follower:
    """Drives a node event by event and folds what it emits.

    Args:
        compare: compare the snapshot after every event; otherwise only when `check` is called.
    """

    def __init__(self, node: Cluster, compare: bool = True) -> None:
        self.node = node
        self.state = empty_state()
        self.next = 0
        self.compare = compare
        self.refused: list[str] = []
        self.check()

    def check(self) -> None:
        """Fold what is new and compare."""
        rows = self.node.log.since(self.next)
        assert rows is not None, "the log forgot transitions that the follower has not seen"
        assert rows.at_us == sorted(rows.at_us)
        for each in rows.rows:
            fold(self.state, each)
        self.next = rows.next
        if self.compare:
            assert not differences(to_json(self.state), self.node.snapshot())

    def submit(self, command: dict[str, Any]) -> bool:
        """Give a command; return whether it was accepted. A refusal must change nothing."""
        self.node.advance(self.node.now_us)
        self.check()
        before = self.node.log.number
        try:
            self.node.submit(command)
        except CommandError as error:
            self.refused.append(str(error))
            assert self.node.log.number == before
            self.check()
            return False
        self.check()
        return True

    def advance(self, duration_us: int) -> None:
        """Let time pass, looking after every event."""
        end = self.node.now_us + duration_us
        while not self.node.advance(end, max_transitions=1):
            self.check()
        self.check()
