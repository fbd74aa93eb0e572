"""Which `.qi` files are open when one flush writes to many segments (W90)."""

from __future__ import annotations

from engine.classic_v2.index.tables import OpenFiles


def test_the_outer_ones_stay_open_when_segments_are_opened_by_number() -> None:
    files = OpenFiles()
    for segment in range(40):
        files.open(segment)
    assert list(files) == [0, 1, 38, 39]
