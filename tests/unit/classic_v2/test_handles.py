"""Which `.qi` files are open when one flush writes to many segments (W90, W212)."""

from __future__ import annotations

from engine.classic_v2.index.handles import OpenFiles
from engine.values.erlang_maps import walked


def test_the_outer_ones_stay_open_when_segments_are_opened_by_number() -> None:
    files = OpenFiles()
    for segment in range(40):
        files.open(segment)
    assert list(files) == [0, 1, 38, 39]


def test_beyond_32_segments_those_stay_open_that_a_node_kept() -> None:
    """As in program d5194 on a real 4.0.5: a flush of 34 segments."""
    files = OpenFiles()
    for segment in walked(range(34)):
        files.open(segment)
    assert list(files) == [0, 5, 22, 33]
