"""What no recording holds: numbers that are the node's own, changes, and the table of what controls stand for."""

import json
import re
import string

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.broker.commands import scenario
from engine.broker.control.report import LiveValues
from engine.ctl.console import ask, command_of, operated
from engine.ctl.listings import erlang_float
from engine.ctl.releases import CTL, FACTS, PROGRAMS, USAGES, CtlRefused
from engine.ctl.request import closest, jaro, parse
from engine.ctl.stands_for import STANDS_FOR
from engine.releases import PROFILES
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError
from tests.ctl.played import made_state


def test_backing_queue_status_is_the_brokers_term():
    text = ask(
        "-s list_queues name backing_queue_status",
        made_state(),
        0,
        LiveValues({"orders": (1.5, 0.0, 2e-7, 1e22)}),
    ).text
    status = dict(line.split("\t") for line in text.splitlines())["orders"]
    assert status == (
        "[{mode,default},{version,1},{q1,0},{q2,0},{delta,{delta,undefined,0,0,undefined}},{q3,0},{q4,1},{len,1},"
        "{target_ram_count,infinity},{next_seq_id,3},{next_deliver_seq_id,2},{avg_ingress_rate,1.5},"
        "{avg_egress_rate,0.0},{avg_ack_ingress_rate,2.0e-7},{avg_ack_egress_rate,1.0e22}]"
    )


@pytest.mark.parametrize("profile", PROFILES)
def test_queues_are_listed_on_each_release(profile):
    node = operated(
        scenario.parse({"version": 1, "profile": profile, "seed": 1, "commands": [], "until_us": 1}),
        LedgerStorage(),
    )
    node.submit({"do": "publish", "count": 3, "size_bytes": 100})
    node.advance(100_000)
    for program in ("", "rabbitmq-diagnostics "):
        text = ask(
            f"{program}-s list_queues messages backing_queue_status", node.snapshot(), 0, node.live()
        ).text
        assert re.match(r"3\t\[\{(mode|version),", text)
        assert f"{{len,{3}}}" in text
        assert ask(f"{program}report", node.snapshot(), 0, node.live()).code == 0


@pytest.mark.parametrize(("value", "text"), [(0.0, "0.0"), (1.3575798409164063e-06, "1.3575798409164063e-6")])
def test_floats_as_erlang_prints_them(value, text):
    assert erlang_float(value) == text


def test_status_has_memory_disk_and_alarms():
    state = made_state()
    text = ask("status --unit bytes", state, 5_000_000).text
    memory = state["node"]["memory"]
    assert "Uptime (seconds): 5\n" in text
    assert f"Total memory used: {memory['process_memory']} bytes" in text
    assert "Alarms\n\n(none)\n" in text
    parts = [int(size) for size in re.findall(r"^\w+: (\d+) bytes \(", text, re.MULTILINE)]
    assert sum(parts) == memory["process_memory"]
    state["node"]["alarms"] = {"memory": True, "disk": True}
    text = ask("status", state, 0).text
    assert "Memory alarm on node rabbit@waterline\nFree disk space alarm on node rabbit@waterline" in text


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("set_vm_memory_high_watermark 0.3", {"do": "set", "name": "vm_memory_high_watermark", "value": 0.3}),
        (
            "set_vm_memory_high_watermark absolute 2MiB",
            {"do": "set", "name": "vm_memory_high_watermark", "value": {"absolute": 2097152}},
        ),
        ("set_disk_free_limit 1GB", {"do": "set", "name": "disk_free_limit", "value": {"absolute": 10**9}}),
        (
            "set_disk_free_limit mem_relative 1.5",
            {"do": "set", "name": "disk_free_limit", "value": {"mem_relative": 1.5}},
        ),
        (
            "set_policy --priority 2 short ^or '{\"max-length\": 5}'",
            {
                "do": "set_policy",
                "name": "short",
                "pattern": "^or",
                "definition": {"max-length": 5},
                "priority": 2,
                "apply_to": "all",
            },
        ),
        ("purge_queue orders", {"do": "purge", "queue": "orders"}),
        (
            "delete_queue lazy -u",
            {"do": "delete_queue", "name": "lazy", "if_unused": True, "if_empty": False},
        ),
        ("sudo rabbitmqctl stop_app", {"do": "stop_app"}),
        ("start_app", {"do": "start_app"}),
    ],
)
def test_a_change_is_a_command_of_the_node(line, command):
    state = made_state()
    assert command_of(line, state) == command
    assert ask(line, state, 0).changes


@pytest.mark.parametrize("line", ["list_queues", "clear_policy gone", "set_disk_free_limit x", "dance", ""])
def test_what_is_no_change_is_no_command(line):
    with pytest.raises(CommandError):
        command_of(line, made_state())


@pytest.mark.parametrize("line", ["list_queues 'open", "x" * 256, "-n other list_queues", "shutdown now"])
def test_lines_that_cannot_be_done_say_why(line):
    with pytest.raises(CtlRefused) as caught:
        parse(line, FACTS["3.10.8"])
    assert caught.value.text.strip()


WORDS = st.sampled_from(
    [
        *USAGES,
        *"-p -q --priority --apply-to --formatter json / absolute mem_relative ^a$ {} [] nan inf -1 1e9 '".split(),
        "'{\"max-length\":NaN}'",
        "'{\"a\":[[[]]]}'",
        "--priority=--5",
        "0x1",
        "٣",
        "\\",
        '"',
        "name,,",
        "a\tb",
    ]
)
STATE = made_state()


@given(st.one_of(st.text(max_size=255), st.lists(WORDS, max_size=6).map(" ".join)))
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_whatever_is_written_gets_an_answer(line):
    answer = ask(line, STATE, 0)
    assert isinstance(answer.text, str)
    if answer.changes:
        assert command_of(line, STATE)["do"]
    else:
        with pytest.raises(CommandError):
            command_of(line, STATE)


def test_every_place_in_the_lines_is_one_that_the_page_fills():
    filled = {"value", "queue", "exchange", "routing_key", "delivery_mode", "no_ack", "multiple"}
    form = {"name", "durable", "arguments", "type", "msg_store_credit_initial", "msg_store_credit_more"}
    policy = {"name", "pattern", "definition", "priority", "apply_to"}
    for key, stands in STANDS_FOR.items():
        assert stands.command or stands.line, key
        for line in filter(None, (stands.command, stands.line)):
            places = {place for _, place, _, _ in string.Formatter().parse(line) if place is not None}
            assert places <= (policy if key.endswith("_policy") else filled | form), key


def test_every_command_that_a_control_stands_for_is_understood_by_the_console():
    values = {
        "queue": "orders",
        "name": "p",
        "pattern": "^p",
        "priority": "1",
        "apply_to": "queues",
    }
    shown = {"vm_memory_high_watermark.absolute": "1GiB", "queue_mode": "lazy"}
    for key, stands in STANDS_FOR.items():
        if stands.command and stands.command.startswith("rabbitmqctl"):
            line = stands.command.format(**values, value=shown.get(key, "0"), definition='{"max-length":1}')
            answer = ask(line, made_state(), 0)
            assert not answer.code or answer.text.endswith("Parameter does not exist\n"), answer.text


def test_the_lines_are_ones_that_the_broker_takes():
    ratio = "vm_memory_high_watermark_paging_ratio"
    above = STANDS_FOR[f"{ratio}.from_1"]
    assert (STANDS_FOR[ratio].file, above.file) == ("rabbitmq.conf", "advanced.config")
    assert above.line
    assert above.line.format(value=1.1) == f"{{{ratio}, 1.1}}"
    assert above.command
    assert f"application:set_env(rabbit, {ratio}, 1.1)." in above.command.format(value=1.1)
    disk = STANDS_FOR["disk_free_limit"].line
    assert disk == "disk_free_limit.absolute = {value}"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("list_queus", "list_queues"),
        ("purge_que", "purge_queue"),
        ("set_policies", "list_policies"),
        ("q", None),
        ("", None),
    ],
)
def test_the_nearest_command_is_guessed_as_the_broker_guesses(typed: str, meant: str | None) -> None:
    assert closest(typed, FACTS["3.10.8"].commands[CTL]) == meant


def test_likeness_by_jaros_measure() -> None:
    """The textbook's pairs."""
    assert [
        round(jaro(*pair), 3) for pair in (("martha", "marhta"), ("dixon", "dicksonx"), ("abc", "xyz"))
    ] == [
        0.944,
        0.767,
        0.0,
    ]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_help_has_a_usage_line_of_the_release_s_options_and_one_sentence(program: str, profile: str) -> None:
    state = made_state(profile)
    facts = FACTS[PROFILES[profile].release.name]
    overview = ask(f"{program} help", state, 0)
    assert overview.code == 0
    assert f"RabbitMQ {facts.version}" in overview.text
    for name in facts.commands[program]:
        answer = ask(f"{program} help {name}", state, 0)
        assert ask(f"{program} {name} --help", state, 0) == answer
        assert answer.code == 0
        if name not in USAGES:
            assert answer.text == (
                f"Waterline: RabbitMQ {facts.version} has the command '{name}'; Waterline has no such part\n"
            )
            continue
        assert f"   {name} " in overview.text
        _, line, sentence = answer.text.strip().split("\n\n")
        assert line.startswith(f"{program} [--node <node>] [--longnames] [--quiet] {name}")
        assert re.match(r"[A-Z][^.]+\.$", sentence.partition("\nColumns:")[0])


def test_what_another_release_has_is_unknown() -> None:
    for profile, line in (("4.3.6", "sync_queue orders"), ("real", "list_deprecated_features")):
        answer = ask(line, made_state(profile), 0)
        assert answer.text.startswith(f"\nCommand '{line.split()[0]}' not found.")
        assert answer.code == 64
    assert "slave_pids are not supported" in ask("list_queues slave_pids", made_state("4.0.5"), 0).text


def test_a_release_without_facts_is_said_by_waterline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(FACTS, "4.0.5")
    answer = ask("list_queues", made_state("4.0.5"), 0)
    assert answer.text == "Waterline: what the command line of RabbitMQ 4.0.5 answers is not known here\n"
    assert answer.code


@pytest.mark.parametrize(
    "line",
    [
        "set_vhost_limits '{\"max-queues\":2}'",
        "set_operator_policy cap ^a '{\"max-length\":5}'",
        "add_user app secret",
        "delete_user guest",
        "set_permissions guest a b c",
        "trace_on",
        "close_all_connections bye",
        "set_cluster_name x",
        "list_users",
        "ping",
        "rabbitmq-diagnostics check_running",
    ],
)
def test_what_has_no_part_here_is_said_by_waterline_and_changes_nothing(line: str) -> None:
    answer = ask(line, made_state(), 0)
    assert answer.text.startswith("Waterline: ")
    assert answer.code
    assert not answer.changes


def test_a_process_in_json_is_as_the_command_line_sees_it() -> None:
    rows = json.loads(ask("list_channels connection --formatter json", made_state(), 0).text)
    assert all(re.fullmatch(r"#PID<1\.\d+\.0>", row["connection"]) for row in rows)
