"""To replace a stretch is to take out what lies there and put it in, whatever it merges with."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.values.stretches import Stretches, StretchTally

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


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    PIECES, st.lists(st.tuples(st.integers(1, 3), st.integers(1, 2), st.booleans()), min_size=1, max_size=12)
)
def test_many_at_once_are_as_one_by_one(
    pieces: list[tuple[int, int]], more: list[tuple[int, int, bool]]
) -> None:
    """Gaps are filled, and what is there is replaced, in one pass or each by itself."""
    one: Stretches[StretchTally] = Stretches()
    fresh: list[StretchTally] = []
    changed: list[StretchTally] = []
    at = 0
    for (many, each), (count, value, inserted) in zip(pieces * 12, more, strict=False):
        if each:
            one.insert(StretchTally(at, many, each))
            changed.append(StretchTally(at, min(count, many), value))
        elif inserted:
            fresh.append(StretchTally(at, many, value))
        at += many
    singles, replaced = one.copy(), one.copy()
    one.merge(fresh)
    for new in fresh:
        singles.insert(new)
    assert list(one) == list(singles)
    assert one.total == singles.total
    held = one.holding(range(at + 1))
    assert held == [one.at(item) for item in range(at + 1)]
    other = replaced.copy()
    replaced.replace_all(changed)
    for new in changed:
        other.replace(new)
    assert list(replaced) == list(other)
    assert replaced.total == other.total
