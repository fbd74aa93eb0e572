"""The sockets of a class: who is let in, what is sent to whom, and that a frozen class commands nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings as django_settings
from django.contrib.auth import get_user_model
from django.test import Client

from playground.asgi import application
from playground.classroom import asking, rooms, services, sockets
from playground.classroom.models import Classroom
from playground.exercises.models import Work
from playground.records import paused_sessions
from playground.sessions import live_hosts
from tests.helpers.patience import PATIENCE_S

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    yield
    paused_sessions._held.clear()


@pytest_asyncio.fixture(autouse=True)
async def _ended() -> AsyncIterator[None]:
    yield
    await live_hosts.end()


class End:
    """A browser's end of a class's socket."""

    def __init__(self, path: str, client: Client | None = None, **headers: str) -> None:
        sent = {"origin": "http://localhost", "host": "localhost", **headers}
        cookie = client.cookies.get(django_settings.SESSION_COOKIE_NAME) if client else None
        if cookie is not None:
            sent["cookie"] = f"{django_settings.SESSION_COOKIE_NAME}={cookie.value}"
        raw = [(name.encode(), value.encode()) for name, value in sent.items()]
        self.socket = WebsocketCommunicator(application, path, headers=raw)

    async def connect(self) -> End:
        connected, _code = await self.socket.connect(timeout=PATIENCE_S)
        assert connected
        return self

    async def next(self, timeout_s: float = PATIENCE_S) -> dict[str, Any]:
        """Return what comes next."""
        found: dict[str, Any] = json.loads(await self.socket.receive_from(timeout=timeout_s))
        return found

    async def until(self, wanted: Any) -> dict[str, Any]:
        """Return the first message that is wanted."""
        while True:
            message = await self.next()
            if wanted(message):
                return message

    async def closed(self) -> int:
        """Return the code with which the socket was closed."""
        while True:
            message = await self.socket.receive_output(timeout=PATIENCE_S)
            if message["type"] == "websocket.close":
                return int(message["code"])

    async def leave(self) -> None:
        await self.socket.disconnect()


def _people() -> tuple[Classroom, Client, Client]:
    teacher, student = Client(), Client()
    user = get_user_model().objects.create(username="teacher")
    teacher.force_login(user)
    classroom = services.make_class(user, "Brokers", ["waterline"], 30)
    student.post("/class/join/", {"code": classroom.join_code, "nickname": "owl"})
    return classroom, teacher, student


people = database_sync_to_async(_people)


async def test_the_teacher_sees_rows_as_they_change() -> None:
    classroom, teacher, student = await people()
    end = await End(f"/ws/class/{classroom.public_id}/", teacher).connect()
    first = await end.next()
    assert (first["whole"], [row["name"] for row in first["changed"]]) == (True, ["owl"])
    assert first["changed"][0]["online"] is False
    other = await End("/ws/class/me/", student).connect()
    update = await end.until(lambda m: m["changed"])
    assert update["changed"][0]["online"] is True
    post = database_sync_to_async(student.post)
    await post("/learn/waterline/first-in/begin")
    await post("/learn/waterline/first-in/answer", {"answer": "q1"})
    update = await end.until(
        lambda m: m["changed"] and "first-in" in m["changed"][0]["cells"] and m["hardest"]
    )
    assert update["changed"][0]["cells"]["first-in"][:2] == ["wrong", 1]
    assert update["hardest"]["answers"] == [["q1", 1, False]]
    assert update["whole"] is False
    await post("/class/me/delete")
    update = await end.until(lambda m: m["gone"])
    assert update["changed"] == []
    assert await other.closed() == sockets.GONE
    await end.leave()


async def test_the_projector_hears_that_the_class_is_closed_or_deleted() -> None:
    classroom, teacher, _student = await people()
    end = await End(f"/ws/class/{classroom.public_id}/", teacher).connect()
    assert (await end.next())["joining"] is True
    await database_sync_to_async(services.change_class)(classroom, ["waterline"], None, False)
    assert (await end.next())["joining"] is False
    await database_sync_to_async(services.delete_class)(classroom)
    assert await end.closed() == sockets.GONE


async def test_a_student_hears_what_the_teacher_does() -> None:
    classroom, _teacher, student = await people()
    end = await End("/ws/class/me/", student).connect()
    assert (await end.next())["frozen"] is False
    await database_sync_to_async(services.freeze)(classroom, True)
    assert (await end.next())["frozen"] is True
    await database_sync_to_async(asking.open_vote)(classroom, "first-in")
    update = await end.until(lambda m: m["vote"])
    assert update["vote"]["stage"] == "first"
    assert set(update) == {"t", "frozen", "ended", "handed", "push", "vote"}, "nothing about anybody else"
    await database_sync_to_async(services.delete_class)(classroom)
    assert await end.closed() == sockets.GONE


async def test_strangers_are_not_let_in() -> None:
    classroom, teacher, student = await people()
    path = f"/ws/class/{classroom.public_id}/"
    other = Client()
    user = await get_user_model().objects.acreate(username="other")
    await database_sync_to_async(other.force_login)(user)
    for who, place in (
        (None, path),
        (other, path),
        (student, path),
        (None, "/ws/class/me/"),
        (teacher, "/ws/class/me/"),
    ):
        end = await End(place, who).connect()
        assert await end.closed() == sockets.NOT_YOURS
    assert rooms.of(classroom.pk) is None


async def test_other_sites_are_not_let_in() -> None:
    _classroom, _teacher, student = await people()
    end = End("/ws/class/me/", student, origin="https://evil.example")
    connected, _code = await end.socket.connect(timeout=PATIENCE_S)
    assert not connected


async def test_there_are_only_so_many_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    _classroom, _teacher, student = await people()
    monkeypatch.setattr(services, "SOCKETS_OF_A_STUDENT", 2)
    ends = [await End("/ws/class/me/", student).connect() for _each in range(3)]
    assert await ends[2].closed() == sockets.TOO_MANY
    for end in ends[:2]:
        await end.leave()


async def test_who_talks_much_is_cut_off() -> None:
    _classroom, _teacher, student = await people()
    end = await End("/ws/class/me/", student).connect()
    for _each in range(20):
        await end.socket.send_to(text_data="x" * 100)
    assert await end.closed() == sockets.TOO_FAST


async def test_who_does_not_read_keeps_nothing_waiting() -> None:
    classroom, teacher, _student = await people()
    end = await End(f"/ws/class/{classroom.public_id}/", teacher).connect()
    for number in range(3 * sockets.OUTBOX):
        await database_sync_to_async(services.freeze)(classroom, number % 2 == 0)
        await asyncio.sleep(0)
    room = rooms.of(classroom.pk)
    assert room is not None
    for member in room.members:
        assert isinstance(member, sockets.ClassSocket)
        assert member._outbox.qsize() <= sockets.OUTBOX
    await end.leave()


async def test_a_frozen_class_commands_nothing() -> None:
    classroom, _teacher, student = await people()
    await database_sync_to_async(student.post)("/learn/waterline/reach-delta/begin")
    await database_sync_to_async(student.get)("/learn/waterline/reach-delta/")
    work = await Work.objects.select_related("session").aget()
    session = work.session.public_id
    stage = await End(f"/ws/session/{session}/", student).connect()
    await stage.socket.send_to(text_data=json.dumps({"t": "hello", "have": None}))
    klass = await End("/ws/class/me/", student).connect()
    command = {"t": "command", "id": 1, "command": {"do": "publish", "count": 1, "size_bytes": 10}}
    await stage.socket.send_to(text_data=json.dumps(command))
    assert (await stage.until(lambda m: m["t"] in {"accepted", "refused"}))["t"] == "accepted"
    await database_sync_to_async(services.freeze)(classroom, True)
    await klass.until(lambda m: m["frozen"])
    await stage.socket.send_to(text_data=json.dumps({**command, "id": 2}))
    refused = await stage.until(lambda m: m["t"] in {"accepted", "refused"})
    assert refused["t"] == "refused"
    assert "paused the class" in refused["message"]
    await database_sync_to_async(services.freeze)(classroom, False)
    await klass.until(lambda m: not m["frozen"])
    await stage.socket.send_to(text_data=json.dumps({**command, "id": 3}))
    assert (await stage.until(lambda m: m["t"] in {"accepted", "refused"}))["t"] == "accepted"
    await stage.leave()
    await klass.leave()


async def test_a_frozen_class_holds_the_other_sessions_of_a_student_too() -> None:
    classroom, _teacher, student = await people()
    klass = await End("/ws/class/me/", student).connect()
    began = await database_sync_to_async(student.post)("/s/new", {"profile": "classroom"})
    session = began["Location"].split("/")[2]
    other = await End(f"/ws/session/{session}/", student).connect()
    await other.socket.send_to(text_data=json.dumps({"t": "hello", "have": None}))
    await other.socket.send_to(text_data=json.dumps({"t": "control", "play": True}))
    await other.until(lambda m: m["t"] == "frame" and m["play"])
    await database_sync_to_async(services.freeze)(classroom, True)
    await klass.until(lambda m: m["frozen"])
    await other.until(lambda m: m["t"] == "frame" and not m["play"])
    await other.socket.send_to(text_data=json.dumps({"t": "control", "play": True}))
    assert "paused the class" in (await other.until(lambda m: m["t"] == "notice"))["message"]
    await other.leave()
    await klass.leave()


async def test_a_log_out_ends_the_sockets_that_a_copied_cookie_opened() -> None:
    classroom, teacher, _student = await people()
    end = await End(f"/ws/class/{classroom.public_id}/", teacher).connect()
    await end.next()
    await database_sync_to_async(teacher.post)("/class/log-out")
    assert await end.closed() == sockets.NOT_YOURS
    again = await End(f"/ws/class/{classroom.public_id}/", teacher).connect()
    assert await again.closed() == sockets.NOT_YOURS


async def test_the_teacher_sees_how_the_queue_is_made_up() -> None:
    classroom, teacher, student = await people()
    await database_sync_to_async(student.post)("/learn/waterline/tail-or-head/begin")
    work = await Work.objects.select_related("session").aget()
    stage = await End(f"/ws/session/{work.session.public_id}/", student).connect()
    await stage.socket.send_to(text_data=json.dumps({"t": "hello", "have": None}))
    end = await End(f"/ws/class/{classroom.public_id}/", teacher).connect()
    update = await end.until(
        lambda m: m["changed"] and m["changed"][0]["mix"] and m["changed"][0]["mix"][4] == 10
    )
    assert update["changed"][0]["mix"] == [10, 0, 0, 0, 10]
    await end.leave()
    await stage.leave()
