"""What a cell is guessed to cost follows what its run does message by message."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.commands.client_commands import mean_of, pack, unpack
from sweeps.cost import ALONE_S, BURST_S, LEAST_S, TICK_S, TIMES_ON_VERSION_2, TOGETHER_S, guessed_s

COUNT = 1000
SIZES = pack(range(COUNT))
BURST: dict[str, Any] = {"at_us": 0, "do": "publish", "count": COUNT, "size_bytes": 500}
OF_A_LOG = BURST | {"sizes": SIZES, "size_bytes": mean_of(unpack(SIZES, COUNT))}
PUBLISHER: dict[str, Any] = {"at_us": 0, "do": "set_publisher", "name": "p", "rate_per_s": 50}
CONSUMER: dict[str, Any] = {"at_us": 0, "do": "set_consumer", "name": "c", "rate_per_s": 50, "ack": "each"}
PAUSED = PUBLISHER | {"at_us": 1_000_000, "running": False}
GONE = {"at_us": 2_000_000, "do": "remove", "name": "c"}


@pytest.mark.parametrize(
    ("commands", "more_s"),
    [
        ([BURST], 0),
        ([OF_A_LOG], COUNT * TOGETHER_S),
        ([PUBLISHER], 500 * (ALONE_S + TICK_S)),
        ([PUBLISHER | {"rate_per_s": 1000}], 10_000 * ALONE_S + 1000 * TICK_S),
        ([PUBLISHER, PAUSED], 50 * (ALONE_S + TICK_S)),
        ([BURST, CONSUMER], 500 * (ALONE_S + TICK_S)),
        ([BURST, CONSUMER, GONE], 100 * (ALONE_S + TICK_S)),
        ([BURST, CONSUMER | {"ack": "multiple"}], 500 * TICK_S),
        ([BURST, CONSUMER | {"rate_per_s": 5000}], COUNT * (ALONE_S + TICK_S)),
        ([BURST, CONSUMER | {"ack": "multiple", "tick_ms": 100}], 100 * TICK_S),
    ],
)
def test_what_is_done_by_itself_costs_most(commands: list[dict[str, Any]], more_s: float) -> None:
    bursts = sum(each["do"] == "publish" for each in commands)
    assert guessed_s(scenario(commands)) == pytest.approx(LEAST_S + bursts * BURST_S + more_s)


def test_a_log_costs_more_on_version_2() -> None:
    before, today = (guessed_s(scenario([OF_A_LOG], profile)) for profile in ("real", "4.3.6"))
    assert today == pytest.approx(before + COUNT * TOGETHER_S * (TIMES_ON_VERSION_2 - 1))
    assert guessed_s(scenario([BURST], "4.3.6")) == guessed_s(scenario([BURST]))


def scenario(commands: list[dict[str, Any]], profile: str = "real") -> dict[str, Any]:
    """Return ten seconds of a run."""
    return {"version": 1, "profile": profile, "settings": {}, "commands": commands, "until_us": 10_000_000}
