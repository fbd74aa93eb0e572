"""Every surface of a session's page, on every release: it shows what the table says.

Only a browser: the whole page is put together on each release, with no error in its scripts. A page differs little
between scales, so the real one's are left to `make surfaces` and `make long-tests`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from playground.views.surface_table import WORKS
from tools.proofs.surfaces import table, walk
from tools.proofs.surfaces.columns import COLUMNS, Column


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(each, id=each.name, marks=pytest.mark.soak if each.scale == "real" else ())
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
