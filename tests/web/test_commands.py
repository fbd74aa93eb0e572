"""What manage.py can do."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from playground import library, selectors, services
from playground.models import CommandRecord, Scenario, Session

pytestmark = pytest.mark.django_db


def load() -> str:
    output = io.StringIO()
    call_command("load_scenarios", stdout=output)
    return output.getvalue()


def test_loading_shows_progress_and_twice_changes_nothing() -> None:
    first = load()
    assert first.count("loaded") == len(library.files())
    before = list(Scenario.objects.values())
    assert load().count("unchanged") == len(library.files())
    assert list(Scenario.objects.values()) == before


def test_an_entry_without_a_file_leaves_the_library() -> None:
    old = services.put_in_library("old", {**services.blank_scenario("classroom"), "title": "Old"})
    load()
    assert selectors.scenario_by_name("old") is None
    assert selectors.scenario_by_name(old.short_id) == old, "a link to it still opens"


def test_sessions_that_nobody_opens_are_deleted_and_links_stay() -> None:
    scenario = services.blank_scenario("classroom")
    kept = services.keep_scenario(scenario)
    old, new = services.start_session(scenario, kept), services.start_session(scenario)
    services.record_command(old.public_id, 0, 5, {"do": "purge"})
    Session.objects.filter(pk=old.pk).update(last_seen=timezone.now() - timedelta(days=40))
    output = io.StringIO()
    call_command("clean_sessions", stdout=output)
    assert "1 sessions deleted" in output.getvalue()
    assert list(Session.objects.all()) == [new]
    assert CommandRecord.objects.count() == 0
    assert Scenario.objects.get() == kept
