"""The socket of a class: the teacher is sent the grid, a student what to do. Nobody sends anything over it."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from channels.auth import get_user
from channels.db import database_sync_to_async
from django.urls import re_path

from playground.classroom import accounts, rooms, selectors, services
from playground.exercises import learners
from playground.limits import request_callers
from playground.limits.rate_limits import RateBucket
from playground.sessions.session_sockets import SocketConsumer

logger = logging.getLogger(__name__)

NOT_YOURS = 4003
GONE = 4004
TOO_MANY = 4010
TOO_FAST = 4008
FORGET_S = 30
OUTBOX = 16


def _encode(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode()


class ClassSocket(SocketConsumer):
    """What the teacher's and the students' sockets share: overviews go out, newest first, and nothing comes in."""

    student: int | None = None
    room: rooms.ClassRoom | None = None

    async def connect(self) -> None:
        """Join the class, if it is this person's; otherwise say nothing and close."""
        await self.accept()
        self._outbox: asyncio.Queue[bytes | int] = asyncio.Queue(OUTBOX)
        self._send_at_once = self.scope.get(request_callers.AT_ONCE)
        self._sender = asyncio.create_task(self._send_outbox())
        self._received = RateBucket(1, 5, time.monotonic())
        classroom = await self._classroom()
        if classroom is None:
            self._put(NOT_YOURS)
        elif self._is_crowded(classroom):
            self._put(TOO_MANY)
        else:
            self.room = rooms.enter(classroom, self, read)

    async def disconnect(self, code: int) -> None:
        if self.room:
            rooms.leave(self.room, self)
        self._sender.cancel()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Ignore messages, and close when there are many."""
        if not self._received.take(time.monotonic()):
            self._put(TOO_FAST)

    async def _classroom(self) -> int | None:
        raise NotImplementedError

    def _is_crowded(self, classroom: int) -> bool:
        raise NotImplementedError

    def show(self, overview: dict[str, Any] | None) -> None:
        raise NotImplementedError

    def _put(self, message: bytes | int) -> None:
        """Take a text or a close code; a browser that does not read gets the newest later, not all of them."""
        now = self._send_at_once if self._outbox.empty() and isinstance(message, bytes) else None
        if now is not None and now(message):
            return
        while self._outbox.full():
            self._outbox.get_nowait()
        self._outbox.put_nowait(message)

    async def _send_outbox(self) -> None:
        while True:
            message = await self._outbox.get()
            if isinstance(message, int):
                await self.close(code=message)
                return
            await self.send(text_data=message.decode())


class TeacherSocket(ClassSocket):
    """The grid of a class, whole at first, then the rows that differ."""

    async def connect(self) -> None:
        self._rows: dict[int, dict[str, Any]] = {}
        self._login = accounts.trace_of(self.scope["session"])
        self._rest: dict[str, Any] | None = None
        await super().connect()

    async def _classroom(self) -> int | None:
        user = await get_user(self.scope)

        def of_teacher() -> Any:
            teacher = accounts.known(self.scope["session"], user)
            return selectors.of_teacher(teacher, self.scope["url_route"]["kwargs"]["public_id"])

        found = await database_sync_to_async(of_teacher)()
        return found.pk if found else None

    def _is_crowded(self, classroom: int) -> bool:
        room = rooms.of(classroom)
        return (
            room is not None
            and sum(each.student is None for each in room.members) >= services.SOCKETS_OF_A_TEACHER
        )

    def show(self, overview: dict[str, Any] | None) -> None:
        """Send rows that differ, who is gone, and the rest if that differs."""
        if overview is None:
            self._put(GONE)
            return
        if self._login not in overview["logins"]:  # logged out meanwhile
            self._put(NOT_YOURS)
            return
        grid = overview["teacher"]
        if grid is None:
            return
        rows = {each["id"]: each for each in grid["students"]}
        rest = {name: value for name, value in grid.items() if name != "students"}
        changed = [each for pk, each in rows.items() if self._rows.get(pk) != each]
        gone = [pk for pk in self._rows if pk not in rows]
        if changed or gone or rest != self._rest:
            self._put(_encode({**rest, "changed": changed, "gone": gone, "whole": self._rest is None}))
        self._rows, self._rest = rows, rest

    def _put(self, message: bytes | int) -> None:
        """Take a message; if some had to be thrown away, the next one is whole again."""
        if self._outbox.full():
            self._rows, self._rest = {}, None
        super()._put(message)


class StudentSocket(ClassSocket):
    """Tells students what the teacher does for everybody: freeze, push, vote."""

    async def connect(self) -> None:
        self._last = b""
        await super().connect()

    async def _classroom(self) -> int | None:
        found = await database_sync_to_async(self._student)()
        if found is None:
            return None
        self.student = found.pk
        return int(found.classroom_id)

    def _student(self) -> Any:
        browser = self.scope["session"]
        found = selectors.student_of(learners.current(browser))
        if found is not None:
            services.seen_in(found, request_callers.known_visitor(browser))
        return found

    def _is_crowded(self, classroom: int) -> bool:
        room = rooms.of(classroom)
        return room is not None and room.online().get(self.student or 0, 0) >= services.SOCKETS_OF_A_STUDENT

    def show(self, overview: dict[str, Any] | None) -> None:
        if overview is None or self.student not in overview["members"]:
            self._put(GONE)
        elif overview["student"] != self._last:
            self._last = overview["student"]
            self._put(overview["student"])


# Threads of their own: the one that all sockets share is busy with what thirty sessions write down. And grids have one
# apart, so that a freeze waits for none.
_overview = {
    grid: database_sync_to_async(
        selectors.overview,
        thread_sensitive=False,
        executor=ThreadPoolExecutor(1, thread_name_prefix="grids" if grid else "classes"),
    )
    for grid in (False, True)
}


async def read(classroom: int, online: dict[int, int], grid: bool = True) -> dict[str, Any] | None:
    """Read a class once for all its sockets: the database, then, for the grid, the sessions that are awake here."""
    overview: dict[str, Any] | None = await _overview[grid](classroom, online, grid)
    if overview is None:
        return None
    overview["student"] = _encode(overview["student"])
    if not grid:
        return overview
    rows = overview["teacher"]["students"]
    sessions = [each["session"] for each in rows if each["session"]]
    await _read_mixes(sessions)
    for each in rows:
        each["mix"] = _mixes.get(each["session"] or "", (0.0, None))[1]
    return overview


_mixes: dict[str, tuple[float, list[int] | None]] = {}
"""When a session was looked at, and how its messages were made up."""


async def _read_mixes(sessions: list[str]) -> None:
    """Check the sessions whose last check is some time ago, all at once; forget old ones."""
    now_s = time.monotonic()
    for public_id in [each for each, (at_s, _mix) in _mixes.items() if now_s - at_s > FORGET_S]:
        del _mixes[public_id]
    due = [each for each in sessions if now_s - _mixes.get(each, (0.0, None))[0] >= rooms.CHECK_S]
    found = await rooms.mixes_of(due)
    for public_id in due:
        _mixes[public_id] = (now_s, found.get(public_id))


websocket_urlpatterns = [
    re_path(r"^ws/class/me/\Z", StudentSocket.as_asgi()),
    re_path(r"^ws/class/(?P<public_id>[2-9a-z]{1,32})/\Z", TeacherSocket.as_asgi()),
]
