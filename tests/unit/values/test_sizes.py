"""A column answers for many messages at once what asking each of them gives."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.values.sizes import FRAME_BYTES, FRAMED, BodyCost, Sizes, framed_bytes

FIRST = 7
SIZES = st.lists(
    st.integers(0, 3 * FRAME_BYTES) | st.sampled_from((0, 1, 63, 64, 65, FRAME_BYTES, FRAME_BYTES + 1)),
    min_size=1,
    max_size=40,
)


def small_cost(size_bytes: int) -> int:
    """Return what bends at 64 bytes, as a body in the heap of a process does."""
    return 40 + 8 * -(-size_bytes // 8) if size_bytes <= 64 else 100 + 3 * size_bytes


SMALL = BodyCost(small_cost, 65)


@given(SIZES, st.data())
def test_the_cost_of_many_is_the_sum_of_each(sizes: list[int], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(sizes)))
    count = data.draw(st.integers(0, len(sizes) - at))
    some = sizes[at : at + count]
    column = Sizes(FIRST, sizes)
    assert column.total(FIRST + at, count) == sum(some)
    assert column.total(FIRST + at, count, FRAMED) == sum(map(framed_bytes, some))
    assert column.total(FIRST + at, count, SMALL) == sum(map(small_cost, some))


@given(SIZES, st.sampled_from((0, 1, 64, 4096, FRAME_BYTES)), st.data())
def test_messages_alike_lie_on_one_side_of_the_border(
    sizes: list[int], border: int, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(sizes) - 1))
    most = data.draw(st.integers(1, len(sizes) - at))
    side = sizes[at] >= border
    alike = next((more for more in range(most) if (sizes[at + more] >= border) != side), most)
    assert Sizes(FIRST, sizes).alike(FIRST + at, most, border) == alike


@pytest.mark.parametrize("size_bytes", [1, 2, 1500, FRAME_BYTES])
def test_a_body_of_one_frame_lies_on_the_line(size_bytes: int) -> None:
    assert (FRAMED.fixed, FRAMED.per_byte) == (10, 1)
    assert FRAMED.beside(size_bytes) == 0


def test_a_column_keeps_what_it_was_given() -> None:
    given_sizes = array("I", [5, 6])
    column = Sizes(FIRST, given_sizes)
    given_sizes[0] = 9
    assert list(column.of(FIRST, 2)) == [5, 6]
    assert column == Sizes(FIRST, [5, 6])
    assert column.number == Sizes(FIRST, [5, 6]).number
