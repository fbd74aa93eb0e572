"""The same work on one, two and three nodes, with a mirror on each: the cost may grow with the nodes and not worse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.measure import Result, best, calls
from engine.replay import RunPlayer, on_ledger

NODES = (1, 2, 3)
ROUNDS, TINY_ROUNDS = 400, 5
"""Bursts of a few messages each, so that every round is work for the ring, and none is one extent."""
BURST = 50
ROUND_US = 50_000
TIMES = 7
MOST_TIMES = 3.3
"""What three nodes may cost for each second of one."""


def scenario(nodes: int, rounds: int) -> dict[str, Any]:
    """Return the work: confirmed bursts, each taken and acknowledged, on a mirrored queue where there are mirrors."""
    mirrors = {
        "at_us": 0,
        "do": "set_policy",
        "name": "ha",
        "pattern": ".*",
        "definition": {"ha-mode": "all"},
    }
    publish = {"do": "publish", "count": BURST, "size_bytes": 1000, "persistent": True, "confirm": True}
    take = {"do": "get", "count": BURST, "ack": True}
    commands = [mirrors] if nodes > 1 else []
    for number in range(1, rounds + 1):
        commands.append({"at_us": number * ROUND_US, **publish})
        commands.append({"at_us": number * ROUND_US + ROUND_US // 2, **take})
    return {
        "version": 1,
        "profile": "classroom",
        "settings": {"nodes": nodes},
        "seed": 1,
        "commands": commands,
        "until_us": (rounds + 2) * ROUND_US,
    }


def run(tiny: bool) -> Result:
    """Measure."""
    rounds = TINY_ROUNDS if tiny else ROUNDS

    def work(nodes: int) -> Callable[[], Callable[[], object]]:
        written = scenario(nodes, rounds)

        def make() -> Callable[[], object]:
            player = RunPlayer(on_ledger(written))
            return lambda: player.finish(written["until_us"])

        return make

    seconds: dict[int, float] = dict.fromkeys(NODES, float("inf"))
    # By turns, so that a busy machine is busy for all alike.
    for _ in range(TIMES):
        for nodes in NODES:
            seconds[nodes] = min(seconds[nodes], best(work(nodes), 1))
    ratio = seconds[3] / seconds[1]
    counted = {nodes: calls(work(nodes)()) for nodes in NODES}
    linear = counted[3] - counted[2] <= counted[2] - counted[1]
    return {
        "messages": rounds * BURST,
        "seconds_by_nodes": {str(nodes): round(took, 3) for nodes, took in seconds.items()},
        "three_nodes_over_one": round(ratio, 2),
        "calls_by_nodes": {str(nodes): number for nodes, number in counted.items()},
        "third_node_adds_no_more_calls_than_second": linear,
        # A tiny run takes milliseconds, so only its calls are judged.
        "passed": linear and (tiny or ratio <= MOST_TIMES),
    }
