"""People of every kind at a server that may be gone at any moment: they come back, and remember what they were told."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any, Final

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tools.proofs.attack.hogs import scenario
from tools.proofs.attack.nonsense import ABSURD
from tools.proofs.attack.world import Person, VisitorSeat, in_thread

AGAIN_S: Final = 0.5
"""Before somebody tries again."""
ANSWER_S: Final = 60.0
MANY: Final = 12
"""Refusals in a row after which somebody begins a new session."""
NUISANCES: Final = (
    OSError,
    HTTPException,
    InvalidHandshake,
    ConnectionClosed,
    TimeoutError,
    AssertionError,
    IndexError,
)
"""What happens to people whose server is killed: no connection, half a page, no answer."""


@dataclass
class Work:
    """A session, and what its user was told there.

    Args:
        accepted: the sizes of the messages of accepted commands, each given once: they name the commands.
        uncertain: those that were given and never answered: they may be on record or not.
    """

    session: str
    accepted: list[int] = field(default_factory=list)
    uncertain: set[int] = field(default_factory=set)


class User:
    """Somebody with a session who works in it all the time, and expects every command that was accepted to stay.

    Args:
        number: makes addresses and choices differ.
        url: tells where the server is now.
    """

    def __init__(self, number: int, url: Callable[[], str]) -> None:
        self.works: list[Work] = []
        self.refused = 0
        self._refused_in_a_row = MANY
        self._chance = random.Random(number)
        self._url = url
        self._person = Person(url(), f"198.18.{number // 250}.{number % 250 + 1}")
        self._size = 0
        self._over = False

    async def live(self) -> None:
        """Work until told to stop."""
        while not self._over:
            with contextlib.suppress(*NUISANCES):
                self._person.url = self._url()
                if self._refused_in_a_row >= MANY:  # the session has had all that it may have
                    self.works.append(Work(await in_thread(self._person.new_session)))
                    self._refused_in_a_row = 0
                seat = await VisitorSeat.take(self._person, self.works[-1].session)
                try:
                    await self._work(seat, self.works[-1])
                finally:
                    await seat.leave()
            if not self._over:
                await asyncio.sleep(AGAIN_S)

    def stop(self) -> None:
        """Let the present command be the last."""
        self._over = True

    async def _work(self, seat: VisitorSeat, work: Work) -> None:
        await seat.send(t="control", play=True, speed=self._chance.choice((1.0, 5.0, 20.0)))
        while not self._over and seat.code is None and self._refused_in_a_row < MANY:
            self._size += 1
            size = 100 + self._size
            work.uncertain.add(size)
            answer = await asyncio.wait_for(seat.command(f"size {size}", self._command(size)), ANSWER_S)
            work.uncertain.discard(size)
            if answer["t"] == "accepted":
                work.accepted.append(size)
                self._refused_in_a_row = 0
            else:
                self.refused += 1
                self._refused_in_a_row += 1
            seat.received.clear()
            await asyncio.sleep(self._chance.uniform(0.05, 0.6))

    def _command(self, size: int) -> dict[str, Any]:
        kind = self._chance.random()
        if kind < 0.7:
            count = self._chance.choice((1, 3, 20, 200))
            return {"do": "publish", "count": count, "size_bytes": size, "persistent": kind < 0.4}
        if kind < 0.85:
            rate = self._chance.choice((2, 20))
            return {"do": "set_publisher", "name": "p1", "rate_per_s": rate, "size_bytes": size}
        # A consumer has no size: its prefetch names the command.
        return {"do": "set_consumer", "name": "c1", "rate_per_s": 30, "prefetch": size, "ack": "each"}


def named(command: dict[str, Any]) -> int:
    """Return the size that names a command of a user; 0 for one that a full session gave itself."""
    if command.get("running") is False:
        return 0
    return int(command["prefetch" if command["do"] == "set_consumer" else "size_bytes"])


async def _rest(over: asyncio.Event, rest_s: float) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(over.wait(), rest_s)


async def absurd(number: int, url: Callable[[], str], over: asyncio.Event, rest_s: float) -> None:
    """Say what nobody understands, to pages and to a socket."""
    chance = random.Random(number)
    while not over.is_set():
        with contextlib.suppress(*NUISANCES):
            person = Person(url(), f"198.19.0.{number % 250 + 1}")
            seat = await VisitorSeat.take(person, await in_thread(person.new_session))
            try:
                for _each in range(10):
                    text = chance.choice(ABSURD).encode("utf-8", "surrogatepass").decode("utf-8", "replace")
                    await in_thread(person.ask, "/s/import", text=text)
                    await seat.send(t=chance.choice(("hello", "command", "ack", "undo", "?")), id=-1, have=[])
                    await seat.send(t="command", id=1, command={"do": "publish", "count": 2**60})
                    await asyncio.sleep(0.1)
            finally:
                await seat.leave()
        await _rest(over, rest_s)


async def hostile(number: int, url: Callable[[], str], over: asyncio.Event, rest_s: float) -> None:
    """Take what one can: floods, large bursts, large files, runs to repeat; leave without a word."""
    chance = random.Random(number)
    commands = [{"at_us": at_us, "do": "publish", "count": 1, "size_bytes": 10} for at_us in range(1500)]
    while not over.is_set():
        with contextlib.suppress(*NUISANCES):
            person = Person(url(), f"198.19.1.{number % 250 + 1}")
            session = await in_thread(person.new_session)
            seat = await VisitorSeat.take(person, session)
            try:
                burst = {"do": "publish", "count": 20_000, "size_bytes": 1000, "persistent": True}
                await seat.send(t="command", id=1, command=burst)
                await in_thread(person.ask, "/s/import", text=scenario(commands=commands, seed=number + 1))
                path = chance.choice(("run.csv", "files.zip", "record?seq=1&at=90", "scenario.json"))
                await in_thread(person.ask, f"/s/{session}/{path}")
                for _each in range(400):
                    await seat.socket.send(**json.loads('{"t": "ack", "through": 0}'))
            finally:
                await seat.leave()
        await _rest(over, rest_s)
