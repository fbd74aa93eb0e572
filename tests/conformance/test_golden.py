"""Every golden trace recorded from the broker, on both kinds of storage."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from engine.releases import PROFILES
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from tests.conftest import RECORDINGS
from tools.proofs.conformance.door import settings_of
from tools.proofs.conformance.replay import replay

OLD = sorted(RECORDINGS.glob("3.8.9/*.json"))
CRASHES = sorted(RECORDINGS.glob("3.8.9/crashes/*.json"))
TRACES = [*sorted(RECORDINGS.glob("[hr]*.json")), *OLD, *CRASHES]


def test_the_traces_are_there() -> None:
    assert (len(TRACES), len(OLD), len(CRASHES)) == (298, 156, 5)


def test_a_trace_names_its_release() -> None:
    for word in ("articles", "real"):
        release, scale = PROFILES[word]
        source = f"RabbitMQ {release.name} rabbit_variable_queue"
        assert settings_of(source) == release.storage_settings(scale, {})
    with pytest.raises(ValueError, match="names no release"):
        settings_of("RabbitMQ 3.80.1")


@pytest.mark.parametrize("path", CRASHES, ids=lambda path: path.stem)
def test_a_process_that_crashed_elsewhere_or_for_another_reason_is_a_difference(path: Path) -> None:
    trace = json.loads(path.read_text())
    elsewhere = {**trace, "crashes_at": {"op": "timeout"}}
    assert [each.actual for each in replay(elsewhere, LedgerStorage()).differences] == ["does not crash"]
    otherwise = {**trace, "reason": ", [{rabbit_misc,oops,[]}]"}
    assert "instead of [{rabbit_misc,oops" in replay(otherwise, LedgerStorage()).differences[0].actual


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_trace_is_whole(path: Path) -> None:
    outcome = replay(json.loads(path.read_text()), LedgerStorage())
    assert outcome.whole, outcome.differences[:3]


@pytest.mark.parametrize("path", TRACES[::5], ids=lambda path: path.stem)
def test_trace_is_whole_on_real_files(path: Path, tmp_path: Path) -> None:
    with closing(DirectoryStorage(str(tmp_path))) as files:
        outcome = replay(json.loads(path.read_text()), files)
    assert outcome.whole, outcome.differences[:3]
