"""Data directories of a real 3.8.9: what the broker gave after its next start, the engine gives as well (V6, V10)."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from playground.inspecting import rehearsal, revival
from playground.inspecting.uploads import ReleaseChoice
from tests.conftest import RECORDINGS
from tests.fuzz.damage import load
from tools.proofs.interop.host import DirectoryHost, TakenMessage

PACKED = sorted((RECORDINGS / "3.8.9" / "datadirs").glob("*.tar.xz"))
STOPPED = sorted((RECORDINGS / "3.8.9" / "stopped").glob("*.tar.xz"))
Run = list[Any]


@pytest.fixture(params=PACKED, ids=lambda path: path.name.partition(".")[0])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    with tarfile.open(request.param) as tar:
        tar.extractall(tmp_path, filter="data")
    [found] = tmp_path.iterdir()
    return found


def recovered(place: Path) -> dict[str, dict[str, Any]]:
    """Return what the broker gave after its next start, by queue."""
    manifest = json.loads((place / "manifest.json").read_text())
    return {each["queue"]: each for each in manifest["recovered_by_the_broker"]}


def runs(seen: list[TakenMessage]) -> list[Run]:
    """Return messages as the manifests list them: [first, last, redelivered, persistent, body bytes]."""
    found: list[Run] = []
    for each in seen:
        number = int(each.body[1:7])
        listed = each.properties or {}
        alike = [each.redelivered, listed.get("delivery_mode") == 2, len(each.body)]
        if found and found[-1][1] + 1 == number and found[-1][2:] == alike:
            found[-1][1] = number
        else:
            found.append([number, number, *alike])
    return found


def test_there_are_six() -> None:
    assert len(PACKED) == 6


def test_what_the_broker_recovered(place: Path) -> None:
    """V10: after a kill everything counts as delivered, after an orderly stop only what was."""
    host = DirectoryHost(place)
    host.recover()
    expected = recovered(place)
    assert host.settings.flags_deliveries
    assert {name: runs(host.take(name)[0]) for name in host.queues} == {
        name: each["runs"] for name, each in expected.items()
    }


def test_inspect_and_its_start(place: Path) -> None:
    """V6: that there is no `.config` is no damage; what is live is what a start brings back."""
    files = {path: data for path, data in load(place).items() if path != "manifest.json"}
    report = revival.report_on(files)
    assert report["damage"] == []
    assert (report["release"], report["segment_entry_count"]) == ("3.8", 16384)
    revived = revival.revive(files, report, ReleaseChoice(day=1.0))
    assert revived is not None
    assert (revived.failure, revived.scenario["profile"]) == (None, "articles")
    rows = {row["name"]: row for row in rehearsal.queue_rows(report, revived)}
    for name, each in recovered(place).items():
        row = rows[name]
        assert (row["live"], row["back"]) == (each["messages"], each["messages"])
        if row["delivered"] is not None:
            assert row["redelivered"] == each["redelivered"]


@pytest.fixture(params=STOPPED, ids=lambda path: path.name.partition(".")[0])
def stopped(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    with tarfile.open(request.param) as tar:
        tar.extractall(tmp_path, filter="data")
    [found] = tmp_path.iterdir()
    return found


def test_a_start_that_ends_the_process_is_said_beforehand(stopped: Path) -> None:
    """V8: on these directories, which it had stopped in order, the real node's next start crashed the queue."""
    manifest = json.loads((stopped / "manifest.json").read_text())
    files = {path: data for path, data in load(stopped).items() if path != "manifest.json"}
    report = revival.report_on(files)
    [damage] = report["damage"]
    assert (damage["code"], damage["values"]) == ("start_ends_process", {"function": manifest["function"]})
    revived = revival.revive(files, report, ReleaseChoice(day=1.0))
    [row] = rehearsal.queue_rows(report, revived)
    assert row["back"] == row["redelivered"] == manifest["recovered_by_the_broker"]
    assert row["live"] == manifest["before"] - manifest["taken"], (
        "what was acknowledged in between comes back"
    )


def test_without_the_old_journal_the_start_is_a_clean_one(stopped: Path) -> None:
    """V8: a journal without records leaves nothing to be applied twice."""
    files = load(stopped)
    [journal] = [path for path in files if path.endswith("journal.jif")]
    report = revival.report_on({**files, journal: b""})
    assert [each["code"] for each in report["damage"] if each["code"] == "start_ends_process"] == []
