"""What the queue process and the node around it owe to the rules (P1-P5, M1-M8, D2, F3-F5, S8)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.broker.memory.resource_monitors import MemoryMonitor
from engine.report.transitions.node import NodeChanged
from engine.storage.ledger import LedgerStorage
from tests.rules.world import LARGE, SMALL, World

SECOND = 1_000_000


def node_of(**settings: Any) -> tuple[Cluster, LedgerStorage]:
    storage = LedgerStorage()
    return Cluster(
        parse({"version": 1, "profile": "real", "settings": settings}), storage, keep=10_000
    ), storage


def burst(count: int, size_bytes: int = SMALL, **more: Any) -> dict[str, Any]:
    return {"do": "publish", "count": count, "size_bytes": size_bytes, **more}


def test_which_timer_a_queue_needs() -> None:
    """P1, P3: none without a journal; timed with a confirm pending; idle with bytes to write; none after the sync."""
    world = World()
    answers = []
    for step in ({}, {"confirm": False}, {"confirm": True}, None):
        if step is None:
            world.do("timeout")
        elif step:
            world.publish(1, SMALL, True, **step)
        world.do("needs_timeout")
        answers.append(world.result["needs_timeout"])
    assert answers == [False, "idle", "timed", False]


def test_the_rate_timer_is_armed_by_work() -> None:
    """P5: one shot, five seconds after the first message that was handled."""
    node, _ = node_of()
    node.advance(30 * SECOND)
    node.submit(burst(1))
    assert node.snapshot()["node"]["clock"]["rate_timer_at_us"] == 35 * SECOND
    node.submit(burst(1))
    assert node.snapshot()["node"]["clock"]["rate_timer_at_us"] == 35 * SECOND
    node.advance(35 * SECOND)
    assert node.snapshot()["node"]["clock"]["rate_timer_at_us"] is None


def test_a_report_is_answered_with_what_was_last_computed() -> None:
    """M1, M2: and sums follow only the finite reports."""
    monitor = MemoryMonitor()
    monitor.register("a")
    monitor.register("b")
    assert (monitor.sum, monitor.count) == (0.0, 0)
    assert monitor.report("a", 4.0) is None
    monitor.recompute(200, 100, 0.5)
    assert monitor.report("b", None) == 2.0
    assert (monitor.sum, monitor.count) == (4.0, 1)
    assert monitor.report("a", 1e-9) == 2.0
    assert (monitor.sum, monitor.count) == (0.0, 1)


def test_a_paging_ratio_above_one_pages_only_behind_the_alarm() -> None:
    """M6: nothing is computed between the watermark and the ratio, but beyond it something is."""
    monitor = MemoryMonitor()
    monitor.register("a")
    monitor.report("a", 4.0)
    monitor.recompute(140, 100, 1.5)
    assert monitor.desired is None
    monitor.recompute(160, 100, 1.5)
    assert monitor.desired == pytest.approx(2.5)


def test_the_watermark_is_a_part_of_the_memory() -> None:
    """M8, M9: truncated, and compared with the modelled memory of the process."""
    node, _ = node_of(ram_bytes=1_000_000_001, vm_memory_high_watermark=0.4)
    node.advance(2 * SECOND)
    memory = node.snapshot()["node"]["memory"]
    assert memory["limit"] == 400_000_000
    assert memory["process_memory"] > 0


def test_what_is_reported_of_the_disk() -> None:
    """M10: the bytes of all files."""
    node, storage = node_of()
    node.submit(burst(3, LARGE, persistent=True, confirm=True))
    node.advance(20 * SECOND)
    rows = node.log.since(0)
    assert rows is not None
    disk_changes = [each for each in rows.rows if isinstance(each, NodeChanged) and each.part == "disk"]
    assert {each.rule for each in disk_changes} == {"M10"}
    assert storage.used_bytes() in node.snapshot()["node"]["disk"].values()


def test_the_order_of_a_start() -> None:
    """D2: the transient store is wiped, the persistent one counts references before the queue begins."""
    node, _ = node_of()
    node.submit(burst(4, LARGE))
    node.submit(burst(3, LARGE, persistent=True, confirm=True))
    node.submit({"do": "set", "name": "target_ram_count", "value": 0})
    assert node.snapshot()["stores"]["transient"]["rows"]
    node.submit({"do": "restart", "kind": "kill"})
    snapshot = node.snapshot()
    assert snapshot["stores"]["transient"]["rows"] == []
    assert sum(row[1] for row in snapshot["stores"]["persistent"]["rows"]) == 3


def test_a_queue_that_is_not_durable_loses_its_directory_at_boot() -> None:
    """S8."""
    node, storage = node_of(queue_durable=False)
    node.submit({"do": "set", "name": "queue_mode", "value": "lazy"})
    node.submit(burst(4))
    node.advance(2 * SECOND)
    assert any("/queues/" in path for path in storage.paths())
    node.submit({"do": "restart", "kind": "clean"})
    assert not any("/queues/" in path for path in storage.paths())


def test_a_queue_is_blocked_by_either_store() -> None:
    """F3, F4: every write of a body costs one credit of its own store; embedded ones cost none."""
    world = World(msg_store_credit_disc_bound=[4, 4])
    world.door.queue.let_stores_work_alone(True)
    world.door.queue.publish(world.door._arrivals({"count": 9, "size": SMALL, "persistent": True})[:1])
    before = world.q.persistent.account.left
    assert before is None
    for wanted, blocked in ((3, False), (1, True)):
        arrivals = {"count": wanted, "size": LARGE, "persistent": True}
        world.door.queue.publish(world.door._arrivals(arrivals)[:1])
        assert world.q.blocked is blocked
    assert (world.q.persistent.account.left, world.q.transient.account.left) == (0, None)


def test_a_grant_makes_the_queue_resume() -> None:
    """F5: the mailbox brings the credit, and then one resume."""
    world = World(msg_store_credit_disc_bound=[2, 2], explicit_gc_run_operation_threshold=1000)
    world.publish(6, LARGE)
    world.q.target_ram_count = 0
    outcome = world.door.step({"op": "resume"})
    assert outcome["drain"]["resumes"] >= 2
    assert outcome["after"]["ram_msg_count"] == 0
