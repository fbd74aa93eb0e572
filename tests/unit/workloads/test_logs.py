"""Logs with several queues, expirations, several files; traces and captures that a real 3.10.8 wrote."""

from __future__ import annotations

import base64
import json
import random
from array import array
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from engine.broker.commands.client_commands import mean_of, pack, unpack, unpack_expirations
from engine.broker.commands.scenario import MAX_EXCHANGES, MAX_JSON_BYTES
from engine.metrics import RunMeter
from engine.replay import RunPlayer, on_ledger
from workloads.errors import WorkloadError
from workloads.imports import READERS, Imported, Options, arrivals, parts
from workloads.workload import checked, read_file

TRACES: Final = Path(__file__).parents[2] / "recordings/traces"
SENT: Final = [  # what the client sent, as (queues, bytes, persistent, expiration)
    ({"q1"}, 300, True, None),
    ({"q2"}, 0, False, None),
    ({"q1", "q2"}, 154, True, 60_000),
    ({"q3"}, 500, False, None),
    ({"q4"}, 4, False, None),
    ({"q1"}, 256, True, None),
    ({"q1"}, 5000, False, None),
]


def read(kind: str, text: str, **options: Any) -> Imported:
    """Read a text as that kind of log."""
    return READERS[kind](text.splitlines(keepends=True), Options(**options))


def published(imported: Imported) -> list[dict[str, Any]]:
    """Return the bursts of a scenario that the engine accepts."""
    checked("w", imported.scenario)
    return [each for each in imported.scenario["commands"] if each["do"] == "publish"]


def queues_of(scenario: dict[str, Any], burst: dict[str, Any]) -> set[str]:
    """Return where a burst goes."""
    if "exchange" not in burst:
        return {burst["routing_key"]}
    bindings = scenario["topology"]["bindings"]
    return {each["queue"] for each in bindings if each["exchange"] == burst["exchange"]}


@pytest.mark.parametrize(
    ("kind", "file"), [("tracing", "text.log"), ("tracing", "json.log"), ("firehose", "firehose.jsonl")]
)
def test_what_a_real_broker_traced_becomes_what_its_client_sent(kind: str, file: str) -> None:
    with (TRACES / file).open(encoding="utf-8", errors="surrogateescape", newline="\n") as lines:
        imported = READERS[kind](lines, Options())
    found = [
        (
            queues_of(imported.scenario, each),
            each["size_bytes"],
            each["persistent"],
            each.get("expiration_ms"),
        )
        for each in published(imported)
    ]
    assert found == SENT
    [consumer] = [each for each in imported.scenario["commands"] if each["do"] == "set_consumer"]
    assert (consumer["queue"], consumer["at_us"] // 1000) == ("q1", 371)
    assert not any(word in str(imported.scenario) for word in ("orders", "audit", "nowhere", "guest"))


def test_a_trace_that_max_payload_bytes_cut_says_so() -> None:
    """Real lines with other payloads, cut as the plugin cuts them: all that are longer than the limit."""
    lines = [json.loads(each) for each in (TRACES / "json.log").read_text().splitlines() if each.strip()]
    first = next(each for each in lines if each["type"] == "published")

    def remarks(bodies: list[bytes]) -> dict[str, dict[str, Any]]:
        cut = [{**first, "payload": base64.b64encode(each[:1000]).decode()} for each in bodies]
        imported = READERS["tracing"]([json.dumps(each) + "\n" for each in cut], Options())
        return {each.code: each.values for each in imported.remarks}

    plain = remarks([b"x" * size for size in (20, 1000, 5000, 2_000_000)])
    assert plain["trace_may_be_cut"] == {"count": 3, "of": 4, "bytes": 1000}
    table = b'{"text": "' + b"y" * 3000 + b'"}'
    shown = remarks([table, b'{"a": 1}', table])
    assert shown["trace_cut"] == {"count": 2, "of": 3, "bytes": 1000}
    whole = remarks([b"x" * 999, b"x" * 20, b'{"a": 1}\n'])
    assert not whole.keys() & {"trace_cut", "trace_may_be_cut"}


def test_a_trace_that_was_saved_with_the_breaks_of_windows_has_the_same_sizes() -> None:
    """Payloads were counted two bytes too long; breaks within one have a byte more in the file itself."""
    with (TRACES / "text.log").open(encoding="utf-8", errors="surrogateescape", newline="\n") as lines:
        saved = [line.removesuffix("\n") + "\r\n" for line in lines]
    found = [each["size_bytes"] for each in published(READERS["tracing"](saved, Options()))]
    of_one_line = (0, 1, 3, 4, 6)
    assert [found[at] for at in of_one_line] == [SENT[at][1] for at in of_one_line]


def test_a_message_of_several_queues_lies_in_the_store_once() -> None:
    rows = "".join(f"{n},5000,true,a;b\n" for n in range(5)) + "5,100,true,b\n"
    imported = read("csv", f"at_s,size_bytes,persistent,queue\n{rows}")
    node = on_ledger(imported.scenario)
    meter = RunMeter()
    for piece in RunPlayer(node).play(imported.scenario["until_us"], 500):
        for at_us, transition in zip(piece.at_us, piece.rows, strict=True):
            meter.observe(at_us, transition)
    state = node.snapshot()
    assert sum(each["len"] for each in _counters(state)) == 11
    assert [each.code for each in imported.remarks] == ["queues_kept", "table_without_consumer"]
    store = str(state)
    assert "x1" in store


def _counters(state: dict[str, Any]) -> list[dict[str, Any]]:
    return [queue["counters"] for queue in state["queues"].values()]


def test_more_bindings_than_a_scenario_has_are_published_one_by_one() -> None:
    names = [f"q{n}" for n in range(64)]
    rows = "".join(f"0,9,{names[n]};{names[n + 1]};{names[n + 2]}\n" for n in range(60))
    imported = read("csv", f"at_s,size_bytes,queue\n{rows}")
    apart = next(each for each in imported.remarks if each.code == "queues_apart")
    bursts = published(imported)
    assert apart.values["count"] == 60 - MAX_EXCHANGES
    assert sum(each["count"] * ("exchange" in each) for each in bursts) == MAX_EXCHANGES
    assert sum(each["count"] * ("exchange" not in each) for each in bursts) == 3 * (60 - MAX_EXCHANGES)


def test_one_queue_of_several_keeps_what_it_shared() -> None:
    text = "at_s,size_bytes,queue\n1,4,a\n2,5,a;b\n3,6,b\n"
    assert [each["size_bytes"] for each in published(read("csv", text, queue="b"))] == [5, 6]


def test_each_message_keeps_its_expiration_where_many_are_one_burst(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(31)
    log = [
        (
            draw.choice([100, 200, 5000]),
            draw.choice(["", *map(str, range(1000, 90_000, 7))]),
            draw.random() < 0.5,
        )
        for _ in range(400)
    ]
    rows = "".join(f"{n * 0.1:.1f},{size},{ms},{mode}\n" for n, (size, ms, mode) in enumerate(log))
    text = f"at_s,size_bytes,expiration_ms,persistent\n{rows}"
    fine = published(read("csv", text))
    assert [str(each.get("expiration_ms", "")) for each in fine] == [ms for _size, ms, _mode in log]
    assert not any("expirations" in each for each in fine)
    monkeypatch.setattr(arrivals, "MOST_BURSTS", 90)
    imported = read("csv", text)
    bursts = published(imported)
    assert len(bursts) <= 90
    assert [each.code for each in imported.remarks][:3] == ["burst_s", "times_moved", "sizes_kept"]
    kept = [
        (size, "" if expires is None else str(expires), each["persistent"])
        for each in bursts
        for size, expires in zip(sizes_of(each), expirations_of(each), strict=True)
    ]
    assert sorted(kept) == sorted(log)
    for each in bursts:  # of each side of the border those that expire first come first
        ranks = [
            (size >= arrivals.BORDER_BYTES, arrivals.NEVER if expires is None else expires)
            for size, expires in zip(sizes_of(each), expirations_of(each), strict=True)
        ]
        assert ranks == sorted(ranks)


def test_messages_with_one_expiration_need_no_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "MOST_BURSTS", 9)
    text = "at_s,size_bytes,expiration_ms\n" + "".join(f"{n * 0.1:.1f},{n},700\n" for n in range(80))
    assert {(each["expiration_ms"], "expirations" in each) for each in published(read("csv", text))} == {
        (700, False)
    }


def test_a_run_of_a_log_lets_each_message_expire_at_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "MOST_BURSTS", 3)
    log = [(0.0, 1500), (0.5, 900), (0.9, 6000), (8.0, 400), (8.9, "")]
    text = "at_s,size_bytes,expiration_ms\n" + "".join(f"{at},9,{ms}\n" for at, ms in log)
    imported = read("csv", text)
    node = on_ledger({**imported.scenario, "until_us": 20_000_000})
    left = []
    for until_us in (800_000, 1_000_000, 1_600_000, 5_900_000, 6_100_000, 8_100_000, 8_500_000, 19_000_000):
        node.advance(until_us)
        left.append(node.queues["orders"].depth)
    assert left == [3, 2, 1, 1, 0, 2, 1, 1]


def sizes_of(burst: dict[str, Any]) -> list[int]:
    """Return the body bytes of each message of a burst."""
    if "sizes" not in burst:
        return [burst["size_bytes"]] * burst["count"]
    return unpack(burst["sizes"], burst["count"]).tolist()


def expirations_of(burst: dict[str, Any]) -> list[int | None]:
    """Return the expiration of each message of a burst."""
    if "expirations" not in burst:
        return [burst.get("expiration_ms")] * burst["count"]
    return list(unpack_expirations(burst["expirations"], burst["count"]))


def test_bursts_of_up_to_a_second_keep_the_messages_of_every_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "MOST_BURSTS", 80)
    draw = random.Random(31)
    times = sorted(draw.uniform(0, 30) for _ in range(2000))
    text = "at_s,size_bytes\n" + "".join(f"{at:.6f},{draw.randint(1, 9000)}\n" for at in times)
    bursts = published(read("csv", text))
    first = round(times[0], 6)
    wanted = Counter(int(round((round(at, 6) - first) * 1e6) // 1_000_000) for at in times)
    found: Counter[int] = Counter()
    for each in bursts:
        found[each["at_us"] // 1_000_000] += each["count"]
    assert found == wanted


def test_a_log_in_several_files_is_cut_into_parts_of_its_time() -> None:
    header = "at_s,size_bytes,persistent\n"
    hours = [header + "".join(f"{hour * 3600 + n * 30},{n},true\n" for n in range(120)) for hour in range(30)]
    files = [text.splitlines(keepends=True) for text in hours]
    with pytest.raises(WorkloadError, match="more than 24 hours"):
        list(parts("csv", files, Options()))
    found = list(parts("csv", files, Options(part_s=7200)))
    assert len(found) == 15
    assert all(sum(each["count"] for each in published(part)) == 240 for part in found)
    assert [part.remarks[-1].code for part in found[1:]] == ["log_part"] * 14
    assert found[3].remarks[-1].values["number"] == 4


def test_a_part_without_messages_is_passed_over() -> None:
    text = "at_s,size_bytes\n0,1\n10,2\n100,3\n"
    found = list(parts("csv", [text.splitlines()], Options(part_s=20)))
    assert [len(published(each)) for each in found] == [2, 1]
    assert found[1].remarks[-1].values["number"] == 6


def test_a_payload_that_looks_like_an_entry_is_a_payload() -> None:
    text = (TRACES / "text.log").read_bytes().decode("utf-8", "surrogateescape")
    assert text.count("Message published") > len(SENT) - 1, "the recording has such a payload"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "line 1: no message of the Firehose in JSON"),
        ('{"routing_key": "publish.x", "at_s": 1}', "no message of the Firehose in JSON: routed_queues"),
        (
            '{"routing_key": "publish.x", "headers": {"routed_queues": []}}',
            "line 1: the Firehose says no time",
        ),
        ('{"routing_key": "other", "at_s": 1}', "no message of the Firehose in JSON: routing_key"),
    ],
)
def test_an_impossible_capture_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(WorkloadError) as refusal:
        read("firehose", text)
    assert message in str(refusal.value)


def test_the_times_of_the_messages_themselves_serve_where_a_capture_has_none() -> None:
    inner = '{"headers": {"timestamp_in_ms": %d}}'
    line = '{"routing_key":"publish.","headers":{"routed_queues":["a"],"properties":%s},"payload":"xyz"}\n'
    text = line % (inner % 1_700_000_000_000) + line % (inner % 1_700_000_000_250)
    text += line % '{"timestamp": 1700000001}'
    found = published(read("firehose", text))
    assert [(each["at_us"], each["size_bytes"]) for each in found] == [(0, 3), (250_000, 3), (1_000_000, 3)]


def test_messages_that_went_nowhere_are_told() -> None:
    line = '{"routing_key":"publish.","headers":{"routed_queues":[%s]},"payload":"xyz","at_s":1}\n'
    imported = read("firehose", line % "" + line % '"a"')
    assert str(imported.remarks[0]) == "1 messages went to no queue; they are left out"


def test_a_workload_larger_than_a_link_can_be_read_back(tmp_path: Path) -> None:
    sizes = random.Random(31).choices(range(1, 2**24), k=600_000)
    burst = {"at_us": 0, "do": "publish", "count": len(sizes), "size_bytes": mean_of(array("I", sizes))}
    scenario = {"version": 1, "profile": "real", "commands": [{**burst, "sizes": pack(sizes)}]}
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(scenario))
    assert path.stat().st_size > MAX_JSON_BYTES
    [read_back] = read_file(path).scenario["commands"]
    assert unpack(read_back["sizes"], read_back["count"]).tolist() == sizes
    path.write_text("[]")
    with pytest.raises(WorkloadError, match=r"mine\.json"):
        read_file(path)
