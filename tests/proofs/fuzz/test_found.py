"""What once broke the engine does not any more; a tiny run of the programs finds nothing, and shrinking shrinks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.broker.commands.commands import VERBS
from engine.broker.commands.scenario import parse
from engine.releases import PROFILES
from tools.proofs.fuzz.__main__ import fault
from tools.proofs.fuzz.play import played
from tools.proofs.fuzz.programs import program
from tools.proofs.fuzz.shrink import shrink

FOUND = sorted((Path(__file__).parent / "found").glob("*.json"))


@pytest.mark.parametrize("path", FOUND, ids=[path.stem for path in FOUND])
def test_what_broke_does_not_any_more(path: Path) -> None:
    ended = played(json.loads(path.read_text(encoding="utf-8")))
    assert "digest" in ended, ended


def test_a_seed_gives_one_program_that_is_a_scenario() -> None:
    assert program(7) == program(7)
    assert parse(program(7)).seed == 7


def test_programs_come_to_every_verb_profile_and_number_of_nodes() -> None:
    programs = [program(seed) for seed in range(400)]
    assert {command["do"] for each in programs for command in each["commands"]} == set(VERBS)
    assert {each["profile"] for each in programs} == set(PROFILES)
    assert {each["settings"].get("nodes", 1) for each in programs} == {1, 2, 3}


def test_some_programs_end_well() -> None:
    for seed in range(8):
        ended = played(program(seed))
        assert "error" not in ended, (seed, ended)


def test_an_error_is_told_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.broker.cluster.Cluster.verify", lambda _: {}["q1"])
    ended = played(program(1))
    assert ended["error"] == "KeyError: 'q1'"
    assert ended["place"] == "test_found.py: <lambda>"
    assert (
        fault([ended])
        == fault([{**ended, "error": "KeyError: 'q2'"}])
        == "KeyError: _ test_found.py: <lambda>"
    )


def test_sides_that_differ_are_a_fault() -> None:
    good, other = {"digest": "a", "transitions": 1}, {"digest": "b", "transitions": 1}
    broken = {"error": "TypeError: 3", "place": "ring.py: next"}
    assert fault([good, good]) is None
    assert fault([good, other]) == "compiled: another digest"
    assert fault([good, broken]) == "compiled only: TypeError: _ ring.py: next"
    assert fault([broken, broken]) == "TypeError: _ ring.py: next"


def test_shrinking_keeps_what_breaks_and_nothing_else() -> None:
    def breaks(other: dict) -> bool:
        verbs = [each.get("do") for each in other["commands"]]
        return "purge" in verbs and "get" in verbs and bool(other["topology"].get("queues"))

    commands = [
        {"at_us": 1, "do": "publish"},
        {"at_us": 2, "do": "purge", "queue": "q"},
        {"at_us": 3, "do": "get"},
    ]
    queues = [{"name": "q", "arguments": {"x-max-length": 1}}, {"name": "r"}]
    long = {
        "commands": commands * 3,
        "settings": {"nodes": 2},
        "topology": {"queues": queues, "policies": []},
    }
    short = shrink(long, breaks)
    assert sorted(each.get("do") for each in short["commands"]) == ["get", "purge"]
    assert short["settings"] == {}
    assert set(short["topology"]) == {"queues"}
    assert len(short["topology"]["queues"]) == 1
