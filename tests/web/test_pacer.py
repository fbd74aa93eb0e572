"""Real time becomes virtual time."""

import pytest

from playground.hosting.pacer import AHEAD_S, CATCH_UP_S, MAX_SPEED, PageClock, RunPacer

FOREVER_US = 10**12


def test_paused_stands_still() -> None:
    pacer = RunPacer()
    pacer.set(0.0, 500, play=False)
    assert pacer.due_us(10.0, 500) == 500


@pytest.mark.parametrize(
    ("speed", "passed_s", "expected_us"), [(1, 0.1, 100_000), (0.001, 0.1, 100), (100, 0.1, 10_000_000)]
)
def test_time_passes_at_the_speed(speed: float, passed_s: float, expected_us: int) -> None:
    pacer = RunPacer()
    pacer.set(5.0, 1000, play=True, speed=speed)
    assert pacer.due_us(5.0 + passed_s, 1000) == pytest.approx(1000 + expected_us, abs=2)


def test_a_change_of_speed_does_not_jump() -> None:
    pacer = RunPacer()
    pacer.set(0.0, 0, play=True, speed=1)
    assert pacer.due_us(0.1, 0) == 100_000
    pacer.set(0.1, 100_000, speed=10)
    assert pacer.due_us(0.1, 100_000) == 100_000
    assert pacer.due_us(0.2, 100_000) == pytest.approx(1_100_000, abs=2)


def test_an_engine_that_cannot_keep_up_owes_little() -> None:
    pacer = RunPacer()
    pacer.set(0.0, 0, play=True, speed=1)
    assert pacer.due_us(60.0, 0) == CATCH_UP_S * 1e6
    assert pacer.due_us(60.05, 250_000) == pytest.approx(300_000, abs=2)


def test_time_in_which_nothing_happens_is_not_owed() -> None:
    """A worker that slept until something happens is not late."""
    pacer = RunPacer()
    pacer.set(0.0, 0, play=True, speed=2)
    assert pacer.due_us(3.0, 0, next_us=6_000_000) == 6_000_000
    assert pacer.due_us(9.0, 6_000_000, next_us=None) == 18_000_000
    late_us = 20_000_000 + CATCH_UP_S * 2e6
    assert pacer.due_us(60.0, 18_000_000, next_us=20_000_000) == late_us


def test_a_pause_costs_no_time() -> None:
    pacer = RunPacer()
    pacer.set(0.0, 0, play=True)
    pacer.set(1.0, 1_000_000, play=False)
    pacer.set(100.0, 1_000_000, play=True)
    assert pacer.due_us(100.1, 1_000_000) == pytest.approx(1_100_000, abs=2)


def test_speed_is_bounded() -> None:
    pacer = RunPacer()
    pacer.set(0.0, 0, speed=1e9)
    assert pacer.speed == MAX_SPEED


@pytest.mark.parametrize("speed", [0.1, 1.0, 100.0])
def test_a_page_that_hears_nothing_shows_the_moment_of_a_run_that_keeps_its_pace(speed: float) -> None:
    first = PageClock.go(5.0, 1_000_000, speed, FOREVER_US)
    assert first.to_us == 1_000_000 + AHEAD_S * speed * 1e6
    later_us = 1_000_000 + int(3 * speed * 1e6)
    assert not first.strays_from(PageClock.go(8.0, later_us, speed, FOREVER_US))
    assert first.strays_from(PageClock.go(8.1, later_us, speed, FOREVER_US))


def test_a_page_shows_no_moment_after_the_one_at_which_time_stops() -> None:
    assert PageClock.go(0.0, 1_000_000, 1.0, 1_500_000).to_us == 1_499_999, (
        "nor that one before the run is there"
    )
    assert PageClock.stand(0.0, 1_000_000, 1.0).to_us == 1_000_000


def test_a_page_believes_for_one_tick_that_a_late_engine_goes_on_as_fast_as_it_came() -> None:
    late = PageClock.go(0.0, 1_000_000, 100.0, FOREVER_US).slower(60.0, 0.25)
    assert (late.pace, late.to_us) == (60.0, 16_000_000)
    assert late.strays_from(PageClock.go(0.25, 20_000_000, 100.0, FOREVER_US))
    assert PageClock.go(0.0, 0, 1.0, FOREVER_US).slower(3.0, 0.25).pace == 1.0, (
        "it only makes up for what it owes"
    )
    assert PageClock.go(0.0, 0, 9.0, 1_000_000).slower(8.0, 0.25).to_us == 999_999
