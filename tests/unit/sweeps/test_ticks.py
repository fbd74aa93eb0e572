"""A cell whose consumers hand in messages less often costs less, and counts the same."""

from __future__ import annotations

import random
from array import array

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.base import MAX_TICK_MS, TICK_MS
from engine.broker.commands.client_commands import mean_of, pack
from engine.broker.commands.scenario import parse
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError
from sweeps.cell import Cell, outcome


def test_a_coarse_tick_delays_deliveries_and_lets_no_queue_sync() -> None:
    """A log of a minute in bursts of a second, paged out and read back: what a cell counts, by the consumer's tick."""
    draw = random.Random(7)
    drawn = [(second, round(draw.lognormvariate(7.3, 1.1))) for second in range(60) for _ in range(140)]
    bursts = [
        {
            "at_us": second * 1_000_000,
            "do": "publish",
            "count": 140,
            "persistent": True,
            "size_bytes": mean_of(sizes),
            "sizes": pack(sizes),
        }
        for second in range(60)
        for sizes in [array("I", [size for at, size in drawn if at == second])]
    ]
    consumer = {"at_us": 0, "do": "set_consumer", "name": "c1", "rate_per_s": 100, "prefetch": 50}

    def counted(tick_ms: int) -> dict[str, float]:
        commands = [{**consumer, "ack": "multiple", "tick_ms": tick_ms}, *bursts]
        scenario = {"version": 1, "profile": "real", "commands": commands, "until_us": 80_000_000}
        scenario["settings"] = {"ram_bytes": 210_000_000}
        return outcome(Cell(cell_id="", workload="", values={}, seed=1, scenario=scenario, series_points=5))

    usual, coarse = counted(TICK_MS), counted(MAX_TICK_MS)
    assert usual["transitions"] > 4 * coarse["transitions"]
    for name in ("fsyncs", "disk_writes"):
        assert coarse[name] <= usual[name] * 1.02, name
    for name in ("bytes_written", "delivered", "paged_out", "peak_ram_bytes"):
        assert coarse[name] == pytest.approx(usual[name], rel=0.02), name
    for name in ("latency_p50_s", "latency_p95_s"):
        assert abs(coarse[name] - usual[name]) <= MAX_TICK_MS / 1000, name


@pytest.mark.parametrize(
    ("rate_per_s", "prefetch"),
    [
        pytest.param(260, 50, id="a pause of 232 ms in each second"),
        pytest.param(5, 50, id="one message in 200 ms"),
        pytest.param(7, 0, id="one message in 143 ms"),
        pytest.param(150, 3, id="a window that is done long before a coarse tick"),
    ],
)
def test_pauses_are_the_same_at_a_coarse_tick(rate_per_s: int, prefetch: int) -> None:
    """A queue syncs after 200 ms without a message (P2), so a tick must make no pause and take none away."""
    bursts = [
        {"at_us": second * 1_000_000, "do": "publish", "count": 200, "persistent": True, "size_bytes": 100}
        for second in range(20)
    ]
    consumer = {
        "at_us": 0,
        "do": "set_consumer",
        "name": "c1",
        "rate_per_s": rate_per_s,
        "prefetch": prefetch,
    }

    def counted(tick_ms: int) -> dict[str, float]:
        commands = [{**consumer, "ack": "multiple", "tick_ms": tick_ms}, *bursts]
        scenario = {
            "version": 1,
            "profile": "real",
            "commands": commands,
            "until_us": 20_000_000,
            "settings": {},
        }
        return outcome(Cell(cell_id="", workload="", values={}, seed=1, scenario=scenario, series_points=5))

    usual, coarse = counted(TICK_MS), counted(MAX_TICK_MS)
    for name in ("fsyncs", "disk_writes", "bytes_written", "journal_flushes"):
        assert coarse[name] == usual[name], name
    assert coarse["delivered"] == pytest.approx(usual["delivered"], abs=rate_per_s * MAX_TICK_MS / 1000 + 1)


def test_a_tick_is_shown_where_it_is_not_the_usual_one_and_has_bounds() -> None:
    node = Cluster(parse({"version": 1, "profile": "classroom"}), LedgerStorage())
    consumer = {"do": "set_consumer", "name": "c1", "rate_per_s": 100, "prefetch": 50}
    node.submit(consumer)
    assert "tick_ms" not in node.snapshot()["node"]["actors"]["c1"]
    node.submit({**consumer, "tick_ms": MAX_TICK_MS})
    assert node.snapshot()["node"]["actors"]["c1"]["tick_ms"] == MAX_TICK_MS
    for wrong in (TICK_MS - 1, MAX_TICK_MS + 1, 0):
        with pytest.raises(CommandError, match="tick_ms"):
            node.submit({**consumer, "tick_ms": wrong})
