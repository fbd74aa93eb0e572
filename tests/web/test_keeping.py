"""What strangers' things take: scenarios are kept once, what a caller has is bounded, what was never used goes."""

from __future__ import annotations

import json
import secrets
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone

from playground.exercises.models import Attempt, Learner, Work
from playground.hosting import session_record
from playground.hosting.real_engine import door
from playground.limits import rate_limits, request_callers
from playground.limits.request_callers import RequestCaller
from playground.models import OwnSweep, Scenario, ScenarioText, Session
from playground.records import kept_bytes, kept_runs
from playground.records.database_record import DatabaseRecord, OwnedLeases
from playground.records.session_leases import LeaseHolder
from playground.texts import RequestRefused
from tests.web.record import record_command

pytestmark = pytest.mark.django_db

AT, ELSEWHERE = "192.0.2.1", "2001:db8::5"


def large_scenario() -> dict[str, Any]:
    """Return a scenario that compresses badly, as columns of sizes do."""
    commands = [
        {"at_us": 0, "do": "declare_queue", "name": f"q-{secrets.token_hex(60)}"} for _each in range(5)
    ]
    return door().check({**kept_runs.blank_scenario("classroom"), "title": "Large", "commands": commands})


def begin(client: Client, kept: Scenario, address: str = AT) -> Session:
    answer = client.post("/s/new", {"scenario": kept.short_id}, REMOTE_ADDR=address)
    assert answer.status_code == 302, answer.content.decode()
    return Session.objects.get(public_id=answer.url.rstrip("/").rpartition("/")[2])


def bounded(settings: Any, **bounds: int) -> None:
    settings.WATERLINE = {**settings.WATERLINE, **bounds}
    rate_limits.forget()


# --- once ---


def test_a_scenario_is_kept_once_however_many_sessions_and_links_have_it(client: Client) -> None:
    """`POST /s/new` copied one of 453 kB into each session: 3.3 GB an hour from one address."""
    scenario = large_scenario()
    kept = kept_runs.keep_scenario(scenario)
    kept_runs.keep_scenario(
        {**scenario, "digest": "0" * 32}
    )  # another link, as the digest belongs to its name
    sessions = [begin(client, kept) for _each in range(20)]
    text = ScenarioText.objects.get()
    assert {each.text_id for each in sessions} == {text.pk}
    assert sessions[0].scenario == scenario
    assert json.loads(text.body) == scenario
    assert (
        kept_bytes.of_group(request_callers.trace_of(AT)) == 20 * kept_bytes.SESSION_BYTES + text.size_bytes
    )


def test_a_session_has_the_digest_of_its_own_link() -> None:
    scenario = large_scenario()
    plain = kept_runs.replay_session(kept_runs.keep_scenario(scenario))
    recorded = kept_runs.replay_session(kept_runs.keep_scenario({**scenario, "digest": "a" * 32}))
    assert plain.text_id == recorded.text_id
    assert (plain.scenario["digest"], recorded.scenario["digest"]) == (None, "a" * 32)
    assert kept_runs.remembered(recorded.public_id).scenario["digest"] == "a" * 32


def test_a_text_goes_with_the_last_that_has_it() -> None:
    kept = kept_runs.keep_scenario(large_scenario())
    session = kept_runs.replay_session(kept)
    call_command("clean_sessions")
    assert ScenarioText.objects.count() == 1
    kept.delete()
    call_command("clean_sessions")
    assert ScenarioText.objects.count() == 1
    kept_runs.delete_sessions(Session.objects.filter(pk=session.pk))
    call_command("clean_sessions")
    assert not ScenarioText.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_database_from_before_the_squashed_releases_is_refused_with_what_to_do() -> None:
    recorder = MigrationRecorder(connection)
    names = list(recorder.migration_qs.filter(app="playground").values_list("name", flat=True))
    try:
        recorder.migration_qs.filter(app="playground").exclude(name="0001_initial").delete()
        with pytest.raises(CommandError, match=r"with release 0\.4\.0 once"):
            call_command("prepare", stdout=StringIO())
    finally:
        recorder.migration_qs.filter(app="playground").delete()
        for name in names:
            recorder.record_applied("playground", name)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("release", ["0001_release_0_3", "0002_release_0_4"])
def test_what_was_kept_before_is_kept_once_afterwards(release: str) -> None:
    """The migrations: a release's database, with a whole scenario in each row and its own migrations' names."""
    scenario = {**large_scenario(), "digest": "f" * 32}
    try:
        before = _migrated(release)
        MigrationRecorder(connection).migration_qs.filter(name__contains="_release_").delete()
        link = before.get_model("playground", "Scenario").objects.create(
            short_id="abc",
            title="Large",
            body=session_record.canonical({**scenario, "digest": None}),
            digest="f" * 32,
        )
        sessions = before.get_model("playground", "Session").objects
        for number in range(3):
            sessions.create(public_id=f"s{number}", scenario=scenario, origin=link, visitor="v")
        sessions.create(public_id="other", scenario={**scenario, "seed": 5, "digest": None})
    finally:
        [(_app, newest)] = MigrationExecutor(connection).loader.graph.leaf_nodes("playground")
        _migrated(newest)
    assert ScenarioText.objects.count() == 2
    kept = Scenario.objects.get()
    assert kept_runs.scenario_body(kept) == scenario
    for number in range(3):
        session = Session.objects.get(public_id=f"s{number}")
        assert (session.scenario, session.text_id) == (scenario, kept.text_id)
    assert Session.objects.get(public_id="other").scenario == {**scenario, "seed": 5, "digest": None}


def _migrated(name: str) -> Any:
    executor = MigrationExecutor(connection)
    executor.migrate([("playground", name)])
    return MigrationExecutor(connection).loader.project_state([("playground", name)]).apps


# --- bounded ---


def test_a_browser_and_an_address_have_only_so_much_and_are_asked_before_the_work(
    client: Client, settings: Any
) -> None:
    bounded(
        settings, kept_per_visitor=3 * kept_bytes.SESSION_BYTES, kept_per_address=5 * kept_bytes.SESSION_BYTES
    )
    kept = kept_runs.put_in_library("ready", large_scenario())
    for _each in range(3):
        record_command(begin(client, kept).public_id, 0, 1, {"do": "purge"})
    refused = client.post("/s/new", {"scenario": kept.short_id}, REMOTE_ADDR=AT)
    assert refused.status_code == 409
    assert "What this browser began" in refused.content.decode()
    for _each in range(2):
        record_command(begin(Client(), kept).public_id, 0, 1, {"do": "purge"})
    for form in ({"scenario": kept.short_id}, {"profile": "classroom"}):
        refused = Client().post("/s/new", form, REMOTE_ADDR=AT)
        assert "your class or network" in refused.content.decode()
    assert Client().post("/s/import", {"text": "{"}, REMOTE_ADDR=AT).status_code == 409, "it is not even read"
    assert Client().get(f"/r/{kept.short_id}/", REMOTE_ADDR=AT).status_code == 409
    assert begin(Client(), kept, ELSEWHERE)


def test_the_library_is_free_and_links_sweeps_and_answers_count(settings: Any) -> None:
    whose: dict[str, Any] = {"group": "abcd"}
    assert kept_bytes.of_group("abcd") == 0
    scenario = large_scenario()
    kept = kept_runs.put_in_library("ready", scenario)
    session = kept_runs.replay_session(kept)
    Session.objects.filter(pk=session.pk).update(**whose)
    assert kept_bytes.of_group("abcd") == kept_bytes.SESSION_BYTES
    link = kept_runs.keep_scenario({**scenario, "seed": 9})
    Scenario.objects.filter(pk=link.pk).update(**whose)
    OwnSweep.objects.create(name="own-1", visitor="v", spec={}, cells=1, size_bytes=70_000, **whose)
    found = kept_bytes.of_group("abcd")
    assert found == kept_bytes.SESSION_BYTES + kept_bytes.LINK_BYTES + link.text.size_bytes + 70_000
    work = Work.objects.create(learner=Learner.objects.create(code_trace="x", **whose), exercise="first-in")
    Attempt.objects.create(work=work, number=1, passed=True, tally="", verdict={})
    assert kept_bytes.of_group("abcd") > found


def test_what_was_never_used_makes_room_where_there_is_none(client: Client, settings: Any) -> None:
    bounded(settings, kept_per_visitor=10**9, kept_per_address=4 * kept_bytes.SESSION_BYTES)
    kept = kept_runs.put_in_library("ready", large_scenario())
    sessions = [begin(client, kept) for _each in range(4)]
    assert client.post("/s/new", {}, REMOTE_ADDR=AT).status_code == 409, "all were opened a moment ago"
    Session.objects.filter(pk__in=[each.pk for each in sessions[:2]]).update(
        last_seen=timezone.now() - timedelta(hours=2)
    )
    begin(client, kept)
    assert set(Session.objects.values_list("pk", flat=True)).isdisjoint(each.pk for each in sessions[:2])


def test_a_class_has_room_while_its_address_has_none(client: Client, settings: Any) -> None:
    bounded(settings, kept_per_address=1)
    Session.objects.create(
        public_id="a", text=ScenarioText.of("{}"), group=request_callers.trace_of(AT), engine_version=""
    )
    with pytest.raises(kept_bytes.NoRoom):
        kept_bytes.check(RequestCaller(AT))
    kept_bytes.check(RequestCaller("class 7"))
    kept_bytes.check(RequestCaller(ELSEWHERE))


@pytest.mark.django_db(transaction=True)
async def test_commands_are_charged_in_blocks_and_from_where_they_were_left_off() -> None:
    """A session takes 5,000 commands of up to 16 kB each, for which nobody was charged."""
    session = await sync_to_async(kept_runs.start_session)(kept_runs.blank_scenario("classroom"))
    command = {"do": "publish", "routing_key": "k" * 200}
    size_bytes = kept_runs.record_bytes(command)

    def charged() -> int:
        return Session.objects.get(pk=session.pk).record_bytes

    def book() -> DatabaseRecord:
        return DatabaseRecord(session.public_id, OwnedLeases(LeaseHolder("process"), 9))

    first = book()
    await first.load()
    for number in range(kept_bytes.BLOCK_BYTES // size_bytes):
        await first.make_room(command)
        await sync_to_async(record_command)(session.public_id, number, number, command)
    assert await sync_to_async(charged)() == 0
    second = book()  # the session slept meanwhile
    await second.load()
    await second.make_room(command)
    assert await sync_to_async(charged)() == (kept_bytes.BLOCK_BYTES // size_bytes + 1) * size_bytes


def test_the_commands_of_a_session_are_bounded_in_bytes(settings: Any) -> None:
    session = kept_runs.start_session(kept_runs.blank_scenario("classroom"))
    kept_bytes.charge(session.public_id, kept_bytes.MOST_RECORD_BYTES)
    with pytest.raises(RequestRefused, match=r"of this session take 1\.0 MiB"):
        kept_bytes.charge(session.public_id, 1)
    bounded(settings, kept_per_address=1000)
    other = kept_runs.start_session(kept_runs.blank_scenario("classroom"))
    Session.objects.filter(pk=other.pk).update(group="abcd")
    with pytest.raises(RequestRefused, match="class or network"):
        kept_bytes.charge(other.public_id, 4096)


# --- what was never used ---


def test_what_was_never_used_goes_after_a_day_and_nothing_else_does() -> None:
    kept = kept_runs.keep_scenario(large_scenario())
    names = ("never", "recent", "used", "predicted", "work", "skipped")
    sessions = {name: kept_runs.replay_session(kept) for name in names}
    record_command(sessions["used"].public_id, 0, 1, {"do": "purge"})
    Session.objects.exclude(pk=sessions["recent"].pk).update(last_seen=timezone.now() - timedelta(hours=25))
    Session.objects.filter(pk=sessions["predicted"].pk).update(predicted=1)
    Session.objects.filter(pk=sessions["skipped"].pk).update(predicted=-1)
    Work.objects.create(
        learner=Learner.objects.create(code_trace="x"), exercise="first-in", session=sessions["work"]
    )
    call_command("clean_sessions")
    left = set(Session.objects.values_list("pk", flat=True))
    assert {name for name, each in sessions.items() if each.pk in left} == {
        "recent",
        "used",
        "predicted",
        "work",
    }


# --- shown ---


def test_a_browser_sees_what_it_began_and_what_it_takes_and_deletes_it(client: Client) -> None:
    kept = kept_runs.keep_scenario(large_scenario())
    mine, stranger = begin(client, kept), begin(Client(), kept)
    page = client.get("/s/", REMOTE_ADDR=AT).content.decode()
    assert mine.public_id in page
    assert stranger.public_id not in page
    assert "of 32.0" in page.replace("\xa0", " ")
    assert "/s/" in client.get("/").content.decode()
    for name in (stranger.public_id, mine.public_id):
        client.post("/s/", {"session": [name]})
    assert list(Session.objects.values_list("pk", flat=True)) == [stranger.pk]
    assert "None yet" in client.get("/s/").content.decode()
    assert "None yet" in Client().get("/s/").content.decode()
