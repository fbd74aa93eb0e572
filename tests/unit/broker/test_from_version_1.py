"""Queues of 4.0 and 4.3 on files that 3.10.8 left (W100)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.classic_v2.formats.mc import ATOMS, atoms_of
from engine.formats.message import MessageCodec
from engine.storage.ledger import LedgerStorage
from engine.values.sizes import equal
from playground.inspecting.revival import POWER_CUT_US, VHOST_ROOT, FoundFiles
from tests.conftest import RECORDINGS
from tests.helpers.following import Follower


def left_by_3_10(segment_entry_count: int = 8) -> dict[str, bytes]:
    """Return the files of a node of 3.10.8 that was killed with 20 small, 3 large and 5 transient messages."""
    storage = LedgerStorage()
    made = Cluster(
        parse(
            {
                "version": 1,
                "profile": "real",
                "topology": {"queues": [{"name": "orders"}]},
                "settings": {
                    "segment_entry_count": segment_entry_count,
                    "queue_index_max_journal_entries": 4,
                },
            }
        ),
        storage,
    )
    for command in (
        {"count": 12, "size_bytes": 100, "persistent": True},
        {"count": 5, "size_bytes": 100, "persistent": False},
        {"count": 3, "size_bytes": 6000, "persistent": True},
        {"count": 8, "size_bytes": 9, "persistent": True},
    ):
        made.submit({"do": "publish", "routing_key": "orders", **command})
        made.advance(made.now_us + 100_000)
    made.submit({"do": "get", "count": 2, "ack": True, "queue": "orders"})
    made.submit({"do": "ack", "count": 2})
    made.advance(made.now_us + 1_000_000)
    paths = [path for path in storage.paths() if not path.endswith(".vhost")]
    return {path: storage.read_bytes(path, 0, storage.size(path) or 0) for path in paths}


def started(profile: str, files: dict[str, bytes]) -> Follower:
    scenario = {"version": 1, "profile": profile, "topology": {"queues": [{"name": "orders"}]}}
    node = Follower(Cluster(parse(scenario), FoundFiles(files), keep=100_000))
    node.advance(POWER_CUT_US)
    assert node.submit({"do": "restart", "kind": "power"})
    node.advance(2 * POWER_CUT_US)
    node.check()
    return node


def taken(node: Follower) -> list[tuple[int, bool]]:
    found = node.node.queues["orders"].process.queue.fetch(100, True)
    return [(equal(e.extent.size_bytes), at < e.redelivered) for e in found for at in range(e.extent.count)]


def names(node: Follower) -> list[str]:
    queue: Any = node.node.queues["orders"].process.queue
    storage: Any = node.node.storage
    return [name for directory in queue.directories for name in storage.list(directory)]


def test_4_0_converts_them_in_order_and_deletes_the_old_ones() -> None:
    """W100, W192: small bodies move to `.qs`, large ones stay where they are, and everything counts as redelivered."""
    node = started("4.0.5", left_by_3_10())
    assert node.node.snapshot()["queues"]["orders"]["counters"]["len"] == 21
    assert taken(node) == [(100, True)] * 10 + [(6000, True)] * 3 + [(9, True)] * 8
    assert {name.rpartition(".")[2] for name in names(node)} == {"qi", "qs", "queue_name"}
    node.check()


def test_a_real_node_of_4_0_5_writes_the_same_bytes() -> None:
    """W83, W100, W112, W163: it was started on files of version 1, and gave 21 messages, all redelivered."""
    place = RECORDINGS / "v2" / "conversion"
    old = place / "3.10.8"
    files = {
        f"{VHOST_ROOT}/{path.relative_to(old)}": path.read_bytes()
        for path in old.rglob("*")
        if path.is_file()
    }
    node = started("4.0.5", files)
    storage: Any = node.node.storage
    [directory] = node.node.queues["orders"].process.queue.directories
    for path in (place / "4.0.5").iterdir():
        name = f"{directory}/{path.name}"
        assert storage.read_bytes(name, 0, storage.size(name)) == path.read_bytes(), path.name
    assert taken(node) == [(100, True)] * 10 + [(6000, True)] * 3 + [(9, True)] * 8


def test_4_0_goes_on_where_a_conversion_was_interrupted() -> None:
    """W100: what has an entry of version 2 already is not moved again."""
    files = left_by_3_10()
    first = started("4.0.5", dict(files))
    storage: Any = first.node.storage
    both = {path: storage.read_bytes(path, 0, storage.size(path) or 0) for path in storage.paths()}
    both = {path: data for path, data in both.items() if not path.endswith(".vhost")}
    old = {path: data for path, data in files.items() if path.endswith((".idx", ".jif"))}
    node = started("4.0.5", {**both, **old})
    assert [size for size, _ in taken(node)] == [100] * 10 + [6000] * 3 + [9] * 8


@pytest.mark.parametrize("profile", ["4.3.6"])
def test_4_3_ignores_them_after_a_crash(profile: str) -> None:
    """W100, W195."""
    node = started(profile, left_by_3_10())
    assert node.node.snapshot()["queues"]["orders"]["counters"]["len"] == 0
    assert any(name.endswith(".idx") for name in names(node))


def test_a_message_of_3_10_is_written_with_short_atoms() -> None:
    """W163: each atom is a byte shorter, and the rest is as it was."""
    term = MessageCodec().terms(7, 1, 0, 10, raw_persistent=True).tobytes()
    assert len(atoms_of(term)) == ATOMS
    assert all(term[at] == 100 for at in atoms_of(term))
    with pytest.raises(ValueError, match="tag 70"):
        atoms_of(b"\x83F" + bytes(8))
