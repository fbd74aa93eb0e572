"""What the watermark is compared with: what lives in the VM, what its allocators took, what the system counts (M9)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.commands.scenario import parse
from engine.ctl.console import ask_node, operated
from engine.storage.ledger import LedgerStorage
from tests.helpers.following import Follower

MB = 1_000_000
GIB = 1024**3


def node(strategy: str | None = None, **settings: Any) -> Follower:
    named = {} if strategy is None else {"vm_memory_calculation_strategy": strategy}
    scenario = {"version": 1, "profile": "real", "settings": {"ram_bytes": 8 * GIB, **named, **settings}}
    return Follower(operated(parse(scenario), LedgerStorage(), 100_000))


def memory(made: Follower) -> dict[str, Any]:
    made.check()
    return dict(made.node.snapshot()["node"]["memory"])


def publish(made: Follower, count: int, size_bytes: int) -> None:
    assert made.submit({"do": "publish", "count": count, "size_bytes": size_bytes})
    made.advance(2_000_000)


@pytest.mark.parametrize(
    ("strategy", "low", "high"), [("erlang", 63, 71.4), ("allocated", 43, 50), ("rss", 127, 151)]
)
def test_a_node_without_messages(strategy: str, low: float, high: float) -> None:
    """The ranges are those of seven fresh nodes (M9)."""
    assert low * MB <= memory(node(strategy))["process_memory"] <= high * MB


@pytest.mark.parametrize(("size_bytes", "count"), [(200, 60_000), (3000, 40_000), (20_000, 7000)])
@pytest.mark.parametrize(
    ("strategy", "measured", "kept"),
    [
        ("erlang", (880, 3686, 20_713), (0, 0, 0)),
        ("allocated", (951, 3799, 21_130), (0, 0, 0)),
        ("rss", (6183, 9208, 24_514), (4760, 5712, 9922)),
    ],
)
def test_what_a_message_adds_and_what_stays_of_it(
    strategy: str, measured: tuple[int, ...], kept: tuple[int, ...], size_bytes: int, count: int
) -> None:
    """Bytes for each message of a full queue, and eight seconds after it was purged, on a real node (M9)."""
    made = node(strategy)
    place = (200, 3000, 20_000).index(size_bytes)
    base = memory(made)["process_memory"]
    publish(made, count, size_bytes)
    assert (memory(made)["process_memory"] - base) / count == pytest.approx(measured[place], rel=0.13)
    assert made.submit({"do": "purge"})
    made.advance(8_000_000)
    left = (memory(made)["process_memory"] - base) / count
    assert left == pytest.approx(kept[place], rel=0.08, abs=0.01 * measured[place])


def test_the_alarm_follows_the_strategy() -> None:
    """A machine of 512 MiB, whose watermark is 205 MiB: under rss a few messages are enough."""
    for strategy, alarm in (("erlang", False), ("rss", True)):
        made = node(strategy, ram_bytes=GIB // 2)
        publish(made, 15_000, 100)
        assert made.node.watch.alarm is alarm


def test_only_a_new_vm_gives_the_memory_back() -> None:
    made = node("rss")
    publish(made, 10_000, 1000)
    assert made.submit({"do": "purge"})
    made.advance(3_000_000)
    before = memory(made)["process_memory"]
    for verb in ("stop_app", "start_app"):
        assert made.submit({"do": verb})
    assert memory(made)["process_memory"] > before - 2 * MB
    assert made.submit({"do": "restart", "kind": "clean"})
    assert memory(made)["process_memory"] < before - 30 * MB


def test_the_strategy_is_named_where_it_was_chosen() -> None:
    made = node()
    before = memory(made)
    assert "beyond_live_bytes" not in before
    assert "vm_memory_calculation_strategy" not in made.node.snapshot()["node"]["settings"]
    assert "Calculation strategy: erlang" in ask_node(made.node, "status").text
    command = {"do": "set", "name": "vm_memory_calculation_strategy", "value": "rss"}
    assert made.submit(command)
    after = memory(made)
    assert after["process_memory"] - after["beyond_live_bytes"] == before["process_memory"]
    assert made.node.snapshot()["node"]["settings"]["vm_memory_calculation_strategy"] == "rss"
    text = ask_node(made.node, "status").text
    assert "Calculation strategy: rss" in text
    assert "reserved_unallocated: 0.0755 gb" in text, text
    assert not made.submit({**command, "value": "guess"})
