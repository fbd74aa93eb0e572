"""Whole reports: status, nodes, alarms, settings, versions, and `report`, which has all of them. A node in
virtual time has only some parts; a remark at the end names the parts that only a broker prints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from engine.broker.control.report import LiveValues
from engine.ctl.listings import NOTHING_MORE, OF_HOST, connections, erlang_float, feature_flags, listed
from engine.ctl.releases import NODE_NAME, UNREACHABLE, NotHere, ReleaseFacts, node_name
from engine.ctl.request import Request
from engine.reading.message_places import declared, vhosts_of

State = Mapping[str, Any]
UNITS: Final = {
    "bytes": 1,
    "kb": 1_000,
    "mb": 1_000_000,
    "mib": 1 << 20,
    "gb": 1_000_000_000,
    "gib": 1 << 30,
    "tb": 1_000_000_000_000,
    "tib": 1 << 40,
}
COUNTED: Final = {
    "queue_procs": ("entry_bytes", "journal_bytes"),
    "binary": ("body_bytes", "cached_body_bytes"),
    "msg_index": ("store_bytes",),
    "reserved_unallocated": ("beyond_live_bytes",),
}
"""Parts that the model counts. For everything beyond live data it has one figure."""
BEYOND: Final = ("allocated_unused", "reserved_unallocated")
"""Parts that the model has only if the strategy counts them."""
UNKNOWN: Final = f"Waterline: not known here with this calculation strategy: {', '.join(BEYOND)}\n"


def strategy_of(state: State) -> str:
    return str(state["node"]["settings"].get("vm_memory_calculation_strategy", "erlang"))


def memory_parts(facts: ReleaseFacts, state: State) -> dict[str, int]:
    """Return the bytes of each part in the release's order; together they are what the node counts."""
    memory = state["node"]["memory"]
    parts = dict.fromkeys(facts.idle, 0)
    for name, counted in COUNTED.items():
        parts[name] += sum(max(0, memory.get(each, 0)) for each in counted)
    idle, base = sum(facts.idle.values()), memory.get("base_bytes", 0)
    divided = {name: base * size // idle for name, size in facts.idle.items()}
    divided["other_system"] += base - sum(divided.values())
    rest, count = memory.get("connection_bytes", 0), len(connections(facts, state, NOTHING_MORE))
    for name, size in facts.connection.items():
        of_all = min(rest, count * size)
        divided[name] = divided.get(name, 0) + of_all
        rest -= of_all
    divided["binary"] += rest
    for name, size in divided.items():
        parts[name] += size
    if strategy_of(state) == "erlang" and not parts["reserved_unallocated"]:
        return {name: size for name, size in parts.items() if name not in BEYOND}
    return parts


def largest_first(facts: ReleaseFacts, state: State) -> list[tuple[str, int, float]]:
    """Return name, bytes and per cent of the node's memory of each part."""
    total = max(1, state["node"]["memory"]["process_memory"])
    parts = sorted(memory_parts(facts, state).items(), key=lambda part: -part[1])
    return [(name, size, round(100 * size / total, 2)) for name, size in parts]


def totals(state: State) -> dict[str, int]:
    """Return the VM's own total, and the total by the node's strategy."""
    counted = state["node"]["memory"]["process_memory"]
    beyond = state["node"]["memory"].get("beyond_live_bytes", 0)
    return {"erlang": counted - beyond, strategy_of(state): counted}


def memory_terms(facts: ReleaseFacts, state: State) -> str:
    """Return what `rabbit_vm:memory()` gives, without totals that the model lacks."""
    given = totals(state)
    parts = ",\n ".join(f"{{{name},{size}}}" for name, size in memory_parts(facts, state).items())
    total = ",".join(f"{{{name},{size}}}" for name, size in given.items())
    unknown = [each for each in ("rss", "allocated") if each not in given]
    return (
        f"[{parts},\n {{strategy,{strategy_of(state)}}},\n {{total,[{total}]}}]\n"
        f"Waterline: not known here: {', '.join(unknown)}"
    )


def memory_breakdown(request: Request, state: State, _: int, __: LiveValues) -> str:
    """Return the parts of the memory, the largest first. Raises CtlRefused for a unit that does not exist."""
    amount = amounts(request)
    parts = largest_first(request.facts, state)
    if request.formatter == "json":
        found = {name: {"bytes": size, "percentage": share} for name, size, share in parts}
        return f"{msgspec.json.encode(found).decode()}\n"
    heading = "" if request.quiet else f"Reporting memory breakdown on node {NODE_NAME}...\n"
    lines = "".join(f"{name}: {amount(size)} ({share}%)\n" for name, size, share in parts)
    return f"{heading}{lines}{'' if any(name in BEYOND for name, _, _ in parts) else UNKNOWN}\n"


def amounts(request: Request) -> Callable[[float], str]:
    """Return the function that writes bytes in the requested unit. Raises CtlRefused for a unit that does not exist."""
    unit = request.options.get("unit", "gb")
    known = request.facts.units
    if unit.lower() not in (*known.split(", "), "kb"):  # which no refusal names
        raise request.invalid(f"\"unit '{unit}' is not supported. Please use one of: {known}\"")
    divisor = UNITS[unit.lower()]
    return lambda value: f"{int(value) if divisor == 1 else round(value / divisor, 4)} {unit}"


ALARMS: Final = {"memory": "Memory alarm", "disk": "Free disk space alarm"}
OF_BROKER: Final = {
    "segment_entry_count": "queue_index_segment_entry_count",
    "explicit_gc_run_operation_threshold": "lazy_queue_explicit_gc_run_operation_threshold",
    "ram_bytes": "total_memory_available_override_value",
    "memory_monitor_interval_ms": "memory_monitor_interval",
}
"""The broker's names of settings that have other names here."""
KEYS: Final = frozenset(
    "disk_free_limit memory_monitor_interval msg_store_credit_disc_bound msg_store_file_size_limit "
    "msg_store_io_batch_size queue_index_embed_msgs_below queue_index_max_journal_entries "
    "queue_index_segment_entry_count queue_master_locator total_memory_available_override_value "
    "lazy_queue_explicit_gc_run_operation_threshold vm_memory_calculation_strategy vm_memory_high_watermark "
    "vm_memory_high_watermark_paging_ratio".split()
)
OF_NODE: Final = ("list_connections", "list_channels")
REMARK: Final = "Waterline: a broker prints {} as well\n"


def _headed(request: Request, heading: str, text: str) -> str:
    return text if request.quiet else f"{heading}\n{text}"


def _sections(parts: Mapping[str, list[str]]) -> str:
    return "\n".join("\n".join([title, "", *lines, ""]) for title, lines in parts.items())


def _ringing(state: State) -> list[str]:
    alarms = state["node"].get("alarms", {})
    return [f"{words} on node {NODE_NAME}" for name, words in ALARMS.items() if alarms.get(name)]


def status(request: Request, state: State, now_us: int, _: LiveValues) -> str:
    """Return memory, disk, alarms and totals of the node. Raises CtlRefused for a unit that does not exist."""
    amount = amounts(request)
    if request.formatter == "json":
        return f"{msgspec.json.encode(_status_json(request, state, now_us)).decode()}\n"
    _check_text(request)
    memory = state["node"]["memory"]
    parts = largest_first(request.facts, state)
    text = _sections(
        {
            "Runtime": [
                f"Uptime (seconds): {now_us // 1_000_000}",
                "Is under maintenance?: false",
                f"RabbitMQ version: {request.facts.version}",
                f"Node name: {NODE_NAME}",
            ],
            "Alarms": _ringing(state) or ["(none)"],
            "Memory": [
                f"Total memory used: {amount(memory['process_memory'])}",
                f"Calculation strategy: {strategy_of(state)}",
                f"Memory high watermark setting: {_watermark(state, amount)}, computed to: {amount(memory['limit'])}",
                "",
                *(f"{name}: {amount(size)} ({share} %)" for name, size, share in parts),
            ],
            "Free Disk Space": _disk(state["node"]["disk"], amount),
            "Totals": [f"{name} count: {count}" for name, count in _totals(request, state).items()],
        }
    )
    return _headed(request, f"Status of node {NODE_NAME} ...", text)


def _totals(request: Request, state: State) -> dict[str, int]:
    return {
        "Connection": len(connections(request.facts, state, NOTHING_MORE)),
        "Queue": len(declared(state)),
        "Virtual host": len(vhosts_of(state)),
    }


def _watermark(state: State, amount: Callable[[float], str]) -> str:
    value = state["node"]["settings"]["vm_memory_high_watermark"]
    return amount(value["absolute"]) if isinstance(value, Mapping) else f"{value} of available memory"


def _disk(disk: Mapping[str, Any], amount: Callable[[float], str]) -> list[str]:
    if "limit" not in disk:
        return [f"Written by this node: {amount(disk['used_bytes'])}"]
    limit, free = amount(disk["limit"]), amount(disk["free"])
    return [f"Low free disk space watermark: {limit}", f"Free disk space: {free}"]


def _status_json(request: Request, state: State, now_us: int) -> dict[str, Any]:
    node = state["node"]
    memory, disk = node["memory"], node["disk"]
    watermark = node["settings"]["vm_memory_high_watermark"]
    strategy = strategy_of(state)
    parts = {**memory_parts(request.facts, state), "strategy": strategy, "total": totals(state)}
    counts = _totals(request, state)
    return {
        "active_plugins": [],
        "alarms": _ringing(state),
        **({"disk_free": disk["free"], "disk_free_limit": disk["limit"]} if "free" in disk else {}),
        "is_under_maintenance": False,
        "memory": dict(sorted(parts.items())),
        "rabbitmq_version": request.facts.version,
        "totals": {f"{name.lower().replace(' ', '_')}_count": count for name, count in counts.items()},
        "uptime": now_us // 1_000_000,
        "vm_memory_calculation_strategy": strategy,
        "vm_memory_high_watermark_limit": memory["limit"],
        "vm_memory_high_watermark_setting": (
            dict(watermark) if isinstance(watermark, Mapping) else {"relative": watermark}
        ),
    }


def _check_text(request: Request) -> None:
    if request.formatter != "table":
        also = " or JSON" if request.name in ("status", "cluster_status") else ""
        raise NotHere(f"{request.name} is printed as text{also} only")


def cluster_names(state: State) -> tuple[list[str], list[str]]:
    cluster = state["node"].get("cluster", {})
    names = sorted(name.removesuffix("_up") for name in cluster if name.endswith("_up"))
    running = [node_name(name) for name in names if cluster[f"{name}_up"]] or [NODE_NAME]
    return [node_name(name) for name in names] or [NODE_NAME], running


def cluster_status(request: Request, state: State, _: int, live: LiveValues) -> str:
    """Return all nodes, and which of them run."""
    nodes, running = cluster_names(state)
    facts = request.facts
    flags = feature_flags(facts, state, live)
    if request.formatter == "json":
        versions = {
            "erlang_version": facts.erlang,
            "rabbitmq_name": "RabbitMQ",
            "rabbitmq_version": facts.version,
        }
        found = {
            "alarms": _ringing(state),
            "cluster_name": NODE_NAME,
            "disk_nodes": nodes,
            "feature_flags": flags,
            "maintenance_status": dict.fromkeys(running, "not under maintenance"),
            "partitions": {},
            "running_nodes": running,
            "versions": dict.fromkeys(running, versions),
        }
        return f"{msgspec.json.encode(found).decode()}\n"
    _check_text(request)
    text = _sections(
        {
            "Basics": [f"Cluster name: {NODE_NAME}"],
            "Disk Nodes": nodes,
            "Running Nodes": running,
            "Versions": [f"{name}: RabbitMQ {facts.version} on Erlang {facts.erlang}" for name in running],
            "Alarms": _ringing(state) or ["(none)"],
            "Feature flags": [f"Flag: {each['name']}, state: {each['state']}" for each in flags],
        }
    )
    return _headed(request, f"Cluster status of node {running[0]} ...", text)


def _alarms(ask: str, none: str, *, fails: bool) -> Callable[[Request, State, int, LiveValues], str]:
    """Return the report of set alarms; a check fails if there is one (A1)."""

    def answer(request: Request, state: State, _: int, __: LiveValues) -> str:
        _check_text(request)
        remark = request.facts.remarks.get(request.name)
        heading = remark or f"Asking node {NODE_NAME} to report any {ask} ..."
        found = "" if remark else "\n".join(_ringing(state))
        if found and fails:
            raise request.failed(heading, found, UNREACHABLE)
        return _headed(request, heading, f"{found or f'Node {NODE_NAME} reported {none}'}\n")

    return answer


def environment(request: Request, state: State, _: int, __: LiveValues) -> str:
    """Return the session's settings as the broker's application environment, in Erlang's form."""
    settings = state["node"]["settings"]
    found = {OF_BROKER.get(name, name): value for name, value in settings.items()}
    if "credit_flow_initial" in settings:
        found["credit_flow_default_credit"] = [settings["credit_flow_initial"], settings["credit_flow_more"]]
    pairs = [f"{{{key},{erlang_term(found[key])}}}" for key in sorted(KEYS & found.keys())]
    text = "[{rabbit,\n     [" + ",\n      ".join(pairs) + "]}]\n"
    remark = REMARK.format("other keys, and other applications,")
    return _headed(request, f"Application environment of node {NODE_NAME} ...", text + remark)


def erlang_term(value: Any) -> str:
    if isinstance(value, Mapping):
        (kind, amount), *_ = value.items()
        return f"{{{kind},{erlang_term(amount)}}}"
    if isinstance(value, list | tuple):
        return f"{{{','.join(map(erlang_term, value))}}}"
    return erlang_float(value) if isinstance(value, float) else str(value)


def report(request: Request, state: State, now_us: int, live: LiveValues) -> str:
    """Return everything at once: status, nodes, settings, and the listings of each virtual host."""

    def as_typed(name: str, vhost: str = "") -> Request:
        options = {"vhost": vhost} if vhost else {}
        columns = request.facts.columns.get(name, ())
        return msgspec.structs.replace(request, name=name, arguments=columns, options=options)

    parts = [
        each(as_typed(each.__name__), state, now_us, live) for each in (status, cluster_status, environment)
    ]
    parts[-1] = parts[-1].rpartition("Waterline")[0]
    parts += [_listed(as_typed(name), state, live) for name in OF_NODE]
    parts += [_listed(as_typed(name, vhost), state, live) for vhost in vhosts_of(state) for name in OF_HOST]
    heading = f"Reporting server status of node {NODE_NAME} ...\n"
    return "\n".join([heading, *parts]) + REMARK.format("plugins, files, listeners, users and parameters")


def _listed(request: Request, state: State, live: LiveValues) -> str:
    return listed(request, state, live).partition("Waterline: ")[0]


def _version(request: Request, _: State, __: int, ___: LiveValues) -> str:
    _check_text(request)
    return f"{request.facts.version}\n"


def _server_version(request: Request, _: State, __: int, ___: LiveValues) -> str:
    _check_text(request)
    return _headed(
        request, f"Asking node {NODE_NAME} for its RabbitMQ version...", f"{request.facts.version}\n"
    )


REPORTS: Final[dict[str, Callable[[Request, State, int, LiveValues], str]]] = {
    "alarms": _alarms("known resource alarms", "no alarms, local or clusterwide", fails=False),
    "check_alarms": _alarms("local resource alarms", "no alarms, local or clusterwide", fails=True),
    "check_local_alarms": _alarms("local resource alarms", "no local alarms", fails=True),
    "cluster_status": cluster_status,
    "environment": environment,
    "memory_breakdown": memory_breakdown,
    "report": report,
    "server_version": _server_version,
    "status": status,
    "version": _version,
}
"""The function for each report."""
