"""Names of queues, exchanges, policies and consumers are any text of 255 bytes; the page's own labels stay apart."""

from typing import Any

import pytest

from engine.broker.commands.commands import parse as parse_command
from engine.broker.commands.scenario import parse
from engine.ctl.console import operated
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError, ScenarioError
from engine.values.labels import is_member, member, queue_of
from playground.hosting.file_records import _hashes_of

FREE = [
    "Orders.Created",
    "MyApp:Error",
    "svc/orders",
    "my queue",
    "celery@host1.celery.pidbox",
    "Acme.Messages.OrderPlaced:Acme.Worker",
    "队列 ünï",
    "<img src=x onerror=alert(1)>",
]


def scenario(**topology: Any) -> dict[str, Any]:
    return {"version": 1, "profile": "classroom", "topology": topology, "commands": [], "until_us": 1_000_000}


def test_names_as_brokers_have_them() -> None:
    fanout = {"name": "Acme.Shop:OrderPlaced", "type": "fanout"}
    described = scenario(
        queues=[{"name": name} for name in FREE],
        exchanges=[fanout],
        bindings=[{"exchange": fanout["name"], "queue": name} for name in FREE],
        policies=[{"name": "HA Policy", "pattern": "^My", "definition": {"max-length": 2}}],
    )
    lazy = """set_policy Lazy "^my q" '{"queue-mode":"lazy"}' --apply-to queues"""
    described["commands"] = [
        {"at_us": 0, "do": "publish", "count": 4, "size_bytes": 10, "exchange": fanout["name"]},
        {"at_us": 1, "do": "set_consumer", "name": "Worker 1/ü", "queue": "svc/orders", "rate_per_s": 50},
        {"at_us": 2, "do": "ctl", "line": lazy},
    ]
    node = operated(parse(described), LedgerStorage())
    node.advance(1_000_000)
    assert node.refused == []
    queues = node.snapshot()["queues"]
    ready = {name: queue["counters"]["len"] for name, queue in queues.items()}
    assert ready == {**dict.fromkeys(FREE, 4), "MyApp:Error": 2, "svc/orders": 0}
    assert queues["my queue"]["mode"] == "lazy"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a" * 256, "too_long"),
        ("ü" * 128, "name_too_long"),
        ("two\nlines", "name_line_break"),
        ("\ud800", "name_no_text"),
        ("", "too_short"),
        ("orders@n2", "name_of_page"),
    ],
)
def test_what_is_no_name(name: str, code: str) -> None:
    with pytest.raises(ScenarioError) as refusal:
        parse(scenario(queues=[{"name": name}]))
    assert refusal.value.code == code


def test_a_name_of_255_bytes_is_one() -> None:
    parse(scenario(queues=[{"name": "ü" * 127 + "a"}]))


def test_a_priority_of_a_queue_and_a_queue_never_have_one_name() -> None:
    urgent = {"name": "urgent", "arguments": {"x-max-priority": 3}}
    parse(scenario(queues=[urgent, {"name": "urgent:4"}]))
    for both in ([urgent, {"name": "urgent:3"}], [{"name": "urgent:0"}, urgent]):
        with pytest.raises(ScenarioError, match="one of its priorities"):
            parse(scenario(queues=both))
    node = operated(parse(scenario(queues=[urgent])), LedgerStorage())
    with pytest.raises(CommandError, match="the page calls something else urgent:1"):
        node.submit(parse_command({"do": "declare_queue", "name": "urgent:1"}))


def test_labels_of_members() -> None:
    assert (is_member(member("a@b", "n2")), queue_of(member("a@b", "n2"))) == (True, "a@b")
    assert (is_member("celery@n10"), queue_of("celery@host1")) == (False, "celery@host1")


def test_a_queue_that_reads_like_a_priority_is_found_by_its_own_name_first() -> None:
    own, part = _hashes_of("MyApp:1")
    assert own != part
    assert next(_hashes_of("MyApp@n2")) == next(_hashes_of("MyApp"))
