"""What a cell of a real log mostly consists of: a consumer finishes a few messages each tick. It gets no dearer."""

from __future__ import annotations

import random
import sys
from types import FrameType
from typing import Any

from engine.broker.commands.packed import mean_of, pack, unpack
from engine.broker.queues.finishing import Finishing
from engine.metrics import Meter
from engine.replay import Player, Witness, on_ledger
from sweeps.cell import play

SECOND_US = 1_000_000


def scenario(seconds: int) -> dict[str, Any]:
    """Return bursts of 280 messages a second, half of them persistent, and a consumer that takes 300 a second."""
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
            packed = pack([round(draw.lognormvariate(7.3, 0.9)) for _ in range(140)])
            sizes = {"sizes": packed, "size_bytes": mean_of(unpack(packed, 140)), "persistent": persistent}
            commands.append({"at_us": second * SECOND_US, "do": "publish", "count": 140, **sizes})
    return {"version": 1, "profile": "real", "commands": commands, "until_us": seconds * SECOND_US}


def test_a_tick_takes_no_more_calls() -> None:
    """Calls of Python and of built-in functions, with what the metrics count: they were 694."""
    node = on_ledger(scenario(20))
    player, meter, witness = Player(node, whole=True), Meter(), Witness(node)
    play(player, meter, witness, 5 * SECOND_US)
    calls = ticks = 0
    work = Finishing._work.__code__

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal calls, ticks
        calls += event in ("call", "c_call")
        ticks += event == "call" and frame.f_code is work

    sys.setprofile(note)
    try:
        play(player, meter, witness, 15 * SECOND_US)
    finally:
        sys.setprofile(None)
    assert 900 < ticks <= 1000, calls / ticks
    assert calls <= 432 * ticks, calls / ticks
