"""The commands that the console takes: how many arguments, which options, what a listing can show."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from engine.ctl.helps import TEXTS
from engine.ctl.helps.overviews import CTL, DIAGNOSTICS, GENERAL

NODE_NAME: Final = "rabbit@waterline"
PROGRAM: Final = "rabbitmqctl"
OF_DIAGNOSTICS: Final = "rabbitmq-diagnostics"
OVERVIEWS: Final = {PROGRAM: CTL, OF_DIAGNOSTICS: DIAGNOSTICS}
"""What each program prints where no command is named."""
COMMANDS: Final = {
    program: frozenset(re.findall(r"^   ([a-z_]+)\s", text, re.MULTILINE))
    for program, text in OVERVIEWS.items()
}
"""What each program of 3.10.8 takes."""


def node_name(node: str) -> str:
    """Return how rabbitmqctl names a node of a cluster."""
    return f"rabbit@{node}"


QUEUE_COLUMNS: Final = (
    "arguments auto_delete backing_queue_status consumer_capacity consumer_utilisation consumers disk_reads "
    "disk_writes durable exclusive exclusive_consumer_pid exclusive_consumer_tag head_message_timestamp leader "
    "members memory message_bytes message_bytes_persistent message_bytes_ram message_bytes_ready "
    "message_bytes_unacknowledged messages messages_persistent messages_ram messages_ready messages_ready_ram "
    "messages_unacknowledged messages_unacknowledged_ram name online owner_pid pid policy slave_pids state "
    "synchronised_slave_pids type"
).split()
"""What list_queues can show; `backing_queue_status`, of older rabbitmqctl, is shown here too (Q10)."""

EXCHANGE_COLUMNS: Final = "arguments auto_delete durable internal name policy type".split()
BINDING_COLUMNS: Final = (
    "arguments destination_kind destination_name routing_key source_kind source_name".split()
)
CONNECTION_COLUMNS: Final = (
    "auth_mechanism channel_max channels client_properties connected_at frame_max host name "
    "node peer_cert_issuer peer_cert_subject peer_cert_validity peer_host peer_port pid port protocol "
    "recv_cnt recv_oct send_cnt send_oct send_pend ssl ssl_cipher ssl_hash ssl_key_exchange ssl_protocol state "
    "timeout user user_provided_name vhost"
).split()
CHANNEL_COLUMNS: Final = (
    "acks_uncommitted confirm connection consumer_count global_prefetch_count messages_unacknowledged "
    "messages_uncommitted messages_unconfirmed name number pid prefetch_count transactional user vhost"
).split()
CONSUMER_COLUMNS: Final = (
    "ack_required active activity_status arguments channel_pid consumer_tag prefetch_count queue_name"
).split()


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """One command of rabbitmqctl.

    Args:
        least, most: how many arguments it takes, None for any number.
        options: names of its own options that take a value; flags: those that take none.
        columns: what a listing can show, default: what it shows when none is named.
        changes: whether it changes anything.
        needs_app: whether the broker's application must run.
        needs_stopped: whether the broker's application must be stopped.
    """

    least: int = 0
    most: int | None = 0
    options: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    default: tuple[str, ...] = ()
    changes: bool = False
    needs_app: bool = True
    needs_stopped: bool = False


OF_HOST: Final = ("vhost",)


def _listing(columns: list[str], default: str, *more: str) -> Usage:
    """Return a listing of named columns; `more` are options of its own."""
    return Usage(
        most=None,
        options=("vhost", "timeout", "formatter", *more),
        flags=("no-table-headers", "online", "offline", "local"),
        columns=tuple(columns),
        default=tuple(default.split()),
    )


def _fixed(columns: str, *options: str, arguments: int = 0, flags: tuple[str, ...] = ()) -> Usage:
    """Return a listing whose columns are always the same."""
    return Usage(
        least=arguments,
        most=arguments,
        options=("timeout", "formatter", *options),
        flags=("no-table-headers", *flags),
        default=tuple(columns.split()),
    )


def _says(least: int = 0, most: int | None = None, *options: str, needs_app: bool = True) -> Usage:
    """Return a line that answers with a sentence; it has as many arguments as `least` where `most` is not given."""
    most = least if most is None else most
    return Usage(
        least=least,
        most=most,
        options=("timeout", "formatter", *options),
        flags=("global",),
        needs_app=needs_app,
    )


def _changes(least: int, most: int, *options: str, flags: tuple[str, ...] = ()) -> Usage:
    return Usage(least=least, most=most, options=options, flags=flags, changes=True)


_STOPPED: Final = Usage(most=None, flags=("disc", "ram", "offline"), needs_app=False, needs_stopped=True)
_POLICY: Final = "vhost name pattern apply-to definition priority"

USAGES: Final[dict[str, Usage]] = {
    "help": Usage(most=1, needs_app=False),
    "start_app": Usage(changes=True, needs_app=False),
    "stop_app": Usage(changes=True, needs_app=False),
    # --- listings ---
    "list_bindings": _listing(
        BINDING_COLUMNS, "source_name source_kind destination_name destination_kind routing_key arguments"
    ),
    "list_channels": _listing(CHANNEL_COLUMNS, "pid user consumer_count messages_unacknowledged"),
    "list_connections": _listing(CONNECTION_COLUMNS, "user peer_host peer_port state"),
    "list_consumers": _listing(
        CONSUMER_COLUMNS, "queue_name channel_pid consumer_tag ack_required prefetch_count active arguments"
    ),
    "list_exchanges": _listing(EXCHANGE_COLUMNS, "name type"),
    "list_queues": _listing(QUEUE_COLUMNS, "name messages"),
    "list_vhosts": _listing("cluster_state default_queue_type description name tags tracing".split(), "name"),
    "list_feature_flags": _listing("desc doc_url name provided_by stability state".split(), "name state"),
    "list_unresponsive_queues": _listing(
        "arguments auto_delete durable name pid recoverable_slaves".split(), "name", "queue-timeout"
    ),
    "list_policies": _fixed(_POLICY, *OF_HOST),
    "list_operator_policies": _fixed(_POLICY, *OF_HOST),
    "list_parameters": _fixed("component name value", *OF_HOST),
    "list_global_parameters": _fixed("name value"),
    "list_users": _fixed("user tags"),
    "list_permissions": _fixed("user configure write read", *OF_HOST),
    "list_topic_permissions": _fixed("user exchange write read", *OF_HOST),
    "list_user_permissions": _fixed("vhost configure write read", arguments=1),
    "list_user_topic_permissions": _fixed("vhost exchange write read", arguments=1),
    "list_user_limits": _fixed("user limits", "user", flags=("global",)),
    "list_vhost_limits": _fixed("vhost limits", *OF_HOST, flags=("global",)),
    # --- reports ---
    "environment": Usage(),
    "report": Usage(),
    "status": _says(0, 0, "unit"),
    "cluster_status": Usage(needs_app=False, options=("formatter",)),
    "memory_breakdown": _says(0, 0, "unit"),
    "eval": Usage(least=1, most=1),
    # --- checks, and what says one sentence ---
    "ping": _says(needs_app=False),
    "version": _says(needs_app=False),
    "await_startup": _says(needs_app=False),
    "await_online_nodes": _says(1),
    "forget_cluster_node": Usage(least=1, most=1, options=("timeout", "formatter"), flags=("offline",)),
    "force_gc": _says(needs_app=False),
    "node_health_check": _says(needs_app=False),
    "hipe_compile": _says(0, 9, needs_app=False),
    "rotate_logs": _says(needs_app=False),
    "list_hashes": _says(needs_app=False),
    "check_port_connectivity": _says(),
    "check_port_listener": _says(1),
    "check_protocol_listener": _says(1),
    "check_running": _says(),
    "check_local_alarms": _says(),
    "check_alarms": _says(),
    "alarms": _says(),
    "check_virtual_hosts": _says(),
    "check_if_node_is_mirror_sync_critical": _says(),
    "check_if_node_is_quorum_critical": _says(),
    "is_running": _says(),
    "is_booting": _says(),
    "listeners": _says(),
    "erlang_version": Usage(options=("timeout", "formatter"), flags=("details",)),
    "server_version": _says(),
    "tls_versions": _says(),
    # --- users, limits, parameters: answered, and not kept ---
    "add_user": _says(1, 2),
    "delete_user": _says(1),
    "change_password": _says(1, 2),
    "clear_password": _says(1),
    "authenticate_user": _says(1, 2),
    "set_user_tags": _says(1, 99),
    "set_permissions": _says(4, 4, "vhost"),
    "clear_permissions": _says(1, 1, "vhost"),
    "set_topic_permissions": _says(4, 4, "vhost"),
    "clear_topic_permissions": _says(1, 2, "vhost"),
    "set_user_limits": _says(2),
    "clear_user_limits": _says(2),
    "set_vhost_limits": _says(1, 1, "vhost"),
    "clear_vhost_limits": _says(0, 0, "vhost"),
    "set_operator_policy": _says(3, 3, "vhost", "priority", "apply-to"),
    "clear_operator_policy": _says(1, 1, "vhost"),
    "set_parameter": _says(3, 3, "vhost"),
    "clear_parameter": _says(2, 2, "vhost"),
    "set_global_parameter": _says(2),
    "clear_global_parameter": _says(1),
    "set_cluster_name": _says(1),
    "enable_feature_flag": _says(1),
    "set_log_level": _says(1),
    "trace_on": _says(0, 0, "vhost"),
    "trace_off": _says(0, 0, "vhost"),
    "restart_vhost": _says(0, 0, "vhost"),
    "close_connection": _says(2),
    "close_all_connections": _says(1, 1, "vhost", "limit", "per-connection-delay"),
    # --- changes ---
    "add_vhost": _changes(1, 1, "description", "tags", "default-queue-type"),
    "delete_vhost": _changes(1, 1),
    "clear_policy": _changes(1, 1, *OF_HOST),
    "set_policy": _changes(3, 3, "vhost", "priority", "apply-to"),
    "set_disk_free_limit": _changes(1, 2),
    "set_vm_memory_high_watermark": _changes(1, 2),
    "delete_queue": _changes(1, 1, "vhost", "timeout", flags=("if-empty", "if-unused")),
    "purge_queue": _changes(1, 1, "vhost", "timeout"),
    "sync_queue": _changes(1, 1, *OF_HOST),
    "cancel_sync_queue": _changes(1, 1, *OF_HOST),
    # --- a node out of its cluster, and into one ---
    "join_cluster": _STOPPED,
    "change_cluster_node_type": _STOPPED,
    "reset": _STOPPED,
    "force_reset": _STOPPED,
    "force_boot": _STOPPED,
}


def usage_of(name: str, program: str = PROGRAM) -> str:
    """Return the usage block of one command."""
    return f"Usage\n\n{program} [--node <node>] [--longnames] [--quiet] {TEXTS[name].partition(chr(10))[0]}"


def help_on(name: str, program: str = PROGRAM) -> str:
    """Return what `rabbitmqctl help <command>` prints."""
    return f"\n{usage_of(name, program)}\n{TEXTS[name].partition(chr(10))[2]}\n\n{GENERAL}\n"
