"""What manage.py can do."""

from __future__ import annotations

import io
import os
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from playground.models import CommandRecord, Scenario, Session
from playground.records import kept_runs
from playground.server import serve
from playground.storybook import ready_scenarios
from tests.web import record
from tools.proofs.attack.processes import memory_bytes

pytestmark = pytest.mark.django_db


def load() -> str:
    output = io.StringIO()
    call_command("load_scenarios", stdout=output)
    return output.getvalue()


def test_loading_shows_progress_and_twice_changes_nothing() -> None:
    first = load()
    assert first.count("loaded") == len(ready_scenarios.files())
    before = list(Scenario.objects.values())
    assert load().count("unchanged") == len(ready_scenarios.files())
    assert list(Scenario.objects.values()) == before


def test_an_entry_without_a_file_leaves_the_library() -> None:
    old = kept_runs.put_in_library("old", {**kept_runs.blank_scenario("classroom"), "title": "Old"})
    load()
    assert kept_runs.scenario_by_name("old") is None
    assert kept_runs.scenario_by_name(old.short_id) == old, "a link to it still opens"


def test_sessions_that_nobody_opens_are_deleted_and_links_stay() -> None:
    scenario = kept_runs.blank_scenario("classroom")
    kept = kept_runs.keep_scenario(scenario)
    old, new = kept_runs.start_session(scenario, kept), kept_runs.start_session(scenario)
    record.record_command(old.public_id, 0, 5, {"do": "purge"})
    Session.objects.filter(pk=old.pk).update(last_seen=timezone.now() - timedelta(days=40))
    output = io.StringIO()
    call_command("clean_sessions", stdout=output)
    assert "1 sessions deleted, of which 0 were never used, 0 links" in output.getvalue()
    assert list(Session.objects.all()) == [new]
    assert CommandRecord.objects.count() == 0
    assert Scenario.objects.get() == kept


def test_links_that_nobody_opens_are_deleted_and_the_library_stays(client: Client) -> None:
    scenario = kept_runs.blank_scenario("classroom")
    kept, opened = (kept_runs.keep_scenario({**scenario, "title": title}) for title in ("kept", "opened"))
    entry = kept_runs.put_in_library("entry", scenario)
    Scenario.objects.update(last_seen=timezone.now() - timedelta(days=400))
    client.get(f"/r/{opened.short_id}/")
    output = io.StringIO()
    call_command("clean_sessions", stdout=output)
    assert "1 links" in output.getvalue()
    assert {each.pk for each in Scenario.objects.all()} == {opened.pk, entry.pk}
    assert "365 days" in client.get(f"/r/{kept.short_id}/").content.decode()


def test_all_links_together_are_bounded_and_the_oldest_go(limit: Any) -> None:
    limit(kept_bytes=3000)
    scenario = kept_runs.blank_scenario("classroom")
    entry = kept_runs.put_in_library("entry", scenario)
    made = [kept_runs.keep_scenario({**scenario, "title": "x" * 200, "seed": seed}) for seed in range(1, 30)]
    left = list(Scenario.objects.filter(slug=None).order_by("pk"))
    assert 1 < len(left) < 29
    assert left[-1] == made[-1]
    assert sum(each.size_bytes for each in left) <= 3000
    assert Scenario.objects.filter(pk=entry.pk).exists()


def test_the_server_tidies_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def call(name: str) -> None:
        done.append(name)
        if name == "clean_sessions":
            raise OSError("the database is locked")

    class EnoughError(Exception):
        pass

    def sleep(seconds: float) -> None:
        if seconds == serve.AGAIN_S:
            raise EnoughError

    monkeypatch.setattr(serve, "call_command", call)
    monkeypatch.setattr(threading, "excepthook", lambda _arguments: None)
    serve.begin(sleep).join(30)
    assert done == list(serve.CHORES), "one that fails keeps none from being done"


def test_the_server_returns_freed_memory_to_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces between others that stay: their pages are free, and only a trim gives them back."""
    held: list[bytearray] = []
    kept = []
    for _each in range(1000):
        held.append(bytearray(b"x") * 100_000)
        kept.append(bytearray(50_000))
    closed = [held]
    closed.append(closed)  # as a closed socket and its protocol refer to each other
    del held, closed
    monkeypatch.setattr(serve.DirectSocket, "closed", serve.COLLECTED)
    before = memory_bytes(os.getpid())

    class EnoughError(Exception):
        pass

    rounds = iter([serve.TRIM_S])

    def sleep(_seconds: float) -> None:
        if next(rounds, None) is None:
            raise EnoughError

    with pytest.raises(EnoughError):
        serve.trim_memory(sleep)
    assert before - memory_bytes(os.getpid()) > 50_000_000
    assert len(kept) == 1000
