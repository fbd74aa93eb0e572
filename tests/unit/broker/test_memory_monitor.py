"""The memory monitor's arithmetic (M1-M6) and the modelled memory."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.broker.memory import model
from engine.broker.memory.resource_monitors import MemoryMonitor
from engine.storage.ledger import LedgerStorage


def monitor_with(*durations: float | None) -> MemoryMonitor:
    monitor = MemoryMonitor()
    for number, duration in enumerate(durations):
        monitor.register(f"q{number}")
        assert monitor.report(f"q{number}", duration) is None
    return monitor


def test_below_the_paging_ratio_there_is_no_target() -> None:
    """M3."""
    monitor = monitor_with(4.0)
    assert monitor.recompute(49, 100, 0.5) == []
    assert monitor.desired is None


def test_nobody_reports_nobody_pages() -> None:
    """M3, M5."""
    monitor = monitor_with(None, None)
    monitor.recompute(90, 100, 0.5)
    assert monitor.desired is None


@pytest.mark.parametrize(
    ("memory", "desired"),
    [(50, (6.0 + 1) / 2 / 0.5), (94, (6.0 + 1) / 2 / 0.94), (95, 6.0 / 2 / 0.95), (200, 1.5)],
)
def test_desired_duration(memory: int, desired: float) -> None:
    """M3."""
    monitor = monitor_with(2.0, 4.0)
    monitor.recompute(memory, 100, 0.5)
    assert monitor.desired == pytest.approx(desired)


def test_a_fall_is_pushed_to_those_above_it() -> None:
    """M4."""
    monitor = monitor_with(1.0, 5.0, None)
    assert monitor.recompute(200, 100, 0.5) == ["q1", "q2"]
    assert monitor.desired == pytest.approx(1.5)
    assert monitor.recompute(200, 100, 0.5) == []
    assert monitor.recompute(400, 100, 0.5) == ["q0", "q1", "q2"]
    assert monitor.recompute(100, 100, 0.5) == []
    assert monitor.report("q0", 1.0) == monitor.desired


def test_no_limit_means_zero() -> None:
    """M3."""
    monitor = monitor_with(2.0)
    monitor.recompute(1, 0, 0.5)
    assert monitor.desired == 0.0


def test_modelled_bytes_of_alphas() -> None:
    """601 + body for small ones, 633 + 58 + 1.037 * body for others."""
    for size, each in ((16, 600.77 + 16), (60, 600.77 + 64), (1000, 633.01 + 57.8 + 1037)):
        node = Cluster(parse({"version": 1, "profile": "real"}), LedgerStorage())
        before = node.watch.memory.total
        node.submit({"do": "publish", "count": 10_000, "size_bytes": size})
        node.advance(1_000_000)
        assert node.watch.memory.total - before == pytest.approx(10_000 * each, rel=1e-4)


def test_the_residuals_beside_the_memory_are_those_of_the_calibration(
    calibration_file: dict[str, Any],
) -> None:
    """The worst of the fits that a part is made of."""
    ram = calibration_file["ram"]
    parts = {
        "entry_bytes": (
            "alpha_heap_small",
            "alpha_heap_large",
            "beta_heap",
            "gamma_heap",
            "pending_ack_extra_heap",
        ),
        "body_bytes": ("alpha_binary",),
        "journal_bytes": ("journal_binary_embedded", "journal_heap_store", "index_segment"),
        "store_bytes": ("store_index_row", "file_summary_row"),
        "cached_body_bytes": ("current_file_cache_row",),
        "base_bytes": ("node_base",),
        "connection_bytes": ("connection_base",),
    }
    for part, fits in parts.items():
        known = [ram[fit]["residual_max_pct"] for fit in fits]
        assert model.RESIDUAL_PCT[part] == (max(known) if None not in known else None)


def test_every_queue_shows_what_it_reported_and_aims_for() -> None:
    """M2, M4: once there is more than one; what is infinite is left out."""
    topology = {"queues": [{"name": "orders"}, {"name": "idle"}]}
    node = Cluster(parse({"version": 1, "profile": "classroom", "topology": topology}), LedgerStorage())
    node.submit({"do": "publish", "count": 30, "size_bytes": 6144})
    node.advance(800_000)
    orders, idle = (node.snapshot()["queues"][name] for name in ("orders", "idle"))
    known = node.watch.monitor.queues["orders"]
    assert (orders["reported_duration"], orders["desired_duration"]) == (known.reported, known.sent)
    assert orders["desired_duration"] > 0
    assert "reported_duration" not in idle
