"""The way of one published message: its stations are those of ARCHITECTURE.md, and it gets no longer."""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

import pytest

import engine
from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.storage.ledger import LedgerStorage

pytestmark = pytest.mark.sources

ENGINE: Final = Path(engine.__file__).parent
ARCHITECTURE: Final = ENGINE.parent / "ARCHITECTURE.md"
PUBLISH: Final = {"do": "publish", "count": 1, "size_bytes": 100}


class Way(NamedTuple):
    """What one command runs through.

    Args:
        calls: file and function of each call, in order.
        transitions: how many there were.
    """

    calls: list[tuple[str, str]]
    transitions: int

    @property
    def files(self) -> set[str]:
        return {file for file, _ in self.calls}

    @property
    def rooms(self) -> list[str]:
        """The room of each call: a folder of the engine, or of the broker and of a generation."""
        return [room_of(file) for file, _ in self.calls]

    @property
    def changes(self) -> int:
        return sum(one != other for one, other in pairwise(self.rooms))


def room_of(file: str) -> str:
    folders = file.split("/")[:-1]
    return "/".join(folders[: 2 if folders[:1] in (["broker"], ["classic_v1"]) else 1])


@pytest.fixture(scope="module")
def way() -> Way:
    node = Cluster(parse({"version": 1, "profile": "classroom"}), LedgerStorage())
    node.submit(PUBLISH)
    calls: list[tuple[str, str]] = []
    before = node.log.number

    def note(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ENGINE):
            calls.append((path.relative_to(ENGINE).as_posix(), frame.f_code.co_name))

    sys.setprofile(note)
    try:
        node.submit(PUBLISH)
    finally:
        sys.setprofile(None)
    return Way(calls, node.log.number - before)


def test_it_gets_no_longer(way: Way) -> None:
    """The bounds rose once, by 2, 0, 5 and 4: a node looks in which of its virtual hosts a name is."""
    assert way.transitions == 3
    assert len(way.files) <= 39
    assert len(set(way.rooms)) <= 17
    assert way.changes <= 87
    assert len(way.calls) <= 143


def test_its_stations_are_those_of_the_drawing(way: Way) -> None:
    text = ARCHITECTURE.read_text(encoding="utf-8").split("## The way of a published message", 1)[1]
    drawing = text.split("```", 2)[1]
    stations = re.findall(r"^ *(?:-> )?([a-z_0-9/]+\.py) +(\w+)", drawing, re.MULTILINE)
    assert len(stations) > 8
    rest = iter(way.calls)
    passed = [station for station in stations if station in rest]
    assert passed == stations


def test_a_room_is_a_folder() -> None:
    files = ("releases.py", "values/stretches.py", "broker/cluster.py", "broker/time/pace.py")
    assert [room_of(each) for each in files] == ["", "values", "broker", "broker/time"]
