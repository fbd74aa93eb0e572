"""The database does not answer: a page says when to come back, a socket is sent away to come back, nothing is lost."""

from __future__ import annotations

from typing import Any, NoReturn

import pytest
from django.db import OperationalError
from django.test import Client

from playground.sessions import session_sockets
from tests.web.test_classroom_sockets import End, people
from tests.web.test_pages import start
from tests.web.test_sockets import (
    _start,
    browsers,  # noqa: F401 - a fixture
)

pytestmark = pytest.mark.django_db(transaction=True)


def unreachable(*_: Any) -> NoReturn:
    raise OperationalError("too many clients already")


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_page_says_when_to_come_back(client: Client, monkeypatch: Any, accept: str) -> None:
    address = f"/s/{start(client)}/"
    with monkeypatch.context() as broken:
        broken.setattr("playground.records.kept_runs.session_by_id", unreachable)
        response = client.get(address, headers={"accept": accept})
    assert response.status_code == 503
    assert int(response["Retry-After"]) > 0
    assert "What was accepted is kept" in response.content.decode()
    assert client.get(address).status_code == 200


@pytest.mark.parametrize(
    "lookup", ["playground.records.kept_runs.owns", "playground.records.kept_runs.session_exists"]
)
async def test_a_sessions_socket_is_sent_away_to_come_back(
    browsers: Any,  # noqa: F811
    monkeypatch: Any,
    lookup: str,
) -> None:
    session_id, cookie = await _start()
    with monkeypatch.context() as broken:
        broken.setattr(lookup, unreachable)
        browser = await browsers(session_id, cookie, hello=False)
        assert await browser.close_code() == session_sockets.TRY_AGAIN
    assert (await (await browsers(session_id, cookie)).kind("welcome"))["owner"] is True


async def test_a_students_socket_is_sent_away_to_come_back(monkeypatch: Any) -> None:
    _classroom, _teacher, student = await people()
    with monkeypatch.context() as broken:
        broken.setattr("playground.classroom.selectors.student_of", unreachable)
        assert await (await End("/ws/class/me/", student).connect()).closed() == session_sockets.TRY_AGAIN
    end = await End("/ws/class/me/", student).connect()
    assert "frozen" in await end.next()
    await end.leave()
