"""Refusals of the engine come in the reader's language."""

from __future__ import annotations

from typing import Any

import pytest

from playground.hosting.real_engine import door
from playground.hosting.refusals import message_of
from playground.records import kept_runs

CONSUMER = {"do": "set_consumer", "name": "c1", "rate_per_s": 1, "prefetch": 2, "ack": "each"}
PUBLISHER = {"do": "set_publisher", "name": "p1", "rate_per_s": 1, "size_bytes": 10, "running": True}
BURST = {"do": "publish", "count": 5, "size_bytes": 10}

COMMANDS: list[tuple[str, list[dict[str, Any]], str, str]] = [
    ("burst too large", [{**BURST, "count": 20_001}], "may hold 20\u202f000", "上限为 20\u202f000 条"),
    ("stopped", [{"do": "stop_app"}, BURST], "The broker is stopped", "broker 已停止"),
    (
        "quorum",
        [{"do": "declare_queue", "name": "q", "arguments": {"x-queue-type": "quorum"}}],
        "rabbitmq.com/docs/quorum-queues",
        "请去掉 x-queue-type = quorum",
    ),
    (
        "stream",
        [{"do": "declare_queue", "name": "q", "arguments": {"x-queue-type": "stream"}}],
        "rabbitmq.com/docs/streams",
        "请去掉 x-queue-type = stream",
    ),
    (
        "too many priorities",
        [{"do": "declare_queue", "name": "q", "arguments": {"x-max-priority": 255}}],
        "x-max-priority is at most 126",
        "x-max-priority 最大为 126",
    ),
    ("nothing held", [{"do": "ack", "count": 2}], "Held by hand: 0, not 2", "0 条，不是 2 条"),
    ("nothing held to requeue", [{"do": "requeue", "count": 1}], "use Get", "请先取出"),
    ("name of the other kind", [PUBLISHER, {**CONSUMER, "name": "p1"}], "The name p1", "名称 p1"),
    ("name of the node", [{**PUBLISHER, "name": "burst"}], "The name burst", "名称 burst"),
    ("unknown actor", [{"do": "remove", "name": "nobody"}], "called nobody", "名为 nobody"),
    (
        "ack mode while holding",
        [BURST, CONSUMER, {**CONSUMER, "ack": "manual"}],
        "c1 holds messages (2)",
        "c1 持有 2 条",
    ),
    ("too many actors", [{**PUBLISHER, "name": f"p{n}"} for n in range(129)], "There are 128", "已有 128 个"),
    ("too small", [{**BURST, "count": 0}], "count must be at least 1", "count 不能小于 1"),
    ("too large", [{**BURST, "size_bytes": 10**12}], "must be at most", "size_bytes 不能大于"),
    ("no whole number", [{**BURST, "count": "5"}], "must be a whole number.", "count 必须是整数"),
    (
        "no number",
        [{"do": "set", "name": "vm_memory_high_watermark", "value": "x"}],
        "a number",
        "必须是数字",
    ),
    ("none of the words", [{"do": "restart", "kind": "soft"}], "none of the possible", "不是可用的值"),
    ("missing", [{"do": "publish", "count": 5}], "size_bytes is missing", "size_bytes"),
    ("unknown", [{**BURST, "colour": 1}], "colour is not known here", "这里不认识 publish: colour"),
    ("no such queue", [{"do": "kill_queue", "queue": "none"}], "no queue called none", "名为 none 的队列"),
    ("no such consumer", [{"do": "cancel", "name": "x"}], "no consumer called x", "名为 x 的消费者"),
    ("no such policy", [{"do": "clear_policy", "name": "x"}], "no policy called x", "名为 x 的策略"),
    (
        "pattern of a kind that is not understood",
        [{"do": "set_policy", "name": "x", "pattern": "a++", "definition": {"max-length": 2}}],
        "Character 3 of the pattern repeats a repeat",
        "第 3 个字符",
    ),
    ("no such channel", [{"do": "close_channel", "name": "x"}], "called x", "名为 x 的信道"),
    (
        "too many queues",
        [{"do": "declare_queue", "name": f"q{n}"} for n in range(64)],
        "There are 64 queues",
        "已有 64 个队列",
    ),
    (
        "header with a fraction",
        [{**BURST, "headers": {"a": 1.5}}],
        "headers: a number",
        "headers：数字必须是",
    ),
    ("unknown property", [{**BURST, "properties": {"b": 1}}], "no property called b", "没有名为 b 的属性"),
    (
        "headers in headers",
        [{**BURST, "headers": {"a": {"b": {"c": {"d": {"e": 1}}}}}}],
        "headers must be nested in at most 4",
        "headers 最多嵌套 4 层",
    ),
    (
        "both limits of the disk",
        [{"do": "set", "name": "disk_free_limit", "value": {"absolute": 1, "mem_relative": 1.0}}],
        "Give either absolute or mem_relative",
        "请给出 absolute 或 mem_relative 之一",
    ),
    ("name with a blank", [{**PUBLISHER, "name": "a b"}], "must begin with a letter", "必须以字母开头"),
]

SCENARIOS: list[tuple[str, bytes | dict[str, Any], str]] = [
    ("no JSON", b"{", "不是 JSON"),
    ("no object", b"[]", "必须是一个对象"),
    ("version", {"version": 2}, "必须是 1"),
    ("unknown setting", {"settings": {"colour": 1}}, "没有名为 colour 的设置"),
    ("setting out of bounds", {"settings": {"segment_entry_count": 0}}, "1 到 16384 的整数"),
    ("no time", {"commands": [{"do": "purge"}]}, "commands[0].at_us 必须是整数"),
    ("too late", {"commands": [{"at_us": 9, "do": "purge"}], "until_us": 5}, "不能大于 5"),
    (
        "out of order",
        {"commands": [{"at_us": 9, "do": "purge"}, {"at_us": 8, "do": "purge"}], "until_us": 9},
        "commands[1].at_us 早于",
    ),
    ("twice", {"topology": {"queues": [{"name": "a"}, {"name": "a"}]}}, "a 出现了两次"),
    (
        "a binding to nothing",
        {"topology": {"bindings": [{"exchange": "amq.fanout", "queue": "a"}]}},
        "无法声明该拓扑：NOT_FOUND",
    ),
    (
        "a name that the page uses",
        {"topology": {"queues": [{"name": "a@n2"}]}},
        "topology: Waterline 用 a@n2 指别的东西",
    ),
    ("an unknown command", {"commands": [{"at_us": 0, "do": "dance"}]}, "commands[0]: do 必须是"),
    (
        "a wrong command",
        {"commands": [{"at_us": 0, **BURST, "count": 0}]},
        "commands[0]: publish: count 不能小于 1",
    ),
    (
        "a wrong header",
        {"commands": [{"at_us": 0, **BURST, "headers": {"a": 1.5}}]},
        "commands[0]: publish: headers：数字必须是",
    ),
]


@pytest.mark.parametrize(
    ("commands", "english", "chinese"), [case[1:] for case in COMMANDS], ids=[case[0] for case in COMMANDS]
)
def test_refused_commands(commands: list[dict[str, Any]], english: str, chinese: str) -> None:
    node = door().rehearse(kept_runs.blank_scenario("classroom"))
    for command in commands[:-1]:
        node.submit(command)
        node.advance(node.now_us + 100_000)
    with pytest.raises(door().refusals) as refused:
        node.submit(commands[-1])
    message = message_of(refused.value)
    assert english in message.in_language("en")
    assert chinese in message.in_language("zh-hans")


@pytest.mark.parametrize(
    ("scenario", "chinese"), [case[1:] for case in SCENARIOS], ids=[case[0] for case in SCENARIOS]
)
def test_refused_scenarios(scenario: bytes | dict[str, Any], chinese: str) -> None:
    if isinstance(scenario, dict):
        scenario = {**kept_runs.blank_scenario("classroom"), **scenario}
    with pytest.raises(door().no_scenario) as refused:
        door().check(scenario)
    assert chinese in message_of(refused.value).in_language("zh-hans")


def test_what_is_not_known_stays_as_the_engine_says_it() -> None:
    assert message_of(ValueError("100 % of it")).in_language("zh-hant") == "100 % of it"
