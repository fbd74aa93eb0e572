"""Listings as people paste them: every form is read, checked against itself, and nothing unknown is counted as 0."""

from __future__ import annotations

import json

import pytest

from playground.inspecting import reading
from playground.inspecting.listings import LeftOut, QueueFigures, QueueListing, read
from playground.inspecting.uploads import UnreadableInput
from playground.typed_texts import bare_text
from tests.conftest import RECORDINGS

OLD_DELTA = (
    "Listing queues ...\n"
    "import\t98211\t[{q1,0}, {q2,0}, {delta,{delta,16384,81500,98304}}, {q3,16711}, {q4,0}, {len,98211}, "
    "{pending_acks,0}, {target_ram_count,0}, {ram_msg_count,0}]\n...done.\n"
)
STATUS = "[{q1,0}, {q2,0}, {delta,{delta,undefined,0,undefined}}, {q3,0}, {q4,40}, {len,40}]"
LAZY = "[{q1,0}, {q2,0}, {delta,{delta,0,900,900}}, {q3,0}, {q4,0}, {len,900}]"
REPORT = (
    "Queues on /:\npid\tname\targuments\tmessages_ready\tmessages_unacknowledged\tmessages\t"
    "backing_queue_status\tstatus\n"
    f"<rabbit@mq1.1.810.0>\torders\t[]\t40\t2\t42\t{STATUS}\trunning\n"
    f'<rabbit@mq1.1.811.0>\taudit\t[{{"x-queue-mode","lazy"}}]\t900\t0\t900\t{LAZY}\trunning\n'
)
OBJECT = {
    "name": "Orders:EU/1",
    "vhost": "/",
    "node": "rabbit@mq1",
    "messages": 7,
    "messages_ready": 7,
    "messages_unacknowledged": 0,
    "backing_queue_status": {
        "mode": "default",
        "q1": 0,
        "q2": 0,
        "delta": ["delta", "undefined", 0, 0, "undefined"],
        "q3": 0,
        "q4": 7,
        "len": 7,
        "target_ram_count": "infinity",
    },
}


def counts(queue: QueueFigures) -> dict[str, int | None]:
    return {lane: count for lane, count, _share, _where in queue.lanes}


def codes(queue: QueueFigures) -> list[str]:
    return [code for code, _values in queue.questions]


def one(text: str) -> QueueFigures:
    [queue] = read(text).figures
    return queue


def test_the_delta_of_releases_before_3_6_7_is_read() -> None:
    queue = one(OLD_DELTA)
    assert counts(queue) == {"q1": 0, "q2": 0, "delta": 81500, "q3": 16711, "q4": 0}
    assert "delta" in codes(queue)
    assert "other_sum" not in codes(queue)


def test_a_delta_of_no_known_form_is_not_zero() -> None:
    queue = one(OLD_DELTA.replace("{delta,16384,81500,98304}", "{delta,#{count => 81500}}"))
    assert counts(queue)["delta"] is None
    assert queue.questions[:2] == [
        ("lanes_missing", {"names": "delta"}),
        ("other_sum", {"length": 98211, "sum": 16711}),
    ]


def test_a_head_says_which_column_is_the_name() -> None:
    orders, audit = read(REPORT).figures
    assert (orders.name, audit.name) == ("orders", "audit")
    assert (orders.values.get("mode"), audit.values["mode"]) == (None, "lazy")
    assert read(REPORT).columns == ["pid", "status"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (f"{STATUS}\tlast.named", "last.named"),
        (f"<rabbit@a.1.2.0>\tNamed [1]\t{STATUS}", "Named [1]"),
        (STATUS, "#1"),
        (f"│ tabled │ 40 │ {STATUS} │", "tabled"),
        (f"wide   {STATUS}", "wide"),
    ],
)
def test_without_a_head_the_name_is_found(line: str, name: str) -> None:
    assert one(line).name == name


def test_version_2_is_another_storage() -> None:
    queue = one(
        "v2q\t5\t[{mode,default},{version,2},{q1,0},{q2,0},{delta,{delta,0,0,0,0}},{q3,5},{q4,0},{len,5}]"
    )
    assert codes(queue) == ["version_2"]


def test_json_of_the_tools_and_of_the_http_api_is_read() -> None:
    for text in (
        json.dumps([OBJECT]),
        json.dumps(OBJECT),
        json.dumps({"items": [OBJECT]}),
        bare_text("\ufeff" + json.dumps([OBJECT])),
    ):
        found = read(text)
        [queue] = found.figures
        assert (queue.name, counts(queue)["q4"], codes(queue)) == ("Orders:EU/1", 7, [])
        assert found.columns == ["node"]


def test_a_status_in_elixirs_form_is_read() -> None:
    queue = one("q\t[mode: :default, q1: 1, q2: 0, delta: {:delta, 3, 2, 0, 5}, q3: 0, q4: 0, len: 3]")
    assert counts(queue) == {"q1": 1, "q2": 0, "delta": 2, "q3": 0, "q4": 0}


def test_a_status_over_several_lines_is_one() -> None:
    lines = STATUS.replace(", ", ",\n    ")
    assert counts(one(f"q\t{lines}")) == counts(one(f"q\t{STATUS}"))


def test_a_row_that_is_cut_off_does_not_swallow_the_next() -> None:
    found = read(f"cut\t1\t[{{q1,0}}, {{q2,0\nwhole\t40\t{STATUS}\n")
    assert [queue.name for queue in found.figures] == ["cut", "whole"]
    assert "lanes_missing" in codes(found.figures[0])


def test_what_contradicts_itself_is_asked_about() -> None:
    queue = one(
        REPORT.split("\n<rabbit@mq1.1.811", maxsplit=1)[0]
        .replace("\t42\t", "\t43\t")
        .replace("{len,40}", "{len,41}")
    )
    assert queue.questions == [
        ("other_sum", {"length": 41, "sum": 40}),
        ("other_messages", {"messages": 43, "ready": 40, "unacked": 2}),
    ]


def test_whatever_is_not_known_is_named() -> None:
    text = f"Cluster status of node x\nq\t{STATUS[:-1]}, {{q5,3}}, {{odd,{{a,b}}}}]\nquorum\t7\t\n"
    found: QueueListing = read(text)
    assert found.figures[0].questions == [("fields_unknown", {"names": "q5, odd"})]
    assert found.left_out == [LeftOut(1, "Cluster status of node x"), LeftOut(3, "quorum\t7")]


def test_queues_and_characters_beyond_the_bounds_are_counted() -> None:
    found = read(f"q\t{STATUS}\n" * 60)
    assert (len(found.figures), found.more, found.rest) == (50, 10, 0)
    assert read(f"q\t{STATUS}\n" + " " * 200_000).rest == len(f"q\t{STATUS}\n")


def test_a_text_without_a_status_is_refused() -> None:
    with pytest.raises(UnreadableInput, match="figures"):
        read("[" * 100_000)
    with pytest.raises(UnreadableInput, match="figures"):
        read('[{"name": "q"}]')


NAMED = (
    "name\tmessages\tbacking_queue_status\n"
    "orders\t905\t[{version,2},{q_head,5},{q_tail,{q_tail,5,900,905}},{len,905},{next_seq_id,905},"
    "{redeliver_seq_id,0},{delivery_count,#{3 => 1, 4 => 2}},{num_pending_acks,0},{num_unconfirmed,0},"
    "{avg_ingress_rate,20.0},{avg_egress_rate,4.25},{qi_buffer_size,5},{qi_buffer_num_up,0},{qs_buffer_size,0}]\n"
)
NAMED_OBJECT = {
    "name": "orders",
    "backing_queue_status": {
        "version": 2,
        "q_head": 5,
        "q_tail": ["q_tail", 5, 900, 905],
        "len": 905,
        "redeliver_seq_id": 0,
        "delivery_count": {},
        "avg_egress_rate": 4.25,
        "qs_buffer_size": 0,
    },
}


def test_the_lanes_of_4_3_have_names_of_their_own() -> None:
    """W10, W32, W42, W74: as the tools print them, and as the HTTP API does."""
    (queue,) = read(NAMED).figures
    assert [(lane, count, where) for lane, count, _share, where in queue.lanes] == [
        ("q_tail", 900, "disk"),
        ("q_head", 5, "ram"),
    ]
    assert codes(queue) == ["version_2_named", "grows_in_tail", "tail", "counted_deliveries"]
    assert dict(queue.questions)["tail"] == {"count": 900, "window": 9}
    (queue,) = read(json.dumps([NAMED_OBJECT])).figures
    assert codes(queue) == ["version_2_named", "tail"]


def test_delta_of_version_2_is_a_tail() -> None:
    """W10: 4.0 prints the lanes of version 1, of which two are used."""
    status = (
        "orders\t[{mode,default},{version,2},{q1,0},{q2,0},{delta,{delta,1,40,0,41}},{q3,1},{q4,0},{len,41},"
        "{target_ram_count,infinity},{next_seq_id,41},{avg_ingress_rate,0.0},{avg_egress_rate,0.0}]\n"
    )
    (queue,) = read(status).figures
    assert codes(queue) == ["version_2", "tail"]
    assert dict(queue.questions)["tail"] == {"count": 40, "window": 1}


def admin_table(status: dict[str, object]) -> str:
    """Return the table of `rabbitmqadmin --depth=3 list queues` of 3.10.8: a column for each part of a status."""
    cells = {"vhost": "/", "name": "orders"}
    for key, value in sorted(status.items()):
        cells[f"backing_queue_status.{key}"] = json.dumps(value) if isinstance(value, list) else str(value)
    cells |= {"durable": "True", "messages": "905"}
    widths = {key: max(len(key), len(value)) for key, value in cells.items()}
    line = "+".join("-" * (width + 2) for width in widths.values())
    head = "|".join(f" {key:^{widths[key]}} " for key in cells)
    row = "|".join(f" {value:<{widths[key]}} " for key, value in cells.items())
    return "\n".join([f"+{line}+", f"|{head}|", f"+{line}+", f"|{row}|", f"+{line}+", ""])


@pytest.mark.parametrize(
    ("status", "lanes", "asked"),
    [
        (
            {"delta": ["delta", 5, 895, 0, 900], "q1": 0, "q2": 0, "q3": 4, "q4": 6, "len": 905, "version": 1,
             "avg_ingress_rate": 20.0, "avg_egress_rate": 4.25, "target_ram_count": "infinity", "mode": "default"},
            {"q1": 0, "q2": 0, "delta": 895, "q3": 4, "q4": 6},
            ["grows_in_delta", "delta"],
        ),
        (
            {"q_head": 5, "q_tail": ["q_tail", 5, 900, 905], "len": 905, "version": 2, "avg_egress_rate": 4.25},
            {"q_tail": 900, "q_head": 5},
            ["version_2_named", "tail"],
        ),
    ],
)  # fmt: skip
def test_a_table_of_rabbitmqadmin_spreads_a_status_over_columns(
    status: dict[str, object], lanes: dict[str, int], asked: list[str]
) -> None:
    listed = read(admin_table(status))
    (queue,) = listed.figures
    assert queue.name == "orders"
    assert {lane: count for lane, count, _share, _where in queue.lanes} == lanes
    assert codes(queue) == asked
    assert listed.columns == ["durable"]
    assert listed.left_out == []


def found(listing: QueueListing) -> list[tuple[str, str | None, int | None]]:
    """Return each queue's name, its column of messages, and how many of its messages are in q4."""
    return [
        (each.name, each.values.get("messages"), {lane[0]: lane[1] for lane in each.lanes}["q4"])
        for each in listing.figures
    ]


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_the_csv_of_the_tools_has_names_and_columns(delimiter: str) -> None:
    """The whole line was once a name: "orders","40",". A cell may have the delimiter, and quotes, in it."""
    head = delimiter.join(["name", "messages", "backing_queue_status", "policy"])
    row = delimiter.join([f'"a{delimiter} ""b"""', "40", f'"{STATUS}"', "p"])
    listing = read(f"Timeout: 60.0 seconds ...\r\n{head}\r\n{row}\r\n")
    assert found(listing) == [(f'a{delimiter} "b"', "40", 40)]
    assert listing.left_out == []
    assert listing.columns == ["policy"]


def test_a_cell_of_csv_without_an_end_raises_nothing() -> None:
    with pytest.raises(UnreadableInput):
        read('name,backing_queue_status\na,"' + "x" * 150_000)


def test_json_below_what_the_tool_says_and_one_object_a_line() -> None:
    banner = "Timeout: 60.0 seconds ...\nListing queues for vhost / ...\n"
    for indent in (None, 1):
        listing = read(banner + json.dumps([OBJECT], indent=indent))
        assert [each.name for each in listing.figures] == ["Orders:EU/1"]
    several = "\n".join(json.dumps({**OBJECT, "name": name}) for name in ("a", "b"))
    assert [each.name for each in read(several).figures] == ["a", "b"]


def test_a_listing_in_an_answered_mail() -> None:
    quoted = "".join(
        f"> {line}\n" for line in f"name\tmessages\tbacking_queue_status\na\t40\t{STATUS}".split("\n")
    )
    assert found(read(bare_text(quoted))) == [("a", "40", 40)]


def test_columns_without_a_head_are_named_by_their_places() -> None:
    """Nobody knows what 41 and 1 count: they are not used, and that is said."""
    listing = read(f"Listing queues ...\norders\t41\t1\t{STATUS}\n")
    assert found(listing) == [("orders", None, 40)]
    assert listing.columns == ["#2", "#3"]


TEXTS = RECORDINGS / "texts"


@pytest.mark.parametrize("name", ["json", "list_queues.json", "table.txt"])
def test_a_listing_of_4_x_answers_by_its_counters(name: str) -> None:
    """W73: no release of 4.x prints a status in a listing, and the key `memory` made it "a node"."""
    listing = read((TEXTS / f"33-api-queues-of-4x.{name}").read_text())
    [queue] = listing.figures
    assert queue.name == "orders"
    assert [(lane, count, where) for lane, count, _share, where in queue.lanes] == [
        ("messages_paged_out", 117_952, "disk"),
        ("messages_ram", 2_048, "ram"),
    ]
    assert queue.questions[0] == ("counters_only", {"ram": 2_048, "disk": 117_952})


def test_what_eval_prints_is_read_whole() -> None:
    text = (TEXTS / "32-listing-command-of-the-page.eval-4.3.6.txt").read_text()
    inner = read((TEXTS / "32-listing-command-of-the-page.eval-inner.txt").read_text())
    [queue] = read(text).figures
    assert queue.name == "big"
    assert queue.lanes == inner.figures[0].lanes
    several = (
        f'[{text.strip()},\n {text.strip().replace("big", "small")},\n [{{name,{{resource,<<"/">>,queue,<<"qq">>}}}},'
        " {backing_queue_status,''}]]\n"
    )
    assert [each.name for each in read(several).figures] == ["big", "small"]


def test_the_long_form_of_rabbitmqadmin() -> None:
    line = "-" * 80
    values = {"vhost": "/", "name": "orders", "backing_queue_status.len": "5", "backing_queue_status.q1": "5"}
    text = "\n".join([line, "", *(f"{name:>30}: {value}" for name, value in values.items()), "", line, ""])
    [queue] = read(text).figures
    assert (queue.name, queue.lanes[0][:2]) == ("orders", ("q1", 5))


def test_a_real_report_has_its_queues_and_its_settings() -> None:
    """The form that nodes print: "Listing queues for vhost /", without a status."""
    answer = reading.listing((TEXTS / "47-report-of-3.10.8.real.txt").read_text())
    assert [
        (each["name"], each["values"]["messages"], each["values"]["messages_ram"])
        for each in answer["figures"]
    ] == [("orders", "3", "3")]
    assert answer["environment"]["settings"]


def test_the_version_of_a_priority_queue_is_a_sum() -> None:
    [queue] = read((TEXTS / "46-priority-queue-version-22.txt").read_text()).figures
    assert ("version_summed", {"version": "22"}) in queue.questions


@pytest.mark.parametrize("name", ["yml", "conf"])
def test_arguments_in_a_compose_file_or_an_environment_are_settings(name: str) -> None:
    answer = reading.listing((TEXTS / f"39-environment-variables-of-compose.{name}").read_text())
    assert answer["settings"] == {"vm_memory_high_watermark": 0.7, "disk_free_limit": 2_147_483_648}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("2026-11-29 11:06:42.144429+00:00 [error] <0.208.0> heap_size: 233\n", "node_log"),
        ("# TYPE rabbitmq_queue_messages gauge\nrabbitmq_queue_messages 5\n", "metrics_page"),
        ("services:\n  mq:\n    image: rabbitmq:4\n", "compose_file"),
        ('[{"name": "a", "messages": 5, "memory": 7}]', "listing_without_status"),
    ],
)
def test_other_texts_are_named_for_what_they_are(text: str, code: str) -> None:
    with pytest.raises(UnreadableInput, match=code):
        reading.listing(text)
