"""One cell is one node on the ledger: its row is what the node did, from the first transition to the last."""

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.client_commands import pack, pack_expirations
from engine.broker.commands.scenario import parse
from engine.report.transitions.queue import Fetched, Published, PublishedDelivered
from engine.storage.ledger import LedgerStorage
from spark_jobs.schema import CELLS
from sweeps import cell as cells
from sweeps.cell import Cell
from sweeps.columns import SERIES
from sweeps.errors import read
from sweeps.parameters import Scenario
from sweeps.power_cut import members

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


PERSISTENT: Scenario = {
    "version": 1,
    "profile": "classroom",
    "settings": {"ram_bytes": 8_388_608},
    "commands": [
        {"at_us": 0, "do": "set_publisher", "name": "p1", "rate_per_s": 40, "size_bytes": 3000},
        {"at_us": 0, "do": "publish", "count": 30, "size_bytes": 5000, "persistent": True, "confirm": True},
        {"at_us": 400_000, "do": "set_consumer", "name": "c1", "rate_per_s": 30, "prefetch": 4},
        {
            "at_us": 700_000,
            "do": "publish",
            "count": 3,
            "size_bytes": 100,
            "persistent": True,
            "confirm": True,
        },
    ],
    "until_us": 1_500_000,
}


def cell(scenario: Scenario = SCENARIO, points: int = 6, power_cut_us: int | None = None) -> Cell:
    """Return a cell of that scenario."""
    return Cell(
        cell_id="0",
        workload="w",
        values={"a": 1},
        seed=1,
        scenario=scenario,
        series_points=points,
        power_cut_us=power_cut_us,
    )


def held(node: Cluster) -> list[tuple[int, bool]]:
    """Return every message of the queue by itself: its number, and whether it is persistent."""
    queue = node.snapshot()["queues"]["orders"]
    return [
        (msg_no + i, bool(flags & 1))
        for lane in queue["lanes"].values()
        for _start, count, msg_no, _size, flags, *_rest in lane
        for i in range(count)
    ]


def test_a_row_has_what_the_node_did() -> None:
    node = Cluster(parse(SCENARIO), LedgerStorage(), keep=100_000)
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
        for name in SERIES:
            del row[name]
    assert rows[0] == rows[1] == rows[2]


def test_a_refused_scenario_is_a_row() -> None:
    row = cells.run_cell(cell({**SCENARIO, "settings": {"colour": 1}}), "build")
    assert list(row) == CELLS.names
    assert str(read(row["error"])).startswith("settings: colour is no setting")
    assert row["digest"] is None


def test_a_run_without_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MOST_TRANSITIONS", 100)
    monkeypatch.setattr(cells, "BATCH", 10)
    row = cells.run_cell(cell(), "build")
    assert str(read(row["error"])).startswith("the run made more than 100 transitions")


@pytest.mark.parametrize(
    "columns", [{"sizes": pack([1000, 4000])}, {"expirations": pack_expirations([60_000, None])}]
)
def test_a_log_may_make_ten_transitions_for_each_message(
    columns: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "MOST_TRANSITIONS", 10)
    monkeypatch.setattr(cells, "BATCH", 1)
    burst = {"do": "publish", "count": 2, "size_bytes": 2500, **columns}
    bursts = [{"at_us": at * 10_000, **burst} for at in range(20)]
    scenario: Scenario = {**SCENARIO, "commands": bursts, "until_us": 1_000_000}
    whole = cells.run_cell(cell(scenario), "build")
    assert whole["error"] is None
    assert cells.MOST_TRANSITIONS < whole["transitions"] <= cells.MOST_A_MESSAGE * 40
    monkeypatch.setattr(cells, "MOST_A_MESSAGE", 1)
    assert read(cells.run_cell(cell(scenario), "build")["error"]).values["most"] == 40


def test_an_event_too_large_for_the_log_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "KEEP_EVENTS", 1)
    monkeypatch.setattr(cells, "BATCH", 5000)
    bursts = [{"at_us": at, "do": "publish", "count": 1, "size_bytes": 9} for at in range(1500)]
    row = cells.run_cell(cell({**SCENARIO, "commands": bursts}), "build")
    assert read(row["error"]).code == "event_too_long"


@pytest.mark.parametrize("scenario", [SCENARIO, PERSISTENT], ids=["burst", "persistent"])
def test_waits_equal_those_of_each_message_taken_by_itself(scenario: Scenario) -> None:
    node = Cluster(parse(scenario), LedgerStorage(), keep=100_000)
    node.run()
    log = node.log.since(0)
    assert log is not None
    since: dict[int, int] = {}
    waits = []
    for at_us, each in zip(log.at_us, log.rows, strict=True):
        if isinstance(each, Published | PublishedDelivered):
            since |= {extent.start + i: at_us for extent in each.extents for i in range(extent.count)}
        if isinstance(each, Fetched | PublishedDelivered):
            numbers = [extent.start + i for extent in each.extents for i in range(extent.count)]
            waits += [at_us - since.pop(number) for number in numbers if number in since]
    waits.sort()
    assert waits
    row = cells.run_cell(cell(scenario), "build")
    for percent in (50, 95, 99):
        rank = -(-len(waits) * percent // 100)
        assert row[f"latency_p{percent}_s"] == waits[rank - 1] / 1e6


@pytest.mark.parametrize("at_us", [None, 350_000, 705_000])
def test_a_power_cut_is_a_real_recovery(at_us: int | None) -> None:
    row = cells.run_cell(cell(PERSISTENT, power_cut_us=at_us), "build")
    node = Cluster(parse(PERSISTENT), LedgerStorage(), keep=100_000)
    node.advance(PERSISTENT["until_us"] if at_us is None else at_us)
    before = dict(held(node))
    assert not node.snapshot()["queues"]["orders"]["counted"]["delta"][
        1
    ]  # else not every message has a number here
    node.submit({"do": "restart", "kind": "power"})
    node.submit({"do": "get", "count": 1000})  # whatever is there now is taken, and so has a number
    after = dict(held(node))
    assert row["lost_on_power_cut"] == len(before.keys() - after.keys()) > 0
    assert row["lost_persistent_on_power_cut"] == sum(before[each] for each in before.keys() - after.keys())
    assert row["returned_after_power_cut"] == len(after.keys() - before.keys())
    uncut = cells.run_cell(cell(PERSISTENT), "build")
    assert row["digest"] == uncut["digest"]  # the cut is a fork: the run itself ends as it would


def test_a_queue_in_delta_is_compared_message_by_message() -> None:
    bursts = [
        {"at_us": 0, "do": "publish", "count": 300, "size_bytes": 6000, "persistent": True},
        {"at_us": 1000, "do": "publish", "count": 50, "size_bytes": 6000},
        {"at_us": 900_000, "do": "get", "count": 20},
        {"at_us": 900_000, "do": "ack", "count": 12},
    ]
    scenario = {**SCENARIO, "commands": bursts}
    node = Cluster(parse(scenario), LedgerStorage(), keep=100_000)
    node.run()
    assert node.snapshot()["queues"]["orders"]["counted"]["delta"][1] > 100
    assert len(members(node.snapshot()["queues"]["orders"])) == 338
    row = cells.run_cell(cell(scenario), "build")
    assert (row["lost_on_power_cut"], row["lost_persistent_on_power_cut"]) == (50, 0)
    assert 0 <= row["returned_after_power_cut"] <= 12


def test_states_add_up_to_what_is_ready() -> None:
    row = cells.run_cell(cell(points=30), "build")
    states = [row[f"series_{state}"] for state in ("alpha", "beta", "gamma", "delta")]
    assert [sum(each) for each in zip(*states, strict=True)] == row["series_ready"]
    assert all(any(series) for series in states[:2])
    assert max(row["series_unacked"]) == 15  # the prefetch, and what was taken by hand (its ack was refused)
