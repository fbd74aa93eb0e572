"""What measured runs showed: bursts take their time on the wire, bodies linger, timers stand in any phase."""

from __future__ import annotations

from typing import Any

from engine.node.commands.scenario import parse
from engine.node.node import Node
from engine.storage.ledger import LedgerStorage


def node(**settings: Any) -> Node:
    scenario = {"version": 1, "profile": "real", "settings": {"ram_bytes": 2**30, **settings}}
    return Node(parse(scenario), LedgerStorage(), 100_000)


def ready(made: Node) -> int:
    return int(made.snapshot()["queues"]["orders"]["counters"]["len"])


def memory(made: Node) -> dict[str, Any]:
    return dict(made.snapshot()["node"]["memory"])


def test_a_burst_arrives_as_its_connection_carries_it() -> None:
    made = node(connection_bytes_per_s=1_000_000)
    made.submit({"do": "publish", "count": 100, "size_bytes": 10_000})
    assert ready(made) == 0
    made.advance(500_000)
    assert ready(made) == 50
    made.advance(1_000_000)
    assert ready(made) == 100


def test_a_burst_is_stopped_half_way_by_an_alarm_and_goes_on_after_it() -> None:
    made = node(connection_bytes_per_s=1_000_000)
    made.submit({"do": "publish", "count": 300, "size_bytes": 10_000})
    made.advance(1_000_000)
    made.submit({"do": "set", "name": "vm_memory_high_watermark", "value": 0.01})
    made.advance(2_500_000)
    stopped = ready(made)
    assert stopped < 250
    made.submit({"do": "set", "name": "vm_memory_high_watermark", "value": 0.9})
    made.advance(7_000_000)
    assert ready(made) == 300


def test_bodies_leave_memory_two_seconds_after_they_left_the_queue() -> None:
    made = node()
    made.submit({"do": "publish", "count": 1000, "size_bytes": 10_000})
    made.advance(1_500_000)
    full = memory(made)["body_bytes"]
    assert full > 10_000_000
    made.submit({"do": "purge"})
    made.advance(2_500_000)
    assert memory(made)["body_bytes"] == full
    made.advance(5_500_000)
    assert memory(made)["body_bytes"] == 0


def test_a_node_that_has_run_for_a_while_checks_its_memory_sooner() -> None:
    made = node(running_since_ms=700)
    made.submit({"do": "publish", "count": 1000, "size_bytes": 10_000})
    made.advance(299_999)
    assert memory(made)["body_bytes"] == 0
    made.advance(300_000)
    assert memory(made)["body_bytes"] > 0


def test_a_connection_takes_its_receive_buffer_along() -> None:
    made = node()
    made.advance(1_000_000)
    before = memory(made)["process_memory"]
    made.submit({"do": "set_consumer", "name": "c1", "rate_per_s": 10})
    made.advance(2_000_000)
    assert memory(made)["process_memory"] - before > 3_900_000
