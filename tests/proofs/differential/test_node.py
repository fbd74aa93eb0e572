"""What a private node does without a broker."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools.proofs.differential import node as nodes
from tools.proofs.differential.installation import LATEST, RELEASES, Installation, installation
from tools.proofs.differential.node import PrivateNode


@pytest.mark.parametrize("release", RELEASES)
def test_a_node_that_was_killed_may_be_stopped(
    release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever fills a node stops it in the end, killed before or not; a dead 3.8.9 has nobody to tell."""
    monkeypatch.setattr(nodes, "installation", lambda _: Installation(tmp_path, tmp_path))
    monkeypatch.setattr(nodes, "fill", lambda *_: None)
    with PrivateNode(release=release) as node:
        node.kill()
        node.stop()
        assert not node.is_alive


ASKED = """
[spawn(fun() -> timer:sleep(infinity) end) || _ <- lists:seq(1, 400)],
Used = fun() -> element(2, process_info(self(), reductions)) end,
Before = Used(),
Settled = cq_node:settled(60000),
Cost = Used() - Before,
spawn(fun Busy() -> lists:seq(1, 100), timer:sleep(1), Busy() end),
io:format("~p ~p ~p", [Settled, Cost, cq_node:settled(300)]), halt().
"""


def test_whether_a_node_is_at_rest_costs_little_however_many_processes_it_has(tmp_path: Path) -> None:
    """To ask each process took most of a program's time, and of the processor."""
    installation(LATEST)  # brings Erlang
    subprocess.run(["erlc", "-o", str(tmp_path), str(nodes.HERE / "cq_node.erl")], check=True)
    answer = subprocess.run(
        ["erl", "-noshell", "-pa", str(tmp_path), "-eval", ASKED],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    settled, cost, while_busy = answer.stdout.split()
    assert (settled, while_busy) == ("true", "false")
    assert int(cost) < 10_000
