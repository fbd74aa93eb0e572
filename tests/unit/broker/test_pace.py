"""Steady rates are exact over any time, in whole numbers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.broker.time.scheduler import TICK_US, RatePace


@given(st.integers(1, 1_000_000), st.integers(0, 10**9), st.sampled_from([0, TICK_US // 2]))
def test_what_is_due_adds_up_to_the_rate(rate: int, start_us: int, phase_us: int) -> None:
    pace = RatePace(rate, phase_us)
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
    pace = RatePace(1, 0)
    pace.begin(3)
    assert pace.next_us(3) == 1_010_000


@given(st.lists(st.tuples(st.integers(1, 1_000_000), st.integers(0, 10**7)), min_size=1, max_size=20))
def test_changes_of_the_rate_lose_nothing(stretches: list[tuple[int, int]]) -> None:
    pace = RatePace(1, 0)
    pace.begin(0)
    now_us = millionths = 0
    for rate, lasts_us in stretches:
        pace.change(rate, now_us)
        now_us += lasts_us
        millionths += rate * lasts_us
    assert pace.due(now_us) == millionths // 1_000_000


@given(st.integers(1, 1_000_000), st.integers(1, 1000), st.integers(0, 10**6))
def test_the_moment_at_which_so_many_are_done_is_the_first_one(rate: int, count: int, now_us: int) -> None:
    pace = RatePace(rate, 0)
    pace.begin(now_us)
    at_us = pace.done_us(count, now_us)
    assert pace.due(at_us) >= count
    assert at_us == now_us + 1 or pace.due(at_us - 1) < count
