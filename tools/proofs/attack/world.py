"""A server under attack: its address, its files, and people at addresses of their own."""

from __future__ import annotations

import asyncio
import contextlib
import http.cookiejar
import itertools
import json
import sqlite3
import time
import urllib.error
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from bench.websocket import Socket, Visitor
from tools.live_server import LiveServer
from tools.proofs.attack.processes import open_files

PATIENCE_S: Final = 180.0
"""How long anything may take on a busy machine."""
SMALL: Final = {"do": "publish", "count": 1, "size_bytes": 500, "persistent": True}


@dataclass(frozen=True)
class ServerAnswer:
    """A server's answer to a request."""

    status: int
    text: str
    headers: dict[str, str]


class Person(Visitor):
    """A visitor from an address of their own, who takes refusals as answers."""

    def __init__(self, url: str, address: str, jar: http.cookiejar.CookieJar | None = None) -> None:
        super().__init__(url, address, jar)

    def ask(self, path: str, **fields: str) -> ServerAnswer:
        """Get a page; with fields, send a form."""
        try:
            text, status, headers = self.exchange(path, fields or None)
        except urllib.error.HTTPError as error:
            with error:
                text, status, headers = (
                    error.read().decode("utf-8", "replace"),
                    error.code,
                    dict(error.headers),
                )
        return ServerAnswer(status, text, headers)

    def new_session(self) -> str:
        """Begin a session; return its id."""
        self.ask("/")
        page = self.ask("/s/new", profile="classroom")
        assert page.status == 200, (page.status, page.text[:300])
        return page.text.split('"websocket": "/ws/session/', 1)[1].split("/", 1)[0]


class VisitorSeat:
    """A socket at a session: messages are kept, frames are acknowledged."""

    def __init__(self, socket: Socket) -> None:
        self.socket = socket
        self.received: list[dict[str, Any]] = []
        self.code: int | None = None
        """With which the server closed the socket."""
        self._changed = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def take(cls, person: Person, session: str, *, hello: bool = True) -> VisitorSeat:
        """Open the socket of a session."""
        seat = cls(await Socket.connect(person, f"/ws/session/{session}/"))
        if hello:
            await seat.send(t="hello", have=None)
        return seat

    async def _read(self) -> None:
        try:
            while True:
                message = await self.socket.receive()
                if message["t"] in {"frame", "snapshot"}:
                    frame = message["t"] == "frame"
                    through = message["first"] + len(message["rows"]) if frame else message["next"]
                    await self.socket.send(t="ack", through=through)
                else:
                    self.received.append(message)
                self._changed.set()
        except ConnectionClosed as closed:
            self.code = closed.rcvd.code if closed.rcvd else 1006
            self._changed.set()

    async def send(self, **message: Any) -> None:
        """Send a message; a socket that is closed already takes none."""
        with contextlib.suppress(ConnectionClosed):
            await self.socket.send(**message)

    async def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the first message of this kind; raises TimeoutError."""
        async with asyncio.timeout(PATIENCE_S):
            for at in itertools.count():
                while at >= len(self.received):
                    assert self.code is None, f"the socket was closed with {self.code}"
                    self._changed.clear()
                    await self._changed.wait()
                if wanted(self.received[at]):
                    return self.received[at]
        raise AssertionError

    async def command(self, number: int | str, command: dict[str, Any]) -> dict[str, Any]:
        """Give a command; return its answer."""
        await self.send(t="command", id=number, command=command)
        return await self.until(lambda m: m["t"] in {"accepted", "refused"} and m.get("id") == number)

    async def ended(self) -> int:
        """Return the code with which the server closes; raises TimeoutError."""
        async with asyncio.timeout(PATIENCE_S):
            while self.code is None:
                self._changed.clear()
                await self._changed.wait()
        return self.code

    async def leave(self) -> None:
        """Close it."""
        self._reading.cancel()
        await self.socket.close()


@dataclass
class World:
    """What a case may use.

    Args:
        tiny: whether it only shows that it works.
    """

    server: LiveServer
    tiny: bool
    seats: list[VisitorSeat] = field(default_factory=list)
    _number: Any = field(default_factory=lambda: itertools.count(1))

    def address(self) -> str:
        """Return an address that nobody had yet, of those that are for documentation only."""
        number = next(self._number)
        return f"203.0.{113 + number // 250}.{number % 250 + 1}"

    def person(self, address: str = "") -> Person:
        """Return somebody new."""
        return Person(self.server.url, address or self.address())

    async def seat(self, person: Person, session: str, *, hello: bool = True) -> VisitorSeat:
        """Take a seat that is left when the case is over."""
        seat = await VisitorSeat.take(person, session, hello=hello)
        self.seats.append(seat)
        return seat

    async def seat_of_class(self, person: Person) -> VisitorSeat:
        """Take a student's seat in the class."""
        seat = VisitorSeat(await Socket.connect(person, "/ws/class/me/"))
        self.seats.append(seat)
        return seat

    async def is_refused(self, person: Person, path: str, origin: str) -> bool:
        """Return whether the server wants no socket of a page of this origin."""
        try:
            socket = await Socket.connect(person, path, origin)
        except InvalidHandshake:
            return True
        await socket.close()
        return False

    async def leave(self) -> None:
        """Leave all seats."""
        seats, self.seats = self.seats, []
        await asyncio.gather(*(seat.leave() for seat in seats))

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Ask the server's database."""
        with contextlib.closing(
            sqlite3.connect(self.server.var_dir / "waterline.sqlite3", timeout=30)
        ) as base:
            return base.execute(query, values).fetchall()

    def commands_of(self, session: str) -> list[dict[str, Any]]:
        """Return the commands of a session that are on record."""
        return [json.loads(command) for command in self._recorded(session, "command")]

    def times_of(self, session: str) -> list[int]:
        """Return the virtual times of its commands, in the order in which they are on record."""
        return [int(at_us) for at_us in self._recorded(session, "at_us")]

    def _recorded(self, session: str, column: str) -> list[Any]:
        query = (
            f"select {column} from playground_commandrecord where session_id = "
            "(select id from playground_session where public_id = ?) order by sequence"
        )
        return [value for (value,) in self.rows(query, session)]

    def directories(self) -> list[Path]:
        """Return the directories in which sessions have their files now; moments of the past have a dot."""
        found = self.server.var_dir.glob("sessions/process-*/*")
        return [each for each in found if each.is_dir() and "." not in each.name]

    async def rested(self, handles: int) -> None:
        """Wait until only the innocent session is awake, and no more handles are open; raises TimeoutError."""
        until_s = time.monotonic() + PATIENCE_S
        while len(self.directories()) > 1 or open_files(self.server.process.pid) > handles:
            if time.monotonic() > until_s:
                awake = ", ".join(each.name for each in self.directories())
                opened = open_files(self.server.process.pid)
                raise TimeoutError(f"awake: {awake}; {opened} handles are open, {handles} may be")
            await asyncio.sleep(0.2)


async def in_thread(work: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Do something that waits, beside everything else."""
    return await asyncio.to_thread(work, *arguments, **named)


@contextlib.asynccontextmanager
async def seats_left(world: World) -> AsyncIterator[None]:
    """Leave all seats at the end, whatever happens."""
    try:
        yield
    finally:
        await world.leave()
