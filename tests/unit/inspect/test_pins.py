"""What keeps a store file on the disk, by cost: on the page, and where the files are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.backing_queue.stores import CLEAN
from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.storage.ledger import LedgerStorage
from playground.inspecting import node_command, reading, uploads


def files_of(profile: str) -> uploads.Files:
    """Return the files of a store larger than its queues.

    Two messages of `few` hold a file of 20, `many` a file that is nearly whole.
    """
    scenario: dict[str, Any] = {
        "version": 1,
        "title": "",
        "profile": profile,
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
    node.submit({"do": "stop_app"})
    node.advance(3_000_000)
    return {
        path: node.storage.read_bytes(path, 0, node.storage.size(path) or 0)
        for path in node.storage.paths()
        if not path.endswith(f"/{CLEAN}")
    }


def answer_of(profile: str) -> dict[str, Any]:
    """Return what Inspect says of them."""
    return reading.directory(files_of(profile))[0]


def test_the_file_whose_few_messages_cost_most_comes_first() -> None:
    answer = answer_of("real")
    rows = answer["stores"]
    assert [row["garbage"] for row in rows] == sorted((row["garbage"] for row in rows), reverse=True)
    assert rows[0]["share"] > node_command.MOST_GARBAGE
    assert rows[0]["pins"][0]["queue"] == "few"
    assert rows[0]["pins"][0]["count"] == 2
    said = [line for line in node_command.lines("/", answer) if line.startswith("  store: ")]
    assert len(said) == 1
    assert f"{rows[0]['garbage']} of {rows[0]['after']} bytes are garbage; kept by few with 2 (seq" in said[0]


def test_it_says_what_the_collector_of_4_x_has_not_come_to() -> None:
    """W141: it compacts a file of which less than half is alive; 3.x combines two, and has no such file waiting."""
    assert answer_of("real")["collector"] is None
    answer = answer_of("4.3.6")
    due = [row for row in answer["stores"] if row["after"] and 2 * row["garbage"] > row["after"]]
    assert len(due) == 1
    assert answer["collector"] == {
        "files": 1,
        "bytes": due[0]["garbage"],
        "kept": sum(row["garbage"] or 0 for row in answer["stores"]) - due[0]["garbage"],
    }
    said = "\n".join(node_command.lines("/", answer))
    assert (
        f"1 files are more than half garbage ({due[0]['garbage']} bytes) and wait for the collector" in said
    )


@pytest.mark.sources  # files stay in place in the file for the node alone, which is built of them
@pytest.mark.parametrize("profile", ["real", "4.3.6"])
def test_pins_are_named_also_where_the_files_are_too_large_to_be_kept(
    profile: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the same files the answer is the same, whether they are kept or only looked into."""
    for path, data in files_of(profile).items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    said = []
    for most in (node_command.MOST_BYTES, 1):
        monkeypatch.setattr(node_command, "MOST_BYTES", most)
        assert node_command.main([str(tmp_path)]) == node_command.GOOD
        said.append(capsys.readouterr().out.splitlines())
    assert said[0] == said[1]
    assert any("are garbage; kept by few with 2 (seq" in line for line in said[0])
