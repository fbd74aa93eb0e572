"""What measured runs showed: bursts take their time on the wire, bodies linger, timers stand in any phase."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.client_commands import pack
from engine.broker.commands.scenario import parse
from engine.broker.memory.model import HEAP_BYTES
from engine.storage.ledger import LedgerStorage


def node(profile: str = "real", **settings: Any) -> Cluster:
    scenario = {"version": 1, "profile": profile, "settings": {"ram_bytes": 2**30, **settings}}
    return Cluster(parse(scenario), LedgerStorage(), 100_000)


def ready(made: Cluster) -> int:
    return int(made.snapshot()["queues"]["orders"]["counters"]["len"])


def memory(made: Cluster) -> dict[str, Any]:
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


def paged() -> Cluster:
    """Return a node whose idle queue paged out 1000 bodies of 10 kB half a second ago."""
    made = node(processes_collect_garbage=True, desired_hibernate_ms=10_000)
    made.submit({"do": "publish", "count": 1000, "size_bytes": 10_000})
    made.advance(500_000)
    made.submit({"do": "set", "name": "target_ram_count", "value": 0})
    made.advance(1_000_000)
    return made


def test_bodies_that_an_idle_queue_paged_out_stay_until_it_hibernates() -> None:
    made = paged()
    assert made.snapshot()["node"]["clock"]["queue_process"] == "awake"
    assert memory(made)["body_bytes"] >= 10_000_000
    made.advance(2_500_000)
    assert made.snapshot()["node"]["clock"]["queue_process"] == "hibernating"
    made.advance(4_000_000)
    assert memory(made)["body_bytes"] == 0


def test_a_body_in_garbage_and_in_a_stores_cache_counts_once() -> None:
    made = paged()
    total = memory(made)["body_bytes"] + memory(made)["cached_body_bytes"]
    assert total < 11_000_000


def test_a_queue_with_messages_coming_collects_what_left() -> None:
    made = paged()
    made.submit({"do": "publish", "count": 1, "size_bytes": 10_000})
    made.advance(2_000_000)
    assert memory(made)["body_bytes"] < 20_000


def test_a_stores_cache_keeps_removed_bodies_of_its_current_file() -> None:
    made = paged()
    made.submit({"do": "purge"})
    made.advance(6_000_000)
    assert memory(made)["body_bytes"] == 0
    assert memory(made)["cached_body_bytes"] >= 10_000_000


def heaps(profile: str) -> tuple[set[int], int, int]:
    """Return what heaps of an awake queue took beyond its messages, then while it was idle, then while it slept."""
    plain, awake = (
        node(profile, **each)
        for each in ({}, {"processes_collect_garbage": True, "hibernate_after_ms": 5000})
    )

    def beside() -> int:
        return int(memory(awake)["entry_bytes"] - memory(plain)["entry_bytes"])

    seen = set()
    for second in range(1, 30):
        for made in (plain, awake):
            made.submit({"do": "publish", "count": 100, "size_bytes": 10})
            made.advance(second * 1_000_000)
        seen.add(beside())
    kept = beside()
    awake.advance(32_000_000)
    assert beside() == kept, "an idle process keeps the heap of its last collection"
    awake.advance(60_000_000)
    return seen, kept, beside()


def test_heaps_have_sizes_of_the_vm_while_a_queue_is_awake() -> None:
    seen, _, asleep = heaps("real")
    assert len(seen) >= 20
    assert 0 < max(seen) < 10_000_000
    assert asleep == 0, "it hibernates"


def test_heaps_that_were_not_traced_are_drawn() -> None:
    seen, _, asleep = heaps("4.3.6")
    assert seen <= set(HEAP_BYTES)
    assert len(seen) >= 5
    assert asleep == 0, "it hibernates"


def test_a_blocked_connection_has_nothing_to_receive_into() -> None:
    made = node(processes_collect_garbage=True)
    made.submit({"do": "set_publisher", "name": "p1", "rate_per_s": 10, "size_bytes": 10})
    buffers = set()
    for second in range(1, 30):
        made.advance(second * 1_000_000)
        buffers.add(memory(made)["connection_bytes"] // 3_900_000)
    assert buffers == {1}
    made.submit({"do": "set", "name": "vm_memory_high_watermark", "value": 0.01})
    made.advance(32_000_000)
    assert memory(made)["connection_bytes"] < 100_000


def log_of(count: int) -> dict[str, Any]:
    """Return a log in which nine small messages come with each large one, which alone goes to the store."""
    sizes = [9000, *[1000] * 9] * count
    return {
        "do": "publish",
        "count": len(sizes),
        "size_bytes": 1800,
        "sizes": pack(sizes),
        "persistent": True,
    }


@pytest.mark.parametrize("log", [True, False])
def test_bursts_share_a_connection(log: bool) -> None:
    made = node(processes_collect_garbage=True)
    for _ in range(3):
        made.submit(log_of(1) if log else {"do": "publish", "count": 10, "size_bytes": 10})
    made.advance(2_000_000)
    assert memory(made)["connection_bytes"] // 3_900_000 == 1


def test_small_bodies_stay_with_the_large_ones_of_their_reads() -> None:
    """The store's cache keeps the large bodies of what was acknowledged, and so the small ones that came with them."""
    made = node(processes_collect_garbage=True)
    made.submit(log_of(100))
    made.submit({"do": "get", "queue": "orders", "count": 500})
    made.submit({"do": "ack", "count": 500})
    made.advance(6_000_000)
    assert ready(made) == 500
    gone = 50 * (9000 + 9 * 1000)
    assert memory(made)["cached_body_bytes"] == pytest.approx(gone, rel=0.1)
