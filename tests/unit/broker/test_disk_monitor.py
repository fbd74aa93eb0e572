"""Free disk, its limit and its checks (M10-M12), and the memory watermark (M8)."""

from __future__ import annotations

import math

import pytest

from engine.broker.commands import base
from engine.broker.commands.base import AbsoluteLimit, FreeLimit, bytes_of
from engine.broker.memory import resource_monitors
from engine.broker.memory.resource_monitors import DiskMonitor, MemoryMonitor
from engine.values.errors import CommandError

GB = 1_000_000_000


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(50_000_000, 50_000_000), (FreeLimit(absolute=7), 7), (FreeLimit(mem_relative=1.5), 1500)],
)
def test_the_limit_is_absolute_or_a_part_of_the_memory(limit: int | FreeLimit, expected: int) -> None:
    """M10."""
    assert base.free_limit_bytes(limit, 1000) == expected


@pytest.mark.parametrize(
    ("above", "interval_ms"),
    [(2 * GB, 10_000), (1_250_000_000, 10_000), (1_249_000_000, 9992), (125_000_000, 1000), (12_500_000, 100),
     (0, 100)],
)  # fmt: skip
def test_the_next_check_comes_sooner_the_less_is_free(above: int, interval_ms: int) -> None:
    """M11."""
    assert resource_monitors.next_check_ms(False, 50_000_000 + above, 50_000_000) == interval_ms
    assert resource_monitors.next_check_ms(True, 0, 50_000_000) == 10_000


def test_the_alarm_is_strict() -> None:
    """M10: set below the limit, cleared at it."""
    monitor = DiskMonitor()

    def check(others: int, now_us: int = 0) -> bool:
        return monitor.check(now_us=now_us, total=1000, used=100, others=others, limit=200)

    assert not check(700)
    assert (monitor.free, monitor.alarm) == (200, False)
    assert check(701, 5)
    assert (monitor.free, monitor.alarm, monitor.next_check_us) == (199, True, 10_000_005)
    assert check(700)
    assert check(2000)
    assert monitor.free == 0


def test_a_disk_alarm_switches_paging_off() -> None:
    """M3, M4, M12: the duration is infinite, and those who have a smaller one hear of it at once."""
    monitor = MemoryMonitor()
    for name in ("paging", "idle"):
        monitor.register(name)
    monitor.report("paging", 4.0)
    assert monitor.recompute(200, 100, 0.5) == ["paging", "idle"]
    assert monitor.recompute(200, 100, 0.5, disk_alarm=True) == ["paging"]
    assert monitor.desired is None
    assert monitor.recompute(200, 100, 0.5, disk_alarm=True) == []
    # The idle one reported infinity, so it kept the duration that it was sent before.
    assert monitor.recompute(200, 100, 0.5) == ["paging"]


def test_the_watermark_is_relative_or_absolute() -> None:
    """M8: clamped to all of the memory; no number means the default."""
    assert base.limit_bytes(0.4, 1001) == 400
    assert base.limit_bytes(1.7, 1000) == 1000
    assert base.limit_bytes(-1, 1000) == base.limit_bytes(math.nan, 1000) == 400
    assert base.limit_bytes(AbsoluteLimit(900), 1000) == 900
    assert base.limit_bytes(AbsoluteLimit(1100), 1000) == 1000


def test_amounts_in_words() -> None:
    """M8: suffixes as the broker's configuration has them."""
    assert [bytes_of(text) for text in ("17", "2k", "2KiB", "2kB", "3MB", "1GiB")] == [
        17, 2048, 2048, 2000, 3_000_000, 1024**3,
    ]  # fmt: skip
    for wrong in ("", "-1", "1 GB", "many", "5iB", "1TB"):
        with pytest.raises(CommandError, match="no amount of bytes"):
            bytes_of(wrong)
