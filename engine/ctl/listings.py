"""The listings: the node's state, column by column, in the broker's terms (Q10, A4, F7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from engine.amqp.exchanges import DEFAULT, PREDECLARED
from engine.backing_queue.heap import heap_of
from engine.backing_queue.places import VARIABLE_QUEUE_V2, places_of
from engine.broker.clients.channel import connection_of
from engine.broker.commands.base import DEFAULT_QUEUE
from engine.broker.control.report import Live, Rates
from engine.broker.memory.model import entries_bytes
from engine.ctl.printing import Pid, Tags, Term
from engine.ctl.usage import NODE_NAME, node_name
from engine.reading.hosts import host_shown, vhosts_of
from engine.reading.places import declared, parts_of
from engine.values.extents import Extent
from engine.values.labels import FIRST_HOST, bare, host_of

State = Mapping[str, Any]
Row = dict[str, Any]

NOTHING_MORE: Final = Live()

FLAGS: Final = {
    "classic_mirrored_queue_version": ("Support setting version for classic mirrored queues", ""),
    "implicit_default_bindings": (
        "Default bindings are now implicit, instead of being stored in the database",
        "",
    ),
    "maintenance_mode_status": ("Maintenance mode status", ""),
    "quorum_queue": ("Support queues of type `quorum`", "https://www.rabbitmq.com/quorum-queues.html"),
    "stream_queue": ("Support queues of type `stream`", "https://www.rabbitmq.com/stream.html"),
    "user_limits": ("Configure connection and channel limits for a user", ""),
    "virtual_host_metadata": ("Virtual host metadata (description, tags, etc)", ""),
}
"""The feature flags of 3.10.8, each with what it is and where to read; a new node has them all enabled."""
OF_FLAG: Final = {"provided_by": "rabbit", "stability": "stable", "state": "enabled"}
FIRST_PORT: Final = 50_001
FIRST_PROCESS: Final = 800
GUEST: Final = "guest"


def erlang_float(value: float) -> str:
    """Return a float as Erlang prints it: 1.0e-6, not 1e-06."""
    mantissa, e, exponent = repr(value).partition("e")
    if not e:
        return mantissa
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{int(exponent)}"


def _count(rows: list[list[int]]) -> int:
    return sum(row[1] for row in rows)


def _pid(number: int, queue: Mapping[str, Any] | None = None) -> Pid:
    node = (queue or {}).get("node")
    return Pid(NODE_NAME if node is None else node_name(node), number)


def _members(number: int, queue: Mapping[str, Any], which: str) -> Term | None:
    """Return the processes of a queue's mirrors as a list; nothing for one without mirroring."""
    if "mirrors" not in queue:
        return None
    first = FIRST_PROCESS // 2 + number
    return Term(f"[{', '.join(f'<{node_name(node)}.1.{first}.0>' for node in queue[which])}]")


def _connections(state: State) -> dict[str, tuple[int, Mapping[str, Any]]]:
    """Return the actors that have a connection, with its number; the node's own two only once they are in use."""
    used = {"burst": "published", "hand": "delivered"}
    return {
        name: (number, info)
        for number, (name, info) in enumerate(state["node"]["actors"].items())
        if info.get("connection_state") != "closed"
        and (bare(name) not in used or info.get(used[bare(name)]) or "tx" in info)
    }


def _consumers(state: State, live: Live) -> dict[str, tuple[int, Mapping[str, Any]]]:
    return {
        name: found
        for name, found in _connections(state).items()
        if found[1]["role"] == "consumer" and (live.subscribed is None or name in live.subscribed)
    }


def used(state: State, live: Live, queue: str) -> bool:
    """Return whether a queue has a consumer."""
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


def backing_queue_status(queues: Mapping[str, Mapping[str, Any]], live: Live) -> Term:
    """Return the status of a queue's backing queue as the broker's own term (Q10).

    Of several, one for each priority, the broker adds up what can be added up (P20).

    Args:
        queues: the backing queues by name, the highest priority first.
    """
    each = [_status(queue, live.rates.get(name)) for name, queue in queues.items()]
    pairs = each[0]
    if len(each) > 1 or "part_of" in next(iter(queues.values())):
        for more in each[1:]:
            pairs = {name: _added(pairs[name], value) for name, value in more.items()}
        lengths = [f"{{{number},{status['len']}}}" for number, status in enumerate(reversed(each))]
        pairs = {"priority_lengths": f"[{','.join(lengths)}]", **pairs}
    texts = {
        name: erlang_float(value) if isinstance(value, float) else value for name, value in pairs.items()
    }
    return Term("[" + ",".join(f"{{{name},{value}}}" for name, value in texts.items()) + "]")


def _added(one: Any, other: Any) -> Any:
    """Return two values of a status as one."""
    if isinstance(one, str) or isinstance(other, str):
        texts = [each for each in (one, other) if isinstance(each, str)]
        return "{delta,todo,todo,todo,todo}" if texts[0].startswith("{delta") else texts[0]
    return one + other


def _status(queue: Mapping[str, Any], rates: Rates | None) -> dict[str, Any]:
    """Return the status of one backing queue."""
    counters = queue["counters"]
    target = counters.get("target_ram_count")
    paging = (
        {"target_ram_count": "infinity" if target is None else target}
        if "target_ram_count" in counters
        else {}
    )
    ingress, egress, ack_ingress, ack_egress = rates or (0.0, 0.0, 0.0, 0.0)
    ready = [place for place in places_of(queue) if not place.unacked]
    return {
        "mode": queue["mode"],
        "version": 2 if queue.get("backing_queue") == VARIABLE_QUEUE_V2 else 1,
        **{
            each.name: _record(each.name, queue["counted"][each.name])
            if each.counted
            else _count(queue["lanes"][each.name])
            for each in ready
        },
        "len": counters["len"],
        **paging,
        "next_seq_id": counters["next_seq_id"],
        "next_deliver_seq_id": counters["next_deliver_seq_id"],
        "avg_ingress_rate": ingress,
        "avg_egress_rate": egress,
        "avg_ack_ingress_rate": ack_ingress,
        "avg_ack_egress_rate": ack_egress,
    }


def _record(name: str, record: Sequence[int | None]) -> str:
    """Return what RAM keeps of a lane that it only counts, as the broker's record is printed."""
    return f"{{{','.join([name, *('undefined' if each is None else str(each) for each in record)])}}}"


def _sums(queues: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the numbers of backing queues, added up."""
    found: dict[str, int] = {}
    for queue in queues:
        for name, value in queue["counters"].items():
            found[name] = found.get(name, 0) + int(value or 0)
    return found


def _owners(state: State, queue: Mapping[str, Any], name: str) -> Row:
    """Return what is empty of a queue that nobody has for himself, and whose messages have no time of their own."""
    found: Row = {}
    actors = [each for each in state["node"]["actors"].values() if each]
    if not queue.get("exclusive"):
        found["owner_pid"] = None
    if not any(each.get("exclusive") and _queue_of(each) == name for each in actors):
        found |= {"exclusive_consumer_pid": None, "exclusive_consumer_tag": None}
    if not any("timestamp" in (each.get("properties") or {}) for each in actors):
        found["head_message_timestamp"] = None
    return found


def queues(state: State, live: Live) -> list[Row]:
    """Return a row for each queue."""
    consumers = [_queue_of(info) for _, info in _consumers(state, live).values()]
    rows = []
    for number, (name, queue) in enumerate(declared(state).items()):
        parts = parts_of(state, name)
        counters = _sums(parts.values())
        ready = counters["len"]
        waiting = [
            (place, _count(part["lanes"][place.name]))
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
                "arguments": queue.get("arguments", {}),
                "policy": queue.get("policy"),
                "pid": _pid(FIRST_PROCESS // 2 + number, queue),
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
                "leader": None,
                **_owners(state, queue, name),
                "members": None,
                "online": None,
                **({} if consumers.count(name) else {"consumer_utilisation": 0, "consumer_capacity": 0}),
                "backing_queue_status": backing_queue_status(parts, live),
            }
        )
    return rows


def exchanges(state: State, _: Live) -> list[Row]:
    """Return a row for each exchange."""
    if host_shown(state) not in vhosts_of(state):
        return []
    own = {each.name: msgspec.structs.asdict(each) for each in PREDECLARED}
    return [
        {"policy": None, "arguments": {}, **info, "name": name}
        for name, info in sorted({**own, **state["node"].get("exchanges", {})}.items())
    ]


def bindings(state: State, _: Live) -> list[Row]:
    """Return a row for each binding, first those that every queue has to the default exchange."""
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
    """Return the actors of each connection in the order of its channels; channels by hand may share one."""
    found: dict[str, list[str]] = {}
    for name, (_number, info) in _connections(state).items():
        found.setdefault(connection_of(name) if info["role"] == "hand" else name, []).append(name)
    return found


def connections(state: State, _: Live) -> list[Row]:
    """Return a row for each connection (A4)."""
    shown = ("blocked", "blocking", "flow")
    rows = []
    actors = _connections(state)
    for name, members in _on_connections(state).items():
        number, info = actors[members[0]]
        rows.append(
            {
                "name": f"127.0.0.1:{FIRST_PORT + number} -> 127.0.0.1:5672",
                "user_provided_name": bare(name),
                "pid": _pid(FIRST_PROCESS + 3 * number),
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
                "state": info["state"] if info.get("state") in shown else "running",
                "channel_max": 2047,
                "frame_max": 131_072,
                "channels": sum(actors[each][1].get("channel_state") != "closed" for each in members),
            }
        )
    return rows


def channels(state: State, live: Live) -> list[Row]:
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
            "pid": _pid(FIRST_PROCESS + 3 * number + 1),
            "connection": _pid(FIRST_PROCESS + 3 * places[name][0]),
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


def consumers(state: State, live: Live) -> list[Row]:
    """Return a row for each consumer."""
    return [
        {
            "queue_name": _queue_of(info),
            "channel_pid": _pid(FIRST_PROCESS + 3 * number + 1),
            "consumer_tag": name,
            "ack_required": info["ack"] != "auto",
            "prefetch_count": info["prefetch"],
            "active": True,
            "activity_status": "up",
            "arguments": {"x-priority": info["priority"]} if info.get("priority") else {},
        }
        for name, (number, info) in _consumers(state, live).items()
    ]


def policies(state: State, _: Live) -> list[Row]:
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


def vhosts(state: State, _: Live) -> list[Row]:
    """Return a row for each virtual host."""
    return [
        {
            "name": name,
            "tracing": False,
            "description": "Default virtual host" if name == FIRST_HOST else "",
            "tags": Term("[]"),
            "default_queue_type": "undefined",
            "cluster_state": Term(f"[{{'{NODE_NAME}',running}}]"),
        }
        for name in vhosts_of(state)
    ]


def users(_: State, __: Live) -> list[Row]:
    """Return a row for each user: the one that everybody is here."""
    return [{"user": GUEST, "tags": Tags("administrator")}]


def permissions(state: State, _: Live) -> list[Row]:
    """Return a row for each user's permissions: a virtual host that was added gave nobody any."""
    if host_shown(state) != FIRST_HOST:
        return []
    return [{"user": GUEST, "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"}]


def feature_flags(_: State, __: Live) -> list[Row]:
    """Return a row for each feature flag of a new node of this release."""
    return [{"name": name, "desc": desc, "doc_url": url, **OF_FLAG} for name, (desc, url) in FLAGS.items()]


def global_parameters(_: State, __: Live) -> list[Row]:
    """Return a row for each global parameter: a new node has one, its cluster's identity."""
    return [{"name": "internal_cluster_id", "value": Term('"rabbitmq-cluster-id-waterline"')}]


def nothing(_: State, __: Live) -> list[Row]:
    """Return no row: there is no such thing here, or it is always well."""
    return []


LISTINGS: Final[dict[str, tuple[Callable[[State, Live], list[Row]], str]]] = {
    "list_queues": (queues, "Timeout: {timeout} seconds ...\nListing queues for vhost {vhost} ..."),
    "list_exchanges": (exchanges, "Listing exchanges for vhost {vhost} ..."),
    "list_bindings": (bindings, "Listing bindings for vhost {vhost}..."),
    "list_connections": (connections, "Listing connections ..."),
    "list_channels": (channels, "Listing channels ..."),
    "list_consumers": (consumers, "Listing consumers in vhost {vhost} ..."),
    "list_policies": (policies, 'Listing policies for vhost "{vhost}" ...'),
    "list_vhosts": (vhosts, "Listing vhosts ..."),
    "list_users": (users, "Listing users ..."),
    "list_permissions": (permissions, 'Listing permissions for vhost "{vhost}" ...'),
    "list_topic_permissions": (nothing, 'Listing topic permissions for vhost "{vhost}" ...'),
    "list_user_permissions": (permissions, 'Listing permissions for user "{user}" ...'),
    "list_user_topic_permissions": (nothing, 'Listing topic permissions for user "{user}" ...'),
    "list_parameters": (nothing, 'Listing runtime parameters for vhost "{vhost}" ...'),
    "list_operator_policies": (nothing, 'Listing operator policy overrides for vhost "{vhost}" ...'),
    "list_global_parameters": (global_parameters, "Listing global runtime parameters ..."),
    "list_feature_flags": (feature_flags, "Listing feature flags ..."),
    "list_unresponsive_queues": (nothing, "Listing unresponsive queues for vhost {vhost} ..."),
}
"""For each listing what makes its rows, and what rabbitmqctl prints before them."""
