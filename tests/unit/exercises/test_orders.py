"""Orders are as strict as their causes: what does not wait for anything may stand anywhere."""

from __future__ import annotations

import itertools

import pytest

from playground.exercises import catalog
from playground.exercises.kinds import grade, solution_of
from playground.exercises.kinds.predictions import OrderItem, predecessors
from playground.exercises.schema import Exercise

ORDERS = [each for each in catalog.exercises().values() if each.kind == "order"]

JOURNAL = ["index-record", "fsync-journal"]
STORE = ["to-store", "to-file", "fsync-store"]


def interleavings(first: list[str], second: list[str]) -> list[list[str]]:
    """Return every way in which two sequences can run beside each other."""
    found = []
    for places in itertools.combinations(range(len(first) + len(second)), len(first)):
        one, other = iter(first), iter(second)
        found.append([next(one) if at in places else next(other) for at in range(len(first) + len(second))])
    return found


def test_the_two_ways_to_a_confirm_may_come_in_any_order() -> None:
    """The explanation says that the ways do not wait for each other, so each interleaving is right."""
    orders = interleavings(JOURNAL, STORE)
    assert len(orders) == 10
    for order in orders:
        verdict = grade(catalog.exercise("confirm-path"), [*order, "confirm"])
        assert verdict.passed, (order, verdict)
        assert all(line.yours == line.engine for line in verdict.lines)


def test_a_confirm_waits_for_both_ways_and_each_way_for_itself() -> None:
    exercise = catalog.exercise("confirm-path")
    wrong = [
        [*JOURNAL, "confirm", *STORE],
        [*STORE, "confirm", *JOURNAL],
        ["confirm", *JOURNAL, *STORE],
        [*JOURNAL, "to-store", "fsync-store", "to-file", "confirm"],
        ["fsync-journal", "index-record", *STORE, "confirm"],
    ]
    for order in wrong:
        verdict = grade(exercise, order)
        assert not verdict.passed, order
        assert verdict.feedback == ("_out-of-order",)
    (line,) = [line for line in grade(exercise, wrong[0]).lines if not line.right]
    assert (line.about, line.yours, line.engine) == ("confirm", 3, 6)


@pytest.mark.parametrize("exercise", ORDERS, ids=lambda each: each.slug)
def test_listed_causes_come_before_in_the_run_itself(exercise: Exercise) -> None:
    right = solution_of(exercise)
    known = {item.id for item in exercise.form.items}
    for item in exercise.form.items:
        assert set(item.after or ()) <= known
        if item.id in right:
            assert set(item.after or ()) <= set(right[: right.index(item.id)])


def test_without_listed_causes_the_run_is_one_chain() -> None:
    items = [OrderItem(id=name) for name in ("a", "b", "c")]
    assert predecessors(items, ["b", "a", "c"]) == {"b": set(), "a": {"b"}, "c": {"a", "b"}}


def test_causes_of_causes_count() -> None:
    items = [OrderItem(id="a", after=()), OrderItem(id="b", after=("a",)), OrderItem(id="c", after=("b",))]
    assert predecessors(items, ["a", "b", "c"])["c"] == {"a", "b"}
