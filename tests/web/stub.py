"""A small double of the engine, so that hosts are tested for what they do and not for what the engine does.

Its node ticks once a virtual millisecond while `ticking`, and emits rows on command.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from playground.hosting.audience import SessionClient
from playground.hosting.session_record import RecordedSession
from tests.helpers.patience import PATIENCE_S

TICK_US = 1000


class Ticked(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The only kind of row."""

    rule: str
    number: int


class StubRefusal(Exception):
    """What the stub raises for a command that makes no sense."""


class StubFull(Exception):
    """What the stub raises when its disk is full."""


@dataclass
class StubRows:
    first: int
    at_us: list[int]
    rows: list[Ticked]


@dataclass
class StubAnswer:
    text: str
    changes: bool


class StubLog:
    keep = 2048
    pause: Callable[[], None] | None = None

    def __init__(self) -> None:
        self.number = 0
        self._rows: list[tuple[int, Ticked]] = []

    def add(self, at_us: int) -> None:
        self._rows.append((at_us, Ticked("S0", self.number)))
        self.number += 1

    def since(self, number: int) -> StubRows | None:
        kept = max(0, self.number - self.keep)
        if number < kept:
            return None
        part = self._rows[number:]
        return StubRows(number, [at for at, _row in part], [row for _at, row in part])

    @property
    def digest(self) -> str:
        return hashlib.md5(repr(self._rows).encode()).hexdigest()


class StubNode:
    def __init__(self, scenario: dict[str, Any], files: StubFiles) -> None:
        self.now_us = 0
        self.log = StubLog()
        self.files = files
        self.ticking = False
        self.held = 0
        self._scripted = list(scenario.get("commands", []))

    def submit(self, command: dict[str, Any]) -> None:
        verb = command.get("do")
        if verb == "tick":
            self.ticking = command["on"]
        elif verb == "publish":
            self.held += command["count"]
            self.log.add(self.now_us)
        elif verb == "emit":
            for _each in range(command["count"]):
                self.log.add(self.now_us)
        elif verb == "ctl":
            if "refuse" in command["line"]:
                raise StubRefusal("the node does not want to")
            self.log.add(self.now_us)
        elif verb == "disk":
            self.files.used = command["bytes"]
        elif verb == "break":
            self.log.add(self.now_us)
            raise RuntimeError("broken on purpose")
        elif verb == "mine":  # breaks later, whatever one does
            self._scripted.append({"at_us": self.now_us, "do": "break"})
        elif verb == "fill":
            raise StubFull
        elif verb == "set_publisher":
            self.ticking = command.get("running", True)
        else:
            raise StubRefusal(f"do must be something that the stub knows, not {verb}")

    def advance(self, until_us: int, max_transitions: int | None = None) -> bool:
        stop = None if max_transitions is None else self.log.number + max_transitions
        while True:
            scripted_us = self._scripted[0]["at_us"] if self._scripted else until_us + 1
            tick_us = (self.now_us // TICK_US + 1) * TICK_US if self.ticking else until_us + 1
            if min(scripted_us, tick_us) > until_us:
                break
            if tick_us <= scripted_us:
                self.now_us = tick_us
                self.log.add(tick_us)
            else:
                self.now_us = scripted_us
                command = dict(self._scripted.pop(0))
                command.pop("at_us")
                self.submit(command)
            if stop is not None and self.log.number >= stop:
                return False
        self.now_us = max(self.now_us, until_us)
        return True

    def next_us(self) -> int | None:
        if self._scripted:
            return int(self._scripted[0]["at_us"])
        return self.now_us + TICK_US if self.ticking else None

    def ram_bytes(self) -> int:
        return 0

    most_messages = 10**7

    def held_messages(self) -> int:
        return self.held

    def step(self) -> bool:
        if not self.ticking:
            return False
        return self.advance((self.now_us // TICK_US + 1) * TICK_US)

    def snapshot(self) -> dict[str, Any]:
        lanes = {"q4": [[0, self.held]]}
        return {
            "queues": {"q": {"lanes": lanes, "delta": [None, 0, 0, None]}},
            "node": {"actors": {}},
            "number": self.log.number,
        }


@dataclass
class StubFiles:
    used: int = 0
    closed: bool = False

    def used_bytes(self) -> int:
        return self.used

    def close(self) -> None:
        self.closed = True


class StubDoor:
    version = "stub-1"
    refusals = (StubRefusal,)
    full = (StubFull,)
    outside = (OSError, MemoryError, StubFull)
    no_scenario = (ValueError,)
    no_file = (FileNotFoundError,)

    def __init__(self) -> None:
        self.nodes: list[StubNode] = []

    def open(self, scenario: dict[str, Any], root: str, max_bytes: int) -> tuple[StubNode, StubFiles]:
        assert Path(root).is_dir()
        node = self.rehearse(scenario)
        return node, node.files

    def rehearse(self, scenario: dict[str, Any]) -> StubNode:
        self.nodes.append(StubNode(scenario, StubFiles()))
        return self.nodes[-1]

    def ask(self, node: StubNode, line: str) -> StubAnswer:
        return StubAnswer(f"said: {line}", line.startswith("set"))

    def check(self, scenario: dict[str, Any]) -> dict[str, Any]:
        return scenario

    def read_file(self, root: str, path: str, offset: int, count: int) -> tuple[int, bytes]:
        raise FileNotFoundError


@dataclass
class MemoryBook:
    """A record in memory; `fail` makes the next command impossible to write down."""

    record: RecordedSession
    fail: bool = False
    added: list[tuple[int, int, dict[str, Any]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.record.rows = max(self.record.rows, len(self.record.commands))

    async def take(self, lost: Callable[[], None]) -> None:
        """Nobody else wants it."""

    async def give_back(self) -> None:
        """Nobody else wants it."""

    async def load(self) -> RecordedSession:
        return msgspec.structs.replace(self.record, commands=list(self.record.commands))

    async def make_room(self, command: dict[str, Any]) -> None:
        """Nobody is charged."""

    async def add_command(self, sequence: int, at_us: int, command: dict[str, Any]) -> None:
        if self.fail:
            self.fail = False
            raise OSError("the database is gone")
        assert sequence == self.record.rows
        self.record.commands.append((at_us, command))
        self.record.rows += 1

    async def undo_command(self, sequence: int, at_us: int) -> None:
        assert sequence == self.record.rows
        self.record.commands.pop()
        self.record.rows += 1

    async def answer(self, option: int) -> None:
        if self.fail:
            self.fail = False
            raise OSError("the database is gone")
        self.record.holds_us = None

    def note(self, at_us: int) -> None:
        self.record.reached_us, self.record.digest = at_us, ""

    async def reached(self, at_us: int, digest: str) -> None:
        self.record.reached_us, self.record.digest = at_us, digest


class Reader:
    """A browser's end: keeps what it was sent, and acknowledges it unless `acknowledges` is false."""

    def __init__(self, *, owner: bool = True, acknowledges: bool = True) -> None:
        self.sent: list[dict[str, Any]] = []
        self.acknowledges = acknowledges
        self.on_sent: Callable[[dict[str, Any]], None] = lambda message: None
        self.closed: list[bool] = []
        self.client = SessionClient(self._take, "en", owner, close=self.closed.append)

    def _take(self, text: bytes) -> None:
        message = msgspec.json.decode(text)
        self.sent.append(message)
        self.on_sent(message)

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.sent if message["t"] == kind]

    async def until(self, kind: str, count: int = 1, seconds: float = PATIENCE_S) -> dict[str, Any]:
        """Wait for the count-th message of a kind and return it."""
        async with asyncio.timeout(seconds):
            while len(self.of(kind)) < count:  # noqa: ASYNC110 - the host must not know that it is watched
                await asyncio.sleep(0.005)
        return self.of(kind)[count - 1]

    def rows_without_holes(self) -> int:
        """Check that rows follow each other, snapshots aside; return the number of the next row."""
        expected = None
        for message in self.sent:
            if message["t"] == "snapshot":
                assert expected is None or message["next"] >= expected
                expected = message["next"]
            elif message["t"] == "frame":
                assert message["first"] == expected
                assert len(message["rows"]) == len(message["at_us"])
                expected += len(message["rows"])
        assert expected is not None
        return expected


async def settled(check: Callable[[], bool], seconds: float = PATIENCE_S) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(seconds):
        while not check():  # noqa: ASYNC110 - the host must not know that it is watched
            await asyncio.sleep(0.01)
