"""Imports carry over what a log says, and refuse the rest with the number of its line."""

import base64
import json
import random
from typing import Any

import pytest

from engine.broker.commands.client_commands import unpack
from engine.metrics import is_answered
from workloads.errors import WorkloadError
from workloads.imports import READERS, Imported, Options, arrivals
from workloads.workload import Workload, checked, messages


def read(kind: str, text: str, **options: Any) -> Imported:
    """Read a text as that kind of log."""
    return READERS[kind](text.splitlines(keepends=True), Options(**options))


def workload(imported: Imported) -> Workload:
    """Return the engine's view of what was imported."""
    return checked("w", imported.scenario)


# --- CSV ---

ARRIVALS = """at_ms,size_bytes,count,persistent
0,100,1,false
4,100,2,false
9,200,1,true
1500,100,5,no
"""


def test_arrivals_of_a_tick_are_one_burst_of_each_kind() -> None:
    scenario = read("csv", ARRIVALS, consumer_rate_per_s=50, ram_bytes=2**28).scenario
    consumer, *bursts = scenario["commands"]
    assert (consumer["do"], consumer["rate_per_s"]) == ("set_consumer", 50)
    arrivals = [(each["at_us"], each["count"], each["size_bytes"], each["persistent"]) for each in bursts]
    assert arrivals == [(0, 3, 100, False), (0, 1, 200, True), (1_500_000, 5, 100, False)]
    assert scenario["settings"] == {"ram_bytes": 2**28}
    assert messages(workload(Imported(scenario, [])).scenario) == 9


def test_times_may_be_written_in_four_ways() -> None:
    rows = {
        "at_us": "7000000\n8000000",
        "at_ms": "7000\n8000",
        "at_s": "7\n8.0",
        "timestamp": "2026-01-31T12:00:00+02:00\n2026-01-31T10:00:01Z",
    }
    for column, times in rows.items():
        body = "\n".join(f"{time},5" for time in times.splitlines())
        commands = read("csv", f"{column},size_bytes\n{body}\n").scenario["commands"]
        assert [each["at_us"] for each in commands] == [0, 1_000_000]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: name one column for the time"),
        ("at_s,size\n1,2", "line 1: no column is called 'size'; known:"),
        ("at_s\n1", "line 1: the column size_bytes is missing"),
        ("at_s,at_ms,size_bytes\n1,1,1", "line 1: name one column"),
        ("at_s,size_bytes\n1,2\n\n3", "line 4: 1 values for 2 columns"),
        ("at_s,size_bytes\n1,2\nx,3", "line 3: at_s = 'x' is no time"),
        ("at_s,size_bytes\nnan,3", "line 2: at_s = 'nan' is no time"),
        ("at_s,size_bytes\n5,2\n4,3", "line 3: the time is before"),
        ("at_s,size_bytes\n0,2\n90000,3", "line 3: more than 24 hours"),
        ("at_s,size_bytes\n1,-4", "line 2: a body of -4 bytes"),
        ("at_s,size_bytes\n1,4.5", "line 2: size_bytes = '4.5' is no whole number"),
        ("at_s,size_bytes,count\n1,4,0", "line 2: count = 0 is out of range"),
        ("at_s,size_bytes,persistent\n1,4,maybe", "line 2: persistent = 'maybe'"),
        ("at_s,size_bytes,expiration_ms\n1,4,x", "line 2: expiration_ms = 'x' is no whole number"),
        ("at_s,size_bytes,expiration_ms\n1,4,-1", "line 2: an expiration of -1 ms"),
        (
            "at_s,size_bytes,queue\n" + "\n".join(f"1,4,q{n}" for n in range(65)),
            "65 queues, and a run has at most 64; choose one with --queue: q0, q1",
        ),
        ("at_s,size_bytes\n", "there is no message in it"),
    ],
)
def test_an_impossible_table_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(WorkloadError) as refusal:
        read("csv", text)
    assert message in str(refusal.value)


def test_one_queue_of_several_can_be_chosen() -> None:
    text = "at_s,size_bytes,queue\n1,4,a\n2,5,b\n"
    assert [each["size_bytes"] for each in read("csv", text, queue="b").scenario["commands"]] == [5]
    with pytest.raises(WorkloadError, match="no message goes to a queue 'c'; there are: a, b"):
        read("csv", text, queue="c")


def test_a_long_log_is_rounded_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "MOST_BURSTS", 40)
    rows = "\n".join(f"{n * 0.01:.2f},{100 + n % 50}" for n in range(1000))
    scenario, remarks = read("csv", f"at_s,size_bytes\n{rows}\n")
    bursts = scenario["commands"]
    assert len(bursts) <= 40
    assert sum(each["count"] for each in bursts) == 1000
    exact = sum(100 + n % 50 for n in range(1000))
    assert sum(sum(unpack(each["sizes"], each["count"])) for each in bursts) == exact
    assert [each.code for each in remarks][:3] == ["burst_s", "times_moved", "sizes_kept"]
    moved = remarks[1].values
    assert moved["before"] == 100
    assert moved["after"] == 100, "bursts of half a second leave each second's rate"
    assert 0 < int(moved["mean_ms"]) < 500
    assert scenario["burst_us"] == 500_000
    [lost] = [str(each.values["names"]).split(", ") for each in remarks if each.code == "not_answered"]
    assert "fsyncs" in lost
    assert "bytes_written" not in lost
    workload(Imported(scenario, []))  # the engine takes it


@pytest.mark.parametrize(
    ("burst_us", "reads", "kept"),
    [
        (0, False, {"fsyncs", "bytes_written", "peak_ram_bytes", "lost_on_power_cut"}),
        (500_000, False, {"bytes_written", "peak_ram_bytes", "lost_on_power_cut"}),
        (1_000_000, True, {"peak_ram_bytes", "lost_on_power_cut"}),
        (1_000_000, False, {"lost_on_power_cut"}),
    ],
)
def test_the_wider_bursts_are_the_fewer_metrics_are_those_of_the_log(
    burst_us: int, reads: bool, kept: set[str]
) -> None:
    scenario = {"burst_us": burst_us, "commands": [{"do": "set_consumer"}] if reads else []}
    names = ("fsyncs", "bytes_written", "peak_ram_bytes", "lost_on_power_cut")
    assert {name for name in names if is_answered(scenario, name)} == kept


def test_beside_wide_bursts_consumers_hand_in_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "\n".join(f"{n * 0.01:.2f},{100 + n % 50}" for n in range(1000))
    text = f"at_s,size_bytes\n{rows}\n"
    scenario, remarks = read("csv", text, consumer_rate_per_s=90)
    assert "tick_ms" not in scenario["commands"][0], "bursts of 10 ms: a consumer is as fine"
    assert "consumer_ticks" not in [each.code for each in remarks]
    monkeypatch.setattr(arrivals, "MOST_BURSTS", 40)
    scenario, remarks = read("csv", text, consumer_rate_per_s=90)
    assert scenario["commands"][0]["tick_ms"] == 125, "bursts of half a second"
    assert [each.values for each in remarks if each.code == "consumer_ticks"] == [{"ms": 125, "usual": 10}]
    workload(Imported(scenario, []))


def test_what_decides_is_kept_where_times_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "MOST_BURSTS", 60)
    draw = random.Random(31)
    log = [(n * 0.013, round(draw.lognormvariate(7.3, 1.1)), draw.random() < 0.5) for n in range(3000)]
    rows = "\n".join(f"{at:.3f},{size},{persistent}" for at, size, persistent in log)
    bursts = read("csv", f"at_s,size_bytes,persistent\n{rows}\n").scenario["commands"]
    kept = sorted((size, each["persistent"]) for each in bursts for size in sizes_of(each))
    assert kept == sorted((size, persistent) for _at, size, persistent in log)
    for each in bursts:  # and in each burst those below the border come first
        sides = [size >= arrivals.BORDER_BYTES for size in sizes_of(each)]
        assert sides == sorted(sides)


def sizes_of(burst: dict[str, Any]) -> list[int]:
    """Return the body bytes of each message of a burst."""
    if "sizes" not in burst:
        return [burst["size_bytes"]] * burst["count"]
    return unpack(burst["sizes"], burst["count"]).tolist()


# --- rabbitmq_tracing ---


def line(kind: str, at: str, queue: str = "orders-eu", size: int = 300, **more: Any) -> str:
    """Return one line of a trace as the plugin writes it."""
    published = kind == "published"
    entry = {
        "timestamp": f"2026-01-31 12:00:{at}",
        "type": kind,
        "node": "rabbit@mailhost",
        "connection": "10.1.2.3:55555 -> 10.1.2.4:5672",
        "vhost": "/",
        "user": "alice",
        "channel": 1,
        "exchange": "",
        "queue": "none" if published else queue,
        "routed_queues": [queue] if published else "none",
        "routing_keys": [queue],
        "properties": {"delivery_mode": 2} if more.get("persistent") else {},
        "payload": base64.b64encode(b"x" * size).decode(),
    }
    return json.dumps(entry)


def test_a_trace_becomes_bursts_and_a_consumer_and_nothing_of_people() -> None:
    text = "\n".join(
        [
            line("published", "00:000", size=300),
            line("published", "00:004", size=300),
            line("published", "01:500", size=301, persistent=True),
            line("received", "02:000"),
            line("received", "02:500"),
            line("received", "03:000"),
        ]
    )
    imported = read("tracing", text)
    first, second, consumer = imported.scenario["commands"]
    assert (first["count"], first["size_bytes"], first["persistent"]) == (2, 300, False)
    assert (second["at_us"], second["size_bytes"], second["persistent"]) == (1_500_000, 301, True)
    assert (consumer["at_us"], consumer["rate_per_s"]) == (2_000_000, 3)
    assert imported.scenario["until_us"] > 3_000_000
    assert any(each.code == "trace_acks" for each in imported.remarks)
    whole = json.dumps(workload(imported).scenario)
    assert not any(word in whole for word in ("alice", "mailhost", "10.1.2", "orders-eu"))


@pytest.mark.parametrize("zone", ["2026-01-31T12:00:00.250+00:00", "2026-1-31 9:00:00:250"])
def test_timestamps_of_older_and_newer_plugins_are_read(zone: str) -> None:
    entry = json.loads(line("published", "00:000"))
    later = {**entry, "timestamp": zone.replace(":00.250", ":01.250").replace(":00:250", ":01:250")}
    text = f"{json.dumps({**entry, 'timestamp': zone})}\n{json.dumps(later)}\n"
    assert [each["at_us"] for each in read("tracing", text).scenario["commands"]] == [0, 1_000_000]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "line 1: no line of a rabbitmq_tracing log in JSON"),
        ("=====\nNode: x", "line 1: no entry of a rabbitmq_tracing log as text"),
        (line("published", "00:000") + "\nnot json", "line 2: no line of"),
        (line("published", "xx"), "line 1: timestamp"),
        (line("seen", "00:000"), "line 1: type is 'seen'"),
        (line("published", "05:000") + "\n" + line("published", "01:000"), "line 2: the time is before"),
        (line("received", "00:000"), "there is no message in it"),
    ],
)
def test_an_impossible_trace_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(WorkloadError) as refusal:
        read("tracing", text)
    assert message in str(refusal.value)
