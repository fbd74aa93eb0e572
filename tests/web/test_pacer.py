"""Real time becomes virtual time."""

import pytest

from playground.hosting.session.pacer import CATCH_UP_S, MAX_SPEED, Pacer


def test_paused_stands_still() -> None:
    pacer = Pacer()
    pacer.set(0.0, 500, play=False)
    assert pacer.due_us(10.0, 500) == 500


@pytest.mark.parametrize(
    ("speed", "passed_s", "expected_us"), [(1, 0.1, 100_000), (0.001, 0.1, 100), (100, 0.1, 10_000_000)]
)
def test_time_passes_at_the_speed(speed: float, passed_s: float, expected_us: int) -> None:
    pacer = Pacer()
    pacer.set(5.0, 1000, play=True, speed=speed)
    assert pacer.due_us(5.0 + passed_s, 1000) == pytest.approx(1000 + expected_us, abs=2)


def test_a_change_of_speed_does_not_jump() -> None:
    pacer = Pacer()
    pacer.set(0.0, 0, play=True, speed=1)
    assert pacer.due_us(0.1, 0) == 100_000
    pacer.set(0.1, 100_000, speed=10)
    assert pacer.due_us(0.1, 100_000) == 100_000
    assert pacer.due_us(0.2, 100_000) == pytest.approx(1_100_000, abs=2)


def test_an_engine_that_cannot_keep_up_owes_little() -> None:
    pacer = Pacer()
    pacer.set(0.0, 0, play=True, speed=1)
    assert pacer.due_us(60.0, 0) == CATCH_UP_S * 1e6
    assert pacer.due_us(60.05, 250_000) == pytest.approx(300_000, abs=2)


def test_a_pause_costs_no_time() -> None:
    pacer = Pacer()
    pacer.set(0.0, 0, play=True)
    pacer.set(1.0, 1_000_000, play=False)
    pacer.set(100.0, 1_000_000, play=True)
    assert pacer.due_us(100.1, 1_000_000) == pytest.approx(1_100_000, abs=2)


def test_speed_is_bounded() -> None:
    pacer = Pacer()
    pacer.set(0.0, 0, speed=1e9)
    assert pacer.speed == MAX_SPEED
