"""How rabbitmqctl prints values, tables and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from engine.amqp.arguments import amqp_type
from engine.amqp.exchanges import DEFAULT, PREDECLARED
from engine.backing_queue.heap import heap_of
from engine.backing_queue.message_places import places_of
from engine.broker.clients.channel import connection_of
from engine.broker.commands.base import DEFAULT_QUEUE
from engine.broker.control.report import LiveValues
from engine.broker.memory.model import entries_bytes
from engine.ctl.releases import NODE_NAME, NotHere, ReleaseFacts, node_name
from engine.ctl.request import PLAIN, Request
from engine.reading.message_places import declared, host_shown, parts_of, state_of, vhosts_of
from engine.values.extents import Extent
from engine.values.labels import FIRST_HOST, bare, host_of


class Term(msgspec.Struct, frozen=True):
    """A value that is printed as this text, such as an Erlang term, and in JSON as the same text or in its own form."""

    text: str
    json: Any = None

    @property
    def in_json(self) -> Any:
        return self.text if self.json is None else self.json


def _definition(fields: Mapping[str, Any], none: str) -> Term:
    """Return a policy's definition as a list of pairs; the release's own word if there is none."""
    if not fields:
        return Term(none, {"#{}": {}}.get(none, []))
    pairs = ", ".join(f'{{<<"{name}">>, {_term(value)}}}' for name, value in fields.items())
    return Term(f"[{pairs}]", [[*pair] for pair in fields.items()])


def erlang_float(value: float) -> str:
    """Return a float as Erlang prints it: 1.0e-6, not 1e-06."""
    mantissa, e, exponent = repr(value).partition("e")
    if not e:
        return mantissa
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{int(exponent)}"


def plain(value: Any) -> str:
    """Return one value of a table."""
    if isinstance(value, Term):
        return value.text
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, float):
        return erlang_float(value)
    if not isinstance(value, Mapping):
        return str(value)
    quoted = {name: f'"{each}"' if isinstance(each, str) else plain(each) for name, each in value.items()}
    return "[" + ",".join(f'{{"{name}",{text}}}' for name, text in quoted.items()) + "]"


def _for_json(value: Any) -> Any:
    if isinstance(value, Term):
        return value.in_json
    if isinstance(value, Mapping):
        return [[name, amqp_type(each), each] for name, each in value.items()]
    return "" if value is None else value


def _csv(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    return "".join(
        ",".join('"' + plain(value).replace('"', '""') + '"' for value in row) + "\n"
        for row in [columns, *rows]
    )


def _pretty_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = [[*columns], *([plain(value) for value in row] for row in rows)]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    bars = ["\u2500" * (width + 2) for width in widths]
    texts = [
        "\u2502"
        + "\u2502".join(f" {cell:<{width}} " for cell, width in zip(line, widths, strict=True))
        + "\u2502"
        for line in lines
    ]
    top, middle, bottom = ("\u250c\u252c\u2510", "\u251c\u253c\u2524", "\u2514\u2534\u2518")
    frames = [each[0] + each[1].join(bars) + each[2] for each in (top, middle, bottom)]
    inner = f"\n{frames[1]}\n".join(texts)
    return f"{frames[0]}\n{inner}\n{frames[2]}\n"


def _erlang_rows(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    terms = (
        "[" + ",".join(f"{{{name},{_term(value)}}}" for name, value in zip(columns, row, strict=True)) + "]"
        for row in rows
    )
    return f"[{','.join(terms)}]\n"


def _term(value: Any) -> str:
    if isinstance(value, str) or value is None:
        return f'<<"{value or ""}">>'
    return plain(value)


PRINTERS: Final[Mapping[str, Callable[[Sequence[str], Sequence[Sequence[Any]]], str]]] = {
    "csv": _csv,
    "pretty_table": _pretty_table,
    "erlang": _erlang_rows,
}
"""Printers of rows in forms other than tabs or JSON."""


def print_rows(request: Request, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as a table with tabs, or as JSON."""
    if request.formatter in PRINTERS:
        return PRINTERS[request.formatter](columns, list(rows))
    if request.formatter == "json":
        texts = [
            json.dumps(
                {name: _for_json(each) for name, each in zip(columns, row, strict=True)},
                separators=(",", ":"),
                ensure_ascii=False,
            )
            for row in rows
        ]
        return "[\n" + "\n,".join(texts) + ("\n]\n" if texts else "]\n")
    lines = ["\t".join(map(plain, row)) for row in rows]
    if lines and not request.options.keys() & {"silent", "no-table-headers"}:
        lines.insert(0, "\t".join(columns))
    return "".join(f"{line}\n" for line in lines)


State = Mapping[str, Any]
Row = dict[str, Any]

NOTHING_MORE: Final = LiveValues()

STATUS: Final = "backing_queue_status"
STATUS_LINE: Final = f'rabbit_amqqueue:info_all(<<"/">>, [name, {STATUS}]).'
FIRST_PORT: Final = 50_001
FIRST_PROCESS: Final = 800
GUEST: Final = "guest"
OF_TLS: Final = (
    "peer_cert_issuer peer_cert_subject peer_cert_validity ssl_cipher ssl_hash ssl_key_exchange ssl_protocol "
    "container_id".split()
)
"""Columns that are empty for a connection over AMQP 0-9-1 without TLS."""


def _node(queue: Mapping[str, Any]) -> str:
    node = queue.get("node")
    return NODE_NAME if node is None else node_name(node)


def _pid(facts: ReleaseFacts, number: int, queue: Mapping[str, Any] | None = None) -> Term:
    """Return a process; JSON has it as the command line sees it, with a number for the node."""
    return Term(f"<{_node(queue or {})}.1.{number}.0>", facts.json_pid.format(f"#PID<1.{number}.0>"))


def _members(number: int, queue: Mapping[str, Any], which: str) -> Term | None:
    """Return the processes of a queue's mirrors as a list; nothing if it is not mirrored."""
    if "mirrors" not in queue:
        return None
    first = FIRST_PROCESS // 2 + number
    return Term(f"[{', '.join(f'<{node_name(node)}.1.{first}.0>' for node in queue[which])}]")


def _connections(state: State) -> dict[str, tuple[int, Mapping[str, Any]]]:
    """Return the actors that have a connection, with its number; the node's own two only after they were used."""
    used = {"burst": "published", "hand": "delivered"}
    return {
        name: (number, info)
        for number, (name, info) in enumerate(state["node"]["actors"].items())
        if info.get("connection_state") != "closed"
        and (bare(name) not in used or info.get(used[bare(name)]) or "tx" in info)
    }


def _consumers(state: State, live: LiveValues) -> dict[str, tuple[int, Mapping[str, Any]]]:
    return {
        name: found
        for name, found in _connections(state).items()
        if found[1]["role"] == "consumer" and (live.subscribed is None or name in live.subscribed)
    }


def used(state: State, live: LiveValues, queue: str) -> bool:
    return any(_queue_of(info) == queue for _, info in _consumers(state, live).values())


def _queue_of(info: Mapping[str, Any]) -> str:
    return str(info.get("queue") or DEFAULT_QUEUE)


def memory_of(queues: Iterable[Mapping[str, Any]]) -> int:
    """Return the modelled bytes of a queue process: the entries of its backing queues, and an idle process."""
    held = process = 0
    for queue in queues:
        heap = heap_of(queue)
        process = heap.process
        for place in places_of(queue):
            each_bytes = heap.pending if place.unacked else 0
            for extent in (Extent(*row) for row in queue["lanes"].get(place.name, ())):
                held += entries_bytes(heap, extent) + extent.count * each_bytes
    return (process + held) // 1000


def _status_of(facts: ReleaseFacts, queues: Mapping[str, Mapping[str, Any]], live: LiveValues) -> list[str]:
    """Return the terms of the status of a queue's backing queue, the release's own (Q10, W74). For several
    backing queues, one for each priority, the broker adds up the numbers (P20). `queues`: the backing queues
    by name, the highest priority first. `live`: what no snapshot contains.
    """
    still = (0.0, 0.0, 0.0, 0.0)
    each = [facts.status(queue, live.rates.get(name) or still) for name, queue in queues.items()]
    pairs = each[0]
    if len(each) > 1 or "part_of" in next(iter(queues.values())):
        for more in each[1:]:
            pairs = {name: _added(pairs[name], value) for name, value in more.items()}
        lengths = [f"{{{number},{status['len']}}}" for number, status in enumerate(reversed(each))]
        pairs = {"priority_lengths": f"[{','.join(lengths)}]", **pairs}
    return [f"{{{name},{plain(value)}}}" for name, value in pairs.items()]


def status_terms(facts: ReleaseFacts, state: State, live: LiveValues) -> str:
    found = []
    for name in declared(state):
        terms = f",\n{' ' * 25}".join(_status_of(facts, parts_of(state, name), live))
        found.append(f'[{{name,{{resource,<<"/">>,queue,<<"{name}">>}}}},\n  {{{STATUS},[{terms}]}}]')
    unknown = f"Waterline: not known here: {facts.not_in_status}\n" if facts.not_in_status else ""
    return "[" + ",\n ".join(found) + f"]\n{unknown}"


def _added(one: Any, other: Any) -> Any:
    """Return the sum of two values of a status."""
    if isinstance(one, str) or isinstance(other, str):
        texts = [each for each in (one, other) if isinstance(each, str)]
        record = texts[0].startswith("{") and texts[0].removeprefix("{").partition(",")[0]
        return f"{{{record},{','.join(['todo'] * texts[0].count(','))}}}" if record else texts[0]
    return one + other


def _sums(queues: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for queue in queues:
        for name, value in queue["counters"].items():
            found[name] = found.get(name, 0) + int(value or 0)
    return found


def _owners(state: State, queue: Mapping[str, Any], name: str) -> Row:
    """Return the columns that are empty for a queue without owner and without message timestamps."""
    found: Row = {}
    actors = [each for each in state["node"]["actors"].values() if each]
    if not queue.get("exclusive"):
        found["owner_pid"] = None
    if not any(each.get("exclusive") and _queue_of(each) == name for each in actors):
        found |= {"exclusive_consumer_pid": None, "exclusive_consumer_tag": None}
    if not any("timestamp" in (each.get("properties") or {}) for each in actors):
        found["head_message_timestamp"] = None
    return found


def _arguments(facts: ReleaseFacts, queue: Mapping[str, Any]) -> dict[str, Any]:
    given = queue.get("arguments", {})
    return dict(sorted({"x-queue-type": "classic", **given}.items())) if facts.typed else given


def queues(facts: ReleaseFacts, state: State, live: LiveValues) -> list[Row]:
    """Return a row for each queue."""
    policies: Mapping[str, Any] = state["node"].get("policies", {})
    consumers = [_queue_of(info) for _, info in _consumers(state, live).values()]
    rows = []
    for number, (name, queue) in enumerate(declared(state).items()):
        parts = parts_of(state, name)
        counters = _sums(parts.values())
        ready = counters["len"]
        waiting = [
            (place, sum(row[1] for row in part["lanes"][place.name]))
            for part in parts.values()
            for place in places_of(part)
            if place.unacked
        ]
        unacked = sum(count for _, count in waiting)
        unacked_ram = sum(count for place, count in waiting if place.content == "ram")
        rows.append(
            {
                "name": name,
                "durable": queue["durable"],
                "auto_delete": queue.get("auto_delete", False),
                "exclusive": queue.get("exclusive", False),
                "arguments": _arguments(facts, queue),
                "policy": queue.get("policy"),
                "operator_policy": None,
                "effective_policy_definition": _definition(
                    policies.get(queue.get("policy") or "", {}).get("definition", {}), facts.no_definition
                ),
                "pid": _pid(facts, FIRST_PROCESS // 2 + number, queue),
                "slave_pids": _members(number, queue, "mirrors"),
                "synchronised_slave_pids": _members(number, queue, "synchronised"),
                "messages": ready + unacked,
                "messages_ready": ready,
                "messages_unacknowledged": unacked,
                "messages_ready_ram": counters["ram_msg_count"],
                "messages_unacknowledged_ram": unacked_ram,
                "messages_ram": counters["ram_msg_count"] + unacked_ram,
                "messages_persistent": counters["persistent_count"],
                "message_bytes": counters["bytes"] + counters["unacked_bytes"],
                "message_bytes_ready": counters["bytes"],
                "message_bytes_unacknowledged": counters["unacked_bytes"],
                "message_bytes_ram": counters["ram_bytes"],
                "message_bytes_persistent": counters["persistent_bytes"],
                "disk_reads": counters["disk_read_count"],
                "disk_writes": counters["disk_write_count"],
                "consumers": consumers.count(name),
                "memory": memory_of(parts.values()),
                "state": "flow" if counters["blocked"] else "running",
                "type": "classic",
                **_owners(state, queue, name),
                "leader": Term(_node(queue)) if facts.led else None,
                "members": Term(f"[{_node(queue)}]") if facts.led else None,
                "online": None,
                **({} if consumers.count(name) else {"consumer_utilisation": 0, "consumer_capacity": 0}),
                STATUS: Term(f"[{','.join(_status_of(facts, parts, live))}]"),
            }
        )
    return rows


def exchanges(facts: ReleaseFacts, state: State, __: LiveValues) -> list[Row]:
    if host_shown(state) not in vhosts_of(state):
        return []
    more = facts.exchanges if host_shown(state) == FIRST_HOST else ()
    own = {each.name: msgspec.structs.asdict(each) for each in (*PREDECLARED, *more)}
    return [
        {"policy": None, "arguments": {}, **info, "name": name}
        for name, info in sorted({**own, **state["node"].get("exchanges", {})}.items())
    ]


def bindings(_: ReleaseFacts, state: State, __: LiveValues) -> list[Row]:
    """Return a row for each binding, beginning with those to the default exchange."""
    made = [{"exchange": DEFAULT, "queue": name, "routing_key": name} for name in declared(state)]
    return [
        {
            "source_name": each["exchange"],
            "source_kind": "exchange",
            "destination_name": each["queue"],
            "destination_kind": "queue",
            "routing_key": each["routing_key"],
            "arguments": each.get("arguments", {}),
        }
        for each in [*made, *state["node"].get("bindings", [])]
    ]


def _on_connections(state: State) -> dict[str, list[str]]:
    """Return the actors of each connection in the order of its channels; manual channels may share a connection."""
    found: dict[str, list[str]] = {}
    for name, (_number, info) in _connections(state).items():
        found.setdefault(connection_of(name) if info["role"] == "hand" else name, []).append(name)
    return found


def connections(facts: ReleaseFacts, state: State, __: LiveValues) -> list[Row]:
    """Return a row for each connection (A4)."""
    shown = ("blocked", "blocking", "flow")
    rows = []
    actors = _connections(state)
    for name, members in _on_connections(state).items():
        number, info = actors[members[0]]
        rows.append(
            {
                "name": f"127.0.0.1:{FIRST_PORT + number} -> 127.0.0.1:5672",
                "pid": _pid(facts, FIRST_PROCESS + 3 * number),
                "node": NODE_NAME,
                "user": GUEST,
                "vhost": host_of(name),
                "host": "127.0.0.1",
                "port": 5672,
                "peer_host": "127.0.0.1",
                "peer_port": FIRST_PORT + number,
                "protocol": "{0,9,1}",
                "auth_mechanism": "PLAIN",
                "ssl": False,
                **dict.fromkeys(OF_TLS),
                "state": info["state"] if info.get("state") in shown else "running",
                "channel_max": 2047,
                "frame_max": 131_072,
                "channels": sum(actors[each][1].get("channel_state") != "closed" for each in members),
            }
        )
    return rows


def channels(facts: ReleaseFacts, state: State, live: LiveValues) -> list[Row]:
    """Return a row for each channel."""
    consuming = _consumers(state, live)
    actors = _connections(state)
    places = {
        name: (actors[members[0]][0], channel)
        for members in _on_connections(state).values()
        for channel, name in enumerate(members, start=1)
    }
    return [
        {
            "pid": _pid(facts, FIRST_PROCESS + 3 * number + 1),
            "connection": _pid(facts, FIRST_PROCESS + 3 * places[name][0]),
            "name": f"127.0.0.1:{FIRST_PORT + places[name][0]} -> 127.0.0.1:5672 ({places[name][1]})",
            "number": places[name][1],
            "user": GUEST,
            "vhost": host_of(name),
            "transactional": bool(info.get("tx")),
            "confirm": info.get("confirm", False),
            "consumer_count": int(name in consuming),
            "messages_unacknowledged": info.get("unacked", 0),
            "messages_unconfirmed": info.get("unconfirmed", 0),
            "messages_uncommitted": info.get("tx_held", 0),
            "acks_uncommitted": info.get("acks_held", 0),
            "prefetch_count": info.get("prefetch", 0),
            "global_prefetch_count": info.get("channel_prefetch", 0),
        }
        for name, (number, info) in actors.items()
        if info.get("channel_state") != "closed"
    ]


def consumers(facts: ReleaseFacts, state: State, live: LiveValues) -> list[Row]:
    """Return a row for each consumer."""
    return [
        {
            "queue_name": _queue_of(info),
            "channel_pid": _pid(facts, FIRST_PROCESS + 3 * number + 1),
            "consumer_tag": name,
            "ack_required": info["ack"] != "auto",
            "prefetch_count": info["prefetch"],
            "active": True,
            "activity_status": facts.busy if 0 < info["prefetch"] <= info.get("unacked", 0) else "up",
            "arguments": {"x-priority": info["priority"]} if info.get("priority") else {},
        }
        for name, (number, info) in _consumers(state, live).items()
    ]


def policies(_: ReleaseFacts, state: State, __: LiveValues) -> list[Row]:
    """Return a row for each policy, the lowest priority first."""
    known: Mapping[str, Mapping[str, Any]] = state["node"].get("policies", {})
    return [
        {
            "vhost": host_shown(state),
            "name": name,
            "pattern": info["pattern"],
            "apply-to": info.get("apply_to", "all"),
            "definition": Term(msgspec.json.encode(info["definition"]).decode()),
            "priority": info.get("priority", 0),
        }
        for name, info in sorted(known.items(), key=lambda each: (each[1].get("priority", 0), each[0]))
    ]


def vhosts(facts: ReleaseFacts, state: State, _: LiveValues) -> list[Row]:
    """Return a row for each virtual host."""
    return [
        {
            "name": name,
            "tracing": False,
            "description": "Default virtual host" if name == FIRST_HOST else "",
            "tags": Term("[]"),
            "default_queue_type": facts.queue_type,
            "cluster_state": Term(f"[{{{facts.atom.format(NODE_NAME)},{facts.space}running}}]"),
            "protected_from_deletion": False,
        }
        for name in vhosts_of(state)
    ]


def feature_flags(facts: ReleaseFacts, _: State, __: LiveValues) -> list[Row]:
    return [
        {"name": name, "state": state, "stability": stability, "provided_by": "rabbit"}
        for name, (state, stability) in facts.flags.items()
    ]


def deprecated_features(facts: ReleaseFacts, _: State, __: LiveValues) -> list[Row]:
    return [
        {"name": name, "deprecation_phase": phase, "state": state, "provided_by": "rabbit"}
        for name, (phase, state) in facts.deprecated.items()
    ]


LISTINGS: Final[dict[str, tuple[Callable[[ReleaseFacts, State, LiveValues], list[Row]], str]]] = {
    "list_queues": (queues, "Timeout: {timeout} seconds ...\nListing queues for vhost {vhost} ..."),
    "list_exchanges": (exchanges, "Listing exchanges for vhost {vhost} ..."),
    "list_bindings": (bindings, "Listing bindings for vhost {vhost}..."),
    "list_connections": (connections, "Listing connections ..."),
    "list_channels": (channels, "Listing channels ..."),
    "list_consumers": (consumers, "Listing consumers in vhost {vhost} ..."),
    "list_policies": (policies, 'Listing policies for vhost "{vhost}" ...'),
    "list_vhosts": (vhosts, "Listing vhosts ..."),
    "list_feature_flags": (feature_flags, "Listing feature flags ..."),
    "list_deprecated_features": (deprecated_features, "Listing deprecated features ..."),
}
"""For each listing, the function that makes its rows, and what rabbitmqctl prints before them."""
OF_HOST: Final = ("list_queues", "list_exchanges", "list_bindings", "list_consumers", "list_policies")
"""Listings of one virtual host; all others cover the whole node."""


def listed(request: Request, state: State, live: LiveValues) -> str:
    """Return what a listing prints. Raises CtlRefused when the listing needs a virtual host that does not exist."""
    rows_of, banner = LISTINGS[request.name]
    heading = banner.format(vhost=request.vhost, timeout=float(request.options.get("timeout", "60")))
    if "used" in request.options:
        raise NotHere("which deprecated features are in use is not known here")
    if request.name == "list_policies" and request.vhost not in vhosts_of(state):
        raise request.no_vhost(heading)
    if request.name in OF_HOST:
        state, live = state_of(state, request.vhost), live.of_host(request.vhost)
    rows = rows_of(request.facts, state, live)
    if request.name == "list_queues":
        asked = request.options.keys() & {"online", "offline"}
        rows = [row for row in rows if len(asked) != 1 or ("offline" in asked) == (row["state"] == "down")]
    columns = request.columns
    if not rows and request.name == "list_policies":
        text = {"json": "[]\n", "csv": "\n\n\n"}.get(request.formatter, "\n")
    else:
        text = print_rows(request, columns, [[row.get(name) for name in columns] for row in rows])
    if request.formatter in PLAIN:
        return text
    remarks = []
    unknown = [name for name in columns if any(name not in row for row in rows)]
    if unknown:
        remarks.append(f"Waterline: not known here: {', '.join(unknown)}\n")
    if STATUS in columns:
        remarks.append(
            f"Waterline: list_queues of RabbitMQ {request.facts.version} has no column {STATUS}; "
            f"eval '{STATUS_LINE}' prints it there\n"
        )
    return ("" if request.quiet else f"{heading}\n") + text + ("" if request.quiet else "".join(remarks))
