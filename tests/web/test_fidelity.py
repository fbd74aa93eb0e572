"""The page about fidelity shows what was measured, and says so where nothing was."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from playground import fidelity


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.mark.django_db
def test_it_shows_the_measured_numbers(client: Client) -> None:
    measured = fidelity.results()
    assert measured is not None
    page = client.get("/fidelity/").content.decode()
    assert f"<b>{measured['traces']['whole']}</b>" in page
    assert f"<b>{measured['differential']['equal']}</b>" in page
    assert measured["date"] in page


@pytest.mark.django_db
def test_without_results_it_says_what_makes_them(
    client: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(fidelity, "RESULTS", tmp_path / "none.json")
    answer = client.get("/fidelity/")
    assert answer.status_code == 200
    assert "make fidelity" in answer.content.decode()


@pytest.mark.django_db
def test_it_is_only_for_reading(client: Client) -> None:
    assert client.post("/fidelity/").status_code == 405
