"""Every surface of a session's page, on every release: it shows what the table says.

Only a browser: the whole page is put together on each release, with no error in its scripts. A page differs little
between scales, and little between releases of one version of queues: `make surfaces` and `make long-tests` have all.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from playground.views.fidelity import WORKS
from tools.proofs.surfaces import table, walk
from tools.proofs.surfaces.columns import COLUMNS, Column

SHORT = ("4.3.6 classroom",)
"""What `make test` plays: the newest; the reference is what all other tests in a browser play."""


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(each, id=each.name, marks=() if each.name in SHORT else pytest.mark.soak)
        for each in COLUMNS
    ],
)
def test_its_page_shows_them_all(
    column: Column, page: Page, record_property: Callable[[str, object], None]
) -> None:
    walk.opened(page, column)
    for surface, step in walk.STEPS.items():
        step(page)
        table.note(record_property, surface, column, WORKS)
