"""Traces in which engine and broker once differed: recorded from the broker, shortened, kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.conformance.replay import replay
from engine.storage.ledger import LedgerStorage

FOUND = sorted((Path(__file__).parent / "found").glob("*.json"))


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_what_once_differed_is_equal(path: Path) -> None:
    outcome = replay(json.loads(path.read_text()), LedgerStorage())
    assert outcome.whole, outcome.differences[:3]
