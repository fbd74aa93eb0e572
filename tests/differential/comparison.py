"""One program on both sides: recorded on the broker, replayed on the engine, shortened when they differ."""

from __future__ import annotations

from typing import Any

from engine.conformance.replay import Outcome, replay
from engine.storage.ledger import LedgerStorage
from tests.differential.driver import BrokerRefused, Driver
from tests.differential.programs import Program
from tests.differential.recording import ANSWERED, answer, blank_trace, question, record

SHRINK_TRIES = 150


def run_on_broker(driver: Driver, seed: int) -> tuple[dict[str, Any], str | None]:
    """Run a program on the broker; return its trace, and the broker's error if it raised one on a last step."""
    program = Program(seed)
    trace = blank_trace(f"d{seed}", f"random program, generator seed {seed}", program.config)
    step: dict[str, Any] = {"op": "init"}
    for _ in range(program.steps):
        try:
            found = answer(driver, trace["config"], step)
        except BrokerRefused as error:
            return trace, f"{step}: {error}"
        trace["steps"].append({**step, **{name: found[name] for name in ANSWERED if name in found}})
        program.seen(found["after"], found["pending_tags"])
        step = program.next()
    return trace, None


def run_on_engine(trace: dict[str, Any]) -> Outcome:
    """Replay a recorded trace on the engine."""
    return replay(trace, LedgerStorage())


def shrink(driver: Driver, trace: dict[str, Any], outcome: Outcome) -> tuple[dict[str, Any], Outcome]:
    """Leave out steps for as long as the two sides still differ; return the shorter trace and how it differs."""
    best, how = _until_difference(trace, outcome), outcome
    tries = 0
    width = max(1, len(best["steps"]) // 2)
    while width:
        at = 1
        while at < len(best["steps"]) and tries < SHRINK_TRIES:
            tries += 1
            steps = best["steps"][:at] + best["steps"][at + width :]
            found = _differs(driver, {**best, "steps": steps})
            if found is None:
                at += width
            else:
                best, how = found
        width //= 2
    return best, how


def _until_difference(trace: dict[str, Any], outcome: Outcome) -> dict[str, Any]:
    last = outcome.differences[0].step
    return {**trace, "steps": trace["steps"][: last + 1]}


def _differs(driver: Driver, trace: dict[str, Any]) -> tuple[dict[str, Any], Outcome] | None:
    try:
        recorded = record(driver, trace, [question(step) for step in trace["steps"]])
    except BrokerRefused:
        return None
    outcome = run_on_engine(recorded)
    if outcome.whole:
        return None
    return _until_difference(recorded, outcome), outcome
