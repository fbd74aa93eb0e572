"""Steps of a trace on the real broker."""

from __future__ import annotations

from typing import Any

from engine.formats.message import OWN_PREFIX
from tools.proofs.conformance.picks import picked
from tools.proofs.conformance.replay import Difference, Outcome, differing
from tools.proofs.differential.driver import Driver
from tools.proofs.differential.installation import LATEST, TODAYS

ANSWERED = ("result", "drain", "after")
OVERHEAD = {"persistent": 163, "transient": 164, "persistent_empty": 153, "transient_empty": 154}


def question(step: dict[str, Any]) -> dict[str, Any]:
    """Return a step without what the broker answered."""
    return {name: value for name, value in step.items() if name not in ANSWERED}


def answer(driver: Driver, config: dict[str, Any], step: dict[str, Any]) -> dict[str, Any]:
    """Execute a step, where `init` begins a new queue."""
    if step["op"] == "init":
        return driver.begin(config, None if "out_rate" in config else OWN_PREFIX)
    return _burst(driver, step) if step["op"] == "burst" else driver.step(question(step))


def _burst(driver: Driver, step: dict[str, Any]) -> dict[str, Any]:
    """Make calls while both stores stand still; one inside may choose its tags among those pending by then."""
    pending = driver.step({"op": "suspend", "inside": True})["pending_tags"]
    results = []
    for each in step["steps"]:
        call = {**each, "inside": True}
        if "pick" in call:
            tags = [tag for first, last in pending for tag in range(first, last + 1)]
            call["tags"] = [[tag, tag] for tag in picked(call.pop("pick"), tags)]
        found = driver.step(call)
        if "pending_tags" not in found:  # the queue's process died
            return found
        results.append(found["result"])
        pending = found["pending_tags"]
    return {**driver.step({"op": "go_on"}), "result": {"results": results}}


def blank_trace(name: str, about: str, config: dict[str, Any], release: str = LATEST) -> dict[str, Any]:
    """Return a trace of a release without steps."""
    if release in TODAYS:
        return {
            "format": "cq-trace/2",
            "name": name,
            "about": about,
            "source": f"RabbitMQ {release} rabbit_variable_queue, storage version 2",
            "config": {**config, "queue": "cq", "vhost": "/"},
            "steps": [],
        }
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
