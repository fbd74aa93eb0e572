"""The page about fidelity shows what was measured, and says so where nothing was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from playground.views.fidelity import missed
from playground.web import fidelity_figures


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.mark.django_db
def test_it_shows_the_measured_numbers(client: Client) -> None:
    measured = fidelity_figures.results()
    assert measured is not None
    page = client.get("/fidelity/").content.decode()
    assert f"<b>{measured['traces']['whole']}</b>" in page
    assert f"<b>{measured['differential']['equal']}</b>" in page


@pytest.mark.django_db
def test_it_shows_what_nodes_of_other_releases_said(client: Client) -> None:
    page = " ".join(client.get("/fidelity/").content.decode().split())
    kept = {
        proof: fidelity_figures.of_other_releases(proof) for proof in ("differential", "stories", "interop")
    }
    assert {each["release"] for each in kept["differential"]} == {"3.8.9", "4.0.5", "4.3.6"}
    for each in (each for proof in kept.values() for each in proof):
        assert f"RabbitMQ {each['release']}: {each['equal']} of {each['all']} equal" in page
        assert each["equal"] <= each["all"]


@pytest.mark.django_db
def test_it_shows_the_predictions_of_each_release(client: Client) -> None:
    page = client.get("/fidelity/").content.decode()
    found = fidelity_figures.predictions_of_other_releases()
    assert [each["reference"].split(",")[0] for each in found] == ["RabbitMQ 4.3.6"]
    for document in (fidelity_figures.predictions(), *found):
        assert document is not None
        assert document["reference"] in page
        for cell in document["cells"]:
            assert f'<th scope="row">{cell["name"]}' in page


@pytest.mark.django_db
def test_each_figure_says_which_engine_it_was_measured_with(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = fidelity_figures.results()
    assert measured is not None
    proofs = [name for name, found in measured.items() if isinstance(found, dict)]
    apart = {name: {"date": "2026-01-31", "engine": f"9.{number}"} for number, name in enumerate(proofs)}
    told = {**measured, **{name: {**measured[name], "measured_on": apart[name]} for name in proofs}}
    monkeypatch.setattr(fidelity_figures, "results", lambda: told)
    page = client.get("/fidelity/").content.decode()
    shown = {
        name for name in proofs if f"Measured on 2026-01-31 with engine {apart[name]['engine']}." in page
    }
    assert shown == set(proofs) - {"directories"}, "the page shows everything but the directories' own figure"


@pytest.mark.django_db
def test_without_results_it_says_what_makes_them(
    client: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(fidelity_figures, "RESULTS", tmp_path / "none.json")
    answer = client.get("/fidelity/")
    assert answer.status_code == 200
    assert "make fidelity" in answer.content.decode()


@pytest.mark.django_db
def test_it_is_only_for_reading(client: Client) -> None:
    assert client.post("/fidelity/").status_code == 405


@pytest.mark.django_db
def test_the_page_has_the_memory_of_todays_broker_beside_that_of_3_10(client: Client) -> None:
    page = " ".join(client.get("/fidelity/").content.decode().split())
    shown = fidelity_figures.todays_memory()
    assert shown is not None
    assert "Not measured on 4.x" in page
    for each in shown["rows"]:
        name = str(each["name"])
        assert f"{name[0].upper()}{name[1:]}".replace("'", "&#x27;") in page
        assert f">{int(each['middle'] + 0.5)}<" in page.replace(",", "")


@pytest.mark.django_db
def test_without_a_measurement_of_todays_broker_the_page_says_nothing_of_it(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fidelity_figures, "RELEASE", "9.9.9")
    assert "Not measured on 4.x" not in client.get("/fidelity/").content.decode()


@pytest.mark.django_db
def test_a_verdict_names_the_runs_that_it_does_not_hold_for(client: Client) -> None:
    def run(name: str, beyond_pct: float, fitted: bool = False) -> dict[str, Any]:
        return {"name": name, "fitted": fitted, "metrics": {"blocked_s": {"beyond_pct": beyond_pct}}}

    cells = [run("near", 30.0), run("far", 30.1), run("chosen by", 90.0, fitted=True)]
    assert missed(cells, "blocked_s") == ["far"]
    found = fidelity_figures.predictions()
    assert found is not None
    shown = {name: missed(found["cells"], name) for name in found["metrics"]}
    page = " ".join(client.get("/fidelity/").content.decode().split())
    for names in shown.values():
        assert not names or f", but for {', '.join(names)}" in page
