"""One cell: a whole node on the ledger, from the scenario to a row. The same cell gives the same row anywhere."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from engine import ENGINE_VERSION
from engine.broker.cluster import Cluster
from engine.broker.commands.settings import release_of
from engine.metrics import METRICS, PowerCut, RunMeter, is_answered, is_had
from engine.replay import RunPlayer, RunWitness, on_ledger
from engine.replay.player import KEEP_EVENTS
from engine.values.errors import RunTooLong
from sweeps.columns import COST, SERIES, Row, empty_outcome
from sweeps.errors import SweepError, kept
from sweeps.power_cut import cut_power
from sweeps.states import STATES, messages_by_state

MOST_TRANSITIONS = 2_000_000
"""A run that makes more is stopped and becomes a row with its error."""
MOST_A_MESSAGE = 10
"""Or more than so many for each message whose own size its scenario has: a log of a million goes in, out and away."""

BATCH = 500
"""Transitions between two checks of the log, if no single event makes more."""


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One run: a complete scenario, and where it is in the grid.

    Args:
        cell_id: hash of scenario and engine version; the same run has the same id in every sweep.
        workload: name of the workload that it came from.
        values: the parameter values that make it this cell.
        seed: the scenario's seed.
        scenario: the complete scenario, ready to be opened.
        series_points: points of the small series that it keeps.
        power_cut_us: when the power is cut, to count what is lost; None for the end of the run.
    """

    cell_id: str
    workload: str
    values: dict[str, int | float | bool | str]
    seed: int
    scenario: dict[str, Any]
    series_points: int
    power_cut_us: int | None = None


def run_cell(cell: Cell, engine_build: str) -> Row:
    """Run one cell and return its row of `spark_jobs.schema.CELLS`.

    Args:
        cell: the run.
        engine_build: fingerprint of the engine's sources, noted in the row.

    Returns:
        the metrics, the digest and a small series; or, whatever went wrong, the identity and the failure, as
        `sweeps.errors.kept` writes it.
    """
    began = time.process_time()
    row: Row = {
        "cell_id": cell.cell_id,
        "workload": cell.workload,
        "seed": cell.seed,
        "values": msgspec.json.encode(cell.values).decode(),
        "scenario": msgspec.json.encode(cell.scenario).decode(),
        "engine_version": ENGINE_VERSION,
        "engine_build": engine_build,
        **empty_outcome(),
    }
    try:
        with _collected_at_the_end():
            row.update(outcome(cell))
    except Exception as error:  # noqa: BLE001 - one bad cell must not end the sweep; its row has the error
        row["error"] = kept(error)
    row[COST] = time.process_time() - began
    return row


@contextmanager
def _collected_at_the_end() -> Iterator[None]:
    """Let Python look for garbage seldom while a node runs, which makes none in circles, and once when it is gone."""
    before = gc.get_threshold()
    gc.set_threshold(20_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.collect()


PIECES = 40
"""In how many a run is begun to be timed."""


def begun(scenario: dict[str, Any], most_s: float) -> tuple[int, float]:
    """Begin a run to see what it costs.

    Args:
        scenario: the run.
        most_s: of a processor, about, after which it is left.

    Returns:
        How many microseconds of it were played, and the seconds of a processor that took.
    """
    began = time.process_time()
    node = on_ledger(scenario, KEEP_EVENTS)
    most = most_transitions(scenario)
    player, meter, witness = RunPlayer(node, most=most, whole=True), RunMeter(), RunWitness(node)
    reached_us, took_s = 0, 0.0
    for piece in range(1, PIECES + 1):
        reached_us = scenario["until_us"] * piece // PIECES
        play(player, meter, witness, reached_us, most)
        took_s = time.process_time() - began
        if took_s >= most_s:
            break
    return reached_us, took_s


def outcome(cell: Cell) -> Row:
    """Run the scenario to its end on the ledger; return digest, metrics and series.

    The series are samples at equal distances of virtual time, the last one at the end. A metric of what the release
    does not have is None, and so is one that the scenario does not answer (`engine.metrics.is_answered`).

    Raises:
        SweepError: the run made more than `most_transitions`.
        engine.values.errors.EngineError: the engine refused the scenario or a command.
    """
    node = on_ledger(cell.scenario, KEEP_EVENTS)
    most = most_transitions(cell.scenario)
    player = RunPlayer(node, most=most, whole=True)
    until_us = cell.scenario["until_us"]
    meter, witness = RunMeter(), RunWitness(node)
    series: dict[str, list[int]] = {name: [] for name in SERIES}
    for point in range(1, cell.series_points + 1):
        play(player, meter, witness, until_us * point // cell.series_points, most)
        series["series_ram_bytes"].append(meter.levels.ram_bytes)
        series["series_ready"].append(meter.levels.ready)
        by_state = messages_by_state(node.snapshot())
        for state in STATES:
            series[f"series_{state}"].append(by_state[state])
    digest = node.log.digest
    refused, lost = len(node.refused), witness.lost()
    counted = meter.row(until_us, refused, _power_cut(cell, node), lost)
    release = release_of(cell.scenario["profile"], cell.scenario.get("settings", {}))
    missing = {
        name: None for name in METRICS if not (is_had(release, name) and is_answered(cell.scenario, name))
    }
    return {"digest": digest, **counted, **missing, **series}


def _power_cut(cell: Cell, node: Cluster) -> PowerCut:
    """Cut the power where the sweep asks for it: at the end of this run, or earlier, in a second run up to there."""
    if cell.power_cut_us is None:
        return cut_power(node)
    fork = on_ledger(cell.scenario)
    RunPlayer(fork).finish(min(cell.power_cut_us, cell.scenario["until_us"]))
    return cut_power(fork)


def most_transitions(scenario: dict[str, Any]) -> int:
    """Return how many transitions a run of this scenario may make."""
    bursts = (each for each in scenario["commands"] if each.get("sizes") or each.get("expirations"))
    of_a_log = sum(each.get("count", 1) for each in bursts)
    return max(MOST_TRANSITIONS, MOST_A_MESSAGE * of_a_log)


def play(
    player: RunPlayer, meter: RunMeter, witness: RunWitness, until_us: int, most: int = MOST_TRANSITIONS
) -> None:
    """Go on to a virtual time, and count every transition since the last, the node's first ones too.

    Raises:
        SweepError: the run, or one event of it, made more transitions than it may.
    """
    try:
        for piece in player.play(until_us, BATCH):
            for at_us, transition in zip(piece.at_us, piece.rows, strict=True):
                meter.observe(at_us, transition)
                witness.observe(transition)
    except RunTooLong as error:
        if error.bound == "event":
            raise SweepError("event_too_long", most=KEEP_EVENTS) from None
        raise SweepError("cell_too_long", most=most) from None
