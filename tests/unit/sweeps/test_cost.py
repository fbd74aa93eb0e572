"""What a cell is guessed to cost follows what its run does message by message."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from engine import ENGINE_VERSION
from engine.broker.commands.client_commands import mean_of, pack, unpack
from sweeps import cost
from sweeps.cell import run_cell
from sweeps.cost import (
    ALONE_S,
    BURST_S,
    LEAST_S,
    TICK_S,
    TIMES_ON_VERSION_2,
    TOGETHER_S,
    guessed_after,
    guessed_s,
    times_the_guess,
)
from sweeps.grid import Axis, Grid, make_spec
from sweeps.plan import Plan, make_plan
from workloads.workload import checked

COUNT = 1000
SIZES = pack(range(COUNT))
BURST: dict[str, Any] = {"at_us": 0, "do": "publish", "count": COUNT, "size_bytes": 500}
OF_A_LOG = BURST | {"sizes": SIZES, "size_bytes": mean_of(unpack(SIZES, COUNT))}
PUBLISHER: dict[str, Any] = {"at_us": 0, "do": "set_publisher", "name": "p", "rate_per_s": 50}
SENDER = PUBLISHER | {"size_bytes": 500}
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


def plan_of(commands: list[dict[str, Any]], probe: bool) -> Plan:
    """Return a sweep of four cells in a small node."""
    grid = Grid(version=1, name="g", title="G", axes=AXES)
    workload = checked("w", scenario(commands, "classroom"))
    return make_plan(make_spec((workload,), grid), ENGINE_VERSION, probe=probe)


def test_the_estimate_is_scaled_by_what_the_beginning_of_a_run_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of([SENDER], probe=False)
    work_s = guessed_s(plan.cells[2].scenario) - LEAST_S
    monkeypatch.setattr(cost, "begun", lambda _scenario, _most_s: (5_000_000, 3 * work_s / 2))
    times = times_the_guess(plan.cells[2])
    assert times == pytest.approx((LEAST_S + 3 * work_s) / (LEAST_S + work_s))
    assert plan_of([SENDER], probe=True).estimate_s == pytest.approx(times * plan.estimate_s)


def test_a_run_that_cannot_begin_is_guessed_as_it_is() -> None:
    [cell, *_] = plan_of([SENDER], probe=False).cells
    refused = msgspec.structs.replace(cell, scenario=scenario([{"at_us": 0, "do": "no such verb"}]))
    assert times_the_guess(refused) == 1.0


@pytest.mark.parametrize(
    "commands",
    [
        [SENDER | {"rate_per_s": 30}, CONSUMER | {"rate_per_s": 20}],
        [{**BURST, "count": 100, "at_us": at_us} for at_us in range(0, 10_000_000, 1_000_000)],
    ],
    ids=["rates", "bursts"],
)
def test_a_sweep_takes_between_half_and_twice_its_guess(commands: list[dict[str, Any]]) -> None:
    """Both are of a processor, and of this process: how busy the machine is changes neither."""
    plan = plan_of(commands, probe=True)
    rows = [run_cell(cell, "build") for cell in plan.cells]
    taken_s = sum(row["cost_s"] for row in rows)
    guess_s = guessed_after(plan.cells, rows[2:3])
    assert guess_s / 2 < taken_s < guess_s * 2
    assert plan.estimate_s / 4 < taken_s < plan.estimate_s * 4, "before the first run"


AXES = (
    Axis(parameter="vm_memory_high_watermark", values=(0.2, 0.6)),
    Axis(parameter="vm_memory_high_watermark_paging_ratio", values=(0.3, 0.7)),
)


def scenario(commands: list[dict[str, Any]], profile: str = "real") -> dict[str, Any]:
    """Return ten seconds of a run."""
    return {"version": 1, "profile": profile, "settings": {}, "commands": commands, "until_us": 10_000_000}
