"""Whatever form a tool of any release prints is read, in whatever it was copied, and named for what it is if not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from playground.inspecting import reading
from playground.inspecting.uploads import UnreadableInput
from tests.conftest import RECORDINGS

TEXTS: Final = RECORDINGS / "texts"
COUNTS: Final = {"messages_paged_out": 895, "messages_ram": 10}
"""Of the queue that each form without a status has."""
LANES: Final = {"q1": 0, "q2": 0, "delta": 895, "q3": 4, "q4": 6}
TAIL: Final = {"q_tail": 895, "q_head": 10}
OF_3_10 = (
    "[{mode,default},{version,1},{q1,0},{q2,0},{delta,{delta,5,895,0,900}},{q3,4},{q4,6},{len,905},"
    "{target_ram_count,infinity},{next_seq_id,905},{num_pending_acks,0},{avg_ingress_rate,0.0}]"
)
OF_3_8 = OF_3_10.replace("{version,1},", "").replace("{delta,5,895,0,900}", "{delta,5,895,900}")
OF_4_0 = OF_3_10.replace("{version,1}", "{version,2}")
OF_4_3 = "[{version,2},{q_head,10},{q_tail,{q_tail,10,895,905}},{len,905},{delivery_count,#{3 => 1}}]"
QUEUE: Final[dict[str, Any]] = {"name": "訂單 a.b", "vhost": "/", "messages": 905, "messages_ram": 10}
API: Final = [
    {**QUEUE, "type": "classic", "memory": 7, "arguments": {"x-queue-type": "classic"}, "effective": [{}]}
]
LINE: Final = "-" * 80


def _table(columns: str, *rows: str) -> str:
    return "\n".join(each.replace(" ", "\t").replace("_A", " a") for each in (columns, *rows)) + "\n"


def _eval(status: str, name: str = '<<"訂單 a.b"/utf8>>') -> str:
    return f'[[{{name,{{resource,<<"/">>,queue,{name}}}}},\n  {{backing_queue_status,{status}}}]]\n'


def _bytes(text: str) -> str:
    return f"<<{','.join(map(str, text.encode()))}>>"


FORMS: Final[dict[str, tuple[str, dict[str, int]]]] = {
    "/api/queues": (json.dumps(API) + "\n", COUNTS),
    "a page of it": (json.dumps({"page": 1, "items": API, "total_count": 1}), COUNTS),
    "one queue": (json.dumps(API[0], indent=2, ensure_ascii=False), COUNTS),
    "jq": ("\n".join(json.dumps(each, indent=2) for each in API), COUNTS),
    "the head of an answer": ("HTTP/1.1 200 OK\ncontent-type: application/json\n\n" + json.dumps(API), COUNTS),
    "tabs": (_table("name messages messages_ram type", "訂單_A.b 905 10 classic"), COUNTS),
    "other order": (_table("messages_ram type name messages", "10 classic 訂單_A.b 905"), COUNTS),
    "parts": (
        _table("name messages_ready messages_unacknowledged messages_ram", "訂單_A.b 900 5 10"),
        COUNTS,
    ),
    "parts in RAM": (
        _table("name messages messages_ready_ram messages_unacknowledged_ram state", "訂單_A.b 905 5 5 running"),
        COUNTS,
    ),
    "paged out": (_table("name messages messages_paged_out state", "訂單_A.b 905 895 running"), COUNTS),
    "empty cells lost": (_table("name messages messages_ram policy pid", "訂單_A.b 905 10"), COUNTS),
    "blanks": ("name    messages   messages_ram\n訂單 a.b    905        10\n", COUNTS),
    "a blank": ("name messages messages_ram\n訂單 a.b 905 10\n", COUNTS),
    "no lines": ("│ name │ messages │ messages_ram │\n│ 訂單 a.b │ 905 │ 10 │\n", COUNTS),
    "+ and -": (
        "+----+----+----+\n|  name  | messages | messages_ram |\n+----+----+----+\n| 訂單 a.b | 905 | 10 |\n+----+\n",
        COUNTS,
    ),
    "csv": ('name,messages,messages_ram\n"訂單 a.b",905,10\n', COUNTS),
    "erlang": (f'[[{{name,{_bytes("訂單 a.b")}}},{{messages,905}},{{messages_ram,10}}]]', COUNTS),
    "rabbitmqadmin -f tsv": (_table("vhost name messages messages_ram", "/ 訂單_A.b 905 10"), COUNTS),
    "rabbitmqadmin -f kvp": ('name="訂單 a.b" messages="905" messages_ram="10"\n', COUNTS),
    "rabbitmqadmin -f long": (
        f"{LINE}\n\n  name: 訂單 a.b\n  arguments.x-queue-type: classic\n  messages: 905\n messages_ram: 10\n{LINE}\n",
        COUNTS,
    ),
    "/metrics/per-object": (
        ("# TYPE rabbitmq_queue_messages gauge\nrabbitmq_build_info{a=\"b\"} 1\n"
        'rabbitmq_queue_messages_ram{vhost="/",queue="訂單 a.b"} 1.0e+1\n'
        'rabbitmq_queue_messages{vhost="/",queue="訂單 a.b"} 905\n'),
        COUNTS,
    ),
    "/metrics/detailed": (
        ('rabbitmq_detailed_queue_messages_ready{vhost="/",queue="訂單 a.b"} 900\n'
        'rabbitmq_detailed_queue_messages_ram{vhost="/",queue="訂單 a.b"} 10\n'
        'rabbitmq_detailed_queue_messages_unacked{vhost="/",queue="訂單 a.b"} 5\n'),
        COUNTS,
    ),
    "eval of 3.8": (_eval(OF_3_8), LANES),
    "eval of 3.10": (_eval(OF_3_10, _bytes("訂單 a.b")), LANES),
    "eval of 4.0": (_eval(OF_4_0, '<<"{}">>'.format("訂單 a.b".encode().decode("latin-1"))), LANES),
    "eval of 4.3": (_eval(OF_4_3), TAIL),
    "eval of one queue": (_eval(OF_4_3)[1:-2] + "\n", TAIL),
    "eval of everything": (
        ('[{pid,<11111.810.0>},{name,{resource,<<"/">>,queue,<<"訂單 a.b"/utf8>>}},'
        '{arguments,[{<<"x-queue-mode">>,longstr,<<"lazy">>}]},\n {messages,905},'
        f"{{backing_queue_status,{OF_3_10}}}]\n"),
        LANES,
    ),
    "a status in a table": (_table("name backing_queue_status", f"訂單_A.b {OF_3_10}"), LANES),
}  # fmt: skip
COATS: Final[dict[str, Callable[[str], str]]] = {
    "as it is": str,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "a byte order mark": lambda text: "\ufeff" + text,
    "the command": lambda text: "root@mq1:~# rabbitmqctl --formatter x list\n" + text,
    "what the tool says": lambda text: "Timeout: 60.0 seconds ...\nListing queues for vhost / ...\n" + text,
    "a mail": lambda text: "".join(f"> {line}\n" for line in text.splitlines()),
    "a page's code": lambda text: f"```json\n{text}\n```\n",
    "deeper": lambda text: "".join(f"    {line}\n" for line in text.splitlines()),
    "blank lines": lambda text: f"\n\n{text}\n\n\n",
}


def listed(text: str) -> list[tuple[str, dict[str, int | None]]]:
    return [
        (each["name"], {lane[0]: lane[1] for lane in each["lanes"]})
        for each in reading.listing(text)["figures"]
    ]


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_read_in_whatever_it_was_copied(form: str) -> None:
    text, lanes = FORMS[form]
    for coat, put_on in COATS.items():
        assert listed(put_on(text)) == [(QUEUE["name"], lanes)], coat


@pytest.mark.parametrize("form", FORMS)
def test_a_text_that_ends_too_early_says_nothing_false(form: str) -> None:
    """Only the last number of a line is believed: most people copy a text without the end of its last line."""
    text, lanes = FORMS[form]
    for at in range(1, len(text) - 4, 7):
        try:
            found = listed(text[:at])
        except (UnreadableInput, KeyError):
            continue
        for name, counts in found:
            known = {lane: count for lane, count in counts.items() if count is not None}
            assert known.items() <= lanes.items(), (name, text[:at])


@pytest.mark.parametrize(
    ("text", "code", "values"),
    [
        (json.dumps(API)[:-30], "cut_text", {}),
        ("name\tmessages\tmessages_ram\norders\t9", "cut_text", {}),
        ("[]", "no_queues", {}),
        ('{"items": []}', "no_queues", {}),
        ("Timeout: 60.0 seconds ...\nListing queues for vhost / ...\n", "no_queues", {}),
        (json.dumps([{**QUEUE, "type": "quorum"}, {**QUEUE, "type": "stream"}]), "other_queues", {}),
        (_table("name type messages messages_ram", "a rabbit_quorum_queue 5 0"), "other_queues", {}),
        ('{"error":"not_authorised","reason":"Login failed"}', "tool_failed", {"says": "not_authorised Login failed"}),
        (
            "Error (argument validation): Info key(s) backing_queue_status are not supported\nUsage\n",
            "tool_failed",
            {"says": "Info key(s) backing_queue_status are not supported"},
        ),
        ("2020-10-10 12:00:00.123 [info] <0.273.0> Server startup complete\n", "node_log", {}),
        ("rabbitmq-1  | 2022-10-10T12:00:00.123456+00:00 [notice] <0.1.0> x\n", "node_log", {}),
        ("\x1b[38;5;87m2022-10-10 12:00:00.123456+00:00 [info] <0.1.0> x\x1b[0m\n", "node_log", {}),
        ('{"time":"2022-10-10 12:00:00","level":"info","msg":"x"}\n{"level":"info","msg":"y"}\n', "node_log", {}),
        ("=ERROR REPORT==== 10-Oct-2018::12:00:00 ===\nx\n", "node_log", {}),
        ("  ##  ##      RabbitMQ 3.10.8\n  ##  ##\n", "node_log", {}),
        ("rabbitmq_queue_messages 905\n", "metrics_page", {}),
        ("# mine\nname: x\nservices:   # all\n  mq:\n    image: rabbitmq\n", "compose_file", {}),
        ("apiVersion: v1\nkind: ConfigMap\ndata:\n  a: b\n", "manifest_file", {}),
    ],
)  # fmt: skip
def test_what_is_not_read_is_called_by_its_name(text: str, code: str, values: dict[str, str]) -> None:
    with pytest.raises(UnreadableInput) as refused:
        reading.listing(text)
    assert (refused.value.code, refused.value.values) == (code, values)


LOGGED = "2022-10-10 12:00:00.1+00:00 [info] <0.2.0> "
MEMORY = "Memory high watermark set to 9642 MiB (10110644224 bytes) of 24106 MiB (25276612608 bytes) total\n"
DISK = "Disk free limit set to 50MB\n"
OF_LOG = {"vm_memory_high_watermark": {"absolute": 10110644224}, "ram_bytes": 25276612608}


@pytest.mark.parametrize(
    ("text", "expected", "part"),
    [
        (LOGGED + MEMORY + LOGGED + DISK, OF_LOG | {"disk_free_limit": 50_000_000}, "node_log"),
        ("mq1  | " + LOGGED + MEMORY, OF_LOG, "node_log"),
        (
            ("# HELP rabbitmq_resident_memory_limit_bytes x\nrabbitmq_resident_memory_limit_bytes 1.0110644224e+10\n"
            "rabbitmq_disk_space_available_limit_bytes 50000000\n"),
            {"vm_memory_high_watermark": {"absolute": 10110644224}, "disk_free_limit": 50_000_000},
            "metrics_page",
        ),
        (
            ("version: '3'\nservices:\n  mq:\n    environment:\n"
            '      - "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-rabbit log x vm_memory_high_watermark_paging_ratio 0.75'
            ' -rabbit disk_free_limit {mem_relative,1.0}"\n'),
            {"vm_memory_high_watermark_paging_ratio": 0.75, "disk_free_limit": {"mem_relative": 1.0}},
            "compose_file",
        ),
        (
            ("services:\n  mq:\n    configs:\n      c:\n        content: |\n"
            "          vm_memory_high_watermark.relative = 0.6 # high\n"),
            {"vm_memory_high_watermark": 0.6},
            "compose_file",
        ),
        (
            ("kind: RabbitmqCluster\nspec:\n  rabbitmq:\n    additionalConfig: |\n"
            "      disk_free_limit.absolute = 2GB\n"),
            {"disk_free_limit": {"absolute": 2_000_000_000}},
            "manifest_file",
        ),
    ],
)  # fmt: skip
def test_settings_are_taken_from_texts_of_other_kinds(text: str, expected: dict[str, Any], part: str) -> None:
    """What a log or a page of metrics says is no configuration: nobody is told that 4.x starts with it."""
    for coat in ("as it is", "CRLF", "a mail", "a page's code"):
        answer = reading.listing(COATS[coat](text))
        assert answer["settings"] == expected, coat
        assert f"part_of_{part}" in [why["code"] for _name, why in answer["left_out"]]
        assert (answer["next"] is None) == (part in ("node_log", "metrics_page"))


def test_a_report_is_read_in_whatever_it_was_copied() -> None:
    report = (TEXTS / "47-report-of-3.10.8.real.txt").read_text()
    for coat, put_on in COATS.items():
        answer = reading.listing(put_on(report))
        assert [each["name"] for each in answer["figures"]] == ["orders"], coat
        assert answer["environment"]["settings"]["vm_memory_high_watermark"] == 0.4


def test_definitions_that_are_pasted_are_read_as_such() -> None:
    text = (TEXTS / "34-default-queue-type.json").read_text()
    assert reading.listing(text) == reading.topology(text.encode())
