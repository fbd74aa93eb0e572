"""About how long a cell takes that nobody has timed: what happens message by message is what a run costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.backing_queue.message_places import CLASSIC_V2
from engine.broker.commands.base import TICK_MS
from engine.releases import PROFILES
from engine.values.errors import EngineError
from sweeps.cell import Cell, begun, run_cell
from sweeps.columns import COST, Row
from sweeps.errors import SweepError
from sweeps.parameters import Scenario
from workloads.workload import at_work, messages

LEAST_S: Final = 0.05
ALONE_S: Final = 40e-6
"""For a message that is published, or taken and acknowledged, by itself.

With the next three, chosen by what fourteen cells at 10 to 5,000 messages a second took of engine 0.4.0, on a machine
whose yardstick (bench) is 0.067 s: from half of what is guessed to half as much again on 3.x, up to twice on 4.x.
"""
TICK_S: Final = 60e-6
"""For each tick in which a publisher or a consumer does something."""
BURST_S: Final = 200e-6
"""For a burst."""
TOGETHER_S: Final = 6e-6
"""For a message with a size of its own in a burst that enters as one step (bench imported_log)."""
TIMES_ON_VERSION_2: Final = 1.8
"""How often that on queues of version 2, whose index and bodies have files of their own, by the same measurement."""


def guessed_s(scenario: Scenario) -> float:
    """Return about how many seconds of a processor a cell takes that nobody has timed.

    Equal messages of a burst cost next to nothing beside the burst, and those with sizes of their own are one step; a
    consumer that acknowledges one by one takes each by itself.
    """
    bursts = [each for each in scenario["commands"] if each["do"] == "publish"]
    of_a_log = sum(each["count"] for each in bursts if each.get("sizes") or each.get("expirations"))
    alone = ticks = 0.0
    for publisher, seconds in at_work(scenario, "set_publisher"):
        published = (publisher.get("rate_per_s") or 0.0) * seconds
        alone += published
        ticks += min(published, seconds * 1000 / TICK_MS)
    left = float(messages(scenario))
    for consumer, seconds in at_work(scenario, "set_consumer"):
        taken = min(left, consumer.get("rate_per_s", 1) * seconds)
        left -= taken
        alone += 0 if consumer.get("ack") == "multiple" else taken
        ticks += min(taken, seconds * 1000 / consumer.get("tick_ms", TICK_MS))
    version_2 = PROFILES[scenario["profile"]].release.storage.name == CLASSIC_V2
    together_s = TOGETHER_S * (TIMES_ON_VERSION_2 if version_2 else 1)
    return LEAST_S + ALONE_S * alone + TICK_S * ticks + BURST_S * len(bursts) + together_s * of_a_log


PROBE_S: Final = 1.0
"""Of a processor, about: what is spent on a run's beginning before a sweep of such runs is promised."""


def times_the_guess(cell: Cell) -> float:
    """Return how many times its guess a cell takes here: it is run, or its beginning. 1 where it cannot be run."""
    scenario, guess = cell.scenario, guessed_s(cell.scenario)
    try:
        reached_us, took_s = begun(scenario, PROBE_S)
    except (SweepError, EngineError):
        return 1.0
    if reached_us == scenario["until_us"]:
        whole_s: float = run_cell(cell, "")[COST]
        return whole_s / guess
    commands = [each for each in scenario["commands"] if each.get("at_us", 0) <= reached_us]
    part = guessed_s({**scenario, "commands": commands, "until_us": reached_us})
    work = guess - LEAST_S
    share = max(reached_us / scenario["until_us"], (part - LEAST_S) / work if work else 0.0)
    return (LEAST_S + took_s / share) / guess


def guessed_after(cells: Sequence[Cell], rows: Sequence[Row]) -> float:
    """Return about how many seconds of a processor cells take, by the rows of those that have been run."""
    guesses = {cell.cell_id: guessed_s(cell.scenario) for cell in cells}
    timed = sum(guesses[row["cell_id"]] for row in rows)
    return sum(guesses.values()) * sum(row[COST] for row in rows) / timed
