"""Places before which callers take turns, and answers that are kept and need none."""

from __future__ import annotations

import contextlib

import pytest
from django.test import Client

from playground.exercises.grading import KnownAnswers
from playground.limits import work_places
from playground.limits.request_callers import RequestCaller
from playground.limits.work_places import CallerLanes, GateBusy, PlacesFull, RepeatGate, WorkPlaces
from playground.records import kept_runs

GREEDY, HOUSE, CLASS = "192.0.2.1", "2001:db8:1:2::/64", "class 7"


def of(group: str, visitor: object = "") -> RequestCaller:
    return RequestCaller(group, str(visitor))


def test_one_address_never_has_the_last_place_however_many_cookies_it_has() -> None:
    places = WorkPlaces(count=3, waiting=48)
    tickets = [places.enter(of(GREEDY, number)) for number in range(20)]
    assert [places.ahead(each) == 0 for each in tickets] == [True, True, *[False] * 18]
    for other in (HOUSE, CLASS):
        ticket = places.enter(of(other))
        assert places.ahead(ticket) == 0, other
        places.leave(ticket)
    assert places.ahead(tickets[2]) == 1
    places.leave(tickets[0])
    assert places.ahead(tickets[2]) == 0


def test_callers_take_turns_and_those_of_one_caller_come_in_order() -> None:
    places = WorkPlaces(count=1, waiting=48)
    working = places.enter(of("first"))
    assert places.ahead(working) == 0
    waiting = [places.enter(of(GREEDY, number)) for number in range(3)]
    waiting.append(places.enter(of(HOUSE)))
    assert [places.ahead(each) for each in waiting] == [1, 3, 4, 2]
    came = []
    while any(each.state == "waits" for each in waiting):
        places.leave(working)
        working = next(each for each in waiting if each.state == "waits" and places.ahead(each) == 0)
        came.append(working.caller)
    assert came == [of(GREEDY, 0), of(HOUSE), of(GREEDY, 1), of(GREEDY, 2)]


def test_where_too_many_wait_the_last_of_the_longest_lane_goes() -> None:
    places = WorkPlaces(count=1, waiting=4)
    assert places.ahead(places.enter(of("works"))) == 0
    greedy = [places.enter(of(GREEDY, number)) for number in range(4)]
    with pytest.raises(PlacesFull):
        places.enter(of(GREEDY, 9))
    honest = places.enter(of(HOUSE))
    with pytest.raises(PlacesFull):
        places.ahead(greedy[3])
    places.leave(greedy[3])  # as whoever was refused does
    assert places.ahead(honest) == 2
    assert places.ahead(places.enter(of(CLASS))) == 3
    assert [each.state for each in greedy] == ["waits", "waits", "over", "over"]


def test_a_class_of_thirty_behind_one_address_loses_nobody_to_a_flood_from_there() -> None:
    places = WorkPlaces(count=3, waiting=48)
    flood = []
    for number in range(300):
        with contextlib.suppress(PlacesFull):
            flood.append(places.enter(of(GREEDY, number)))
    assert [places.ahead(each) == 0 for each in flood[:3]] == [True, True, False]
    students = [places.enter(of(CLASS, number)) for number in range(24)]
    assert [places.ahead(each) == 0 for each in students].count(True) == 1
    worked = set()
    for _round in range(100):
        for each in students:
            if each.state == "works":
                worked.add(each)
        for each in (*students, *flood):
            if each.state == "works":
                places.leave(each)
            elif each.state == "waits":
                places.ahead(each)
    assert worked == set(students)


def test_who_waits_in_vain_leaves_nothing_behind() -> None:
    places = WorkPlaces(count=1, waiting=4)
    held = places.enter(of("a"))
    places.wait(held, 0)
    with pytest.raises(PlacesFull):
        places.wait(places.enter(of("b")), 0.01)
    places.leave(held)
    places.leave(held)
    for _round in range(3):
        ticket = places.enter(of("b"), most=1)
        with pytest.raises(PlacesFull):
            places.enter(of("b"), most=1)
        places.wait(ticket, 0)
        places.leave(ticket)
    assert (places._running, places._held, places._lanes.count, places._free) == ({}, {}, 0, 1)


def test_lanes_take_turns() -> None:
    lanes: CallerLanes[str] = CallerLanes()
    for each in ("a1", "a2", "b1"):
        lanes.add(each[0], each)
    came = []
    while (first := lanes.first()) is not None:
        came.append(first)
        lanes.remove(first[0], first, has_its_turn=True)
    assert came == ["a1", "b1", "a2"]
    assert lanes.count == 0


@pytest.mark.django_db
def test_what_is_kept_needs_no_place_also_for_thirty_visitors_of_an_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Thirty visitors with two subjects each got 61 of 806 stages refused though all were kept."""
    kept = kept_runs.keep_scenario({**kept_runs.blank_scenario("classroom"), "title": "Mine"})
    addresses = [
        f"/r/{kept.short_id}/{each}?at={at}" for each in ("card.png", "lead.json") for at in range(3)
    ]
    asked = [Client().get(address) for address in addresses]
    assert [each.status_code for each in asked] == [200] * len(addresses)
    gate = RepeatGate(places=1, waiting=0)
    monkeypatch.setattr(work_places, "gate", gate)
    with gate.place(RequestCaller("another")):  # no place is free now
        for _visitor in range(30):
            client = Client()
            assert [client.get(address).status_code for address in addresses] == [200] * len(addresses)
        assert Client().get(f"/r/{kept.short_id}/card.png?at=9").status_code == 503


def test_what_is_known_of_an_exercise_needs_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def ask(exercise: str) -> str:
        asked.append(exercise)
        return exercise.upper()

    known: KnownAnswers[str] = KnownAnswers(ask)
    exercise = "an exercise"
    assert known.answer(exercise) == "AN EXERCISE"
    gate = RepeatGate(places=1, waiting=0)
    monkeypatch.setattr(work_places, "gate", gate)
    with gate.place(RequestCaller("another")):
        assert known.answer(exercise) == "AN EXERCISE"
        with pytest.raises(GateBusy):
            known.answer("another one")
    assert asked == ["an exercise"]
