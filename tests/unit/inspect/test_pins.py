"""What keeps a store file on the disk, by cost: on the page, and where the files are."""

from __future__ import annotations

from typing import Any

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.storage.ledger import LedgerStorage
from playground.inspecting import node_command, reading


def test_the_file_whose_few_messages_cost_most_comes_first() -> None:
    """A store larger than its queues: two messages of `few` hold a file of 20, `many` a file that is nearly whole."""
    scenario: dict[str, Any] = {
        "version": 1,
        "title": "",
        "profile": "real",
        "settings": {"msg_store_file_size_limit": 100_000},
        "seed": 1,
        "topology": {"queues": [{"name": "few"}, {"name": "many"}]},
        "commands": [
            {
                "at_us": 1,
                "do": "publish",
                "routing_key": name,
                "count": 20,
                "size_bytes": 5000,
                "persistent": True,
            }
            for name in ("many", "few")
        ]
        + [
            {"at_us": 1_000_000, "do": "get", "queue": "few", "count": 18},
            {"at_us": 1_500_000, "do": "ack", "count": 18},
        ],
        "until_us": 2_000_000,
    }
    node = Cluster(parse(scenario), LedgerStorage())
    node.advance(2_000_000)
    files = {
        path: node.storage.read_bytes(path, 0, node.storage.size(path) or 0) for path in node.storage.paths()
    }
    answer = reading.directory(files)[0]
    rows = answer["stores"]
    assert [row["garbage"] for row in rows] == sorted((row["garbage"] for row in rows), reverse=True)
    assert rows[0]["share"] > node_command.MOST_GARBAGE
    assert rows[0]["pins"][0]["queue"] == "few"
    assert rows[0]["pins"][0]["count"] == 2
    said = [line for line in node_command.lines("/", answer) if line.startswith("  store: ")]
    assert len(said) == 1
    assert f"{rows[0]['garbage']} of {rows[0]['after']} bytes are garbage; kept by few with 2 (seq" in said[0]
