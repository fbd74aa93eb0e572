"""One cell is one node on the ledger: its row is what the node did, from the first transition to the last."""

import pytest

from engine.node.node import Node
from engine.node.scenario import parse
from engine.storage.ledger import LedgerStorage
from spark_jobs import cell as cells
from spark_jobs.parameters import Scenario
from spark_jobs.plan import Cell
from spark_jobs.schema import CELLS

SCENARIO: Scenario = {
    "version": 1,
    "profile": "classroom",
    "commands": [
        {"at_us": 0, "do": "publish", "count": 60, "size_bytes": 6000},
        {"at_us": 900_000, "do": "get", "count": 5},
        {"at_us": 900_000, "do": "ack", "count": 6},
        {"at_us": 1_000_000, "do": "set_consumer", "name": "c1", "rate_per_s": 50, "prefetch": 10},
    ],
    "until_us": 3_000_000,
}


def cell(scenario: Scenario = SCENARIO, points: int = 6) -> Cell:
    """Return a cell of that scenario."""
    return Cell(cell_id="0", workload="w", values={"a": 1}, seed=1, scenario=scenario, series_points=points)


def test_a_row_tells_what_the_node_did() -> None:
    node = Node(parse(SCENARIO), LedgerStorage(), keep=100_000)
    node.run()
    row = cells.run_cell(cell(), "build")
    memory = node.snapshot()["node"]["memory"]
    assert list(row) == CELLS.names
    assert row["error"] is None
    assert row["digest"] == node.log.digest
    assert row["transitions"] == node.log.number
    assert row["final_ram_bytes"] == row["series_ram_bytes"][-1] == memory["process_memory"]
    assert (row["limit_bytes"], row["paging_at_bytes"]) == (memory["limit"], memory["paging_at"])
    assert row["published"] == 60
    assert row["final_ready"] == row["series_ready"][-1]
    assert row["peak_ready"] == 60
    assert row["refused"] == len(node.refused)
    assert row["paged_out"] > 0


def test_the_row_does_not_depend_on_where_the_series_is_sampled() -> None:
    rows = [cells.outcome(cell(points=points)) for points in (1, 7, 30)]
    for row in rows:
        del row["series_ram_bytes"], row["series_ready"]
    assert rows[0] == rows[1] == rows[2]


def test_a_refused_scenario_is_a_row() -> None:
    row = cells.run_cell(cell({**SCENARIO, "settings": {"colour": 1}}), "build")
    assert list(row) == CELLS.names
    assert row["error"].startswith("ScenarioError: settings: colour is no setting")
    assert row["digest"] is None


def test_a_run_without_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MOST_TRANSITIONS", 100)
    monkeypatch.setattr(cells, "BATCH", 10)
    row = cells.run_cell(cell(), "build")
    assert "more than 100 transitions" in row["error"]


def test_an_event_too_large_for_the_log_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "KEEP", 1)
    monkeypatch.setattr(cells, "BATCH", 5000)
    bursts = [{"at_us": at, "do": "publish", "count": 1, "size_bytes": 9} for at in range(1500)]
    row = cells.run_cell(cell({**SCENARIO, "commands": bursts}), "build")
    assert "use smaller bursts" in row["error"]
