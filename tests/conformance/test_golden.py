"""Every golden trace recorded from the broker, on both kinds of storage."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from engine.conformance.replay import replay
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from tests.conftest import RECORDINGS

TRACES = sorted(RECORDINGS.glob("[hr]*.json"))


def test_the_traces_are_there() -> None:
    assert len(TRACES) >= 137


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_trace_is_whole(path: Path) -> None:
    outcome = replay(json.loads(path.read_text()), LedgerStorage())
    assert outcome.whole, outcome.differences[:3]


@pytest.mark.parametrize("path", TRACES[::5], ids=lambda path: path.stem)
def test_trace_is_whole_on_real_files(path: Path, tmp_path: Path) -> None:
    with closing(DirectoryStorage(str(tmp_path))) as files:
        outcome = replay(json.loads(path.read_text()), files)
    assert outcome.whole, outcome.differences[:3]
