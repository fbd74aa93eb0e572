"""The chain of processes reaches the rates that the calibration's own model predicts, without knowing them."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.storage.ledger import LedgerStorage

MESSAGES = 30_000
STEP_US = 5000
TOLERANCE = 0.3
"""The model itself is up to a factor of two off; this is about the processes, their mailboxes and credit."""


@pytest.fixture(scope="module")
def predicted(calibration_file: dict[str, Any]) -> dict[str, float]:
    found = (each for each in calibration_file["validation"] if each["kind"] == "time")
    return {each["name"][:2]: each["predicted_rate"] for each in found}


def new_node() -> Cluster:
    settings = {"work_profile": "measured-vm", "ram_bytes": 2**36}
    return Cluster(parse({"version": 1, "profile": "real", "settings": settings}), LedgerStorage())


def burst(size_bytes: int, **more: Any) -> dict[str, Any]:
    return {"do": "publish", "count": MESSAGES, "size_bytes": size_bytes, **more}


def consumer(ack: str) -> dict[str, Any]:
    return {"do": "set_consumer", "name": "c1", "rate_per_s": 1_000_000, "prefetch": 0, "ack": ack}


def rate_of(node: Cluster, acked: bool) -> float:
    """Return messages per second until all are confirmed, or acknowledged."""
    began_us = node.now_us
    while (node.consumers.all["c1"].acked if acked else node.connections.burst.confirmed) < MESSAGES:
        node.advance(node.now_us + STEP_US)
    return MESSAGES * 1_000_000 / (node.now_us - began_us)


@pytest.mark.parametrize(
    ("name", "size_bytes", "persistent"), [("W1", 2000, False), ("W2", 600, True), ("W4", 12_000, True)]
)
def test_publishing_with_confirms(
    predicted: dict[str, float], name: str, size_bytes: int, persistent: bool
) -> None:
    node = new_node()
    node.submit(burst(size_bytes, persistent=persistent, confirm=True))
    assert rate_of(node, acked=False) == pytest.approx(predicted[name], rel=TOLERANCE)


def test_flowing_through(predicted: dict[str, float]) -> None:
    node = new_node()
    node.submit(consumer("each"))
    node.submit(burst(300))
    assert rate_of(node, acked=True) == pytest.approx(predicted["W3"], rel=TOLERANCE)


def test_draining(predicted: dict[str, float]) -> None:
    node = new_node()
    node.submit(burst(5000))
    node.advance(10_000_000)
    node.submit(consumer("multiple"))
    assert rate_of(node, acked=True) == pytest.approx(predicted["W5"], rel=TOLERANCE)
