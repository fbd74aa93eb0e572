"""Traces in which engine and broker once differed: recorded from the broker, shortened, kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.storage.ledger import LedgerStorage
from tools.proofs.conformance.replay import replay, replay_v2

FOUND = sorted((Path(__file__).parent / "found").glob("*.json"))


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_what_once_differed_is_equal(path: Path) -> None:
    trace = json.loads(path.read_text())
    play = replay_v2 if trace["format"] == "cq-trace/2" else replay
    outcome = play(trace, LedgerStorage())
    assert outcome.whole, outcome.differences[:3]
