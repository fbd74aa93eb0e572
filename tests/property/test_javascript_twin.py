"""The page's reducer gives the node's own snapshots too (promise 2)."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from engine.node.node import Node
from engine.storage.ledger import LedgerStorage
from tests.property.test_node_fold import OVERRIDES, PROFILES, PROGRAMS, scenario_of, submit

SCRIPT = "tests/js/twin.mjs"


@pytest.fixture(scope="module")
def node_js(repo_root: Path) -> str:
    """Return the path of Node.js, which `make test` installs where there is none."""
    found = subprocess.run(
        [repo_root / "tools" / "ensure_node.sh"], capture_output=True, text=True, check=True
    )
    return found.stdout.strip()


def test_reducer_equals_snapshots(node_js: str, repo_root: Path) -> None:
    steps: list[dict[str, Any]] = []

    @settings(max_examples=40, deadline=None, derandomize=True)
    @given(PROFILES, OVERRIDES, PROGRAMS)
    def gather(profile: str, overrides: dict[str, Any], program: list[tuple[dict[str, Any], int]]) -> None:
        node = Node(scenario_of(profile, overrides), LedgerStorage(), keep=1_000_000)
        done = 0
        steps.append({"rows": [], "state": None})
        for command, pause_us in program:
            submit(node, command)
            node.advance(node.now_us + pause_us)
            rows = node.log.since(done)
            assert rows is not None
            done = rows.next
            steps.append({"rows": rows.rows, "state": node.snapshot()})

    gather()
    runs: list[list[dict[str, Any]]] = []
    for step in steps:
        if step["state"] is None:
            runs.append([])
        else:
            runs[-1].append(step)
    for run in runs:
        folded = subprocess.run(
            [node_js, SCRIPT], input=msgspec.json.encode(run), capture_output=True, check=False, cwd=repo_root
        )
        assert folded.returncode == 0, folded.stdout.decode() + folded.stderr.decode()
