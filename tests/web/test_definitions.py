"""definitions.json as sites have them: what can be played is, and every other section, object and field is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.storage.ledger import LedgerStorage
from playground.inspecting.definitions import MOST_EACH, MOST_VHOSTS, TakenDefinitions, read
from playground.inspecting.uploads import UnreadableInput

VHOST = "/"


def queue(name: str, vhost: str = VHOST, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "vhost": vhost, "durable": True, "auto_delete": False, "arguments": arguments}


def exchange(name: str, kind: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "vhost": VHOST, "type": kind, "durable": True, "arguments": arguments}


def binding(source: str, destination: str, kind: str = "queue", **more: Any) -> dict[str, Any]:
    ends = {"source": source, "destination": destination, "destination_type": kind}
    return {**ends, "vhost": VHOST, "routing_key": "k", "arguments": {}, **more}


def taken(**tables: Any) -> TakenDefinitions:
    return read(json.dumps({"rabbit_version": "3.10.8", "queues": [queue("in")], **tables}).encode())


def names(found: TakenDefinitions, table: str = "queues") -> list[str]:
    assert found.scenario is not None
    return [each["name"] for each in found.scenario["topology"].get(table, ())]


def left_out(found: TakenDefinitions) -> dict[str, str]:
    return {name: why["code"] for name, why in found.left_out}


def test_queues_of_other_types_are_left_out_by_their_type() -> None:
    """jobs and logs became classic queues without a word."""
    found = taken(
        queues=[
            queue("in", **{"x-queue-type": "classic"}),
            queue("done", **{"x-max-age": "1M", "x-queue-type": "stream"}),
            queue("jobs", **{"x-queue-type": "quorum"}),
            {**queue("jobs2"), "type": "quorum"},
            queue("v2", **{"x-queue-version": 2}),
        ]
    )
    assert names(found) == ["in", "v2"]
    kinds = {"done": "stream", "jobs": "quorum_queue", "jobs2": "quorum_queue"}
    assert left_out(found) == kinds


def test_bindings_between_exchanges_are_made() -> None:
    found = taken(
        exchanges=[
            exchange("rpc", "fanout"),
            exchange("sub", "topic"),
            exchange("rpc.hash", "x-consistent-hash"),
        ],
        bindings=[
            binding("rpc", "sub", "exchange"),
            binding("sub", "in"),
            binding("rpc", "rpc.hash", "exchange"),
            binding("rpc.hash", "in"),
        ],
    )
    [command] = found.scenario["commands"]
    assert (command["do"], command["source"], command["destination"]) == ("bind_exchange", "rpc", "sub")
    assert left_out(found) == {
        "rpc.hash": "exchange_type",
        "rpc → rpc.hash": "binding_of_exchange",
        "rpc.hash → in": "binding_of_exchange",
    }


def test_names_as_brokers_have_them_are_taken() -> None:
    called = ["Orders.Created", "MyApp:Error", "svc/orders", "my queue", "celery@host1.celery.pidbox"]
    found = taken(queues=[queue(name) for name in called])
    assert names(found) == called
    assert found.left_out == []


def test_several_virtual_hosts_are_read_as_such() -> None:
    """A policy of one never touches another's queue."""
    policy = {
        "name": "short",
        "vhost": "b",
        "pattern": ".*",
        "apply-to": "all",
        "definition": {"max-length": 1},
    }
    tables = {"queues": [queue("x", "a"), queue("x", "b"), queue("y", "b")], "policies": [policy]}
    sections = [{"name": "b", "limits": [{"max-queues": 3}]}, {"name": "c", "tags": []}, {"name": "/"}]
    rpc = {"source": "amq.fanout", "destination": "amq.topic", "destination_type": "exchange", "vhost": "b"}
    found = taken(**tables, vhosts=sections, bindings=[rpc])
    assert (found.vhost, found.vhosts) == ("b", [("/", 0), ("b", 2), ("c", 0), ("a", 1)])
    assert left_out(found) == {"b": "fields_unread"}
    node = Cluster(parse(found.scenario), LedgerStorage())
    node.run()
    for vhost in ("a", "b"):
        node.submit({"do": "publish", "count": 3, "size_bytes": 1, "routing_key": "x", "vhost": vhost})
    queues = node.snapshot()["queues"]
    assert {name: each["counters"]["len"] for name, each in queues.items()} == {
        "a\nx": 3,
        "b\nx": 1,
        "b\ny": 0,
    }
    assert [each["exchange"] for each in node.snapshot()["node"]["bindings"]] == ["b\namq.fanout"]


def test_virtual_hosts_beyond_the_bound_are_named() -> None:
    found = taken(queues=[queue("x", f"v{at}") for at in range(12)])
    assert len(found.vhosts) == MOST_VHOSTS
    assert list(left_out(found).values()) == ["vhosts_beyond"] * 5 + ["other_vhosts"]


def test_every_section_and_field_is_read_or_named() -> None:
    """Whatever is added to a file is either in the scenario or in the list."""
    found = taken(
        queues=[{**queue("in"), "policy": "p", "operator": {"a": 1}}, "text", 7],
        users=[{"name": "guest", "password_hash": "secret"}],
        parameters=[{"component": "shovel", "name": "s", "value": {}}],
        permissions=[],
        federation={"a": 1},
        exchanges={"no": "list"},
    )
    assert left_out(found) == {
        "in": "fields_unread",
        "queues": "no_objects",
        "exchanges": "no_list",
        "users": "section",
        "parameters: shovel": "section",
        "federation": "section_unknown",
    }
    assert "secret" not in repr(found)


def test_what_a_plugin_or_an_operator_adds_is_named_one_by_one() -> None:
    """A policy with a key of a plugin keeps its other keys; the broker's words against it would be false there."""
    federated = {"federation-upstream-set": "all"}
    mirrored = {"ha-mode": "all"}
    policies = [
        {"name": "fed", "pattern": "^f", "definition": federated},
        {"name": "both", "pattern": "^b", "definition": {**federated, **mirrored}},
        {"name": "new", "pattern": "^n", "definition": {"max-length": 5}, "apply-to": "classic_queues"},
        {"name": "other", "pattern": "^q", "definition": {"delivery-limit": 5}, "apply-to": "quorum_queues"},
    ]
    parameters = [
        {"component": "shovel", "name": "to-dr", "value": {}},
        {"component": "federation-upstream", "name": "east", "value": {}},
        {"component": "federation-upstream", "name": "west", "value": {}},
    ]
    operator = [{"name": "cap", "pattern": ".*", "definition": {"max-length": 9}}, 7]
    found = taken(policies=policies, parameters=parameters, operator_policies=operator)
    assert {each["name"]: each["definition"] for each in found.scenario["topology"]["policies"]} == {
        "both": mirrored,
        "new": {"max-length": 5},
    }
    assert left_out(found) == {
        "fed": "policy_of_plugin",
        "both": "policy_of_plugin",
        "other": "policy_of_other_queues",
        "parameters: shovel": "section",
        "parameters: federation-upstream": "section",
        "cap": "operator_policy",
        "operator_policies": "section",
    }


def test_a_policy_that_applies_to_no_classic_queue_is_told() -> None:
    """P17: one key that classic queues do not have, and none of it holds for them."""
    limited = {"max-length": 5, "delivery-limit": 3}
    policies = [
        {"name": "lost", "pattern": "^l", "definition": limited, "apply-to": "queues"},
        {
            "name": "both",
            "pattern": "^b",
            "definition": {**limited, "alternate-exchange": "amq.fanout"},
            "apply-to": "all",
        },
        {"name": "kept", "pattern": "^k", "definition": {"max-length": 5}, "apply-to": "queues"},
    ]
    found = taken(policies=policies)
    assert [each["name"] for each in found.scenario["topology"]["policies"]] == ["both", "kept"]
    assert left_out(found) == {"lost": "policy_not_for_classic", "both": "policy_not_for_classic"}
    assert dict(found.left_out)["lost"]["values"] == {"names": "delivery-limit"}


def test_what_is_beyond_the_bounds_is_counted() -> None:
    found = taken(queues=[queue(f"q{at}") for at in range(100)])
    assert found.left_out_count == MOST_EACH - len(names(found)) + 1
    assert dict(found.left_out)["queues"]["values"] == {"count": 100 - MOST_EACH, "most": MOST_EACH}


def test_a_file_that_power_shell_wrote_is_read() -> None:
    assert read(json.dumps({"queues": [queue("in")]}).encode("utf-16")).vhosts == [(VHOST, 1)]


def test_a_file_without_queues_says_what_4_x_does_with_it() -> None:
    """A chart's usual file: users, a virtual host, and a policy that mirrors everything."""
    mirrors = {"name": "ha", "vhost": "/", "pattern": "", "definition": {"ha-mode": "all"}}
    chart = {"users": [{"name": "app"}], "vhosts": [{"name": "/"}], "policies": [mirrors]}
    found = read(json.dumps(chart).encode())
    assert (found.scenario, found.vhost) == (None, "")
    assert [row["key"] for row in found.next] == ["ha-mode"]
    assert [(row["ends"], row["of"]) for row in found.outcomes] == [(True, 0), (True, 0)]
    with pytest.raises(UnreadableInput, match="definitions"):
        read(b'{"users": [], "queues": []}')


@pytest.mark.parametrize(
    ("version", "profile"),
    [
        ("3.8.9", "articles"),
        ("3.9.1", "real"),
        ("3.13.7", "real"),
        ("4.1.3", "4.0.5"),
        ("4.3.0", "4.3.6"),
        (7, "real"),
    ],
)
def test_the_release_that_a_file_names_chooses_the_session(version: object, profile: str) -> None:
    found = taken(rabbit_version=version)
    assert found.scenario is not None
    assert found.scenario["profile"] == profile


def test_a_virtual_hosts_default_type_is_that_of_its_untyped_queues(recordings: Path) -> None:
    """Case 34, as a real 4.0.5 imported it: carts is a quorum queue, and an operator policy limits bills."""
    found = read((recordings / "texts" / "34-default-queue-type.json").read_bytes())
    assert names(found) == []
    assert found.scenario is not None
    shop = found.scenario["topology"]["vhosts"][0]
    assert [each["name"] for each in shop["queues"]] == ["bills"]
    reasons = dict(found.left_out)
    assert reasons["carts"] == {"code": "type_by_default", "values": {"type": "quorum", "vhost": "shop"}}
    assert reasons["cap-bills"] == {"code": "operator_policy", "values": {"pattern": "^bills"}}


def test_a_byte_order_mark_is_no_error() -> None:
    assert read(b"\xef\xbb\xbf" + json.dumps({"queues": [queue("in")]}).encode()).vhost == VHOST


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"[" * 100_000,
        b'{"queues":' + b"[" * 100_000,
        b'{"queues":7}',
        b'{"queues":[]}',
        b"\xff\xfe{",
        b'{"queues":[{"name":"\\ud800"}]}',
    ],
)
def test_what_is_none_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableInput, match="definitions"):
        read(data)


@pytest.mark.parametrize("odd", [None, 7, "x", [], {}, [[]], {"a": {"b": [1]}}, "n" * 300, -1, 1e300, True])
def test_hostile_values_anywhere_give_a_reason(odd: Any) -> None:
    """Of any field: no crash, and the field's object is taken or named."""
    whole = {
        "queues": [queue("in")],
        "exchanges": [exchange("e", "topic")],
        "bindings": [binding("e", "in")],
        "policies": [{"name": "p", "vhost": VHOST, "pattern": "x", "definition": {"max-length": 1}}],
    }
    for table, [each] in whole.items():
        for field in each:
            changed = {**whole, table: [{**each, field: odd}, *([each] if table == "queues" else [])]}
            found = read(json.dumps(changed).encode())
            topology = found.scenario["topology"]
            hosts = (topology, *topology.get("vhosts", ()))
            held = sum(len(host.get(table, ())) for host in hosts) + len(found.scenario["commands"])
            assert held or found.left_out


@pytest.mark.parametrize("encoding", ["latin-1", "gb18030"])
def test_another_encoding_is_named_with_its_first_byte(encoding: str) -> None:
    """The page answered with an error of the server, and the engine in the browser ended."""
    data = json.dumps({"queues": [queue("in"), queue("Müller")]}, ensure_ascii=False).encode(encoding)
    with pytest.raises(UnreadableInput, match="definitions_encoding") as refused:
        read(data)
    byte = refused.value.values["byte"]
    data[: byte - 1].decode()
    with pytest.raises(UnicodeDecodeError):
        data[: byte + 3].decode()


@pytest.mark.parametrize("priorities", [10**9, 3.0, "3", [1], 256])
def test_a_count_of_priorities_that_the_broker_refuses_is_counted_by_nobody(priorities: Any) -> None:
    """10**9 kept a processor for minutes and took the memory of as many names; 3.0 ended the request."""
    found = taken(queues=[queue("in"), queue("p", **{"x-max-priority": priorities})])
    assert names(found) == ["in"]
    reason = dict(found.left_out)["p"]
    assert reason["code"] == "topology_refused"
    assert "invalid arg 'x-max-priority' for queue 'p'" in str(reason["values"]["words"])


def test_where_no_queue_can_be_played_each_has_its_reason() -> None:
    """The page once said that names begin with a small letter, which is not so."""
    quorum = queue("Q", **{"x-queue-type": "quorum"})
    found = read(json.dumps({"queues": [quorum, {**queue("b"), "durable": 1}]}).encode())
    assert found.scenario is None
    assert left_out(found)["Q"] == "quorum_queue"
    assert "b" in left_out(found)
    assert names(taken(queues=[queue("Orders")])) == ["Orders"]
