"""What a session costs is how often it wakes somebody: counted, with a clock of the test."""

from __future__ import annotations

import asyncio
import json
import math
import socket
from collections.abc import Callable
from typing import Any

import pytest

from playground.hosting import link, protocol
from playground.hosting.pacer import TICK_S
from playground.hosting.pool import WorkerEnd
from playground.hosting.worker import EngineWorker
from playground.limits import session_limits
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
            protocol.BeginWorker(root=str(tmp_path), bounds=session_limits.current().bounds()),
            protocol.OpenRun(NAME, 1, {"commands": []}, [], 0, True),
            protocol.PageSaid(NAME, protocol.PageHello(), 1),
        ]
        self.frames = self.acknowledged = self.turns = 0
        self.parcels: list[list[str]] = []
        """What was sent together, by kind."""
        self.announced: dict[str, Any] = {}
        """The last thing that the page heard of time, and when."""
        self.answers: list[Any] = []
        self._held: list[str] = []
        self.worker = EngineWorker(self, StubDoor(), lambda: self.now_s)  # type: ignore[arg-type]  # doubles
        self.let(1)

    # --- what the worker sees ---

    def send(self, message: Any) -> None:
        self._held.append(type(message).__name__)
        if isinstance(message, protocol.CallAnswer):
            self.answers.append(message.value)
        if isinstance(message, protocol.PageText):
            received = json.loads(message.text)
            if received["t"] == "frame":
                self.frames += 1
                self.announced = {**received, "heard_s": self.now_s}
            elif received["t"] == "snapshot":
                pace = {name: self.announced.get(name) for name in ("play", "speed")}
                self.announced = {**pace, **received, "now_us": received["at_us"], "heard_s": self.now_s}
            if received.get("ack", True):
                self.acknowledged += 1
                self.arrives.append(protocol.PageSaid(message.session, protocol.FrameAck(10**9), 1))

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

    def shown_us(self) -> float:
        """Return what the page's clock shows, as static/js/model/play-clock.js computes it."""
        announced = self.announced
        due_us = announced["now_us"] + (self.now_s - announced["heard_s"]) * announced["speed"] * 1e6
        return min(due_us, announced.get("to_us", announced["now_us"]))

    def at_us(self) -> int:
        """Return the moment of the run, as a command would have it."""
        self.arrives.append(protocol.Locate(NAME, 99))
        self.answers.clear()
        while not self.answers:
            self.worker.go_on()
        return int(self.answers.pop()["at_us"])

    def _counted(self, turn: Callable[[float], None]) -> Callable[[float], None]:
        def counted(budget_s: float) -> None:
            self.turns += 1
            turn(budget_s)

        return counted


@pytest.fixture
def server(tmp_path: Any) -> Server:
    made = Server(tmp_path)
    made.arrives.append(protocol.SubmitCommand(NAME, 2, {"do": "tick", "on": True}))
    made.let(1)
    return made


def test_a_session_that_only_plays_sends_four_frames_a_second_and_asks_for_one_acknowledgement(
    server: Server,
) -> None:
    server.let(10)
    assert 36 <= server.frames <= 41
    assert server.acknowledged <= 11
    assert server.turns <= 41


def test_sessions_that_only_play_have_their_turns_together(server: Server) -> None:
    """Each keeps its four frames a second; the worker is woken four times a second for all of them."""
    for number, name in enumerate(("two", "three", "four", "five"), 10):
        server.arrives += [
            protocol.OpenRun(name, number, {"commands": []}, [], 0, True),
            protocol.PageSaid(name, protocol.PageHello(), 1),
            protocol.SubmitCommand(name, number + 100, {"do": "tick", "on": True}),
        ]
        server.let(0.26 + number / 1000 * 3)
    server.let(3)
    server.let(10)
    assert 36 * 5 <= server.frames <= 41 * 5
    assert len(server.parcels) <= 41 * 2, "five turns of a millisecond take two parcels"


def test_who_gives_commands_is_sent_no_more_frames_for_others(server: Server) -> None:
    server.arrives += [
        protocol.OpenRun("two", 4, {"commands": []}, [], 0, True),
        protocol.PageSaid("two", protocol.PageHello(), 1),
    ]
    server.arrives.append(protocol.SubmitCommand("two", 5, {"do": "tick", "on": True}))
    server.let(2)
    turns = []
    for number in range(20):
        server.arrives.append(protocol.SubmitCommand(NAME, 100 + number, {"do": "emit", "count": 1}))
        server.let(0.22)
        turns.append(server.turns)
    assert turns[1:] == [2] * 19, "each command, and its picture"


def test_commands_four_times_a_second_bring_one_frame_each(server: Server) -> None:
    frames = 0
    for number in range(40):
        server.arrives.append(protocol.SubmitCommand(NAME, 100 + number, {"do": "emit", "count": 1}))
        server.let(0.24 + number % 3 / 100)
        frames += server.frames
    assert frames <= 41
    server.let(1)
    server.let(10)
    assert server.frames >= 36, "then as often as ever"


def test_a_page_in_the_background_costs_two_turns_a_second_and_no_frame(server: Server) -> None:
    server.arrives.append(protocol.PageSaid(NAME, protocol.ShowFile(False), 1))
    server.let(1)
    server.let(10)
    assert (server.frames, server.acknowledged) == (0, 0)
    assert server.turns <= 21


def test_a_page_that_comes_back_is_shown_everything_at_once(server: Server) -> None:
    server.arrives.append(protocol.PageSaid(NAME, protocol.ShowFile(False), 1))
    server.let(2.1)
    server.arrives.append(protocol.PageSaid(NAME, protocol.ShowFile(True), 1))
    server.let(0.1)
    assert sum("PageText" in parcel for parcel in server.parcels) >= 1


def test_a_session_whose_time_stands_still_costs_nothing(server: Server) -> None:
    server.arrives.append(protocol.PageSaid(NAME, protocol.ControlRun(play=False)))
    server.let(1)
    server.let(10)
    assert (server.frames, server.turns, server.parcels) == (0, 0, [])
    assert server.worker.sessions[NAME].due_s() == math.inf


def test_an_answer_and_its_picture_are_sent_together(server: Server) -> None:
    server.arrives.append(protocol.PageSaid(NAME, protocol.ControlRun(play=False)))
    server.let(1)
    server.arrives.append(protocol.SubmitCommand(NAME, 3, {"do": "emit", "count": 3}))
    server.let(1)
    assert server.parcels == [["CallAnswer", "PageText"]]
    assert server.turns == 2


def test_an_answer_waits_for_no_picture_while_others_want_theirs(server: Server) -> None:
    """Everybody's command is heard before anybody's picture is drawn."""
    server.arrives += [
        protocol.OpenRun("two", 4, {"commands": []}, [], 0, True),
        protocol.PageSaid("two", protocol.PageHello(), 1),
        protocol.PageSaid(NAME, protocol.ControlRun(play=False)),
        protocol.PageSaid("two", protocol.ControlRun(play=False)),
    ]
    server.let(1)
    for name, number in ((NAME, 5), ("two", 6)):
        server.arrives += [protocol.SubmitCommand(name, number, {"do": "emit", "count": 1})]
    server.let(0.1)
    received = [kind for parcel in server.parcels for kind in parcel if kind in {"CallAnswer", "PageText"}]
    assert received == ["CallAnswer", "CallAnswer", "PageText", "PageText"]


@pytest.fixture
def quiet(tmp_path: Any) -> Server:
    """Time passes, and nothing happens."""
    return Server(tmp_path).let(3)


@pytest.mark.parametrize("speed", [0.1, 1.0, 100.0])
def test_a_session_in_which_nothing_happens_sends_a_frame_each_five_seconds(
    quiet: Server, speed: float
) -> None:
    quiet.arrives.append(protocol.PageSaid(NAME, protocol.ControlRun(speed=speed)))
    quiet.let(1)
    quiet.let(20)
    assert 3 <= quiet.frames <= 5
    assert quiet.turns <= 5
    assert quiet.acknowledged <= 2


@pytest.mark.parametrize("speed", [0.1, 1.0, 100.0])
def test_the_page_shows_the_moment_of_the_run_though_nothing_is_sent(quiet: Server, speed: float) -> None:
    quiet.arrives.append(protocol.PageSaid(NAME, protocol.ControlRun(speed=speed)))
    quiet.let(0.2)
    began_us, began_s = quiet.at_us(), quiet.now_s
    for seconds in (0.3, 2.1, 4.4, 7.0):
        quiet.let(seconds)
        shown_us = quiet.shown_us()
        at_us = quiet.at_us()
        assert shown_us == pytest.approx(at_us, abs=0.03 * speed * 1e6)
        assert at_us - began_us == pytest.approx(
            (quiet.now_s - began_s) * speed * 1e6, abs=0.03 * speed * 1e6
        )


def test_a_command_is_given_at_the_moment_that_the_page_shows(quiet: Server) -> None:
    quiet.let(3.3)
    shown_us = quiet.shown_us()
    quiet.arrives.append(protocol.SubmitCommand(NAME, 3, {"do": "emit", "count": 1}))
    quiet.let(0.2)
    at_us = next(answer["at_us"] for answer in quiet.answers if "at_us" in answer and "digest" not in answer)
    assert at_us == pytest.approx(shown_us, abs=20_000)


def test_a_pause_comes_at_the_moment_that_the_page_shows(quiet: Server) -> None:
    quiet.let(3.3)
    shown_us = quiet.shown_us()
    quiet.arrives.append(protocol.PageSaid(NAME, protocol.ControlRun(play=False)))
    quiet.let(0.2)
    assert quiet.announced["play"] is False
    assert shown_us - 1 <= quiet.announced["now_us"] <= shown_us + 20_000
    assert quiet.shown_us() == quiet.announced["now_us"]


def test_who_leaves_has_seen_no_moment_that_the_run_did_not_reach(quiet: Server) -> None:
    quiet.let(3.3)
    shown_us = quiet.shown_us()
    quiet.arrives.append(protocol.PageLeft(NAME, 1))
    quiet.let(1)
    assert quiet.at_us() >= shown_us - 1000
    assert quiet.worker.sessions[NAME].due_s() == math.inf


def test_a_worker_that_was_away_slows_time_down_and_says_so_at_once(quiet: Server) -> None:
    """Of what happens in the meantime; up to the next thing that happens, nobody could notice."""
    quiet.arrives.append(protocol.SubmitCommand(NAME, 2, {"do": "tick", "on": True}))
    quiet.let(2)
    session = quiet.worker.sessions[NAME]
    assert session.run is not None
    before_us = session.run.node.now_us
    quiet.now_s += 4.0  # the machine did something else
    assert quiet.shown_us() <= before_us + 1000, "the page's clock waits for what comes next"
    quiet.let(0.1)
    assert session.run.node.now_us < before_us + 1_500_000
    assert quiet.announced["now_us"] == session.run.node.now_us
    quiet.let(0.5)
    assert quiet.shown_us() <= quiet.at_us() + 50_000


def test_the_clock_never_runs_ahead_of_what_is_drawn(server: Server) -> None:
    """However late the worker is: while things happen, the page shows no moment that its picture has not."""
    session = server.worker.sessions[NAME]
    for late_s in (0.0, 0.4, 6.0):
        server.let(1)
        server.now_s += late_s
        assert session.run is not None
        drawn_us, next_us = server.announced["now_us"], session.run.node.next_us()
        assert next_us is not None
        assert drawn_us <= server.shown_us() < next_us


def test_after_a_quiet_second_no_clock_is_a_frame_ahead_of_what_is_drawn(quiet: Server) -> None:
    """The worker is awake whenever something may happen, twenty times a second here, and says at once if it did."""
    run = quiet.worker.sessions[NAME].run
    assert run is not None
    began_us = quiet.at_us()
    quiet.let(0.001)
    silent = [
        {"at_us": began_us + each * 100_000 + later_us, "do": "disk", "bytes": 0}
        for each in range(1, 50)
        for later_us in (0, 20_000)
    ]
    for after_us in (2_730_000, 4_499_000):
        comes_us = began_us + after_us
        script = [*silent, {"at_us": comes_us, "do": "emit", "count": 1}]
        node: Any = run.node
        node._scripted = sorted(
            (each for each in script if each["at_us"] > node.now_us), key=lambda each: each["at_us"]
        )
        turns, number, shown_us = 0, node.log.number, 0.0
        while node.log.number == number:
            shown_us = quiet.shown_us()
            turns += quiet.let(STEP_S).turns
        assert shown_us - comes_us <= (TICK_S + STEP_S) * 1e6
        assert turns <= 2 * after_us / 100_000 + 5, (
            "two times in which something may happen, each tenth of a second"
        )
        quiet.let(0.01)
        assert quiet.announced["now_us"] >= comes_us, "the frame is sent in the same turn"


def test_the_page_shows_no_moment_after_the_one_at_which_time_stops(quiet: Server) -> None:
    at_us = quiet.at_us()
    quiet.arrives.append(protocol.PageSaid(NAME, protocol.ControlRun(play=True, until_us=at_us + 2_000_000)))
    quiet.let(0.1)
    assert quiet.announced["to_us"] == at_us + 1_999_999
    quiet.let(2.1)
    assert (quiet.announced["play"], quiet.announced["now_us"]) == (False, at_us + 2_000_000)


def test_who_comes_while_nothing_happens_hears_the_moment_and_the_pace(quiet: Server) -> None:
    quiet.let(3.3)
    shown_us = quiet.shown_us()
    quiet.arrives.append(protocol.PageSaid(NAME, protocol.PageHello(), 2))
    quiet.let(0.1)
    assert quiet.announced["play"] is True
    assert quiet.announced["now_us"] == pytest.approx(shown_us, abs=60_000)
    assert quiet.announced["to_us"] > shown_us


def test_what_happens_after_a_quiet_time_is_soon_shown_as_often_as_ever(quiet: Server) -> None:
    quiet.let(5)
    quiet.arrives.append(protocol.SubmitCommand(NAME, 2, {"do": "tick", "on": True}))
    quiet.let(0.1)
    assert quiet.frames >= 1
    quiet.let(5)
    assert 18 <= quiet.frames <= 22


async def test_an_acknowledgement_wakes_no_worker_and_what_goes_out_together_wakes_it_once() -> None:
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    end = await WorkerEnd(lambda _end: None, lambda: None).connect(ours)
    acknowledged, ping = protocol.PageSaid(NAME, protocol.FrameAck(5), 1), protocol.WorkerPing()
    with theirs:
        end.send_with_next(acknowledged)
        with pytest.raises(BlockingIOError):
            theirs.recv(1000)
        for _session in range(3):  # as when a class is frozen
            end.send(ping)
        await asyncio.sleep(0)
        assert link.MessageUnpacker(link.WORKER_END).feed(theirs.recv(1000)) == [acknowledged, *3 * [ping]]
        end.send_with_next(acknowledged)
        end.flush()  # five times a second
        assert link.MessageUnpacker(link.WORKER_END).feed(theirs.recv(1000)) == [acknowledged]
        end.close()


async def test_how_far_a_run_is_wakes_no_task_unless_something_goes_on(world: World) -> None:
    """Sent every second by each session; it keeps its place behind other work, because that work may end the run."""
    reader = world.reader()
    await reader.until("snapshot")
    host = world.host()
    world.command(reader, do="emit", count=1)
    await reader.until("accepted")
    host._poke.clear()
    reached = protocol.TimeReached("one", host.keeper.life, 7_000_000)
    host.take(reached)
    assert not host._poke.is_set()
    assert host.keeper.record.reached_us == 7_000_000
    host._working = True
    host.take(protocol.TimeReached("one", host.keeper.life, 8_000_000))
    assert (host._poke.is_set(), host.keeper.record.reached_us) == (True, 7_000_000)
    host._working = False
    host.take(protocol.TimeReached("one", host.keeper.life, 9_000_000))
    assert host.keeper.record.reached_us == 7_000_000, "not before what came earlier"
