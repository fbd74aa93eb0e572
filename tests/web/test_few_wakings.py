"""What a session costs is how often it wakes somebody: counted, with a clock of the test."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from playground import limits
from playground.hosting.session import protocol
from playground.hosting.workers.worker import Worker
from tests.web import test_host
from tests.web.stub import StubDoor
from tests.web.test_host import World

world, worlds = test_host.world, test_host.worlds

NAME = "one"
STEP_S = 0.001


class Server:
    """The other end of a worker's link: a reader that acknowledges what it is asked to, and counts."""

    def __init__(self, tmp_path: Any) -> None:
        self.now_s = 100.0
        self.arrives: list[Any] = [
            protocol.Begin(root=str(tmp_path), bounds=limits.current().bounds()),
            protocol.Open(NAME, 1, {"commands": []}, [], 0, True),
            protocol.Hello(NAME, 1),
        ]
        self.frames = self.acknowledged = self.turns = 0
        self.parcels: list[list[str]] = []
        """What was sent together, by kind."""
        self._held: list[str] = []
        self.worker = Worker(self, StubDoor(), lambda: self.now_s)  # type: ignore[arg-type]  # doubles
        self.let(1)

    # --- what the worker sees ---

    def send(self, message: Any) -> None:
        self._held.append(type(message).__name__)
        if isinstance(message, protocol.Text):
            received = json.loads(message.text)
            self.frames += received["t"] == "frame"
            if received.get("ack", True):
                self.acknowledged += 1
                self.arrives.append(protocol.Ack(NAME, 1, 10**9))

    def flush(self) -> None:
        if self._held:
            self.parcels.append(self._held)
            self._held = []

    def receive(self, wait_s: float) -> list[Any]:
        arrived, self.arrives = self.arrives, []
        return arrived

    # --- what the test does ---

    def let(self, seconds: float) -> Server:
        """Let time pass, and count anew."""
        self.frames = self.acknowledged = self.turns = 0
        self.parcels.clear()
        end_s = self.now_s + seconds
        while self.now_s < end_s:
            session = self.worker.sessions.get(NAME)
            if session is not None and not hasattr(session, "counted"):
                vars(session)["turn"] = self._counted(session.turn)
                vars(session)["counted"] = True
            self.worker.go_on()
            self.now_s += STEP_S
        return self

    def _counted(self, turn: Callable[[float], None]) -> Callable[[float], None]:
        def counted(budget_s: float) -> None:
            self.turns += 1
            turn(budget_s)

        return counted


@pytest.fixture
def server(tmp_path: Any) -> Server:
    made = Server(tmp_path)
    made.arrives.append(protocol.Submit(NAME, 2, {"do": "tick", "on": True}))
    made.let(1)
    return made


def test_a_session_that_only_plays_sends_four_frames_a_second_and_asks_for_one_acknowledgement(
    server: Server,
) -> None:
    server.let(10)
    assert 36 <= server.frames <= 41
    assert server.acknowledged <= 11
    assert server.turns <= 41


def test_a_page_in_the_background_costs_two_turns_a_second_and_no_frame(server: Server) -> None:
    server.arrives.append(protocol.Show(NAME, 1, False))
    server.let(1)
    server.let(10)
    assert (server.frames, server.acknowledged) == (0, 0)
    assert server.turns <= 21


def test_a_page_that_comes_back_is_shown_everything_at_once(server: Server) -> None:
    server.arrives.append(protocol.Show(NAME, 1, False))
    server.let(2.1)
    server.arrives.append(protocol.Show(NAME, 1, True))
    server.let(0.1)
    assert sum("Text" in parcel for parcel in server.parcels) >= 1


def test_a_session_whose_time_stands_still_costs_nothing(server: Server) -> None:
    server.arrives.append(protocol.Control(NAME, play=False))
    server.let(1)
    server.let(10)
    assert (server.frames, server.turns, server.parcels) == (0, 0, [])
    assert server.worker.sessions[NAME].due_s() == math.inf


def test_an_answer_and_its_picture_are_sent_together(server: Server) -> None:
    server.arrives.append(protocol.Control(NAME, play=False))
    server.let(1)
    server.arrives.append(protocol.Submit(NAME, 3, {"do": "emit", "count": 3}))
    server.let(1)
    assert server.parcels == [["Answer", "Text"]]
    assert server.turns == 2


def test_an_answer_waits_for_no_picture_while_others_want_theirs(server: Server) -> None:
    """Everybody's command is heard before anybody's picture is drawn."""
    server.arrives += [
        protocol.Open("two", 4, {"commands": []}, [], 0, True),
        protocol.Hello("two", 1),
        protocol.Control(NAME, play=False),
        protocol.Control("two", play=False),
    ]
    server.let(1)
    for name, number in ((NAME, 5), ("two", 6)):
        server.arrives += [protocol.Submit(name, number, {"do": "emit", "count": 1})]
    server.let(0.1)
    received = [kind for parcel in server.parcels for kind in parcel if kind in {"Answer", "Text"}]
    assert received == ["Answer", "Answer", "Text", "Text"]


async def test_how_far_a_run_is_wakes_no_task_unless_something_goes_on(world: World) -> None:
    """Said every second by each session; behind other work it keeps its place, for that may end the run."""
    reader = world.reader()
    await reader.until("snapshot")
    host = world.host()
    world.command(reader, do="emit", count=1)
    await reader.until("accepted")
    host._poke.clear()
    reached = protocol.Reached("one", host.keeper.life, 7_000_000)
    host.hear(reached)
    assert not host._poke.is_set()
    assert host.keeper.record.reached_us == 7_000_000
    host._working = True
    host.hear(protocol.Reached("one", host.keeper.life, 8_000_000))
    assert (host._poke.is_set(), host.keeper.record.reached_us) == (True, 7_000_000)
    host._working = False
    host.hear(protocol.Reached("one", host.keeper.life, 9_000_000))
    assert host.keeper.record.reached_us == 7_000_000, "not before what came earlier"
