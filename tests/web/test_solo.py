"""A session without a server: the messages of the socket, the digest of the run, and a record that continues it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from playground.hosting import refusals
from playground.hosting.session_record import RecordedSession
from playground.hosting.solo import SoloSession
from playground.storybook import ready_scenarios

ROOT = Path(__file__).resolve().parents[2]
BURST = {"do": "publish", "count": 40, "size_bytes": 6000}
NEW: dict[str, Any] = {"version": 1, "profile": "classroom", "seed": 1, "commands": [], "until_us": 1}

WITHOUT = """
import sys
for name in ("numpy", "greenlet", "django", "asyncio", "orjson"):
    sys.modules[name] = None
from playground.hosting.solo import SoloSession
print("here")
"""


class Page:
    """A reader whose clock goes only as far as the session wants to wait."""

    def __init__(
        self,
        scenario: dict[str, Any],
        commands: Any = (),
        until_us: int = 0,
        listens: bool = True,
        **options: Any,
    ) -> None:
        self.now_s = 0.0
        self.heard: list[dict[str, Any]] = []
        self.kept: dict[str, Any] = {"commands": [], "until_us": 0}
        self.next = 0
        self.solo = SoloSession(
            RecordedSession(scenario, list(commands), until_us),
            self._hear,
            self._keep,
            lambda: self.now_s,
            **options,
        )
        if listens:
            self.listen()

    def listen(self) -> None:
        self.send(t="hello", have=None, life=None)

    def _hear(self, text: str) -> None:
        message = json.loads(text)
        self.heard.append(message)
        if message["t"] == "snapshot":
            self.next = message["next"]
        elif message["t"] == "frame":
            assert message["first"] <= self.next, "rows have no holes"
            self.next = message["first"] + len(message["rows"])
        if message["t"] in ("snapshot", "frame"):
            self.send(t="ack", through=self.next)

    def _keep(self, text: str) -> None:
        self.kept = json.loads(text)

    def send(self, **message: Any) -> None:
        self.solo.receive(json.dumps(message))

    def run(self, until: Any = lambda page: page.solo.wait_s() == float("inf")) -> dict[str, Any]:
        for _turn in range(20_000):
            if until(self):
                return self.heard[-1] if self.heard else {}
            wait_s = self.solo.wait_s()
            self.now_s += min(wait_s, 1.0)
            self.solo.turn()
        raise AssertionError("it never comes to an end")

    def answer(self, number: int) -> dict[str, Any]:
        self.run(lambda page: any(message.get("id") == number for message in page.heard))
        return next(message for message in self.heard if message.get("id") == number)


def test_a_run_that_waits_for_an_answer_stops_there_and_says_so_in_words() -> None:
    page = Page(
        {**NEW, "until_us": 500_000}, watched=True, words_of=lambda refusal: str(refusals.of(refusal))
    )
    for wish in ({"t": "control", "play": True}, {"t": "step"}, {"t": "control", "play": True, "speed": 9}):
        page.send(**wish)
        page.run()
    page.send(t="command", id=1, command=BURST)
    page.run()
    messages = [each["message"] for each in page.heard if each["t"] in ("notice", "refused")]
    assert len(messages) == 3
    assert all("waits for your answer" in each for each in messages)
    assert max(each["now_us"] for each in page.heard if each["t"] == "frame") == 500_000


def test_it_needs_nothing_that_a_browser_has_not() -> None:
    messages = subprocess.run(
        [sys.executable, "-c", WITHOUT], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert messages.stdout.strip() == "here", messages.stderr[-2000:]


def test_a_scenario_is_played_to_its_digest() -> None:
    entry = ready_scenarios.entry("first-burst")
    assert entry is not None
    page = Page(entry.run, words_of=lambda refusal: str(refusals.of(refusal)))
    page.run()
    page.send(t="control", play=True, speed=100)
    page.run()
    frames = [message for message in page.heard if message["t"] == "frame"]
    assert frames[-1]["digest"] == entry.run["digest"]
    assert frames[-1]["play"] is False
    at_the_end = Page(
        entry.run, until_us=entry.run["until_us"], words_of=lambda refusal: str(refusals.of(refusal))
    )
    at_the_end.run()
    [notice], [at_once] = (
        [each for each in one.heard if each["t"] == "notice"] for one in (page, at_the_end)
    )
    assert at_once == notice
    late = Page(
        entry.run,
        until_us=entry.run["until_us"],
        listens=False,
        words_of=lambda refusal: str(refusals.of(refusal)),
    )
    late.run()
    assert late.heard == [], "nobody listens yet, and nothing is lost"
    late.listen()
    late.run()
    assert [each["t"] for each in late.heard[:2]] == ["welcome", "notice"]
    assert late.heard[1] == notice
    assert (notice["level"], notice["message"].partition(":")[0]) == (
        "info",
        "This is where the recorded run ends, and it is the same run",
    )


def test_a_run_that_is_not_the_recorded_one_is_reported() -> None:
    page = Page({**NEW, "digest": "f" * 32}, words_of=lambda refusal: str(refusals.of(refusal)))
    page.send(t="control", play=True)
    page.run()
    [notice] = [message for message in page.heard if message["t"] == "notice"]
    assert notice["level"] == "error"
    assert "instead of ffffffffffff: our mistake" in notice["message"]


def test_commands_are_taken_refused_and_taken_back() -> None:
    page = Page(NEW)
    page.run()
    page.send(t="command", id=1, command=BURST)
    assert page.answer(1)["t"] == "accepted"
    page.send(t="command", id=2, command={"do": "publish", "count": -1, "size_bytes": 1})
    assert page.answer(2)["t"] == "refused"
    page.send(t="ask", id=3, line="list_queues name messages")
    assert "orders\t40" in page.answer(3)["text"]
    page.send(t="undo", id=4)
    assert page.answer(4)["t"] == "accepted"
    page.send(t="undo", id=5)
    assert page.answer(5)["t"] == "refused"
    assert page.kept["commands"] == []


def test_what_was_kept_continues_to_the_same_digest() -> None:
    page = Page(NEW)
    page.run()
    page.send(t="command", id=1, command=BURST)
    page.answer(1)
    page.send(t="control", play=True, speed=10, until_us=5_000_000)
    stopped = page.run(lambda page: page.heard[-1].get("now_us") == 5_000_000 and not page.heard[-1]["play"])
    again = Page(NEW, [tuple(each) for each in page.kept["commands"]], 5_000_000)
    again.run()
    snapshot = next(message for message in again.heard if message["t"] == "snapshot")
    assert snapshot["digest"] == stopped["digest"]
