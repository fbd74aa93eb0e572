"""The gain of a class and its uncertainty."""

from __future__ import annotations

import pytest

from playground.classroom import asking


def test_the_gain_is_the_share_of_what_was_missing() -> None:
    found = asking.of_class(dict.fromkeys(range(8), (0.4, 0.7)))
    assert found.gain == pytest.approx(0.5)
    assert found.low == pytest.approx(0.5), "all are alike"
    assert found.high == pytest.approx(0.5)


def test_the_interval_of_a_class_holds_its_gain_and_narrows_with_more_students() -> None:
    few = {0: (0.2, 0.3), 1: (0.5, 0.9), 2: (0.4, 0.4)}
    many = {number: few[number % 3] for number in range(60)}
    small, large = asking.of_class(few), asking.of_class(many)
    for found in (small, large):
        assert found.low is not None
        assert found.gain is not None
        assert found.high is not None
        assert found.low <= found.gain <= found.high
    assert large.high - large.low < small.high - small.low  # type: ignore[operator]  # asserted above
    assert asking.of_class(few) == small, "the same report twice"


def test_nothing_is_said_where_nothing_can_be() -> None:
    assert asking.of_class({}).gain is None
    assert asking.of_class({1: (0.2, 0.4)}).gain is None
    assert asking.of_class({1: (1.0, 1.0), 2: (1.0, 1.0)}).gain is None


def test_three_students_who_all_changed_prove_little() -> None:
    """The values of Agresti and Min's interval, by hand: n' = 5, b' = 3.5, c' = 0.5."""
    found = asking.change([(False, True)] * 3)
    assert (found.before, found.after, found.change) == (0, 3, 1.0)
    assert found.low == pytest.approx(0.6 - 1.96 * (4 - 9 / 5) ** 0.5 / 5)
    assert found.high == 1.0
    still = asking.change([(True, True)] * 3)
    assert still.low < 0 < still.high


def test_who_changed_both_ways_shows_no_change() -> None:
    found = asking.change([(False, True), (True, False)] * 4)
    assert found.change == 0
    assert found.low == pytest.approx(-found.high)
