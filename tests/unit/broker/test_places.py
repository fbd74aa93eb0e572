"""On which node a new queue's master begins: by argument, policy or setting; and how `nodes` moves it (H11, H15)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.report.transitions.node import ConnectionClosed
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError

LOCATOR = "x-queue-master-locator"


def cluster(**settings: Any) -> Cluster:
    node = Cluster(
        parse({"version": 1, "profile": "real", "seed": 5, "settings": {"nodes": 3, **settings}}),
        LedgerStorage(),
    )
    for each in ("n1", "n2", "n3"):
        node.submit({"do": "connect", "name": each, "node": each})
    return node


def by_chance() -> Cluster:
    return cluster(queue_master_locator="random")


def declare(node: Cluster, name: str, at: str = "n1", **words: Any) -> str:
    node.submit({"do": "declare_queue", "name": name, "channel": f"{at}.1", **words})
    return node.cluster.records[name].master


def test_by_default_it_begins_where_its_client_is() -> None:
    assert declare(cluster(), "a", "n2") == "n2"


def test_the_argument_comes_before_the_policy_and_that_before_the_setting() -> None:
    node = cluster(queue_master_locator="min-masters")
    assert declare(node, "a") == "n2", "n1 has the first queue"
    node.submit(
        {
            "do": "set_policy",
            "name": "p",
            "pattern": "^p",
            "definition": {"queue-master-locator": "client-local"},
        }
    )
    assert declare(node, "p1", "n2") == "n2"
    assert declare(node, "p2", "n2", arguments={LOCATOR: "min-masters"}) == "n3"


def test_an_argument_that_names_no_strategy_ends_the_connection() -> None:
    """H15: a 541 without words, as real nodes of 3.8.9 and 3.10.8 answered."""
    node = cluster()
    node.submit(
        {"do": "declare_queue", "name": "q", "channel": "n1.1", "arguments": {LOCATOR: "no such thing"}}
    )
    closed = [each for each in node.log.since(0).rows if isinstance(each, ConnectionClosed)]
    assert [(each.code, each.text) for each in closed] == [(541, "INTERNAL_ERROR")]
    assert "q" not in node.cluster.records


def test_fewest_masters_and_of_equal_ones_the_first_by_name() -> None:
    node = cluster(queue_master_locator="min-masters")
    assert [declare(node, name) for name in "abcde"] == ["n2", "n3", "n1", "n2", "n3"]
    node.submit({"do": "kill_node", "node": "n2"})
    assert [declare(node, name) for name in "fg"] == ["n1", "n3"]


def test_chance_is_the_seeds() -> None:
    found = [[declare(cluster_, name) for name in "abcdefg"] for cluster_ in (by_chance(), by_chance())]
    assert found[0] == found[1]
    assert set(found[0]) == {"n1", "n2", "n3"}


def test_with_nodes_the_choice_is_among_them_and_the_clients_own() -> None:
    node = cluster(queue_master_locator="min-masters")
    definition = {"ha-mode": "nodes", "ha-params": ["n3"]}
    node.submit({"do": "set_policy", "name": "p", "pattern": ".*", "definition": definition})
    assert [declare(node, name) for name in "abc"] == ["n3", "n3", "n3"]


def test_a_master_that_the_policy_does_not_want_moves_as_soon_as_a_mirror_is_synchronised() -> None:
    """It begins at its client, its mirrors join an empty queue, and then it is dropped."""
    node = cluster()
    definition = {"ha-mode": "nodes", "ha-params": ["n2", "n3"]}
    node.submit({"do": "set_policy", "name": "p", "pattern": "^p", "definition": definition})
    assert declare(node, "p1") == "n2"
    record = node.cluster.records["p1"]
    assert (record.mirrors, record.synchronised) == (["n3"], {"n3"})
    node.verify()


def test_a_master_moves_only_to_a_node_that_runs() -> None:
    node = cluster()
    node.submit({"do": "set_policy", "name": "p", "pattern": ".*", "definition": {"ha-mode": "all"}})
    node.submit({"do": "kill_node", "node": "n3"})
    with pytest.raises(CommandError, match="n3 does not run"):
        node.submit({"do": "move_master", "node": "n3"})
    node.submit({"do": "move_master", "node": "n2"})
    assert node.cluster.records["orders"].master == "n2"


def test_an_exclusive_queue_stays_with_its_connection() -> None:
    node = cluster(queue_master_locator="min-masters")
    assert declare(node, "a", "n1", exclusive=True) == "n1"


def test_a_policy_with_another_strategy_is_refused() -> None:
    with pytest.raises(CommandError, match='<<"nearest">> invalid queue-master-locator value'):
        cluster().submit(
            {
                "do": "set_policy",
                "name": "p",
                "pattern": ".*",
                "definition": {"queue-master-locator": "nearest"},
            }
        )
