"""What a cell of a real log consists of: a consumer's ticks, and messages that expire. Neither gets dearer."""

from __future__ import annotations

import random
import sys
from types import FrameType
from typing import Any

import pytest

from engine.broker.commands.client_commands import mean_of, pack, pack_expirations, unpack
from engine.broker.queues.deliveries import FinishedMessages
from engine.metrics import RunMeter
from engine.replay import RunPlayer, RunWitness, on_ledger
from sweeps.cell import play

pytestmark = pytest.mark.sources

SECOND_US = 1_000_000


A_SECOND = 280


def scenario(seconds: int, expire: bool = False) -> dict[str, Any]:
    """Return bursts of 280 messages a second, half of them persistent, and a consumer that takes 300 a second.

    Args:
        expire: whether each message expires at a time of its own, after a second at least.
    """
    draw = random.Random(1)
    commands: list[dict[str, Any]] = [
        {
            "at_us": 0,
            "do": "set_consumer",
            "name": "c1",
            "rate_per_s": 300,
            "prefetch": 100,
            "ack": "multiple",
        }
    ]
    for second in range(seconds):
        for persistent in (False, True):
            count = A_SECOND // 2
            packed = pack([round(draw.lognormvariate(7.3, 0.9)) for _ in range(count)])
            own = {"sizes": packed, "size_bytes": mean_of(unpack(packed, count)), "persistent": persistent}
            if expire:
                own["expirations"] = pack_expirations(sorted(draw.sample(range(1000, 3_600_000), count)))
            commands.append({"at_us": second * SECOND_US, "do": "publish", "count": count, **own})
    return {"version": 1, "profile": "real", "commands": commands, "until_us": seconds * SECOND_US}


def test_a_tick_takes_no_more_calls() -> None:
    """Calls of Python and of built-in functions, with what the metrics count: they were 694."""
    calls, ticks = counted(scenario(20))
    assert 900 < ticks <= 1000, calls / ticks
    assert calls <= 432 * ticks, calls / ticks


def test_a_message_that_expires_at_its_own_time_takes_no_more_calls() -> None:
    """Each has a template of its own; one by one they took 445."""
    calls, _ticks = counted(scenario(20, expire=True))
    assert calls <= 300 * 10 * A_SECOND, calls / (10 * A_SECOND)


def counted(given: dict[str, Any]) -> tuple[int, int]:
    """Return the calls and the consumer's ticks in the ten seconds after the fifth of a run."""
    node = on_ledger(given)
    player, meter, witness = RunPlayer(node, whole=True), RunMeter(), RunWitness(node)
    play(player, meter, witness, 5 * SECOND_US)
    calls = ticks = 0
    work = FinishedMessages._work.__code__

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal calls, ticks
        calls += event in ("call", "c_call")
        ticks += event == "call" and frame.f_code is work

    sys.setprofile(note)
    try:
        play(player, meter, witness, 15 * SECOND_US)
    finally:
        sys.setprofile(None)
    return calls, ticks
