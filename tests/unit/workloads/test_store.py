"""The store: written once, read by name, in the documented layout."""

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from workloads import store
from workloads.errors import WorkloadError
from workloads.private import without_personal_data
from workloads.workload import Workload, checked, messages, shipped

DAY = dt.date(2026, 1, 31)


def small(name: str = "a", count: int = 5, source: Any = "import") -> Workload:
    """Return a workload of one burst."""
    burst = {"at_us": 0, "do": "publish", "count": count, "size_bytes": 10}
    return checked(name, {"version": 1, "profile": "classroom", "commands": [burst]}, source)


def test_what_is_there_is_not_written_again(tmp_path: Path) -> None:
    uri = str(tmp_path / "store")
    assert store.add(uri, [small(), small("b", 6)], "0.1", DAY) == 2
    before = {path: path.stat().st_mtime_ns for path in Path(uri).rglob("*.parquet")}
    assert store.add(uri, [small(), small("c", 7)], "0.1", DAY) == 1
    after = {path: path.stat().st_mtime_ns for path in Path(uri).rglob("*.parquet")}
    assert before.items() < after.items()
    assert [each.name for each in store.read(uri)] == ["a", "b", "c"]
    assert store.read(uri, ["c", "a"]) == (small("c", 7), small())


def test_the_layout_is_the_documented_one_through_a_uri(tmp_path: Path) -> None:
    uri = (tmp_path / "store").as_uri()
    workload = small(source="session")
    store.add(uri, [workload], "0.1", DAY)
    path = tmp_path / "store" / "format=1" / "source=session" / f"{workload.workload_id}.parquet"
    table = pq.ParquetFile(path).read()
    assert table.schema.equals(store.SCHEMA)
    assert table.schema.metadata[b"waterline.format"] == b"1"
    row = table.to_pylist()[0]
    assert (row["messages"], row["commands"], row["exported_on"]) == (5, 1, DAY)
    assert store.read(uri) == (workload,)


def test_a_reader_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(WorkloadError, match="export_workloads"):
        store.read(str(tmp_path))
    store.add(str(tmp_path), [small()], "0.1", DAY)
    with pytest.raises(WorkloadError, match="no workload is called 'z'; there are: a"):
        store.read(str(tmp_path), ["z"])
    with pytest.raises(WorkloadError, match="cannot be opened"):
        store.read("gopher://nowhere/x")


WANTED = set(
    "steady burst backlog-drain slow-consumer fan-out large-bodies mixed-persistence day-curve ttl-storm "
    "requeue-storm lazy many-queues".split()
)


def test_the_workloads_that_matter_come_with_the_project() -> None:
    there = {each.name: each for each in shipped()}
    assert there.keys() >= WANTED
    assert len({each.workload_id for each in there.values()}) == len(there)
    assert len({each.title for each in there.values()}) == len(there)
    assert all(messages(each.scenario) >= 200 for each in there.values())


def test_everything_that_a_person_named_is_replaced() -> None:
    stored = {
        "version": 1,
        "title": "Alice's shop",
        "digest": "0" * 32,
        "commands": [
            {"do": "set_publisher", "name": "alice", "rate_per_s": 5, "routing_key": "orders"},
            {"do": "set_publisher", "name": "bob", "exchange": "shop", "routing_key": "eu.alice.#"},
            {"do": "set_consumer", "name": "carol", "queue": "alice-mail", "rate_per_s": 7},
            {"do": "declare_queue", "name": "alice-mail", "arguments": {"x-max-length": 5, "owner": "alice"}},
            {"do": "publish", "count": 3, "routing_key": "alice-mail", "headers": {"alice": "x"}},
            {"do": "purge", "queue": "alice-mail"},
            {"do": "set", "name": "ram_bytes", "value": 5},
            {"do": "remove", "name": "alice"},
        ],
        "topology": {
            "queues": [{"name": "alice-mail", "arguments": {"x-dead-letter-exchange": "shop"}}],
            "exchanges": [{"name": "shop", "type": "topic"}],
            "bindings": [{"exchange": "shop", "queue": "alice-mail", "routing_key": "*.alice"}],
            "policies": [{"name": "shop-policy", "pattern": "^alice", "definition": {"queue-mode": "lazy"}}],
        },
    }
    kept = without_personal_data(stored)
    assert not any(word in str(kept).lower() for word in ("alice", "bob", "carol", "shop"))
    one, two, consumer, declared, publish, purge, setting, removal = kept["commands"]
    assert (one["name"], removal["name"], two["name"], consumer["name"]) == ("p1", "p1", "p2", "c1")
    queue = consumer["queue"]
    assert declared["name"] == publish["routing_key"] == purge["queue"] == queue
    assert declared["arguments"]["x-max-length"] == 5
    assert setting["name"] == "ram_bytes"
    binding = kept["topology"]["bindings"][0]
    assert kept["topology"]["queues"][0]["name"] == binding["queue"] == queue
    assert binding["exchange"] == two["exchange"] == kept["topology"]["exchanges"][0]["name"]
    assert two["routing_key"].split(".")[1] == binding["routing_key"].split(".")[1]
    assert (two["routing_key"][-1], binding["routing_key"][0]) == ("#", "*")
    policy = kept["topology"]["policies"][0]
    assert (policy["definition"], policy["pattern"]) == ({"queue-mode": "lazy"}, f"^({queue})$")
    with pytest.raises(WorkloadError):
        without_personal_data({"commands": [{"do": "ctl", "line": "rabbitmqctl stop_app"}]})


def test_what_is_replaced_still_runs_as_it_did() -> None:
    for workload in shipped():
        kept = checked("session", without_personal_data(workload.scenario))
        assert messages(kept.scenario) == messages(workload.scenario)
    fan_out = next(each for each in shipped() if each.name == "fan-out").scenario
    changed = without_personal_data(
        {**fan_out, "commands": [{"do": "publish", "exchange": "amq.fanout", "at_us": 0}]}
    )
    assert changed["commands"][0]["exchange"] == "amq.fanout"
