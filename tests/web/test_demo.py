"""The session that runs on the first page: one for each browser, made when its script asks for it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from engine.replay.player import on_ledger
from playground.models import CommandRecord, Session
from playground.sessions import session_sharing

pytestmark = pytest.mark.django_db


def opened(client: Client, **data: str) -> str:
    answer = client.post("/demo", data)
    assert answer.status_code == 200
    live = answer.json()
    assert live["websocket"] == f"/ws/session/{live['session']}/"
    return live["session"]


def test_looking_at_the_page_makes_no_session(client: Client) -> None:
    assert 'data-demo="/demo"' in client.get("/").content.decode()
    assert Session.objects.count() == 0


def test_a_browser_gets_the_same_demo_again(client: Client) -> None:
    assert opened(client) == opened(client)
    assert Session.objects.count() == 1


def test_another_browser_gets_its_own(client: Client) -> None:
    assert opened(client) != opened(Client())


def test_running_it_again_takes_the_place_of_the_one_before(client: Client) -> None:
    first = opened(client)
    assert opened(client, again="1") != first
    assert not Session.objects.filter(public_id=first).exists()


def test_a_demo_in_which_something_was_done_is_kept(client: Client) -> None:
    first = opened(client)
    session = Session.objects.get(public_id=first)
    CommandRecord.objects.create(session=session, sequence=0, at_us=0, command={"do": "purge"})
    opened(client, again="1")
    assert Session.objects.filter(public_id=first).exists()


def test_a_demo_is_no_latest_session_until_it_is_opened_in_the_playground(client: Client) -> None:
    first = opened(client)
    assert client.get("/play/")["Location"] == "/"
    assert client.get(f"/s/{first}/").status_code == 200
    assert client.get("/play/")["Location"] == f"/s/{first}/"
    assert opened(client) != first


def test_the_followed_message_goes_all_the_way() -> None:
    """Its states at each step of the run; the page stands at four of them."""
    node = on_ledger({**session_sharing.DEMO_SCENARIO}, keep=10_000)
    places: list[str] = []
    while node.now_us < session_sharing.DEMO_SCENARIO["until_us"]:
        node.advance(node.now_us + 10_000)
        queue = node.snapshot()["queues"].get("orders")
        place = None if queue is None else place_of(queue, session_sharing.DEMO_FOLLOWED)
        if place is not None and places[-1:] != [place]:
            places.append(place)
    assert [place.split(":")[0] for place in places] == ["q4", "q3", "delta", "q3", "disk_pending"]


def place_of(queue: dict[str, Any], seq: int) -> str | None:
    for lane, rows in queue["lanes"].items():
        for start, count, _no, _size, flags, *_rest in rows:
            if start <= seq < start + count:
                return f"{lane}:{flags}"
    start, _count, _transient, end = queue["counted"]["delta"]
    return "delta" if start is not None and start <= seq < end else None


def test_the_demo_is_a_scenario_that_the_engine_takes() -> None:
    session = session_sharing.demo_session({})
    assert session.scenario["until_us"] == session_sharing.DEMO_SCENARIO["until_us"]


def test_the_demo_is_rate_limited(client: Client, limit) -> None:  # type: ignore[no-untyped-def]
    limit(new_per_minute=2)
    codes = [
        client.post("/demo", {"again": "1"}, headers={"accept": "application/json"}).status_code
        for _ in range(3)
    ]
    assert codes == [200, 200, 429]


def test_the_tour_begins_in_a_session_of_its_own(client: Client) -> None:
    assert client.post("/s/new", {"tour": "1"})["Location"].endswith("/?tour=1")
