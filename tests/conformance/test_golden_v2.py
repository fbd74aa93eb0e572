"""Every trace of a queue of version 2, recorded from the broker, on both kinds of storage."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from tests.conftest import RECORDINGS
from tools.proofs.conformance.replay import replay_v2

RELEASES = {"4.3.6": 73, "4.0.5": 74, "3.10.8": 89}
"""How many recordings there are of each release; each of them is whole."""
TRACES = sorted(path for release in RELEASES for path in (RECORDINGS / "v2" / release).glob("*.json"))


def named(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


def test_the_traces_are_there() -> None:
    """W210: as many of either release."""
    found = {release: sum(path.parent.name == release for path in TRACES) for release in RELEASES}
    assert found == RELEASES


@pytest.mark.parametrize("path", TRACES, ids=named)
def test_trace_is_whole(path: Path) -> None:
    """W194, W195, W209 and all that follows: each step, and each byte of each file."""
    outcome = replay_v2(json.loads(path.read_text()), LedgerStorage())
    assert outcome.whole, outcome.differences[:3]


@pytest.mark.parametrize("path", TRACES[::11], ids=named)
def test_trace_is_whole_on_real_files(path: Path, tmp_path: Path) -> None:
    with closing(DirectoryStorage(str(tmp_path))) as files:
        outcome = replay_v2(json.loads(path.read_text()), files)
    assert outcome.whole, outcome.differences[:3]
