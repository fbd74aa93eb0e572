"""The what-if page shows where an axis jumps."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from playground.whatif.table import breaks


@pytest.mark.parametrize(
    ("values", "jumps"),
    [
        ([1000, 2000, 3000, 4000], set()),
        ([256, 1024, 4000, 12288], set()),
        ([20, 100, 500, 2000], set()),
        ([0.3, 0.5, 0.6, 0.75, 0.9, 1.0], {1}),
        ([0, 512, 4096], {2}),
        ([268435456, 402653184, 536870912, 1073741824], {3}),
        ([False, True], set()),
        (["none", "exactly 2", "all"], set()),
        ([0, 1], set()),
    ],
)
def test_an_axis_jumps_where_a_step_is_longer_than_the_others(values: list[object], jumps: set[int]) -> None:
    assert breaks(values) == jumps


@pytest.mark.django_db
def test_the_heatmap_marks_the_jumps_of_both_axes(client: Client) -> None:
    page = client.get("/whatif/", {"h": "paging-watermark"}).content.decode()
    assert page.count('class="jumps"') == 1
    assert re.search(r'class="jumps"[^>]*>0\.5<', page)
    assert "a longer step of the axis" in page
    even = client.get("/whatif/", {"h": "backlog-spiral"}).content.decode()
    assert 'class="jumps"' not in even
    assert "a longer step of the axis" not in even
