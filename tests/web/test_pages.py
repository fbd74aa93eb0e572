"""Every page: works, validates, denies the stranger, rejects the wrong verb."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from playground.limits import session_limits
from playground.models import Scenario, Session
from playground.records import kept_runs
from playground.views.home import FEATURED, featured

pytestmark = pytest.mark.django_db

SCENARIO = {
    "version": 1,
    "title": "Small",
    "profile": "classroom",
    "commands": [{"at_us": 1000, "do": "publish", "count": 3, "size_bytes": 100}],
    "until_us": 1_000_000,
}


def start(client: Client, **data: str) -> str:
    """Begin a session and return its id."""
    response = client.post("/s/new", data)
    assert response.status_code == 302
    return response["Location"].split("/")[2]


# --- the first page ---


def test_home_explains_what_it_is_and_offers_to_start(client: Client) -> None:
    page = client.get("/").content.decode()
    assert 'action="/s/new"' in page
    assert "RabbitMQ 3.10.8" in page


def test_home_lists_the_library_in_the_readers_language(client: Client, library: list[Scenario]) -> None:
    for accepted, language in (("en", "en"), ("zh-CN", "zh_Hans"), ("zh-TW", "zh_Hant")):
        page = client.get("/", headers={"accept-language": accepted}).content.decode()
        for kept in featured():
            assert kept.story["title"][language] in page
    assert [kept.slug for kept in featured()] == list(FEATURED)


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_home_is_for_reading(client: Client, method: str) -> None:
    assert getattr(client, method)("/").status_code == 405


def test_play_leads_to_the_latest_session(client: Client) -> None:
    assert client.get("/play/")["Location"] == "/"
    session_id = start(client)
    assert client.get("/play/")["Location"] == f"/s/{session_id}/"
    assert f"/s/{session_id}/" in client.get("/").content.decode()


# --- new sessions ---


@pytest.mark.parametrize("profile", ["classroom", "real"])
def test_new_begins_a_session_of_a_profile(client: Client, profile: str) -> None:
    session = Session.objects.get(public_id=start(client, profile=profile))
    assert session.scenario["profile"] == profile
    assert session.scenario["commands"] == []
    assert kept_runs.owns(client.session, session.public_id)


def test_new_takes_a_ready_scenario(client: Client, library: list[Scenario]) -> None:
    session = Session.objects.get(public_id=start(client, scenario=library[0].slug))
    assert session.origin == library[0]
    assert session.scenario["digest"] == library[0].digest


def test_new_with_an_unknown_scenario_is_a_page_that_says_so(client: Client) -> None:
    response = client.post("/s/new", {"scenario": "no-such"})
    assert response.status_code == 404
    assert "leads nowhere" in response.content.decode()


def test_new_falls_back_to_the_classroom(client: Client) -> None:
    assert Session.objects.get(public_id=start(client, profile="nonsense")).scenario["profile"] == "classroom"


@pytest.mark.parametrize(("asked", "nodes"), [("3", 3), ("2", 1), ("99", 1), ("x", 1)])
def test_new_begins_a_cluster_of_three_nodes_or_none(client: Client, asked: str, nodes: int) -> None:
    client.post("/s/new", {"nodes": asked})
    scenario = Session.objects.get().scenario
    assert scenario.get("settings", {}).get("nodes", 1) == nodes
    assert 'name="nodes" value="3"' in client.get("/").content.decode()


@pytest.mark.parametrize("address", ["/s/new", "/s/import"])
def test_forms_are_not_for_reading(client: Client, address: str) -> None:
    assert client.get(address)["Location"] == "/"
    assert client.put(address).status_code == 405
    assert Session.objects.count() == 0


def test_new_needs_our_own_form(db: None) -> None:
    response = Client(enforce_csrf_checks=True).post("/s/new")
    assert response.status_code == 403
    assert "Load the page again" in response.content.decode()


def test_one_address_makes_only_so_many(client: Client, limit: Any) -> None:
    limit(new_per_minute=2)
    start(client)
    start(client)
    response = client.post("/s/new")
    assert response.status_code == 429
    assert response["Retry-After"]
    assert "up to 2 sessions" in response.content.decode()


# --- the live page ---


def test_the_live_page_carries_what_its_script_needs(client: Client) -> None:
    session_id = start(client)
    response = client.get(f"/s/{session_id}/")
    data = response.context["live_data"]
    assert data["websocket"] == f"/ws/session/{session_id}/"
    assert data["owner"] is True
    assert data["limits"]["max_messages"] == session_limits.current().max_messages
    assert "sessions_per_process" not in data["limits"]
    assert 'id="live-data"' in response.content.decode()
    assert "no-store" in response["Cache-Control"]


def test_a_stranger_with_the_address_only_watches(client: Client) -> None:
    session_id = start(client)
    assert Client().get(f"/s/{session_id}/").context["live_data"]["owner"] is False


def test_a_session_that_is_gone_says_so(client: Client) -> None:
    response = client.get("/s/22222222/")
    assert response.status_code == 404
    assert "This session is gone" in response.content.decode()


def test_the_live_page_is_for_reading(client: Client) -> None:
    assert client.post(f"/s/{start(client)}/").status_code == 405


# --- files ---


@pytest.mark.parametrize(
    "query",
    [
        "",
        "path=",
        "path=" + "x" * 600,
        "path=a&offset=-1",
        "path=a&offset=x",
        "path=a&count=1e3",
        "path=a&offset=" + "9" * 30,
    ],
)
def test_a_malformed_question_for_bytes_is_refused(client: Client, query: str) -> None:
    response = client.get(f"/s/{start(client)}/file?{query}")
    assert response.status_code == 400
    assert response.json()["error"]


@pytest.mark.parametrize(
    "path",
    ["queues/none.idx", "../../../../etc/passwd", "/etc/passwd", "a/../../secret_key", ".durable/1", "a\\b"],
)
def test_bytes_outside_the_session_are_not_given(client: Client, path: str) -> None:
    session_id = start(client)
    response = client.get(f"/s/{session_id}/file", {"path": path}, headers={"accept": "application/json"})
    assert response.status_code == 404
    assert response.json()["error"]


def test_bytes_of_an_unknown_session_are_gone(client: Client) -> None:
    assert client.get("/s/22222222/file?path=a").status_code == 404


def test_bytes_are_not_asked_for_without_end(client: Client, limit: Any) -> None:
    limit(reads_per_minute=1)
    address = f"/s/{start(client)}/file?path=a"
    answers = [client.get(address, headers={"accept": "application/json"}).status_code for _each in range(2)]
    assert answers == [404, 429]


def test_bytes_are_for_reading(client: Client) -> None:
    assert client.post(f"/s/{start(client)}/file?path=a").status_code == 405


# --- scenarios in and out ---


def test_a_scenario_can_be_taken_away_and_brought_back(client: Client) -> None:
    first = client.post("/s/import", {"text": json.dumps(SCENARIO)})
    session_id = first["Location"].split("/")[2]
    response = client.get(f"/s/{session_id}/scenario.json")
    assert response["Content-Disposition"].startswith("attachment")
    again = client.post("/s/import", {"file": SimpleUploadedFile("s.json", response.content)})
    assert again.status_code == 302


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "Choose a file"),
        ("not json", "JSON"),
        ("[1]", "object"),
        ('{"version": 2}', "version"),
        (json.dumps({**SCENARIO, "profile": "huge"}), "profile"),
        (json.dumps({**SCENARIO, "colour": 1}), "colour"),
        (json.dumps({**SCENARIO, "settings": {"segment_entry_count": 10**9}}), "segment_entry_count"),
        (json.dumps({**SCENARIO, "commands": [{"at_us": 0, "do": "dance"}]}), "commands[0]"),
        (
            json.dumps(
                {**SCENARIO, "commands": [{"at_us": 0, "do": "publish", "count": -1, "size_bytes": 1}]}
            ),
            "count",
        ),
        (json.dumps({**SCENARIO, "commands": [{"at_us": float("nan"), "do": "purge"}]}), "JSON"),
        ("[" * 100_000, ""),
        ('{"version": 1, "profile": ' + "9" * 5000 + "}", ""),
    ],
)
def test_a_scenario_with_a_mistake_is_refused_at_its_place(
    client: Client, text: str, place: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "playground"):
        response = client.post("/s/import", {"text": text})
    assert response.status_code == 422
    assert place in response.context["import_error"]
    assert response.context["import_error"]
    assert sum("refused" in record.message for record in caplog.records) == 1
    assert Session.objects.count() == 0


def test_a_scenario_that_is_too_large_is_refused(client: Client, limit: Any) -> None:
    limit(scenario_bytes=1000)
    big = SimpleUploadedFile("s.json", b" " * 2000)
    assert client.post("/s/import", {"file": big}).status_code == 422
    assert client.post("/s/import", {"text": " " * 2000 + "{}"}).status_code == 422


def test_a_binary_file_is_refused(client: Client) -> None:
    response = client.post("/s/import", {"file": SimpleUploadedFile("s.json", bytes(range(256)))})
    assert response.status_code == 422


# --- links ---


def test_a_link_opens_a_session_of_ones_own(client: Client, library: list[Scenario]) -> None:
    first = client.get(f"/r/{library[0].short_id}/")["Location"]
    second = client.get(f"/r/{library[0].short_id}/")["Location"]
    assert first != second
    session = Session.objects.get(public_id=first.split("/")[2])
    assert session.origin == library[0]


def test_a_preview_of_a_link_begins_nothing(client: Client, library: list[Scenario]) -> None:
    address = f"/r/{library[0].short_id}/"
    assert client.head(address).status_code == 204
    assert client.get(address, headers={"sec-purpose": "prefetch;prerender"}).status_code == 204
    assert Session.objects.count() == 0


def test_a_stale_link_says_so(client: Client) -> None:
    response = client.get("/r/22222222/")
    assert response.status_code == 404
    assert "leads nowhere" in response.content.decode()


def test_share_is_not_for_reading(client: Client) -> None:
    assert client.get(f"/s/{start(client)}/share").status_code == 405


def test_share_of_a_session_that_is_gone_answers_a_script_in_json(client: Client) -> None:
    response = client.post("/s/22222222/share", headers={"accept": "application/json"})
    assert response.status_code == 404
    assert "are deleted" in response.json()["error"]


# --- what went wrong ---


def test_an_unknown_page_leads_back(client: Client) -> None:
    response = client.get("/no/such/page")
    assert response.status_code == 404
    assert 'href="/"' in response.content.decode()


def test_an_unknown_host_is_refused(client: Client) -> None:
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400


def test_a_fault_is_a_page_too(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr("playground.records.kept_runs.library", fail)
    client.raise_request_exception = False
    response = client.get("/")
    assert response.status_code == 500
    assert "Your session is kept" in response.content.decode()
    assert "on purpose" not in response.content.decode()


@pytest.mark.parametrize(
    ("language", "words"), [("en", "Something went wrong"), ("zh-hans", "我们"), ("zh-hant", "我們")]
)
def test_a_fault_of_the_page_for_faults_is_a_page_as_well(
    client: Client, monkeypatch: pytest.MonkeyPatch, language: str, words: str
) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr("playground.records.kept_runs.library", fail)
    monkeypatch.setattr("playground.web.errors.render", fail)
    client.raise_request_exception = False
    response = client.get("/", headers={"accept-language": language})
    assert response.status_code == 500
    page = response.content.decode()
    assert f'<html lang="{language}">' in page
    assert words in page
    assert 'href="/"' in page
    assert "refresh" not in page
