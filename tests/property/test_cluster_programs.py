"""Whatever befalls a cluster, its transitions fold to its state, in both languages, and its rules hold (H1-H90)."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.storage.ledger import LedgerStorage
from engine.transitions import empty_state, fold_all, to_json
from engine.values.errors import CommandError
from tests.helpers.twin import Twin
from tests.property.cluster_programs import PROGRAMS, Program
from tests.property.test_javascript_twin import named

MINUTE_US = 60_000_000
HOPS = st.sampled_from((0, 500))


def cluster(hop_us: int) -> Cluster:
    settings_ = {"nodes": 3, "ring_hop_us": hop_us}
    return Cluster(
        parse({"version": 1, "profile": "real", "settings": settings_}), LedgerStorage(), keep=1_000_000
    )


def play(node: Cluster, program: Program, after_each: Any) -> None:
    for command, pause_us in program:
        with suppress(CommandError):
            node.submit(command)
        node.advance(node.now_us + pause_us)
        after_each()


def check_rules(node: Cluster) -> None:
    """Compare the records with the members, and members with one another."""
    cluster_ = node.cluster
    for name, record in cluster_.records.items():
        assert record.master not in record.mirrors, "H1: the master is no mirror"
        assert record.synchronised <= set(record.mirrors), "H1: only mirrors are synchronised"
        living = [each for each in record.mirrors if (name, each) in cluster_.members]
        assert {*record.mirrors} - {*living} <= record.orphans, "H64: only orphans are dead members"
        assert all(cluster_.nodes[each].up for each in living), "a member lives where no node runs"
        assert (name in node.queues) == record.alive
        assert not record.alive or cluster_.nodes[record.master].up
        for each in living:
            mirror = cluster_.members[(name, each)].mirror
            if each in record.synchronised and record.alive and not cluster_.rings[name].under_way:
                quiet = name not in cluster_.syncs and not cluster_.members[(name, each)].waits
                whole = cluster_.masters[name].whole_depth
                assert not quiet or mirror.depth == whole, "H3: a synchronised mirror is as deep"
    node.verify()


@settings(max_examples=15, deadline=None, derandomize=True)
@given(HOPS, PROGRAMS)
def test_the_rules_hold_and_everything_folds(hop_us: int, program: Program) -> None:
    node = cluster(hop_us)
    play(node, program, lambda: check_rules(node))
    node.advance(node.now_us + MINUTE_US + 2_000_000)
    rows = node.log.since(0)
    assert rows is not None
    assert to_json(fold_all(empty_state(), rows.rows)) == node.snapshot()


def test_transitions_of_a_cluster_mean_the_same_to_the_page(twin: Twin) -> None:
    runs: list[list[dict[str, Any]]] = []

    @settings(max_examples=8, deadline=None, derandomize=True)
    @given(HOPS, PROGRAMS)
    def gather(hop_us: int, program: Program) -> None:
        node, steps = cluster(hop_us), []
        done = 0

        def note() -> None:
            nonlocal done
            rows = node.log.since(done)
            assert rows is not None
            done = rows.next
            steps.append(
                {
                    "rows": rows.rows,
                    "named": [named(t) for t in rows.rows],
                    "concerns": [[t.about.group, getattr(t, "queue", None)] for t in rows.rows],
                    "permitted": {},
                    "state": node.snapshot(),
                }
            )

        play(node, program, note)
        runs.append(steps)

    gather()
    kinds = {each["kind"] for steps in runs for step in steps for each in step["named"]}
    assert {"MirrorJoined", "MirrorLeft", "QueuePromoted", "NodeStopped", "NodeStarted", "RingSent"} <= kinds
    twin.agrees("twin.mjs", runs)
