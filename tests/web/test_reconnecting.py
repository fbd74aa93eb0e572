"""A database that was away for minutes: connections to it are tried anew every few seconds, not ever more rarely."""

from __future__ import annotations

from typing import Any

from psycopg_pool.pool import AttemptWithBackoff

LONGEST_S = 4.0


def test_a_database_that_is_back_is_found_within_seconds(settings: Any) -> None:
    attempt = AttemptWithBackoff(timeout=settings.RECONNECTS_S)
    now_s, pauses_s = 0.0, list[float]()
    while not attempt.time_to_give_up(now_s):
        attempt.update_delay(now_s)
        pauses_s.append(attempt.delay)
        now_s += attempt.delay
    assert len(pauses_s) > 1
    assert max(pauses_s) <= LONGEST_S
