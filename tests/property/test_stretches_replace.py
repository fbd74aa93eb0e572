"""To replace a stretch is to take out what lies there and put it in, whatever it merges with."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.classic_v1.store.tallies import StretchTally
from engine.values.stretches import Stretches

PIECES = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 2)), min_size=1, max_size=8)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(PIECES, st.integers(0, 30), st.integers(1, 6), st.integers(0, 2))
def test_it_is_a_removal_and_an_insertion(
    pieces: list[tuple[int, int]], start: int, count: int, value: int
) -> None:
    one: Stretches[StretchTally] = Stretches()
    at = 0
    for many, each in pieces:
        if each:  # 0 leaves a gap
            one.insert(StretchTally(at, many, each))
        at += many
    other = one.copy()
    new = StretchTally(start, count, value)
    one.replace(new)
    other.remove(start, count)
    other.insert(new)
    assert list(one) == list(other)
    assert one.total == other.total
