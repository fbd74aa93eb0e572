"""What a server without a place offers: the run, or the small sweep, in the reader's own browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from playground.browser_app import browser_app
from playground.limits import work_places
from playground.models import CommandRecord, Scenario, Session
from playground.records import kept_bytes, kept_runs
from playground.texts import PageMessage, RequestRefused
from playground.views import links
from playground.web import engine_files
from playground.whatif.shipped import heatmaps
from sweeps.plan import make_plan
from tests.web.test_own_sweeps import ASKED, LINE

pytestmark = pytest.mark.django_db

MISSING = "lacks the engine for browsers"


@pytest.fixture
def built(tmp_path: Path, settings: Any) -> None:
    """Let the engine for browsers be there, made of this server's sources."""
    settings.WASM_DIR = tmp_path
    (tmp_path / engine_files.LAST_BUILT).touch()
    (tmp_path / engine_files.SOURCES).write_text("{}")


@pytest.fixture
def kept(library: list[Scenario]) -> Scenario:
    return next(each for each in library if each.slug == "first-burst")


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: Any) -> None:
        raise work_places.GateBusy(work_places.TEXT)

    monkeypatch.setattr(links, "_repeatable", refuse)


def given(client: Client, address: str) -> dict[str, Any]:
    """Return what the page of a run in the browser is given."""
    answer = client.get(address)
    assert answer.status_code == 200
    found: dict[str, Any] = answer.context["live_data"]["browser_run"]
    return found


def test_a_link_that_finds_no_place_is_offered_in_the_readers_browser(
    client: Client, built: None, kept: Scenario, busy: None
) -> None:
    answer = client.get(f"/r/{kept.short_id}/?at=4800000")
    assert answer.status_code == 503
    address = answer.context["browser"]
    assert parse_qs(urlsplit(address).query) == {"r": [kept.short_id], "at": ["4800000"]}
    assert f'href="{address.replace("&", "&amp;")}"' in answer.content.decode()
    found = given(client, address)
    assert found["worker"] == "/inspect/engine/worker.js"
    assert found["place"] == "/inspect/engine/"
    assert found["kept"]["scenario"] == kept_runs.scenario_body(kept)
    assert found["kept"]["made_with"] == kept.engine_version
    assert found["link"] == "/x/00/"
    assert Session.objects.count() == 0


def test_it_says_what_is_missing_where_the_engine_is_not_built(
    client: Client, kept: Scenario, busy: None, settings: Any, tmp_path: Path
) -> None:
    settings.WASM_DIR = tmp_path / "nothing"
    answer = client.get(f"/r/{kept.short_id}/")
    assert (answer.status_code, answer.context["browser"]) == (503, "")
    assert MISSING in answer.content.decode()
    page = client.get(f"/browser/?r={kept.short_id}")
    assert (page.status_code, MISSING in page.content.decode()) == (404, True)
    assert client.get("/whatif/browser/").status_code == 404


def test_no_room_for_another_session_is_an_offer_as_well(
    client: Client, built: None, kept: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(_caller: Any) -> None:
        raise kept_bytes.NoRoom(PageMessage("full"))

    monkeypatch.setattr("playground.web.access.kept_bytes.check", no_room)
    answer = client.post("/s/new", {"scenario": kept.short_id, "release": "4.0"})
    assert answer.status_code == 409
    assert answer.context["browser"] == f"/browser/?r={kept.short_id}&release=4.0"
    assert client.post("/s/new", {"profile": "classroom"}).context.get("browser") is None


def test_a_session_goes_on_in_the_browser_with_what_was_done_in_it(client: Client, built: None) -> None:
    session = kept_runs.start_session(kept_runs.blank_scenario("classroom"))
    command = {"do": "publish", "count": 20, "size_bytes": 900}
    CommandRecord.objects.create(session=session, sequence=0, at_us=1000, command=command)
    Session.objects.filter(pk=session.pk).update(reached_us=2_000_000)
    page = client.get(f"/s/{session.public_id}/")
    assert page.context["own_run"] == {"browser": f"/browser/?s={session.public_id}"}
    assert "data-when-full hidden" in page.content.decode()
    found = given(client, f"/browser/?s={session.public_id}")["found"]
    assert (found["scenario"], found["until_us"]) == (session.scenario, 2_000_000)
    assert [list(each) for each in found["commands"]] == [[1000, command]]


def test_a_session_that_must_not_leave_does_not(
    client: Client, built: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = kept_runs.start_session(kept_runs.blank_scenario("classroom"))

    def refuse(_session: str, *, link: bool) -> None:
        assert link
        raise RequestRefused("Answer first")

    monkeypatch.setattr("playground.views.links.paused_sessions.check_may_leave", refuse)
    answer = client.get(f"/browser/?s={session.public_id}")
    assert (answer.status_code, "Answer first" in answer.content.decode()) == (409, True)


def test_a_cell_and_what_a_link_carries_are_runs_too(client: Client, built: None) -> None:
    heatmap = heatmaps()["ram-rate"]
    run = next(each for each in heatmap.runs.values() if each.digest)
    found = given(client, f"/browser/?h=ram-rate&cell={run.cell_id}")
    assert found["kept"]["scenario"]["digest"] == run.digest
    assert found["at_us"] <= found["kept"]["scenario"]["until_us"]
    assert client.get("/browser/?h=ram-rate&cell=nothing").status_code == 409
    assert client.get("/browser/?r=nothing").status_code == 404
    assert given(client, "/browser/?x=1abc")["packed"] == "1abc"


def test_a_sweep_that_finds_no_place_is_offered_in_the_browser_with_what_was_typed(
    client: Client, built: None, settings: Any, tmp_path: Path
) -> None:
    settings.WATERLINE = {**settings.WATERLINE, "sweeps_waiting": 0}
    answer = client.post("/whatif/own/", ASKED)
    assert answer.status_code == 503
    assert 'formaction="/whatif/browser/"' in answer.content.decode()
    page = client.post("/whatif/browser/", ASKED)
    assert LINE in page.content.decode()
    assert page.context["own_sweep"]["begins"] is True
    assert client.get("/whatif/browser/").context["own_sweep"]["begins"] is False
    settings.WASM_DIR = tmp_path / "nothing"
    assert MISSING in client.post("/whatif/own/", ASKED).content.decode()
    settings.WATERLINE = {**settings.WATERLINE, "sweeps_waiting": 8, "sweep_cells": 3}
    assert "formaction" not in client.post("/whatif/own/", ASKED).content.decode()


def test_what_the_browser_runs_has_the_cells_and_digests_of_the_server() -> None:
    given = {"kind": "perf-test", "text": LINE, "x": "queue_mode", "y": "persistent"}
    plan = browser_app.plan(given)
    spec, cells = browser_app._planned(plan["sweep"])
    assert sorted(plan["order"]) == list(range(len(cells))) == list(range(12))
    assert cells == make_plan(spec, heatmaps()["ram-rate"].engine_version).cells
    rows = [browser_app.row({"sweep": plan["sweep"], "number": number})["row"] for number in range(12)]
    made = browser_app.heatmap({"sweep": plan["sweep"], "rows": json.loads(json.dumps(rows))})
    assert made["name"] == plan["name"]
    found = browser_app.known()[plan["name"]]
    assert [run.digest for run in found.cells] == [row["digest"] for row in rows]
    assert all(run.digest for run in found.cells)
    assert found.scenario(found.cells[0]) == cells[0].scenario
    with pytest.raises(RequestRefused):
        browser_app.plan({**given, "text": "rm -rf /"})
