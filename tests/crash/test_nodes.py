"""Nodes of a cluster die at random: no message confirmed under synchronised mirrors is lost while one member lives."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.broker.clients.channel import DeliveredMessages
from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.storage.ledger import LedgerStorage
from engine.transitions import empty_state, fold_all, to_json
from engine.values.stretches import Range, RangeSet

NODES = ("n1", "n2", "n3")
STEPS = 30
SECOND_US = 1_000_000


class Run:
    """A cluster under one client that publishes with confirms, and a random operator."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        definition = {"ha-mode": "all", "ha-sync-mode": "automatic", "ha-promote-on-failure": "when-synced"}
        scenario = {
            "version": 1,
            "profile": "real",
            "seed": seed,
            "settings": {"nodes": 3, "ring_hop_us": 500},
        }
        self.node = Cluster(parse(scenario), LedgerStorage(), keep=1_000_000)
        self.confirmed = RangeSet()
        self.taken = RangeSet()
        self.numbers: dict[int, int] = {}
        self.node.connections.confirms.observer = self._confirmed
        self.node.consumers.observe(self._got)
        self.do(do="set_policy", name="ha", pattern=".*", definition=definition)

    def do(self, **command: Any) -> None:
        self.node.submit(command)

    def _confirmed(self, actor: str, numbers: Any, good: bool) -> None:
        for each in numbers if good and actor == "burst" else ():
            for number in range(each.start, each.end):
                self.confirmed.add(self.numbers[number])

    def publish(self) -> None:
        count = self.random.randint(1, 40)
        first = self.node.kinds.next_msg_no
        number = self.node.connections.burst.next_number
        self.numbers |= {number + i: first + i for i in range(count)}
        size = self.random.choice((16, 500, 8000))
        self.do(
            do="publish", count=count, size_bytes=size, confirm=True, persistent=self.random.random() < 0.7
        )

    def take(self) -> None:
        self.do(do="get", count=self.random.randint(1, 20), ack=False)

    def _got(self, delivered: DeliveredMessages) -> None:
        self.taken.add(delivered.extent.msg_no + delivered.offset, delivered.count)

    def held(self) -> RangeSet:
        queue: Any = self.node.queues["orders"].process.queue
        return RangeSet(Range(extent.msg_no, extent.count) for extent, _ in queue.fold())

    def disturb(self) -> None:
        node = self.random.choice(NODES)
        running = self.node.cluster.running
        if node not in running:
            self.do(do="start_node", node=node)
        elif len(running) > 1:
            self.do(do=self.random.choice(("kill_node", "stop_node")), node=node)

    def play(self) -> None:
        for _ in range(STEPS):
            self.random.choice((self.publish, self.publish, self.take, self.disturb))()
            if self.random.random() < 0.8:
                self.node.advance(self.node.now_us + self.random.randint(1, 2 * SECOND_US))
        self.node.advance(self.node.now_us + 5 * SECOND_US)


@pytest.mark.parametrize("seed", range(24))
def test_no_confirmed_message_is_lost_while_a_member_lives(seed: int) -> None:
    """H46, H49, H69: a confirm says that every member which is up has it."""
    run = Run(seed)
    run.play()
    kept = run.held()
    lost = RangeSet(run.confirmed).subtract(run.taken).subtract(kept)
    assert not lost, f"seed {seed}: confirmed and lost {lost}"
    run.node.verify()
    rows = run.node.log.since(0)
    assert rows is not None
    assert to_json(fold_all(empty_state(), rows.rows)) == run.node.snapshot()


def test_an_unsynchronised_promotion_does_lose() -> None:
    """H61, H69: the check above can fail: with a late mirror what is older than it goes with the master."""
    run = Run(1)
    run.do(do="clear_policy", name="ha")
    run.publish()
    run.do(do="set_policy", name="ha", pattern=".*", definition={"ha-mode": "all"})
    run.do(do="kill_node", node="n1")
    assert run.confirmed
    assert not run.held()
    assert run.node.cluster.lost == len(run.confirmed)
