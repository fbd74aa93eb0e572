"""The engine's constants of memory are those that fresh nodes of 3.10.8 showed (docs/calibration.md)."""

from __future__ import annotations

import json
from statistics import median

import pytest

from engine.broker.commands.settings import NodeSettings
from tools.proofs.differential.installation import LATEST
from tools.proofs.predictions.__main__ import CLIENT_TRIP_US, CONNECTION_BYTES_PER_S
from tools.proofs.predictions.drive.constants import LINGERS_AT_MOST_S, kept
from tools.proofs.predictions.measured import RUNS
from tools.proofs.predictions.play import CHECK_AFTER_MS, MONITOR_AFTER_MS

KEPT = json.loads(kept().read_text(encoding="utf-8"))
NODES, TRIPS = KEPT["nodes"], KEPT["trips"]["client_trip_us"]
TODAYS_NODES = json.loads(kept("4.3.6").read_text(encoding="utf-8"))["nodes"]


def test_a_node_without_messages_needs_what_fresh_nodes_needed() -> None:
    before_workloads = [each["base_total"] for each in json.loads(RUNS.read_text(encoding="utf-8"))]
    for measured in (before_workloads, [each["base_bytes"] for each in NODES]):
        assert median(measured) == pytest.approx(NodeSettings().base_memory_bytes, rel=0.01)


def test_a_connection_adds_what_connections_added() -> None:
    measured = median(each["receive_buffer_bytes"] for each in NODES)
    assert measured == pytest.approx(NodeSettings().receive_buffer_bytes, rel=0.03)


def test_bodies_linger_longer_than_after_an_acknowledgement_and_no_longer_than_after_a_purge() -> None:
    after_ack = median(each["lingers_after_ack_s"] for each in NODES)
    after_purge = max(each["lingers_after_purge_s"] for each in NODES)
    assert after_ack <= NodeSettings().garbage_lingers_ms / 1000 <= after_purge


def test_a_burst_is_carried_as_fast_as_connections_were() -> None:
    measured = median(each["connection_bytes_per_s"] for each in NODES)
    assert measured == pytest.approx(CONNECTION_BYTES_PER_S, rel=0.25)


def test_a_client_takes_as_long_as_clients_that_waited_for_each_message() -> None:
    assert median(TRIPS) == pytest.approx(CLIENT_TRIP_US, rel=0.1)


def test_predictions_begin_with_the_timers_of_nodes_that_rested() -> None:
    for name, (least, most) in {
        "memory_check_ms": CHECK_AFTER_MS[LATEST],
        "memory_monitor_ms": MONITOR_AFTER_MS,
    }.items():
        assert least <= median(each[name] for each in NODES) <= most
    least, most = CHECK_AFTER_MS["4.3.6"]
    assert all(least <= each["memory_check_ms"] <= most for each in TODAYS_NODES)


def test_connections_of_a_node_of_today_have_no_large_buffer_and_bodies_stay_for_longer() -> None:
    assert 60e6 < median(each["base_bytes"] for each in TODAYS_NODES) < 62e6
    assert (
        median(each["receive_buffer_bytes"] for each in TODAYS_NODES)
        < 0.05 * NodeSettings().receive_buffer_bytes
    )
    for name in ("lingers_after_ack_s", "lingers_after_purge_s"):
        assert min(each[name] for each in TODAYS_NODES) > LINGERS_AT_MOST_S
