"""Every mirror story recorded from a cluster of three nodes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from tests.conftest import RECORDINGS
from tools.proofs.conformance.cluster import ClusterDoor
from tools.proofs.conformance.stories import replay_story

STORIES = sorted((RECORDINGS / "mirrors").glob("*.json"))


def test_the_stories_are_there() -> None:
    assert len(STORIES) == 64


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_story_is_whole(path: Path) -> None:
    """The stories go through H1-H20, H23, H31-H65, H67-H69, H71-H77 and H84; see their README for which is where."""
    outcome = replay_story(json.loads(path.read_text()), LedgerStorage())
    assert not outcome.differences


@pytest.mark.parametrize("path", STORIES[::12], ids=lambda path: path.stem)
def test_story_is_whole_on_real_files(path: Path, tmp_path: Path) -> None:
    outcome = replay_story(json.loads(path.read_text()), DirectoryStorage(str(tmp_path)))
    assert not outcome.differences


def _story(*steps: dict[str, Any]) -> list[dict[str, Any]]:
    """Play steps; return what each showed."""
    door = ClusterDoor(LedgerStorage())
    return [door.step(step) for step in steps]


def test_a_master_that_is_left_alone_still_sends_its_ring_a_drop_after_each_publish() -> None:
    """H34: the wrapper is installed as long as the policy holds, and the master is in the ring itself."""
    seen = _story(
        {"op": "policy", "definition": {"ha-mode": "nodes", "ha-params": ["n1"]}},
        {"op": "connect", "client": "c", "on": "n1"},
        {"op": "declare", "client": "c", "arguments": {"x-max-length": 2}},
        {"op": "publish", "client": "c", "count": 2, "size": 16, "persistent": False},
        {"op": "publish", "client": "c", "count": 2, "size": 16, "persistent": False},
    )
    drop = ["drop", 2, 2, 1, False, 1]
    assert seen[-1]["wire"]["n1"]["gm"] == [["publish", "flow", 1], drop, ["publish", "flow", 1], drop]


def test_nodes_are_killed_and_started_at_once() -> None:
    """No mirror takes over on a node that dies in the same moment; those that must wait for the last one do."""
    seen = _story(
        {"op": "policy", "definition": {"ha-mode": "all"}},
        {"op": "connect", "client": "d", "on": "n1"},
        {"op": "declare", "client": "d"},
        {"op": "connect", "client": "c", "on": "n3"},
        {"op": "publish", "client": "c", "count": 3, "size": 16, "persistent": True},
        {"op": "kill", "on": ["n1", "n2"]},
        {"op": "start", "on": ["n2", "n1"]},
        {"op": "kill", "on": ["n1", "n2", "n3"]},
        {"op": "start", "on": ["n1", "n2", "n3"]},
    )
    alone, together, nobody, again = (each["after"] for each in seen[5:])
    assert (alone["queue"]["master"], alone["queue"]["mirrors"], alone["queue"]["ready"]) == ("n3", [], 3)
    assert seen[5]["wire"]["n3"]["gm"] == [["depth", 3, 1]]
    assert together["queue"]["mirrors"] == ["n2", "n1"]
    assert nobody["up"] == []
    assert (again["queue"]["master"], again["queue"]["ready"], sorted(again["up"])) == (
        "n3",
        3,
        ["n1", "n2", "n3"],
    )
