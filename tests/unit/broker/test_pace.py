"""Steady rates are exact over any time, in whole numbers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.broker.time.pace import TICK_US, Pace


@given(st.integers(1, 1_000_000), st.integers(0, 10**9), st.sampled_from([0, TICK_US // 2]))
def test_what_is_due_adds_up_to_the_rate(rate: int, start_us: int, phase_us: int) -> None:
    pace = Pace(rate, phase_us)
    pace.begin(start_us)
    now_us, total = start_us, 0
    for _ in range(50):
        now_us = pace.next_us(now_us)
        assert now_us % TICK_US == phase_us
        due = pace.due(now_us)
        assert due >= 1
        pace.did(due)
        total += due
        assert total == (now_us - start_us) * rate // 1_000_000
        assert pace.due(now_us) == 0


def test_slow_rates_skip_ticks() -> None:
    pace = Pace(1, 0)
    pace.begin(3)
    assert pace.next_us(3) == 1_010_000
