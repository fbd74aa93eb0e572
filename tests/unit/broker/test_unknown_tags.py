"""What a process counts of an acknowledgement that names messages it does not know."""

from __future__ import annotations

import pytest

from engine.broker.clients.channel import until_unknown
from engine.values.extents import Extent
from engine.values.stretches import Range

CASES = [
    ([(0, 4)], [(0, 4)], 4),
    ([(0, 1), (4, 2)], [(4, 2)], 0),
    ([(4, 2), (0, 1)], [(4, 2)], 2),
    ([(4, 1), (0, 1), (5, 1)], [(4, 1), (5, 1)], 1),
    ([(2, 5)], [(2, 2), (5, 2)], 2),
    ([(0, 1), (0, 1)], [(0, 1)], 1),
    ([], [], 0),
]


@pytest.mark.parametrize(("tags", "found", "counted"), CASES)
def test_behind_an_unknown_tag_nothing_is_counted(
    tags: list[tuple[int, int]], found: list[tuple[int, int]], counted: int
) -> None:
    """H68, P11: program 61000153 on a real node; its consumer got nothing more though it had acknowledged."""
    known = [Extent(start, count, 0, 10, 0) for start, count in found]
    assert until_unknown([Range(*each) for each in tags], known) == counted
