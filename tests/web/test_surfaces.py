"""Every surface that needs no page in a browser, on every release and at both scales: it answers as the table says."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from playground.views import fidelity
from tools.measured_on import stale
from tools.proofs.surfaces import table
from tools.proofs.surfaces.columns import COLUMNS, Column
from tools.proofs.surfaces.server import SURFACES, Visit
from tools.proofs.surfaces.walk import STEPS

pytestmark = pytest.mark.django_db
QUICK = ("console", "static_link", "lazy_mode", "paging_ratio", "ram_target", "workload_csv")
"""What `make check` asks of every release; the rest takes a process or a page each."""
SHORT = {each.name for each in COLUMNS if each.scale == "classroom" or each.of == COLUMNS[-1].of}
"""What `make test` asks: every release at one scale, and the newest at both."""


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(each, id=each.name, marks=() if each.name in SHORT else pytest.mark.soak)
        for each in COLUMNS
    ],
)
@pytest.mark.parametrize(
    "surface", [pytest.param(each, marks=() if each in QUICK else pytest.mark.slow) for each in SURFACES]
)
def test_it_answers_as_the_table_says(
    surface: str, column: Column, record_property: Callable[[str, object], None]
) -> None:
    table.note(record_property, surface, column, SURFACES[surface](Visit(column)))


def test_the_table_has_every_surface_on_every_release_and_no_empty_cell() -> None:
    found = table.kept()
    assert [*found["surfaces"]] == fidelity.names()
    assert sorted(found["surfaces"]) == sorted([*SURFACES, *STEPS])
    for surface, cells in found["surfaces"].items():
        assert [*cells] == [each.name for each in COLUMNS], surface
        for answer in cells.values():
            assert answer == fidelity.WORKS or answer in fidelity.ABSENT, (surface, answer)
    assert stale("surfaces", found) is None


def test_both_scales_of_a_release_answer_alike() -> None:
    """The page shows one cell for both."""
    for surface, cells in table.kept()["surfaces"].items():
        for each in COLUMNS:
            assert cells[each.name] == cells[f"{each.of} real"], surface


def test_the_page_shows_what_works_and_what_a_release_does_not_have(client: Client) -> None:
    page = " ".join(client.get("/fidelity/").content.decode().split())
    assert "What works on which release" in page
    assert page.count('scope="row">Undo<') == 1
    assert "4.3.6 has no mirrored queues" in page
    cells = [answer for each in table.kept()["surfaces"].values() for answer in each.values()]
    assert 2 * page.count('class="absent"') == sum(answer != fidelity.WORKS for answer in cells)


def test_without_a_table_the_page_says_nothing_of_it(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fidelity, "FILE", "none.json")
    assert "What works on which release" not in client.get("/fidelity/").content.decode()
