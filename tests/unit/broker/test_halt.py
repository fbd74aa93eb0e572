"""A log that halts leaves the files of that transition: as long as the fold says, in the middle of an event too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands import scenario as scenarios
from engine.report.transitions.queue import QueueStopped, StoreStopped
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from engine.storage.port import Storage
from engine.transitions import empty_state, fold, to_json
from engine.values.errors import RunHalted

COMMANDS: list[tuple[int, dict[str, Any]]] = [
    (100_000, {"do": "publish", "count": 60, "size_bytes": 6144, "persistent": True, "confirm": True}),
    (400_000, {"do": "publish", "count": 20, "size_bytes": 100, "persistent": True}),
    (450_000, {"do": "publish", "count": 30, "size_bytes": 6144, "persistent": False}),
    (
        900_000,
        {"do": "set_consumer", "name": "c", "rate_per_s": 40, "prefetch": 5, "ack": "each", "running": True},
    ),
    (1_500_000, {"do": "restart", "kind": "power"}),
]
FIRST = 12
EVERY = 41


def run(storage: Storage, halt_at: int | None = None) -> Cluster:
    node = Cluster(scenarios.parse({"version": 1, "profile": "classroom"}), storage, keep=100_000)
    node.log.halt_at = halt_at
    for at_us, command in COMMANDS:
        node.advance(at_us)
        node.submit(command)
    node.advance(2_500_000)
    return node


def counts_of(state: dict[str, Any]) -> dict[str, int]:
    """Return the sizes of the files that a state lists."""
    sizes = {}
    for queue in state["queues"].values():
        sizes.update({f"{number}.idx": size for number, size in queue["own"]["index"]["segments"]})
        if queue["own"]["index"]["journal_bytes"] is not None:
            sizes["journal.jif"] = queue["own"]["index"]["journal_bytes"]
    for name, store in state["stores"].items():
        sizes.update({f"{name}/{file[0]}.rdq": file[4] for file in store["files"]})
        sizes.update({f"{name}/{number}.rdq": size for number, size in store["orphans"]})
    return sizes


def found(root: Path) -> dict[str, int]:
    files = [path for path in root.rglob("*") if path.suffix in (".idx", ".jif", ".rdq")]
    return {
        (path.parent.name.removeprefix("msg_store_") + "/" if path.suffix == ".rdq" else "")
        + path.name: path.stat().st_size
        for path in files
    }


def test_the_files_are_those_of_the_transition(tmp_path: Path) -> None:
    rows = run(LedgerStorage()).log.since(0)
    assert rows is not None
    state = empty_state()
    for number, row in enumerate(rows.rows, start=1):
        fold(state, row)
        stopping = isinstance(row, QueueStopped | StoreStopped)  # then the state knows nothing of the files
        if number < FIRST or number % EVERY or stopping:
            continue
        root = tmp_path / str(number)
        root.mkdir()
        storage = DirectoryStorage(str(root), fsync=False)
        with pytest.raises(RunHalted):
            run(storage, halt_at=number)
        storage.close()
        assert found(root) == counts_of(to_json(state)), (
            f"after {number} transitions, the last a {type(row).__name__}"
        )
