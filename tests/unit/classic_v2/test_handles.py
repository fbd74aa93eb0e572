"""Which `.qi` files are open when one flush writes to many segments (W90, W212)."""

from __future__ import annotations

from engine.classic_v2.index.handles import OpenFiles


def test_many_segments_are_opened_by_number() -> None:
    """W212: the broker's order follows a hash where there are more than 32."""
    files = OpenFiles()
    for segment in range(40):
        files.open(segment)
    assert list(files) == [0, 1, 38, 39]
