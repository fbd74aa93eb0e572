"""Programs on several nodes: what was counted stays when a node fails."""

from __future__ import annotations

import json
import multiprocessing
import socket
import time
from collections.abc import Callable, Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tools.proofs.differential.driver import Driver, DriverGone
from tools.proofs.differential.node import NodeFailed
from tools.proofs.stories import clients, side_by_side
from tools.proofs.stories import run as stories_run
from tools.proofs.stories.choices import FLAGS
from tools.proofs.stories.clients import Clients
from tools.proofs.stories.engine import EnginePlayer
from tools.proofs.stories.run import Result, only_mixed, play, waited_together
from tools.proofs.stories.side_by_side import Seeds
from tools.proofs.stories.story import Delivery, Step, Story, View
from tools.proofs.stories.themes import IN_TURN, PLAIN, THEMES, themed


class Nodes:
    """Nodes of which some fail in the middle of a program."""

    def __init__(self, failing: list[str]) -> None:
        self.failing = failing
        self.played: list[str] = []

    def run(
        self, stories: Iterable[Story], *, result: Result, on_played: Callable[[], None], **_: Any
    ) -> Result:
        """Play the programs, as `tools.proofs.stories.run.run` does."""
        for story in stories:
            if story.name in self.failing:
                self.failing.remove(story.name)
                raise NodeFailed("it did not start in time")
            self.played.append(story.name)
            result.stories += 1
            on_played()
        return result


def counts(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how many stories a process that plays three programs sends each time."""
    monkeypatch.setattr(side_by_side, "run", nodes.run)
    ours, theirs = multiprocessing.Pipe(duplex=False)
    side_by_side._share(Seeds(7, 3, None, 5, PLAIN), Path("unused"), theirs)
    theirs.close()
    return [told["stories"] for told in iter(ours.recv, None)]


def test_a_node_that_fails_is_replaced_and_its_program_is_played_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nodes = Nodes(["p8", "p8"])
    assert counts(nodes, monkeypatch) == [1, 2, 3]
    assert nodes.played == ["p7", "p8", "p9"]


def test_a_program_that_ends_every_node_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NodeFailed):
        counts(Nodes(["p8"] * side_by_side.MOST_FAILURES), monkeypatch)


def test_an_answer_that_breaks_off_says_that_the_node_ended() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        driver = Driver(server.getsockname()[1])
        node, _ = server.accept()
        whole = json.dumps({"queues": {}}).encode()
        node.sendall(len(whole).to_bytes(4) + whole[:3])
        node.close()
        with pytest.raises(DriverGone):
            driver.ask({"do": "queues"})
        driver.close()


def delivered(sizes: str) -> View:
    """Return deliveries of a queue: a digit for a message's size; a letter after it is the queue where it died."""
    found: list[Delivery] = []
    for sign in sizes:
        if sign.isalpha():
            found[-1] = msgspec.structs.replace(found[-1], headers={"x-death": [{"queue": sign}]})
        else:
            found.append(Delivery(len(found) + 1, "c", int(sign), False, "", "q"))
    return View(deliveries=found)


def test_senders_may_mix_but_each_keeps_its_order() -> None:
    sent: list[Step] = [
        {"do": "publish", "sizes": [1, 2, 3, 4], "routing_key": "q"},
        {"do": "publish", "sizes": [5], "routing_key": "q", "confirm": True},
    ]

    def mixed(ours: str, theirs: str) -> bool:
        return only_mixed(Story("s", "", tuple(sent)), [delivered(ours)], [delivered(theirs)])

    assert mixed("1d23d4", "241d3d")
    assert mixed("1d2e3d", "2e1d3d"), "two queues dead-letter"
    assert mixed("1254", "1524"), "two channels publish"
    assert not mixed("1d23d4", "421d3d"), "another order of a channel"
    assert not mixed("1d23d4", "243d1d"), "another order of a queue"
    assert not mixed("1d23d4", "1d23d"), "a message is missing"
    assert not only_mixed(Story("s", "", ()), [View(confirmed=2)], [View(confirmed=1)])


def test_messages_that_waited_together_mix_in_any_way_that_keeps_each_channels_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stories_run, "MIXTURES", 12)

    def publish(confirm: bool, *sizes: int) -> Step:
        return {"do": "publish", "sizes": sizes, "routing_key": "q1", "confirm": confirm}

    steps: list[Step] = [
        {"do": "declare_queue", "name": "q1"},
        {"do": "alarm", "on": True},
        publish(False, 1),
        publish(True, 2, 3),
        {"do": "alarm", "on": False},
        {"do": "get", "queue": "q1", "count": 2},
    ]
    story = Story("s", "", tuple(steps))

    def chance(*got: int) -> bool:
        theirs = play(story, EnginePlayer())
        sizes = zip(theirs[-1].deliveries, got, strict=True)
        theirs[-1].deliveries = [msgspec.structs.replace(each, size_bytes=size) for each, size in sizes]
        return waited_together(story, theirs)

    assert chance(1, 2)
    assert chance(2, 1)
    assert chance(2, 3)
    assert not chance(3, 2), "another order of a channel"
    assert not chance(1, 3), "a message is missing"
    quiet = Story("s", "", tuple(step for step in steps if step["do"] != "alarm"))
    assert not waited_together(quiet, play(quiet, EnginePlayer())), "nothing waited"


def test_programs_combine_every_pair_of_flags_of_every_method() -> None:
    seen = {
        (step["do"], pair)
        for seed in range(400)
        for step in themed(PLAIN, seed).steps
        if step["do"] in FLAGS
        for pair in combinations(FLAGS[step["do"]], 2)
        if all(step.get(flag, flag == "durable") for flag in pair)
    }
    assert seen == {(verb, pair) for verb, flags in FLAGS.items() for pair in combinations(flags, 2)}


def test_programs_kill_queues_and_have_single_active_consumers() -> None:
    steps = [step for seed in range(100) for step in themed(PLAIN, seed).steps]
    assert {step["how"] for step in steps if step["do"] == "kill_queue"} == {"kill", "error"}
    assert any("x-single-active-consumer" in step.get("arguments", {}) for step in steps)


def test_with_restarts_every_program_has_one() -> None:
    """P17, D2: what a stop or a kill leaves is compared as well."""
    for seed in range(30):
        assert any(step["do"] == "restart" for step in themed("restarts", seed).steps)


def test_seeds_go_round_the_themes_and_each_has_what_it_is_about() -> None:
    found: dict[str, set[str]] = {}
    for seed in range(len(THEMES) * 8):
        story = themed(IN_TURN, seed)
        assert story.steps == themed(IN_TURN, seed).steps
        found.setdefault(story.name.rstrip("0123456789").rstrip("-"), set()).add(json.dumps(story.steps))
    assert found.keys() == THEMES.keys()
    for theme, words in {
        "retries": ["x-death", "x-first-death-queue", '"requeue": false'],
        "cycles": ["x-dead-letter-exchange", "dead-letter-routing-key", "reject-publish-dlx"],
        "transactions": ["hand.4", "tx_commit", "tx_rollback", "delete_queue"],
        "foreign": ["delivery-limit", "quorum_queues", "no-such-key"],
        "large": ["16777216", "16777217"],
        "alarms": ['"alarm", "on": true', '"alarm", "on": false'],
    }.items():
        assert all(any(word in steps for steps in found[theme]) for word in words), theme


def test_an_alarm_holds_publishers_until_it_ends() -> None:
    """M7, A1: the engine's side of the step."""
    player = EnginePlayer("4.3.6")
    player.begin()
    player.take({"do": "declare_queue", "name": "q", "durable": True})
    sent = {"do": "publish", "sizes": [1, 2], "routing_key": "q", "confirm": True}
    assert player.take({"do": "alarm", "on": True}).queues == {"q": (0, 0)}
    assert player.take(sent).confirmed == 0
    assert player.take({"do": "alarm", "on": False}).confirmed == 2


def test_what_has_no_order_at_the_broker_is_not_asked() -> None:
    """A channel's next message and a dead letter reach a third queue in either order."""
    for theme in ("retries", "cycles"):
        for seed in range(40):
            for step in themed(theme, seed).steps:
                if step["do"] == "publish":
                    assert len(step["sizes"]) == 1
                    assert not {"CC", "BCC"} & step.get("headers", {}).keys()


class _Slow(Clients):
    """Clients of a node at rest, to which a confirm comes late."""

    def __init__(self, patience_s: float, late_s: float) -> None:
        self.patience_s, self._alarmed = patience_s, False
        self._waiting = {"channel": [1]}
        self._driver = self  # type: ignore[assignment]
        self._comes_s = time.monotonic() + late_s

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        return {"settled": True}

    def _receive(self) -> bool:
        if time.monotonic() > self._comes_s:
            self._waiting = {}
        return False


@pytest.mark.parametrize(("patience_s", "waited_for"), [(0.0, False), (0.01, True)])
def test_with_patience_a_confirm_may_come_late(
    patience_s: float, waited_for: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine wrote 16 MB in more than the second that a confirm may take."""
    monkeypatch.setattr(clients, "CONFIRM_LIMIT_S", 0.1)
    slow = _Slow(patience_s, 0.3)
    slow._settle()
    assert (not slow._waiting) == waited_for
