"""Repeating runs for pages: a few at once, a queue in order, bounds for each visitor, and 503 with a time."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from playground.comparing.reel import ReelMaker
from playground.hosting.real_engine import door
from playground.jobs import ENDED, JobEnded
from playground.limits import work_places
from playground.limits.request_callers import RequestCaller
from playground.limits.work_places import USUAL, GateBusy, RepeatGate
from playground.records import kept_runs
from playground.sessions import live_hosts, session_sharing
from tests.helpers.patience import PATIENCE_S

GREEDY = RequestCaller("192.0.2.1", "greedy")


def test_places_are_bounded_and_those_who_wait_come_in_order() -> None:
    gate, came = RepeatGate(places=1), []

    def work(name: str) -> None:
        with gate.place(RequestCaller(name)):
            came.append(name)

    threads = []
    with gate.place(RequestCaller("first")):
        for name in "abc":
            threads.append(threading.Thread(target=work, args=(name,)))
            threads[-1].start()
            time.sleep(0.05)
        assert came == []
    for thread in threads:
        thread.join(5)
    assert came == ["a", "b", "c"]


def test_a_full_queue_refuses_at_once_and_one_that_does_not_move_after_a_while() -> None:
    with RepeatGate(places=1, waiting=0).place(RequestCaller("x")):
        pass
    full = RepeatGate(places=1, waiting=0)
    with (
        full.place(RequestCaller("one")),
        pytest.raises(GateBusy, match="as many runs"),
        full.place(RequestCaller("two")),
    ):
        pass
    slow = RepeatGate(places=1, patience_s=0.1)
    with (
        slow.place(RequestCaller("one")),
        pytest.raises(GateBusy, match="as many runs"),
        slow.place(RequestCaller("two")),
    ):
        pass
    with slow.place(RequestCaller("two")):
        pass


def test_one_visitor_has_only_so_many_and_gets_them_back() -> None:
    gate = RepeatGate(places=10)
    for _round in range(2):
        with contextlib.ExitStack() as held:
            for _each in range(USUAL):
                held.enter_context(gate.place(GREEDY))
            with pytest.raises(GateBusy, match="of yours"), gate.place(GREEDY):
                pass
            with gate.place(GREEDY._replace(visitor="other")):
                pass


def test_all_pictures_of_a_page_are_drawn_and_leave_a_visitor_their_own_runs() -> None:
    gate = RepeatGate(places=99)
    with contextlib.ExitStack() as held:
        for _each in range(work_places.PICTURES_PER_VISITOR):
            held.enter_context(gate.place(GREEDY, picture=True))
        with gate.place(GREEDY):
            pass
        with pytest.raises(GateBusy, match="of yours"), gate.place(GREEDY, picture=True):
            pass


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Take the only place that there is."""
    gate = RepeatGate(places=1, waiting=0)
    monkeypatch.setattr(work_places, "gate", gate)
    with gate.place(RequestCaller("somebody else")):
        yield


@pytest.mark.django_db
def test_a_picture_and_an_export_are_503_with_a_time_and_words(client: Client, full: Any) -> None:
    kept = kept_runs.keep_scenario(kept_runs.blank_scenario("classroom"))
    session = kept_runs.start_session(kept_runs.blank_scenario("classroom"))
    session.digest = "0" * 32
    session.save()
    for address in (f"/r/{kept.short_id}/card.png", f"/s/{session.public_id}/run.csv"):
        answer = client.get(address)
        assert answer.status_code == 503, address
        assert answer["Retry-After"] == str(work_places.AGAIN_S)
        assert "Ask again in 10 seconds" in answer.content.decode()


@pytest.mark.django_db
def test_a_sleeping_session_is_repeated_once_however_often_it_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = kept_runs.start_session(kept_runs.blank_scenario("classroom"))
    played: list[int] = []
    repeated = session_sharing._repeated

    def counted(*given: Any) -> Any:
        played.append(1)
        return repeated(*given)

    monkeypatch.setattr(session_sharing, "_repeated", counted)
    assert session_sharing.scenario_so_far(session) == session_sharing.scenario_so_far(session)
    assert len(played) == 1


@pytest.mark.django_db
def test_a_sleeping_session_waits_for_its_turn_as_well(client: Client, full: Any) -> None:
    session = kept_runs.start_session(kept_runs.blank_scenario("classroom"))
    answer = client.post(f"/s/{session.public_id}/share")
    assert answer.status_code == 503
    assert answer["Retry-After"]


@pytest.mark.django_db
def test_the_files_of_the_past_a_zip_and_a_comparison_wait_for_their_turn_as_well(
    client: Client, full: Any
) -> None:
    session = kept_runs.start_session(kept_runs.blank_scenario("classroom"))
    path = live_hosts.registry().directory.fresh(session.public_id)
    door().open(session.scenario, str(path), 2**28)[1].close()
    kept = kept_runs.keep_scenario(kept_runs.blank_scenario("classroom"))
    reel = reverse("compare-reel", args=[f"{kept.short_id}/{kept.short_id}"])
    for address in (f"/s/{session.public_id}/record?seq=1&at=1", f"/s/{session.public_id}/files.zip", reel):
        deadline_s = time.monotonic() + PATIENCE_S
        answer = client.get(address, headers={"accept": "application/json"})
        while answer.status_code == 202 and time.monotonic() < deadline_s:  # it is made in a thread
            time.sleep(0.05)
            answer = client.get(address)
        assert answer.status_code == 503, address
        assert answer["Retry-After"] == str(work_places.AGAIN_S)


@pytest.mark.django_db
def test_a_long_file_waits_for_its_turn_and_a_short_one_is_checked_at_once(client: Client, full: Any) -> None:
    short = json.dumps({**kept_runs.blank_scenario("classroom"), "title": "Mine"})
    long = short + " " * work_places.SHORT_BYTES
    assert client.post("/s/import", {"text": short}).status_code == 302
    assert client.post("/library/check/", {"text": short}).status_code == 200
    for answer in (
        client.post("/s/import", {"text": long}),
        client.post("/library/check/", {"text": long}),
        client.post("/library/edit/", {"text": long}),
        client.get(f"/x/1{'a' * 1000}/"),
    ):
        assert (answer.status_code, answer["Retry-After"]) == (503, str(work_places.AGAIN_S))


def test_whoever_asks_for_a_comparison_hears_that_there_is_no_place_however_late_that_is_known() -> None:
    @contextlib.contextmanager
    def no_place() -> Iterator[None]:
        raise GateBusy("none")
        yield

    studio = ReelMaker()
    making = studio.ask("one", [{}, {}], no_place(), "")
    deadline_s = time.monotonic() + PATIENCE_S
    while making.busy is None and time.monotonic() < deadline_s:
        time.sleep(0.005)
    assert making.busy is not None
    assert studio.ask("one", [{}, {}], no_place(), "") is making
    studio.forget("one", making)
    again = studio.ask("one", [{}, {}], no_place(), "")
    assert again is not making
    studio.forget("one", making)  # an answer that comes late ends nobody else's comparison
    assert studio.ask("one", [{}, {}], no_place(), "") is again


@pytest.mark.django_db
@pytest.mark.parametrize(("why", "status"), [("lost", 503), ("memory", 422), ("time", 422)])
def test_a_job_that_ended_is_an_answer_whoever_asked(
    client: Client, monkeypatch: pytest.MonkeyPatch, why: str, status: int
) -> None:
    session = kept_runs.start_session(kept_runs.blank_scenario("classroom"))

    def ended(*_key: object) -> None:
        raise JobEnded(why)

    monkeypatch.setattr(live_hosts.past(), "_repeat", ended)
    for place in ("record?seq=1&at=1", "files.zip?at=1"):
        answer = client.get(f"/s/{session.public_id}/{place}", headers={"accept": "application/json"})
        assert (answer.status_code, answer.json()["error"]) == (status, str(ENDED[why]))
        assert ("Retry-After" in answer) == (why == "lost")
