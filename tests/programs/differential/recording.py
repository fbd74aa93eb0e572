"""Steps of a trace on the real broker."""

from __future__ import annotations

from typing import Any

from engine.conformance.replay import Difference, Outcome, differing
from engine.formats.message import OWN_PREFIX
from tests.programs.differential.driver import Driver
from tests.programs.differential.installation import LATEST

ANSWERED = ("result", "drain", "after")
OVERHEAD = {"persistent": 163, "transient": 164, "persistent_empty": 153, "transient_empty": 154}


def question(step: dict[str, Any]) -> dict[str, Any]:
    """Return a step without what the broker answered."""
    return {name: value for name, value in step.items() if name not in ANSWERED}


def answer(driver: Driver, config: dict[str, Any], step: dict[str, Any]) -> dict[str, Any]:
    """Execute a step, where `init` begins a new queue."""
    return driver.begin(config, OWN_PREFIX) if step["op"] == "init" else driver.step(question(step))


def blank_trace(name: str, about: str, config: dict[str, Any], release: str = LATEST) -> dict[str, Any]:
    """Return a trace of a release without steps."""
    return {
        "format": "cq-trace/1",
        "name": name,
        "about": about,
        "source": f"RabbitMQ {release} rabbit_variable_queue",
        "config": {**config, "queue": "cq", "vhost": "/", "stored_overhead": OVERHEAD},
        "steps": [],
    }


def replay_on_broker(driver: Driver, trace: dict[str, Any]) -> Outcome:
    """Play a recorded trace on the broker; the driver is right if nothing differs."""
    differences: list[Difference] = []
    for number, step in enumerate(trace["steps"]):
        found = answer(driver, trace["config"], step)
        expected = {name: step[name] for name in ANSWERED if name in step}
        actual = {name: found[name] for name in ANSWERED if name in found}
        first = next(differing(expected, actual), None)
        if first is not None:
            differences.append(Difference(number, step["op"], *first))
    steps = len(trace["steps"])
    return Outcome(trace["name"], steps, steps - len(differences), tuple(differences))
