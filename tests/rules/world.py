"""A queue with its stores, driven as the recordings of the broker were, and what is seen of it."""

from __future__ import annotations

from typing import Any

from engine.classic_v1.queue.state import QueueState
from engine.report.transitions.base import Transition
from engine.storage.ledger import LedgerStorage
from engine.storage.port import Storage
from tests.helpers.door_config import DEFAULTS
from tools.proofs.conformance.door import BackingQueueDoor

CLASSROOM = {"segment_entry_count": 4, "msg_store_io_batch_size": 1, "explicit_gc_run_operation_threshold": 0}
LARGE, SMALL = 5000, 100
"""Body bytes of a message whose home is the store, and of one that is embedded in the index (Q12)."""


class World:
    """The backing-queue door with short verbs. Each returns the vector behind it, and `result` is what it gave."""

    def __init__(self, storage: Storage | None = None, **config: Any) -> None:
        self.transitions: list[Transition] = []
        self.door = BackingQueueDoor(
            {**DEFAULTS, **config}, storage or LedgerStorage(), self.transitions.append
        )
        self.result: dict[str, Any] = {}

    @classmethod
    def classroom(cls, **config: Any) -> World:
        """Return a world in which each message counts."""
        return cls(**{**CLASSROOM, **config})

    @property
    def q(self) -> QueueState:
        """The queue's record."""
        return self.door.queue.state

    def do(self, op: str, **args: Any) -> dict[str, Any]:
        """Execute one operation."""
        outcome = self.door.step({"op": op, **args})
        self.result = outcome.get("result", {})
        after: dict[str, Any] = outcome["after"]
        return after

    def publish(
        self, count: int = 1, size: int = SMALL, persistent: bool = False, **more: Any
    ) -> dict[str, Any]:
        return self.do("publish", count=count, size=size, persistent=persistent, **more)

    def publish_delivered(
        self, count: int = 1, size: int = SMALL, persistent: bool = False
    ) -> dict[str, Any]:
        return self.do("publish_delivered", count=count, size=size, persistent=persistent)

    def fetch(self, count: int = 1, ack: bool = True) -> dict[str, Any]:
        return self.do("fetch", count=count, ack=ack)

    def drop(self, count: int = 1, ack: bool = False) -> dict[str, Any]:
        return self.do("drop", count=count, ack=ack)

    def ack(self, *tags: list[int], multiple: bool = True) -> dict[str, Any]:
        return self.do("ack", tags=list(tags), multiple=multiple)

    def requeue(self, *tags: list[int]) -> dict[str, Any]:
        return self.do("requeue", tags=list(tags), multiple=True)

    def target(self, count: int | str) -> dict[str, Any]:
        return self.do("set_target", target=count)

    def lanes(self) -> str:
        """Show the sub-queues: a body in RAM, b on disk, i indexed, S also in the store."""
        words = []
        for lane in ("q1", "q2", "q3", "q4"):
            messages = [
                f"{each.start + i}{'a' if each.in_ram else 'b'}{'i' if each.indexed else ''}"
                f"{'S' if each.in_ram and each.in_store else ''}"
                for each in self.q.extents_of(lane)
                for i in range(each.count)
            ]
            if messages:
                words.append(f"{lane}: {' '.join(messages)}")
            if lane == "q2" and not self.q.delta.blank:
                delta = self.q.delta
                words.append(f"delta: {delta.start}/{delta.count}/{delta.transient}/{delta.end}")
        return "; ".join(words)

    def of(self, kind: type[Transition]) -> list[Any]:
        """Return the transitions of one kind."""
        return [each for each in self.transitions if isinstance(each, kind)]


def picked(after: dict[str, Any], *names: str) -> list[Any]:
    """Return some numbers of a vector."""
    return [after[name] for name in names]
