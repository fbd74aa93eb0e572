"""Random runs of 4.x, folded by the engine and by the page: the same state after each single transition (promise 2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.classic_v2 import transitions
from engine.releases import RELEASES
from engine.report.transitions.base import Transition
from engine.storage.ledger import LedgerStorage
from engine.transitions import empty_state, fold, to_json
from tests.helpers.twin import Twin
from tests.property.test_javascript_twin import UNEQUAL, named
from tests.property.test_node_fold import PROGRAMS, submit

TODAYS = [each for each in RELEASES.values() if each.name.startswith("4.")]
PROFILES = st.sampled_from([each.profiles[scale] for each in TODAYS for scale in ("classroom", "real")])
OVERRIDES = st.fixed_dictionaries(
    {},
    optional={
        "segment_entry_count": st.sampled_from([2, 4, 16]),
        "queue_index_embed_msgs_below": st.sampled_from([0, 50, 4096]),
        "msg_store_credit_disc_bound": st.sampled_from([[4, 2], [40, 8]]),
        "msg_store_file_size_limit": st.sampled_from([20_000, 40_000]),
        "write_buffer_bytes": st.sampled_from([500, 5000]),
        "queue_durable": st.booleans(),
        "work_profile": st.sampled_from(["instant", "measured-vm", "hdd"]),
        "credit_flow_default_credit": st.sampled_from([[4, 2], [400, 200]]),
    },
)
BURST = {"do": "publish", "routing_key": "orders", "persistent": True}
COLLECTED_US = 16_000_000
"""Longer than the shared store waits before it collects (W140)."""
Timed = tuple[dict[str, Any], int]
"""A command, and the microseconds after it."""


def holes() -> list[Timed]:
    """Return commands that leave little in each store file, until the files are compacted and go."""
    acked = [({"do": "ack_tag", "tag": tag}, 0) for tag in (*range(1, 6), *range(7, 12))]
    return [
        ({**BURST, "count": 14, "size_bytes": 6000}, 20_000),
        ({"do": "get", "count": 14, "ack": True, "queue": "orders"}, 0),
        *acked,
        ({"do": "ack_tag", "tag": 13}, COLLECTED_US),
        ({"do": "ack_tag", "tag": 12}, COLLECTED_US),
    ]


OPENINGS: st.SearchStrategy[list[Timed]] = st.sampled_from(
    [
        [],
        holes(),
        [
            ({**UNEQUAL, "persistent": True}, 20_000),
            ({**UNEQUAL, "persistent": False}, 0),
            ({"do": "get", "count": 70, "ack": True, "queue": "orders"}, 0),
            ({"do": "ack", "count": 20, "multiple": True}, 20_000),
            ({"do": "requeue", "count": 20}, 0),
            ({**UNEQUAL, "persistent": True}, 0),
            ({"do": "ack", "count": 30, "multiple": True}, 0),
            ({"do": "restart", "kind": "clean"}, 0),
        ],
        [
            ({**BURST, "count": 30, "size_bytes": 900}, 0),
            ({"do": "get", "count": 3, "ack": False, "queue": "orders"}, 20_000),
            ({"do": "get", "count": 9, "ack": True, "queue": "orders"}, 0),
            ({"do": "requeue", "count": 4}, 0),
            ({"do": "restart", "kind": "kill"}, 0),
        ],
        [
            ({**BURST, "count": 150, "size_bytes": 200}, 20_000),
            ({"do": "get", "count": 140, "ack": True, "queue": "orders"}, 0),
            ({"do": "ack", "count": 140, "multiple": True}, 20_000),
        ],
    ]
)
"""What fills transitions, leaves holes, has them collected, and finds them again: rare among commands at random."""
OWN = {
    name
    for name, each in vars(transitions).items()
    if isinstance(each, type) and each.__module__ == transitions.__name__ and issubclass(each, Transition)
}
"""What version 2 alone says."""
MOST_ROWS = 400
"""Transitions of a run whose states are compared; the page is asked about each of them twice."""


def single_steps(rows: list[Transition]) -> Iterator[dict[str, Any]]:
    """Yield each transition with the state that the engine's fold has after it."""
    state = empty_state()
    for row in rows:
        fold(state, row)
        yield {
            "rows": [row],
            "named": [named(row)],
            "concerns": [[row.about.group, getattr(row, "queue", None)]],
            "permitted": {},
            "state": to_json(state),
        }


def test_the_page_has_the_same_state_after_each_transition(twin: Twin) -> None:
    """W13, W35, W45, W86, W114, W132, W142: all that version 2 does to its lanes, buffers, files and stores."""
    runs: list[list[dict[str, Any]]] = []

    @settings(max_examples=60, deadline=None, derandomize=True)
    @given(PROFILES, OVERRIDES, OPENINGS, PROGRAMS)
    def gather(
        profile: str,
        overrides: dict[str, Any],
        opening: list[Timed],
        program: list[Timed],
    ) -> None:
        scenario = {"version": 1, "profile": profile, "settings": overrides}
        node = Cluster(parse(scenario), LedgerStorage(), keep=1_000_000)
        for command, pause_us in [*opening, *program]:
            submit(node, command)
            node.advance(node.now_us + pause_us)
        rows = node.log.since(0)
        assert rows is not None
        runs.append(list(single_steps(list(rows.rows[:MOST_ROWS]))))

    gather()
    kinds = {step["named"][0]["kind"] for steps in runs for step in steps}
    assert kinds >= OWN, OWN - kinds
    twin.agrees("twin.mjs", runs)
