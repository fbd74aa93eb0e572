"""Queues of version 2 are killed at any moment: what was confirmed and not acknowledged comes back, in its order."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.report.transitions.queue import Acked, ConfirmsDue
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError

QUEUES: dict[str, tuple[str, dict[str, Any]]] = {
    "3.10.8": ("classroom", {"x-queue-version": 2}),
    "4.0.5": ("4.0.5-classroom", {}),
    "4.3.6": ("4.3.6-classroom", {}),
}
SEEDS = 8
STEPS = 25


class Watched:
    """A node with one queue; knows which messages were confirmed and which were acknowledged."""

    def __init__(self, profile: str, arguments: dict[str, Any]) -> None:
        queue = {"name": "orders", "arguments": arguments}
        scenario = {"version": 1, "profile": profile, "topology": {"queues": [queue]}}
        self.node = Cluster(parse(scenario), LedgerStorage(), keep=1_000_000)
        self.confirmed: set[int] = set()
        self.acked: set[int] = set()
        self._done = 0

    def step(self, source: random.Random) -> None:
        """Give a command, and let some time pass."""
        publish = {
            "do": "publish",
            "routing_key": "orders",
            "count": source.randrange(1, 10),
            "size_bytes": source.choice((10, 300, 5000)),
            "persistent": source.random() < 0.8,
            "confirm": source.random() < 0.7,
        }
        others = (
            {"do": "get", "count": source.randrange(1, 6), "ack": True, "queue": "orders"},
            {"do": "ack", "count": source.randrange(1, 4)},
            {"do": "requeue", "count": 1},
        )
        try:
            self.node.submit(publish if source.random() < 0.6 else source.choice(others))
        except CommandError:  # nothing is held that could be acknowledged
            self.node.submit(publish)
        self.node.advance(self.node.now_us + source.choice((0, 1000, 50_000, 250_000)))
        self.note()

    def note(self) -> None:
        """Read what happened since."""
        rows = self.node.log.since(self._done)
        assert rows is not None
        self._done = rows.next
        for each in rows.rows:
            if isinstance(each, ConfirmsDue):
                self.confirmed.update(no for run in each.messages for no in range(run.start, run.end))
            elif isinstance(each, Acked):
                self.acked.update(
                    no for run in each.extents for no in range(run.msg_no, run.msg_no + run.count)
                )

    def found(self) -> list[int]:
        """Return the numbers of all messages, from the head to the tail."""
        queue = self.node.queues["orders"].process.queue
        taken = queue.fetch(queue.depth, True) if queue.depth else []
        return [each.extent.msg_no + at for each in taken for at in range(each.extent.count)]


@pytest.mark.parametrize("kind", ["kill", "kill_in_flush", "clean"])
@pytest.mark.parametrize("release", sorted(QUEUES))
def test_what_was_confirmed_comes_back(release: str, kind: str) -> None:
    """W62, W65, W95, W97: whatever waited in a buffer, and wherever the files end."""
    for seed in range(SEEDS):
        source = random.Random(f"{release} {kind} {seed}")
        watched = Watched(*QUEUES[release])
        for _ in range(STEPS):
            watched.step(source)
        watched.node.submit({"do": "restart", "kind": kind})
        watched.note()
        watched.node.advance(watched.node.now_us + 2_000_000)
        found = watched.found()
        assert watched.confirmed
        assert watched.confirmed - watched.acked <= set(found), (seed, kind)
        assert found == sorted(found), (seed, kind)
        watched.node.verify()
