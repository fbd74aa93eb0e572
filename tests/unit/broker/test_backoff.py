"""How long an idle process waits before it hibernates (P4)."""

from __future__ import annotations

from engine.broker.time.process import HibernateBackoff

SECOND_US = 1_000_000


def test_a_process_that_is_woken_soon_waits_longer_the_next_time() -> None:
    backoff = HibernateBackoff("orders/0", 1000, 10_000)
    assert backoff.wait_ms == 1000
    waits = [backoff.wait_ms]
    for _ in range(4):
        backoff.wake(SECOND_US)
        assert waits[-1] < backoff.wait_ms <= 2 * waits[-1]
        waits.append(backoff.wait_ms)


def test_one_that_was_left_alone_waits_half_as_long_or_up_to_as_long() -> None:
    backoff = HibernateBackoff("orders/0", 1000, 10_000)
    for _ in range(3):
        backoff.wake(0)
    long_ms = backoff.wait_ms
    assert long_ms >= 3000
    backoff.wake(11 * SECOND_US)
    assert long_ms // 2 < backoff.wait_ms <= long_ms // 2 * 2


def test_the_wait_is_never_shorter_than_the_first() -> None:
    backoff = HibernateBackoff("orders/0", 1000, 10_000)
    for _ in range(20):
        backoff.wake(60 * SECOND_US)
        assert 1000 < backoff.wait_ms <= 2 * 2000


def test_draws_follow_from_the_seed() -> None:
    def waits(seed: str) -> list[int]:
        backoff, drawn = HibernateBackoff(seed, 1000, 10_000), []
        for _ in range(3):
            backoff.wake(0)
            drawn.append(backoff.wait_ms)
        return drawn

    assert waits("a") == waits("a")
    assert len({tuple(waits(str(seed))) for seed in range(5)}) == 5
