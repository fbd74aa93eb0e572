"""The page reads, sorts, explains and folds transitions as the engine does (promise 2)."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.broker.cluster import Cluster
from engine.broker.commands.client_commands import pack
from engine.classic_v1.queue.reduce import permitted_betas
from engine.report.transitions.base import Transition
from engine.storage.ledger import LedgerStorage
from engine.transitions import fields_of
from engine.values.sizes import plain
from tests.helpers.twin import Twin
from tests.property.test_node_fold import OVERRIDES, PROFILES, PROGRAMS, scenario_of, submit

SIZES: list[int] = [0, 7, 300, 5000, 9000, 131_064, 131_065, 12] * 5 + [6000 + 7 * n for n in range(20)]
UNEQUAL: dict[str, Any] = {
    "do": "publish",
    "count": len(SIZES),
    "size_bytes": -(-sum(SIZES) // len(SIZES)),
    "sizes": pack(SIZES),
    "routing_key": "orders",
}
PAGING: list[tuple[dict[str, Any], int]] = [
    ({"do": "publish", "count": 60, "size_bytes": 6144, "persistent": True, "routing_key": "orders"}, 0),
    ({**UNEQUAL, "persistent": True}, 0),
    ({**UNEQUAL, "persistent": False}, 0),
    ({"do": "set", "name": "target_ram_count", "value": 9, "queue": "orders"}, 0),
]
"""A queue with a target, so that its betas are counted."""


def named(t: Transition) -> dict[str, Any]:
    """Return a transition by the names that the page has."""
    values = {name.rstrip("_"): getattr(t, name) for name in fields_of(type(t))}
    return {"kind": type(t).__name__, **msgspec.to_builtins(values, enc_hook=plain)}


def permitted(node: Cluster) -> dict[str, int | None]:
    """Return how many betas each queue may keep that has a target (Q48)."""
    queues = {
        name: node.host.hosted(name).queue.state
        for name in node.host.names()
        if name in node.snapshot()["queues"]
    }
    return {name: permitted_betas(q) for name, q in queues.items() if q.target_ram_count is not None}


def test_transitions_mean_the_same_to_the_page(twin: Twin) -> None:
    runs: list[list[dict[str, Any]]] = []

    @settings(max_examples=40, deadline=None, derandomize=True)
    @given(PROFILES, OVERRIDES, PROGRAMS, st.booleans())
    def gather(
        profile: str, overrides: dict[str, Any], program: list[tuple[dict[str, Any], int]], pages: bool
    ) -> None:
        node = Cluster(scenario_of(profile, overrides), LedgerStorage(), keep=1_000_000)
        done = 0
        steps = []
        for command, pause_us in [*(PAGING if pages else []), *program]:
            submit(node, command)
            node.advance(node.now_us + pause_us)
            rows = node.log.since(done)
            assert rows is not None
            done = rows.next
            steps.append(
                {
                    "rows": rows.rows,
                    "named": [named(t) for t in rows.rows],
                    "concerns": [[t.about.group, getattr(t, "queue", None)] for t in rows.rows],
                    "permitted": permitted(node),
                    "state": node.snapshot(),
                }
            )
        runs.append(steps)

    gather()
    assert any(step["permitted"] for steps in runs for step in steps)
    twin.agrees("twin.mjs", runs)
