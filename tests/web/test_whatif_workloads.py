"""manage.py import_workload and export_workloads: from a log and from sessions to the store that sweeps read."""

from __future__ import annotations

import tracemalloc
from datetime import timedelta
from io import BufferedReader, BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from playground.models import Session
from playground.records import kept_runs
from tests.web import record
from workloads import store
from workloads.imports import KINDS
from workloads.workload import shipped


@pytest.fixture
def var(tmp_path: Path, settings: Any) -> Path:
    """Return a directory that takes the place of var/."""
    settings.VAR_DIR = tmp_path
    return tmp_path


def run(name: str, *arguments: Any) -> str:
    """Run a command of manage.py and return what it says."""
    out = StringIO()
    call_command(name, *map(str, arguments), stdout=out)
    return out.getvalue()


def recorded_session(seen_ago: timedelta) -> Session:
    """Return a session in which somebody did something."""
    blank = kept_runs.blank_scenario("classroom")
    session = kept_runs.start_session({**blank, "title": "Alice's session"})
    given = {"do": "set_publisher", "name": "alice", "rate_per_s": 5, "size_bytes": 9}
    record.record_command(session.public_id, 0, 1000, given)
    Session.objects.filter(pk=session.pk).update(reached_us=2_000_000, last_seen=timezone.now() - seen_ago)
    return session


@pytest.mark.django_db
def test_sessions_library_imports_and_our_own_are_exported_once(var: Path) -> None:
    session = recorded_session(timedelta(hours=2))
    recorded_session(timedelta(seconds=1))  # somebody may still be in it
    kept_runs.start_session(kept_runs.blank_scenario("classroom"))  # nothing was done in it
    burst = {"at_us": 0, "do": "publish", "count": 5, "size_bytes": 10}
    library = {**kept_runs.blank_scenario("classroom"), "title": "First", "commands": [burst]}
    kept_runs.put_in_library("1-first", library)
    (var / "arrivals.csv").write_text("at_s,size_bytes\n0,10\n1,20\n")
    run("import_workload", "csv", var / "arrivals.csv", "--name", "mine")
    uri = (var / "store").as_uri()
    printed = run("export_workloads", uri)
    assert "session: 1 workloads, 1 new" in printed
    assert f"shipped: {len(shipped())} workloads, {len(shipped())} new" in printed
    by_name = {each.name: each for each in store.read(uri)}
    assert by_name["mine"].source == "import"
    assert by_name["1-first"].source == "library"
    kept = next(each for name, each in by_name.items() if name.startswith("session-"))
    assert kept.scenario["commands"][0]["name"] == "p1"
    assert kept.scenario["until_us"] == 2_000_000
    everything = b"".join(path.read_bytes() for path in (var / "store").rglob("*.parquet"))
    everything += str([each.scenario for each in by_name.values()]).encode()
    assert b"lice" not in everything
    assert session.public_id.encode() not in everything
    assert "session: 1 workloads, 0 new" in run("export_workloads", uri)
    assert "session" not in run("export_workloads", uri, "--no-sessions")


def test_an_import_says_what_it_made(var: Path) -> None:
    (var / "run.txt").write_text("perf-test --rate 100 -s 500 -z 5\n")
    printed = run("import_workload", "perf-test", var / "run.txt", "--name", "nightly", "--consumer-rate", 90)
    assert "about 500 messages" in printed
    assert (var / "workloads" / "nightly.json").exists()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_log_in_the_encodings_of_spreadsheets_and_power_shell(var: Path, encoding: str) -> None:
    """A byte order mark was once a part of the first column's name, which then was not known."""
    (var / "saved.csv").write_bytes("at_s,size_bytes\r\n0,10\r\n1,20\r\n".encode(encoding))
    assert "about 2 messages" in run("import_workload", "csv", var / "saved.csv", "--name", "saved")


def test_a_log_from_the_standard_input_may_have_bytes_that_are_no_text(
    var: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    piped = BufferedReader(BytesIO(b"at_s,size_bytes\n0,10\n1,\xff\n"))  # type: ignore[arg-type]
    monkeypatch.setattr("sys.stdin", TextIOWrapper(piped, "utf-8"))
    with pytest.raises(CommandError, match="line 3"):
        run("import_workload", "csv", "-", "--name", "piped")


@pytest.mark.parametrize("kind", KINDS)
def test_no_more_of_an_endless_line_is_read_than_is_refused(var: Path, kind: str) -> None:
    """Such a line of 256 MB once was in memory before it was refused."""
    with (var / "endless.txt").open("wb") as log:
        log.truncate(64 * 2**20)
    tracemalloc.start()
    with pytest.raises(CommandError, match=r"line 1: .* characters"):
        run("import_workload", kind, var / "endless.txt", "--name", "endless")
    most_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most_bytes < 40 * 2**20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("csv", "none.csv", "--name", "x"), "cannot be read"),
        (("csv", "bad.csv", "--name", "x"), "bad.csv: line 2: at_s = 'soon' is no time"),
        (("csv", "bad.csv", "--name", "../x"), "--name: use lower case"),
    ],
)
def test_a_refused_import_names_file_and_line(
    var: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(var)
    (var / "bad.csv").write_text("at_s,size_bytes\nsoon,3\n")
    with pytest.raises(CommandError) as refusal:
        run("import_workload", *arguments)
    assert message in str(refusal.value)
    assert not (var / "workloads").exists()


@pytest.mark.django_db
def test_an_impossible_store_is_reported_in_one_line(var: Path) -> None:
    (var / "file").write_text("")
    with pytest.raises(CommandError, match="cannot be"):
        run("export_workloads", var / "file")
