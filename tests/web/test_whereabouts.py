"""Where a session is: hints in addresses, sockets that are asked to move, pages that are redirected."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from channels.db import database_sync_to_async
from django.test import Client

from playground.models import Lease, Session
from playground.records import kept_runs, session_leases
from playground.records.session_leases import LeaseHolder
from playground.sessions import live_hosts, session_sockets
from tests.web import test_sockets
from tools.catalogue.script_modules import MovedMessage

pytestmark = pytest.mark.django_db(transaction=True)

browsers = test_sockets.browsers
OTHER = LeaseHolder("process-other", "app2")
LONG_S = 30.0
"""Longer than these tests take, and no longer than a few of the server's own leases (`leases.AHEAD`)."""


@pytest.fixture
def node(settings: Any) -> str:
    """Make this process one of several."""
    settings.WATERLINE_NODE = "app1"
    return "app1"


def begin(client: Client) -> str:
    return str(client.post("/s/new", {"profile": "classroom"})["Location"].split("/")[2])


def socket_on(client: Client, session_id: str) -> str:
    page = client.get(f"/s/{session_id}/").content.decode()
    found = re.search(r'"websocket": "([^"]+)"', page)
    assert found is not None
    return found[1].replace("\\u0026", "&")


def test_alone_an_address_has_no_hint_and_a_page_takes_nothing(client: Client) -> None:
    one = begin(client)
    assert socket_on(client, one) == f"/ws/session/{one}/"
    assert not Lease.objects.exists()


def test_a_page_takes_a_free_session_for_its_process(client: Client, node: str) -> None:
    one = begin(client)
    assert socket_on(client, one) == f"/ws/session/{one}/?node=app1"
    assert Lease.objects.get().node == node


def test_a_page_names_who_has_the_session(client: Client, node: str) -> None:
    one = begin(client)
    session_leases.take(one, OTHER, LONG_S)
    assert socket_on(client, one) == f"/ws/session/{one}/?node=app2"
    assert Lease.objects.get().epoch == 1


def test_a_hint_takes_the_place_of_another_and_leaves_the_rest() -> None:
    assert live_hosts.at_node("/ws/session/x/", "key=a%3Ab&node=app1", "app2") == (
        "/ws/session/x/?key=a%3Ab&node=app2"
    )


def test_what_needs_the_run_is_asked_of_its_process(client: Client, node: str) -> None:
    one = begin(client)
    session_leases.take(one, OTHER, LONG_S)
    for path in (f"/s/{one}/scenario.json", f"/s/{one}/file?path=x", f"/s/{one}/files.zip"):
        answer = client.get(path)
        assert answer.status_code == 307, path
        assert answer["Location"].startswith(path.split("?")[0])
        assert "node=app2" in answer["Location"]
    shared = client.post(f"/s/{one}/share")
    assert (shared.status_code, shared["Location"]) == (307, f"/s/{one}/share?node=app2")


def test_a_request_that_was_meant_for_another_process_is_not_sent_there_again(
    client: Client, node: str
) -> None:
    """The proxy did not reach it: what is on record is answered."""
    one = begin(client)
    session_leases.take(one, OTHER, LONG_S)
    assert client.get(f"/s/{one}/scenario.json?node=app2").status_code == 200
    assert client.post(f"/s/{one}/share?node=app2").status_code == 200


def test_what_is_awake_nowhere_is_answered_anywhere(client: Client, node: str) -> None:
    one = begin(client)
    assert client.get(f"/s/{one}/scenario.json").status_code == 200


async def test_a_socket_gets_the_place_of_the_session(browsers: Any, node: str) -> None:
    one = (
        await database_sync_to_async(kept_runs.start_session)(kept_runs.blank_scenario("classroom"))
    ).public_id
    await database_sync_to_async(session_leases.take)(one, OTHER, LONG_S)
    browser = await browsers(one)
    assert await browser.close_code() == session_sockets.MOVED
    moved = next(each for each in browser.seen if each["t"] == "moved")
    assert msgspec.convert(moved, MovedMessage).websocket == f"/ws/session/{one}/?node=app2"


async def test_a_socket_whose_owner_cannot_be_reached_comes_again(browsers: Any, node: str) -> None:
    one = (
        await database_sync_to_async(kept_runs.start_session)(kept_runs.blank_scenario("classroom"))
    ).public_id
    await database_sync_to_async(session_leases.take)(one, OTHER, LONG_S)
    browser = await browsers(one, query="node=app2")
    assert await browser.close_code() == session_sockets.TRY_AGAIN
    assert not any(each["t"] == "moved" for each in browser.seen)


async def test_a_session_that_is_deleted_under_its_run_says_so(browsers: Any) -> None:
    browser = await browsers()
    await browser.kind("snapshot")
    await database_sync_to_async(Session.objects.all().delete)()
    await browser.send(t="command", id=1, command={"do": "publish", "count": 1, "size_bytes": 1})
    assert await browser.close_code() == session_sockets.TRY_AGAIN
    again = await browsers(browser.session_id, hello=False)
    assert await again.close_code() == session_sockets.GONE
