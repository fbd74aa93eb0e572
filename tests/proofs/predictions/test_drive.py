"""Measuring a workload: what clients do and count, without a node; a short run on a real one is marked soak."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from pika.adapters import select_connection

from engine.broker.commands.client_commands import pack
from tools.proofs.differential.node import NodeFailed
from tools.proofs.predictions.drive import clients
from tools.proofs.predictions.drive.clients import TICK_S, Client, Hands
from tools.proofs.predictions.drive.repeat import measure_missing
from tools.proofs.predictions.drive.run import (
    NotOnANode,
    first_paging_s,
    measure,
    node_settings,
    reported,
    without_log,
)
from tools.proofs.predictions.drive.seen import Seen, percentile
from tools.proofs.predictions.logs import LOGS, SECONDS, log_cells
from tools.proofs.predictions.measured import RUNS, CellToMeasure, cells, read

FILES = {
    "io_write_bytes": 100,
    "io_write_count": 1,
    "io_sync_count": 0,
    "io_read_bytes": 0,
    "io_read_count": 0,
    "msg_store_write_count": 0,
}
TINY = {
    "settings": {"ram_bytes": 268435456},
    "commands": [
        {
            "at_us": 0,
            "do": "set_publisher",
            "name": "p1",
            "rate_per_s": 200,
            "size_bytes": 100,
            "confirm": True,
        },
        {
            "at_us": 0,
            "do": "set_consumer",
            "name": "c1",
            "rate_per_s": 500,
            "prefetch": 20,
            "ack": "multiple",
        },
        {"at_us": 500_000, "do": "publish", "count": 50, "size_bytes": 20},
        {"at_us": 1_000_000, "do": "remove", "name": "p1"},
    ],
    "until_us": 1_500_000,
}


def test_every_cell_can_be_given_to_a_node_and_one_that_cannot_is_refused() -> None:
    for cell in cells():
        settings = node_settings(cell.scenario, cell.strategy, cell.limit_shift_bytes)
        assert settings["vm_memory_calculation_strategy"] == cell.strategy
        assert settings["vm_memory_high_watermark"][1] >= 0.39 * 268435456
    with pytest.raises(NotOnANode, match="bogus"):
        node_settings({"settings": {"ram_bytes": 1, "bogus": 2}}, "rss")


def test_logs_keep_each_message_and_are_replayed_by_one_client() -> None:
    found = log_cells()
    assert [each["name"] for each in found] == list(LOGS)
    assert found == log_cells()
    assert {each.name for each in cells()} > set(LOGS)
    for each in found:
        scenario = each["scenario"]
        rest, log = without_log(scenario["commands"])
        assert [command["do"] for command in rest] == ["set_consumer"]
        assert {command["persistent"] for command in log} == {False, True}
        assert 9_000 < sum(command["count"] for command in log) < 22_000
        assert log == sorted(log, key=lambda command: command["at_us"])
        assert SECONDS * 1_000_000 < scenario["until_us"] < 20_000_000
    tiny = TINY["commands"]
    assert without_log(tiny) == (tiny, [])


class _Channel:
    """Keeps what is published, and when."""

    def __init__(self) -> None:
        self.bodies: list[tuple[float, int, int]] = []
        self._impl = self

    def basic_publish(self, exchange: str, key: str, body: bytes, properties: Any) -> None:
        assert (exchange, key) == ("", "orders")
        self.bodies.append((time.monotonic(), len(body), properties.delivery_mode))


class _Connection:
    """Blocks after the first burst for a while, then unblocks, then lets the client stop."""

    def __init__(self, client: Any, blocked_s: float) -> None:
        self._client, self._blocked_s = client, blocked_s
        self._began = time.monotonic()

    def process_data_events(self, wait_s: float) -> None:
        time.sleep(wait_s)
        after_s = time.monotonic() - self._began
        self._client._set_blocked(after_s < self._blocked_s)
        self._client._stopping = after_s > 2 * self._blocked_s


def test_a_log_is_replayed_at_its_times_with_its_own_sizes() -> None:
    bursts = [
        {
            "do": "publish",
            "at_us": 0,
            "count": 2,
            "size_bytes": 55,
            "sizes": pack([10, 100]),
            "persistent": True,
        },
        {"do": "publish", "at_us": 20_000, "count": 1, "size_bytes": 8},
    ]
    began_s = time.monotonic()
    command = {"do": "replay", "queue": "orders", "bursts": bursts, "began_s": began_s}
    pipe, other = clients.PROCESSES.Pipe()
    client, channel = clients._Connected(command, other), _Channel()
    client._replay(_Connection(client, 0.15), channel)  # type: ignore[arg-type]
    pipe.close()
    assert [each[1:] for each in channel.bodies] == [(10, 2), (100, 2), (8, 1)]
    first, _second, last = (at - began_s for at, _size, _mode in channel.bodies)
    assert first < 0.15 <= last, "a blocked connection writes nothing, and goes on where it was"
    assert (client.seen.published_count, client.seen.published_bytes) == (3, 118)
    assert len(client.seen.blocked_spans) == 1


def test_a_run_is_written_in_the_words_of_the_recorded_ones() -> None:
    seen = Seen()
    seen.published(1000)
    seen.delivered(0.5, redelivered=False)
    seen.delivered(9.0, redelivered=True)
    other = Seen(
        published_count=1, published_bytes=500, blocked_spans=[(10.0, 12.0), (11.0, 13.0), (20.0, 21.0)]
    )
    seen.add(other)
    assert [seen.anybody_blocked(at) for at in (9.9, 10.0, 12.5, 13.0, 20.5)] == [
        False,
        True,
        True,
        False,
        True,
    ]
    level = {"total": 5, "rss": 7, "binary": 1, "processes": 1, "ets": 1, "limit": 90, "ready": 0}
    base = {**level, "monitor": 10, "files": {**FILES, "io_write_bytes": 0, "io_write_count": 0}}
    samples = [
        (0.0, {**base, "monitor": 80}, False),
        (1.0, {**base, "monitor": 100}, True),
        (3.0, {**level, "monitor": 60, "files": FILES}, False),
    ]
    row = reported({"commands": [], "until_us": 4_000_000}, seen, base, samples)
    assert row["peak_ram_bytes"] == 100
    assert row["final_ram_bytes"] == 60
    assert row["over_watermark_s"] == 2.0
    assert row["latency_p95_s"] == 0.5
    assert (row["bytes_written"], row["write_amplification"]) == (100, 100 / 1500)
    assert row["blocked_s"] == 4.0
    assert row["throughput_per_s"] == 0.5
    assert row["first_paging_s"] is None
    recorded = json.loads(RUNS.read_text())[0]
    # Three that the first series had as well, and nothing compares.
    assert recorded.keys() - row.keys() - {"flow_s", "lag_s", "peak_ready", "final_ready", "peak_paged"} == {
        "cell",
        "strategy",
        "limit_shift_bytes",
        "quiet",
    }


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ({"do": "publish"}, 3.0),
        ({"do": "publish", "persistent": True}, None),
        ({"do": "set", "name": "queue_mode", "value": "lazy"}, None),
    ],
)
def test_transient_messages_in_a_store_show_when_paging_began(
    command: dict[str, Any], expected: float | None
) -> None:
    base = {"files": {**FILES, "msg_store_write_count": 7}}
    samples = [
        (at, {"files": {**FILES, "msg_store_write_count": 7 + writes}}, False)
        for at, writes in ((1.0, 0), (3.0, 9), (4.0, 9))
    ]
    assert first_paging_s({"commands": [command]}, base, samples) == expected


def test_percentiles() -> None:
    assert percentile([], 0.5) is None
    assert percentile([3, 1, 2], 0.5) == 2
    assert percentile(range(100), 0.95) == 95


def test_what_was_measured_is_kept_at_once_and_gone_on_with(tmp_path: Path) -> None:
    runs, asked = tmp_path / "runs.json", []
    kept = {**json.loads(RUNS.read_text())[0]}
    runs.write_text(json.dumps([kept]))
    wanted = cells()[:2]

    def one(cell: CellToMeasure) -> dict[str, Any]:
        asked.append(cell.name)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return {**kept, "cell": cell.name, "quiet": True}

    def go_on(**more: Any) -> bool:
        return measure_missing(wanted, runs, 2, date="2026-01-31", report=lambda _: None, one=one, **more)

    with pytest.raises(KeyboardInterrupt):
        go_on()
    assert len(json.loads(runs.read_text())) == 3
    assert not go_on(last=time.monotonic() - 1)
    assert go_on()
    first, second = (each.name for each in wanted)
    assert asked == [first, second, first, first, second]
    again = read(runs=runs)
    assert {each.name: (each.runs, each.quiet) for each in again} == {first: (2, 2), second: (2, 2)}
    assert go_on(again=True)
    assert len(asked) == 9
    assert len(json.loads(runs.read_text())) == 5
    wanted = wanted[:1]
    assert go_on(again=True)
    assert asked[9:] == [first, first]
    assert [each["cell"] for each in json.loads(runs.read_text())][1:] == [second, second, first, first]


def test_a_node_that_fails_is_passed_over_and_measured_by_the_next_run(tmp_path: Path) -> None:
    runs, wanted, failing = tmp_path / "runs.json", cells()[:2], [cells()[0].name]
    kept = json.loads(RUNS.read_text())[0]
    words: list[str] = []

    def one(cell: CellToMeasure) -> dict[str, Any]:
        if cell.name in failing:
            failing.remove(cell.name)
            raise NodeFailed("it did not start in time")
        return {**kept, "cell": cell.name, "quiet": True}

    def go_on() -> bool:
        return measure_missing(wanted, runs, 1, date="2026-01-31", report=words.append, one=one)

    assert not go_on()
    assert [each["cell"] for each in json.loads(runs.read_text())] == [wanted[1].name]
    assert "did not start in time" in words[0]
    assert go_on()
    assert len(json.loads(runs.read_text())) == 2


def test_a_consumer_holds_its_rate_while_it_has_something_and_begins_anew_when_it_had_nothing() -> None:
    hands = Hands()
    found = [hands.finished(10, 80, at / 1000) for at in range(0, 101, 10)]
    assert found == [0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1]
    assert hands.finished(0, 80, 5.0) == 0
    assert hands.finished(3, 80, 9.0) == 0, "what it had no messages for is not made up for"
    assert hands.finished(3, 80, 9.9) == 3
    assert hands.finished(1, 0, 10.0) == 0


def test_a_consumer_hands_in_before_its_hands_are_empty() -> None:
    hands = Hands()
    assert hands.wait_s(1, 0.0) == TICK_S
    hands.finished(1, 400, 1.0)
    assert hands.wait_s(1, 1.001) == pytest.approx(0.0015)
    assert hands.wait_s(2, 1.001) == pytest.approx(0.0015)
    assert hands.wait_s(20, 1.0) == TICK_S
    assert hands.wait_s(0, 1.001) == TICK_S
    assert hands.wait_s(1, 2.0) == 0


class _Waiting:
    """Waits as pika does, in place of a client that works."""

    def __init__(self, *_: Any) -> None:
        self.seen = Seen()

    def live(self, _: Any) -> None:
        """Wait 2.5 ms again and again."""
        for _ in range(30):
            loop, began_s = select_connection.IOLoop(), time.monotonic()
            loop.call_later(0.0025, loop.stop)
            loop.start()
            self.seen.delivered(time.monotonic() - began_s, redelivered=False)


def test_a_client_waits_for_less_than_whole_milliseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """With prefetch 1, 400 messages a second would be 333, whatever the node does."""
    monkeypatch.setattr(clients, "_Connected", _Waiting)
    seen, error = Client(1, {"do": "set_consumer"}).ended()
    assert error is None
    assert 0.0025 <= min(seen.waits_s) < 0.0029


def test_a_client_that_finds_no_node_says_so() -> None:
    client = Client(1, {"do": "set_publisher", "queue": "orders", "size_bytes": 10})
    client.stop()
    _, error = client.ended()
    assert error is not None


@pytest.mark.soak
def test_clients_drive_a_real_node() -> None:
    row = measure(CellToMeasure("tiny", "tiny", TINY))
    assert 150 <= row["published"] <= 260
    assert row["delivered"] == row["published"]
    assert row["blocked_s"] == 0
    assert row["confirm_p95_s"] < 1
    assert row["peak_ram_bytes"] > 40_000_000
    assert row["limit_bytes"] == int(0.4 * 268435456)
