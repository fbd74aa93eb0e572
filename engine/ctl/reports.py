"""What whole reports print: status and cluster_status as JSON, the environment, and `report`, which has all of them.

Of a node in virtual time there is a part; a remark at the end names what a broker prints besides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from engine.broker.control.report import Live
from engine.ctl.errors import NotHere
from engine.ctl.health import LISTENERS, OTP, VERSION
from engine.ctl.listings import FLAGS, LISTINGS, OF_FLAG, connections, erlang_float
from engine.ctl.memory import memory_parts, strategy_of, totals
from engine.ctl.printing import print_rows
from engine.ctl.request import Request
from engine.ctl.status import ALARMS, cluster_names, cluster_status, status
from engine.ctl.usage import NODE_NAME, USAGES
from engine.reading.hosts import state_of, vhosts_of
from engine.reading.places import declared

State = Mapping[str, Any]
NOT_A_SETTING: Final = frozenset(
    {"profile", "target_ram_count", "queue_mode", "seed", "nodes", "work_profile"}
)
"""Shown among the settings, and none of the broker's application."""
OF_BROKER: Final = {
    "segment_entry_count": "queue_index_segment_entry_count",
    "explicit_gc_run_operation_threshold": "lazy_queue_explicit_gc_run_operation_threshold",
    "ram_bytes": "total_memory_available_override_value",
    "memory_monitor_interval_ms": "memory_monitor_interval",
}
"""How the broker calls a setting that has another name here."""
KEYS: Final = frozenset(
    "disk_free_limit memory_monitor_interval msg_store_credit_disc_bound msg_store_file_size_limit "
    "msg_store_io_batch_size queue_index_embed_msgs_below queue_index_max_journal_entries "
    "queue_index_segment_entry_count queue_master_locator total_memory_available_override_value "
    "lazy_queue_explicit_gc_run_operation_threshold vm_memory_calculation_strategy vm_memory_high_watermark "
    "vm_memory_high_watermark_paging_ratio".split()
)
REPORTED: Final = ("list_connections", "list_channels")
REPORTED_OF_HOST: Final = (
    "list_queues",
    "list_exchanges",
    "list_bindings",
    "list_consumers",
    "list_policies",
)
REMARK: Final = "Waterline: a broker prints {} as well\n"


def status_json(state: State, now_us: int) -> dict[str, Any]:
    """Return what `status --formatter json` prints, as far as the node has it."""
    node = state["node"]
    memory, disk = node["memory"], node["disk"]
    watermark = node["settings"]["vm_memory_high_watermark"]
    strategy = strategy_of(state)
    parts = {**memory_parts(state), "strategy": strategy, "total": totals(state)}
    return {
        "active_plugins": [],
        "alarms": [
            f"{ALARMS[each]} on node {NODE_NAME}" for each in ALARMS if node.get("alarms", {}).get(each)
        ],
        **({"disk_free": disk["free"], "disk_free_limit": disk["limit"]} if "free" in disk else {}),
        "is_under_maintenance": False,
        "memory": dict(sorted(parts.items())),
        "product_name": "",
        "product_version": "",
        "rabbitmq_version": VERSION,
        "release_series_support_status": "supported",
        "totals": {
            "virtual_host_count": len(vhosts_of(state)),
            "connection_count": len(connections(state, Live())),
            "queue_count": len(declared(state)),
        },
        "uptime": now_us // 1_000_000,
        "vm_memory_calculation_strategy": strategy,
        "vm_memory_high_watermark_limit": memory["limit"],
        "vm_memory_high_watermark_setting": (
            dict(watermark) if isinstance(watermark, Mapping) else {"relative": watermark}
        ),
    }


def cluster_status_json(state: State) -> dict[str, Any]:
    """Return what `cluster_status --formatter json` prints, as far as the node has it."""
    nodes, running = cluster_names(state)
    flags = [{"desc": desc, "doc_url": url, **OF_FLAG, "name": name} for name, (desc, url) in FLAGS.items()]
    listening = [
        {"interface": "127.0.0.1", "node": NODE_NAME, "port": port, "protocol": protocol, "purpose": purpose}
        for protocol, (port, purpose) in LISTENERS.items()
    ]
    return {
        "alarms": status_json(state, 0)["alarms"],
        "cluster_name": NODE_NAME,
        "disk_nodes": nodes,
        "feature_flags": [dict(sorted(flag.items())) for flag in flags],
        "listeners": {name: [{**each, "node": name} for each in listening] for name in running},
        "maintenance_status": dict.fromkeys(running, "not under maintenance"),
        "partitions": {},
        "ram_nodes": [],
        "running_nodes": running,
        "versions": {
            name: {"erlang_version": OTP, "rabbitmq_name": "RabbitMQ", "rabbitmq_version": VERSION}
            for name in running
        },
    }


def environment(request: Request, state: State) -> str:
    """Return the settings that a session has as the broker's application has them, in Erlang's form."""
    found = {}
    for name, value in state["node"]["settings"].items():
        key = OF_BROKER.get(name, name)
        if key in KEYS and name not in NOT_A_SETTING:
            found[key] = _erlang(value)
    settings = state["node"]["settings"]
    if "credit_flow_initial" in settings:
        credit = [settings["credit_flow_initial"], settings["credit_flow_more"]]
        found["credit_flow_default_credit"] = _erlang(credit)
    pairs = ",\n".join(f"      {{{key},{value}}}" for key, value in sorted(found.items()))
    heading = "" if request.quiet else f"Application environment of node {NODE_NAME} ...\n"
    remark = REMARK.format("other keys, and other applications,")
    return f"{heading}[{{rabbit,\n     [{pairs.lstrip()}]}}]\n{remark}"


def _erlang(value: Any) -> str:
    """Return a setting as an Erlang term."""
    if isinstance(value, Mapping):
        (kind, amount), *_ = value.items()
        return f"{{{kind},{_erlang(amount)}}}"
    if isinstance(value, list | tuple):
        return f"{{{','.join(map(_erlang, value))}}}"
    return erlang_float(value) if isinstance(value, float) else str(value)


def report(request: Request, state: State, now_us: int, live: Live) -> str:
    """Return everything at once: status, cluster_status, environment, and the listings of each virtual host."""
    plain = msgspec.structs.replace(request, name="status", arguments=(), options={})
    parts = [
        f"Reporting server status of node {NODE_NAME} ...\n",
        f"Status of node {NODE_NAME} ...\n{status(plain, state, now_us)}",
        cluster_status(plain, state),
        environment(plain, state).rpartition("Waterline")[0],
    ]
    parts += [_listed(plain, name, state, live) for name in REPORTED]
    for vhost in vhosts_of(state):
        here, live_here = state_of(state, vhost), live.of_host(vhost)
        parts += [_listed(plain, name, here, live_here, f" on {vhost}") for name in REPORTED_OF_HOST]
    return "\n".join(parts) + REMARK.format("its plugins, files, listeners, users and parameters")


def _listed(request: Request, name: str, state: State, live: Live, where: str = "") -> str:
    rows_of, _ = LISTINGS[name]
    rows = rows_of(state, live)
    usage = USAGES[name]
    columns = usage.columns or usage.default
    asked = msgspec.structs.replace(request, name=name)
    text = print_rows(asked, columns, [[row.get(each) for each in columns] for row in rows]) if rows else ""
    title = name.removeprefix("list_").capitalize()
    return f"{title}{where}:\n{text}"


def as_json(request: Request, state: State, now_us: int) -> str:
    """Return a report as JSON, on one line.

    Raises:
        NotHere: the broker has another formatter than this console.
    """
    if request.formatter != "json":
        raise NotHere(f"{request.name} is printed as text or JSON only")
    found = status_json(state, now_us) if request.name == "status" else cluster_status_json(state)
    return msgspec.json.encode(found).decode() + "\n"
