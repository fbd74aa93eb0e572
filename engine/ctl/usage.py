"""The commands that the console takes: usage lines, options, columns and words, as `rabbitmqctl help` has them."""

from __future__ import annotations

from typing import Final

import msgspec

NODE_NAME: Final = "rabbit@waterline"


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
        line: what stands after `rabbitmqctl [--node <node>] [--longnames] [--quiet]`.
        about: one sentence.
        least, most: how many arguments it takes, None for any number.
        options: names of its own options that take a value; flags: those that take none.
        columns: what a listing can show, default: what it shows when none is named.
        changes: whether it changes anything.
        needs_app: whether the broker's application must run.
        diagnostics: whether only rabbitmq-diagnostics has it.
    """

    line: str
    about: str
    least: int = 0
    most: int | None = 0
    options: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    default: tuple[str, ...] = ()
    changes: bool = False
    needs_app: bool = True
    diagnostics: bool = False


def _listing(name: str, about: str, columns: list[str], default: str, more: str = "", end: str = "") -> Usage:
    return Usage(
        line=f"{name} {more}[--no-table-headers] {end or '[<column> ...] [--timeout <timeout>]'}",
        about=about,
        most=None,
        options=("vhost", "timeout", "formatter"),
        flags=("no-table-headers", "online", "offline", "local"),
        columns=tuple(columns),
        default=tuple(default.split()),
    )


_VHOST: Final = "[--vhost <vhost>] "


def _fixed(name: str, about: str, columns: str, *, vhost: bool = False) -> Usage:
    """Return a listing whose columns are always the same."""
    where = _VHOST if vhost else ""
    return Usage(
        line=f"{name} {where}[--no-table-headers] [--timeout <timeout>]",
        about=about,
        options=("timeout", "formatter", *(("vhost",) if vhost else ())),
        flags=("no-table-headers",),
        default=tuple(columns.split()),
    )


def _check(name: str, about: str, *, diagnostics: bool = False, end: str = " [--timeout <timeout>]") -> Usage:
    """Return a line that answers with a sentence."""
    return Usage(
        line=f"{name}{end}", about=about, options=("timeout",), diagnostics=diagnostics, needs_app=diagnostics
    )


USAGES: Final[dict[str, Usage]] = {
    "help": Usage(
        line="help <command>", about="Displays usage information for a command", most=1, needs_app=False
    ),
    "start_app": Usage(
        line="start_app",
        about="Starts the RabbitMQ application but leaves the runtime (Erlang VM) running",
        changes=True,
        needs_app=False,
    ),
    "stop_app": Usage(
        line="stop_app",
        about="Stops the RabbitMQ application, leaving the runtime (Erlang VM) running",
        changes=True,
        needs_app=False,
    ),
    "list_bindings": _listing(
        "list_bindings",
        "Lists all bindings on a vhost",
        BINDING_COLUMNS,
        "source_name source_kind destination_name destination_kind routing_key arguments",
        _VHOST,
    ),
    "list_channels": _listing(
        "list_channels",
        "Lists all channels in the node",
        CHANNEL_COLUMNS,
        "pid user consumer_count messages_unacknowledged",
        end="[<column> ...]",
    ),
    "list_connections": _listing(
        "list_connections",
        "Lists AMQP 0.9.1 connections for the node",
        CONNECTION_COLUMNS,
        "user peer_host peer_port state",
    ),
    "list_consumers": _listing(
        "list_consumers",
        "Lists all consumers for a vhost",
        CONSUMER_COLUMNS,
        "queue_name channel_pid consumer_tag ack_required prefetch_count active arguments",
        _VHOST,
    ),
    "list_exchanges": _listing("list_exchanges", "Lists exchanges", EXCHANGE_COLUMNS, "name type", _VHOST),
    "list_policies": Usage(
        line="list_policies [--vhost <vhost>] [--no-table-headers] [--timeout <timeout>]",
        about="Lists all policies in a virtual host",
        options=("vhost", "timeout", "formatter"),
        flags=("no-table-headers",),
        default=("vhost", "name", "pattern", "apply-to", "definition", "priority"),
    ),
    "list_queues": _listing(
        "list_queues",
        "Lists queues and their properties",
        QUEUE_COLUMNS,
        "name messages",
        _VHOST + "[--online] [--offline] [--local] ",
        "[<column>, ...] [--timeout <timeout>]",
    ),
    "list_vhosts": _listing(
        "list_vhosts",
        "Lists virtual hosts",
        "cluster_state default_queue_type description name tags tracing".split(),
        "name",
    ),
    "add_vhost": Usage(
        line='add_vhost <vhost> [--description <description> --tags "<tag1>,<tag2>,<...>" '
        "--default-queue-type <quorum|classic|stream>]",
        about="Creates a virtual host",
        least=1,
        most=1,
        options=("description", "tags", "default-queue-type"),
        changes=True,
    ),
    "delete_vhost": Usage(
        line="delete_vhost <vhost>", about="Deletes a virtual host", least=1, most=1, changes=True
    ),
    "list_users": _fixed("list_users", "List user names and tags", "user tags"),
    "list_permissions": _fixed(
        "list_permissions",
        "Lists user permissions in a virtual host",
        "user configure write read",
        vhost=True,
    ),
    "list_user_permissions": Usage(
        line="list_user_permissions [--no-table-headers] <username> [--timeout <timeout>]",
        about="Lists permissions of a user across all virtual hosts",
        least=1,
        most=1,
        options=("timeout", "formatter"),
        flags=("no-table-headers",),
        default=("vhost", "configure", "write", "read"),
    ),
    "list_parameters": _fixed(
        "list_parameters", "Lists runtime parameters for a virtual host", "component name value", vhost=True
    ),
    "list_operator_policies": _fixed(
        "list_operator_policies",
        "Lists operator policy overrides for a virtual host",
        "vhost name pattern apply-to definition priority",
        vhost=True,
    ),
    "list_feature_flags": _listing(
        "list_feature_flags",
        "Lists feature flags",
        "desc doc_url name provided_by stability state".split(),
        "name state",
    ),
    "list_unresponsive_queues": _listing(
        "list_unresponsive_queues",
        "Tests queues to respond within timeout. Lists those which did not respond",
        "arguments auto_delete durable name pid recoverable_slaves".split(),
        "name",
    ),
    "list_global_parameters": _fixed(
        "list_global_parameters", "Lists global runtime parameters", "name value"
    ),
    "environment": Usage(
        line="environment",
        about="Displays the name and value of each variable in the application environment",
    ),
    "report": Usage(
        line="report",
        about="Generate a server status report containing a concatenation of all server status information for "
        "support purposes",
    ),
    "check_port_connectivity": _check(
        "check_port_connectivity",
        "Basic TCP connectivity health check for each listener's port on the target node",
        diagnostics=True,
    ),
    "ping": _check(
        "ping",
        "Checks that the node OS process is up, registered with EPMD and CLI tools can authenticate with it",
    ),
    "version": _check("version", "Displays CLI tools version", end=""),
    "await_startup": _check(
        "await_startup", "Waits for the RabbitMQ application to start on the target node", end=""
    ),
    "force_gc": _check(
        "force_gc",
        "Makes all Erlang processes on the target node perform/schedule a full sweep garbage collection",
    ),
    "node_health_check": _check(
        "node_health_check",
        "DEPRECATED. Performs intrusive, opinionated health checks on a fully booted node. "
        "See https://www.rabbitmq.com/monitoring.html#health-checks instead",
    ),
    "check_running": _check(
        "check_running",
        "Health check that exits with a non-zero code if the RabbitMQ app on the target node is not running",
        diagnostics=True,
    ),
    "check_local_alarms": _check(
        "check_local_alarms",
        "Health check that exits with a non-zero code if the target node reports any local alarms",
        diagnostics=True,
    ),
    "check_alarms": _check(
        "check_alarms",
        "Health check that exits with a non-zero code if the target node reports any alarms, local or cluster-wide",
        diagnostics=True,
    ),
    "alarms": _check(
        "alarms",
        "Lists resource alarms (local or cluster-wide) in effect on the target node",
        diagnostics=True,
    ),
    "check_virtual_hosts": _check(
        "check_virtual_hosts",
        "Health check that checks if all vhosts are running in the target node",
        diagnostics=True,
    ),
    "is_running": _check(
        "is_running",
        "Health check that exits with a non-zero code if the RabbitMQ app on the target node is not running",
        diagnostics=True,
    ),
    "is_booting": _check(
        "is_booting",
        "Checks if RabbitMQ is still booting on the target node",
        diagnostics=True,
    ),
    "server_version": _check(
        "server_version", "Displays server version on the target node", diagnostics=True
    ),
    "memory_breakdown": Usage(
        line="memory_breakdown [--unit <unit>] [--timeout <timeout>]",
        about="Provides a memory usage breakdown on the target node.",
        options=("unit", "timeout"),
        diagnostics=True,
    ),
    "eval": Usage(
        line="eval <expression>",
        about="Evaluates a snippet of Erlang code on the target node",
        least=1,
        most=1,
    ),
    "status": Usage(
        line="status [--unit <unit>] [--timeout <timeout>]",
        about="Displays status of a node",
        options=(
            "unit",
            "timeout",
            "formatter",
        ),
    ),
    "clear_policy": Usage(
        line="clear_policy [--vhost <vhost>] <name>",
        about="Clears (removes) a policy",
        least=1,
        most=1,
        options=("vhost",),
        changes=True,
    ),
    "set_policy": Usage(
        line="set_policy [--vhost <vhost>] [--priority <priority>] [--apply-to <apply-to>] "
        "<name> <pattern> <definition>",
        about="Sets or updates a policy",
        least=3,
        most=3,
        options=("vhost", "priority", "apply-to"),
        changes=True,
    ),
    "set_disk_free_limit": Usage(
        line="set_disk_free_limit <disk_limit> | mem_relative <fraction>",
        about="Sets the disk_free_limit setting",
        least=1,
        most=2,
        changes=True,
    ),
    "set_vm_memory_high_watermark": Usage(
        line="set_vm_memory_high_watermark <fraction> | absolute <value>",
        about="Sets the vm_memory_high_watermark setting",
        least=1,
        most=2,
        changes=True,
    ),
    "delete_queue": Usage(
        line="delete_queue [--vhost <vhost>] <queue_name> [--if-empty|-e] [--if-unused|-u] [--timeout <timeout>]",
        about="Deletes a queue",
        least=1,
        most=1,
        options=("vhost", "timeout"),
        flags=("if-empty", "if-unused"),
        changes=True,
    ),
    "purge_queue": Usage(
        line="purge_queue <queue>",
        about="Purges a queue (removes all messages in it)",
        least=1,
        most=1,
        options=("vhost", "timeout"),
        changes=True,
    ),
    "sync_queue": Usage(
        line="sync_queue [--vhost <vhost>] <queue>",
        about="Instructs a mirrored queue with unsynchronised mirrors (follower replicas) to synchronise them",
        least=1,
        most=1,
        options=("vhost",),
        changes=True,
    ),
    "cancel_sync_queue": Usage(
        line="cancel_sync_queue [--vhost <vhost>] <queue>",
        about="Instructs a synchronising mirrored queue to stop synchronising itself",
        least=1,
        most=1,
        options=("vhost",),
        changes=True,
    ),
    "cluster_status": Usage(
        line="cluster_status",
        about="Displays all the nodes in the cluster grouped by node type",
        needs_app=False,
        options=("formatter",),
    ),
}

GROUPS: Final = (
    ("Help", ("help", "version")),
    ("Nodes", ("await_startup", "start_app", "stop_app")),
    ("Cluster", ("cluster_status",)),
    ("Replication", ("cancel_sync_queue", "sync_queue")),
    (
        "Monitoring, observability and health checks",
        (
            "list_bindings",
            "list_channels",
            "list_connections",
            "list_consumers",
            "list_exchanges",
            "list_queues",
            "list_unresponsive_queues",
            "ping",
            "report",
            "status",
        ),
    ),
    ("Users and access control", ("list_permissions", "list_user_permissions", "list_users")),
    ("Parameters", ("list_global_parameters", "list_parameters")),
    ("Virtual hosts", ("add_vhost", "delete_vhost", "list_vhosts")),
    ("Feature flags", ("list_feature_flags",)),
    ("Operations", ("eval", "force_gc", "node_health_check")),
    ("Policies", ("clear_policy", "list_operator_policies", "list_policies", "set_policy")),
    ("Configuration and Environment", ("environment", "set_disk_free_limit", "set_vm_memory_high_watermark")),
    ("Queues", ("delete_queue", "purge_queue")),
)

ELSEWHERE: Final = frozenset(
    "autocomplete reset rotate_logs shutdown stop wait await_online_nodes "
    "change_cluster_node_type force_boot force_reset forget_cluster_node join_cluster "
    "rename_cluster_node update_cluster_nodes add_user authenticate_user "
    "change_password clear_password clear_user_limits delete_user list_user_limits set_user_limits "
    "set_user_tags clear_permissions clear_topic_permissions list_topic_permissions "
    "list_user_topic_permissions set_permissions set_topic_permissions "
    "list_ciphers list_hashes list_node_auth_attempt_stats schema_info "
    "clear_global_parameter clear_parameter set_global_parameter "
    "set_parameter clear_operator_policy set_operator_policy clear_vhost_limits "
    "list_vhost_limits restart_vhost set_vhost_limits set_vhost_tags trace_off trace_on decode "
    "encode set_cluster_name set_log_level export_definitions import_definitions "
    "enable_feature_flag close_all_connections close_all_user_connections close_connection "
    "eval_file exec resume_listeners suspend_listeners hipe_compile".split()
)
"""Commands of rabbitmqctl 3.10.8 that this console has not."""


def usage_of(name: str) -> str:
    """Return the usage block of one command."""
    program = "rabbitmq-diagnostics" if USAGES[name].diagnostics else "rabbitmqctl"
    return f"Usage\n\n{program} [--node <node>] [--longnames] [--quiet] {USAGES[name].line}"


def help_on(name: str) -> str:
    """Return what `rabbitmqctl help <command>` prints."""
    usage = USAGES[name]
    text = f"\n{usage_of(name)}\n\n{usage.about}.\n"
    if usage.columns:
        text += (
            f"\n\nArguments and Options\n\n<column>\n\tmust be one of {', '.join(sorted(usage.columns))}\n"
        )
    return text


def overview() -> str:
    """Return what `rabbitmqctl help` prints."""
    lines = [
        "",
        "Usage",
        "",
        "rabbitmqctl [--node <node>] [--timeout <timeout>] [--longnames] [--quiet] <command> [<command options>]",
        "",
        "Available commands:",
    ]
    for group, names in GROUPS:
        lines += ["", f"{group}:", ""]
        lines += [f"   {name:<29} {USAGES[name].about}" for name in names]
    lines += ["", "Use 'rabbitmqctl help <command>' to learn more about a specific command"]
    return "\n".join(lines) + "\n"
