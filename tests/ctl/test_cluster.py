"""The console's lines about nodes and mirrors (H51, H58)."""

from __future__ import annotations

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.ctl.console import ask, operated
from engine.storage.ledger import LedgerStorage

MIRRORED = "list_queues --quiet --no-table-headers name messages slave_pids synchronised_slave_pids"


def _cluster() -> Cluster:
    return operated(parse({"version": 1, "profile": "real", "settings": {"nodes": 3}}), LedgerStorage())


def _printed(node: Cluster, line: str) -> str:
    return ask(line, node.snapshot(), node.now_us).text


def test_mirrors_are_listed_with_their_nodes_and_synchronised_by_a_line() -> None:
    node = _cluster()
    node.submit({"do": "publish", "count": 3, "size_bytes": 10})
    node.submit({"do": "ctl", "line": 'set_policy ha .* \'{"ha-mode":"all"}\''})
    assert "[<rabbit@n2.1.400.0>, <rabbit@n3.1.400.0>]\t[]" in _printed(node, MIRRORED)
    node.submit({"do": "ctl", "line": "sync_queue orders"})
    row = _printed(node, MIRRORED)
    assert row.count("[<rabbit@n2.1.400.0>, <rabbit@n3.1.400.0>]") == 2
    assert row.count("orders") == 1, "mirrors are no queues of their own"


def test_the_cluster_says_who_runs() -> None:
    node = _cluster()
    node.submit({"do": "kill_node", "node": "n2"})
    printed = _printed(node, "cluster_status")
    assert "Running Nodes\n\nrabbit@n1\nrabbit@n3\n" in printed
    assert "Disk Nodes\n\nrabbit@n1\nrabbit@n2\nrabbit@n3\n" in printed


def test_a_queue_without_mirroring_is_not_synchronised() -> None:
    answer = ask("sync_queue orders", _cluster().snapshot(), 0)
    assert "not_mirrored" in answer.text
    assert answer.code == 69
    assert "not_found" in ask("cancel_sync_queue nothing", _cluster().snapshot(), 0).text
