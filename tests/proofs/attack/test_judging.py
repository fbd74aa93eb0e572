"""What is too much for an innocent: only what the server beside, on the same busy machine, does not show as well."""

from __future__ import annotations

import pytest

from tools.proofs.attack.cases import GROUPS, LONG, chosen
from tools.proofs.attack.judging import Felt, Measured, MeasuredStretch, felt

STRETCH = MeasuredStretch("a case", 10.0, 20.0)


def given(took_ms: float, count: int = 50) -> Measured:
    """Return commands of 10 seconds that take so long each."""
    return [(10 + number / count * 10, took_ms) for number in range(count)]


def judged(here: Measured, beside: Measured) -> Felt:
    """Return what was felt in the one stretch."""
    [found] = felt([STRETCH], here, beside)
    return found


@pytest.mark.parametrize(
    ("here_ms", "beside_ms", "too_much"),
    [(99, 10, False), (101, 10, True), (1900, 1000, False), (2100, 1000, True), (500, 4000, False)],
)
def test_a_busy_machine_is_nobodys_fault(here_ms: float, beside_ms: float, too_much: bool) -> None:
    assert judged(given(here_ms), given(beside_ms)).is_too_much is too_much


def test_a_refused_command_is_too_much() -> None:
    here = [*given(10), (15.0, -1.0)]
    assert judged(here, given(10)).here_ms == float("inf")
    assert judged(here, given(10)).is_too_much


def test_where_the_other_server_refused_as_well_nothing_holds() -> None:
    refused = [*given(10), (15.0, -1.0)]
    assert judged(refused, refused).is_too_much


def test_a_short_stretch_says_nothing() -> None:
    found = judged(given(10_000, count=4), given(10, count=4))
    assert found.here_ms is None
    assert not found.is_too_much


def test_an_attacked_server_that_answers_nothing_is_too_much() -> None:
    """All that comes late falls into the last command of the stretch; where there is none, the other one is few."""
    late = [(10.0, 9_000.0), *[(19.0 + number / 100, 900.0) for number in range(5)]]
    assert judged(late, given(30)).is_too_much


@pytest.mark.parametrize("count", [0, 1, 4])
def test_an_attacked_server_that_answers_hardly_anything_is_too_much(count: int) -> None:
    assert judged(given(3_000, count), given(30)).is_too_much


def test_every_case_has_a_name_of_its_own_and_each_group_a_tiny_one() -> None:
    names = [case.__name__ for case in chosen(tiny=False)]
    assert len(names) == len(set(names))
    assert {case for cases in GROUPS.values() for case in cases} >= LONG
    for group in GROUPS:
        assert chosen(tiny=True, groups=[group]), group
