"""What the command line of each release says. For a release without facts, Waterline says that it has no console."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from engine.amqp.exchanges import LOG, Exchange
from engine.broker.commands.settings import release_of
from engine.classic_v1.status import printed, printed_3_8
from engine.classic_v2.status import printed_4_0, printed_4_3
from engine.releases import BrokerRelease
from engine.values.errors import EngineError

NODE_NAME: Final = "rabbit@waterline"
CTL: Final = "rabbitmqctl"
DIAGNOSTICS: Final = "rabbitmq-diagnostics"
PROGRAMS: Final = (CTL, DIAGNOSTICS)


def node_name(node: str) -> str:
    return f"rabbit@{node}"


class CommandUsage(msgspec.Struct, frozen=True, kw_only=True):
    """One command.

    Args:
        takes: the parts of the usage line, in order: `name=` is an option with a value, `name!` one without, anything
            else an argument.
        hidden: further options.
        least, most: how many arguments it takes, None for any number.
        changes: whether it changes anything.
        needs_app: whether the broker's application must run.
    """

    about: str
    takes: str = ""
    hidden: str = ""
    least: int = 0
    most: int | None = 0
    changes: bool = False
    needs_app: bool = True

    @property
    def options(self) -> tuple[str, ...]:
        return tuple(word[:-1] for word in f"{self.takes} {self.hidden}".split() if word.endswith("="))

    @property
    def flags(self) -> tuple[str, ...]:
        return tuple(word[:-1] for word in f"{self.takes} {self.hidden}".split() if word.endswith("!"))

    def without(self, text: str) -> CommandUsage:
        return msgspec.structs.replace(self, takes=self.takes.replace(text, ""))

    def with_option(self, option: str, before: str) -> CommandUsage:
        return msgspec.structs.replace(self, takes=self.takes.replace(before, f"{option} {before}"))

    def line(self, name: str, program: str) -> str:
        """Return the usage line of the command."""
        shown = [
            program,
            "[--node <node>]",
            "[--longnames]",
            "[--quiet]",
            name,
            *map(_shown, self.takes.split()),
        ]
        return " ".join(shown)


def _shown(word: str) -> str:
    name = word[:-1]
    if word.endswith("="):
        return f"[--{name} <{name}>]"
    return f"[--{name}]" if word.endswith("!") else word


def _listing(
    about: str, takes: str, hidden: str = "formatter= online! offline! local! no-table-headers!"
) -> CommandUsage:
    return CommandUsage(about=about, takes=takes, hidden=hidden, most=None)


def _report(
    about: str, takes: str = "", hidden: str = "timeout= formatter=", needs_app: bool = True
) -> CommandUsage:
    return CommandUsage(about=about, takes=takes, hidden=hidden, needs_app=needs_app)


def _change(
    about: str, takes: str, least: int = 1, most: int = 1, hidden: str = "", needs_app: bool = True
) -> CommandUsage:
    return CommandUsage(
        about=about, takes=takes, hidden=hidden, least=least, most=most, changes=True, needs_app=needs_app
    )


_COLUMNS: Final = "no-table-headers! [<column> ...] timeout="

USAGES: Final[dict[str, CommandUsage]] = {
    "help": CommandUsage(
        about="Shows how a command is written.", takes="[<command>]", most=1, needs_app=False
    ),
    # --- listings ---
    "list_bindings": _listing("Lists the bindings of a virtual host.", f"vhost= {_COLUMNS}"),
    "list_channels": _listing(
        "Lists the open channels.", "no-table-headers! [<column> ...]", "formatter= timeout= vhost="
    ),
    "list_connections": _listing("Lists the clients' connections.", _COLUMNS, "formatter= vhost="),
    "list_consumers": _listing("Lists the consumers of a virtual host.", f"vhost= {_COLUMNS}"),
    "list_deprecated_features": _listing("Lists what a later release takes away.", "used! [<column> ...]"),
    "list_exchanges": _listing("Lists the exchanges of a virtual host.", f"vhost= {_COLUMNS}"),
    "list_feature_flags": _listing("Lists the feature flags of the release.", "[<column> ...] timeout="),
    "list_policies": CommandUsage(
        about="Lists the policies of a virtual host.",
        takes="vhost= no-table-headers! timeout=",
        hidden="formatter=",
    ),
    "list_queues": _listing(
        "Lists the queues of a virtual host, with the columns that you name.",
        "vhost= online! offline! local! no-table-headers! [<column>, ...] timeout=",
        "formatter=",
    ),
    "list_vhosts": _listing("Lists the virtual hosts.", _COLUMNS),
    # --- reports ---
    "alarms": _report("Says which alarms have gone off, in the whole cluster.", "timeout="),
    "check_alarms": _report("Fails if an alarm has gone off anywhere in the cluster.", "timeout="),
    "check_local_alarms": _report("Fails if an alarm has gone off on this node.", "timeout="),
    "cluster_status": _report(
        "Says which nodes there are and which of them run.", "timeout=", "formatter=", False
    ),
    "environment": CommandUsage(about="Shows the settings that the node has."),
    "eval": CommandUsage(
        about="Evaluates one of a few Erlang expressions.", takes="<expression>", least=1, most=1
    ),
    "memory_breakdown": _report("Divides the node's memory into its parts.", "unit= timeout="),
    "report": CommandUsage(about="Prints status, settings and every listing at once."),
    "server_version": _report("Says which release the node runs.", "timeout="),
    "status": _report("Shows memory, disk, alarms and totals of the node.", "unit= timeout="),
    "version": _report("Says which release the command line is of.", needs_app=False),
    # --- changes ---
    "add_vhost": _change(
        "Adds a virtual host.",
        '<vhost> [--description <description> --tags "<tag1>,<tag2>,<...>" '
        "--default-queue-type <quorum|classic|stream>]",
        hidden="description= tags= default-queue-type=",
    ),
    "cancel_sync_queue": _change("Stops the synchronisation of a queue's mirrors.", "vhost= queue"),
    "clear_policy": _change("Takes a policy away.", "vhost= <name>"),
    "delete_queue": _change(
        "Deletes a queue with its messages.",
        "<queue_name> [--if-empty|-e] [--if-unused|-u] timeout=",
        hidden="vhost= if-empty! if-unused!",
    ),
    "delete_vhost": _change("Deletes a virtual host with everything in it.", "<vhost>"),
    "purge_queue": _change("Drops every ready message of a queue.", "<queue> timeout=", hidden="vhost="),
    "set_disk_free_limit": _change(
        "Sets how much of the disk must stay free.", "<disk_limit> | mem_relative <fraction>", most=2
    ),
    "set_policy": _change(
        "Sets a policy for the queues or exchanges whose names fit a pattern.",
        "vhost= priority= apply-to= <name> <pattern> <definition>",
        3,
        3,
    ),
    "set_vm_memory_high_watermark": _change(
        "Sets from how much memory on publishers are blocked.", "<fraction> | absolute <value>", most=2
    ),
    "start_app": _change("Starts the broker on the node.", "", 0, 0, needs_app=False),
    "stop_app": _change("Stops the broker; the node's virtual machine stays.", "", 0, 0, needs_app=False),
    "sync_queue": _change("Synchronises a queue's mirrors.", "vhost= queue"),
}
"""Usages by name; a release may lack some, or have other options (`engine.ctl.releases`)."""


class CtlRefusal(NamedTuple):
    """A refusal's text, which is printed after the program's heading, and its exit code."""

    code: int
    text: str

    def of(self, **names: str) -> CtlRefusal:
        return CtlRefusal(self.code, self.text.format(**names))


class ReleaseFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of one release.

    Args:
        version: of the broker and of its command line.
        erlang: of the runtime that its package has.
        commands: the names that each program takes.
        columns: what each listing can show, in the order in which `report` prints them.
        default: what a listing shows where it names no column.
        usages: commands whose usage differs from `USAGES`.
        flags: the feature flags of a new node, each with its state and stability.
        deprecated: the deprecated features, each with its phase and state.
        units: of `status` and `memory_breakdown`, as a refusal names them.
        idle: the parts of an idle node's memory, bytes, in the order of `rabbit_vm:memory()`.
        connection: the bytes that a connection with a channel has in each part.
        refusals: by command and reason.
        deleted: what `delete_queue` prints about the messages that it dropped.
        remarks: what a check prints in place of its heading; such a check finds nothing.
        status: returns what `backing_queue_status` prints of a backing queue of a snapshot with its rates.
        not_in_status: what the release prints there that no snapshot has.
        queue_type: the type of queues that a virtual host has by default.
        atom: how a node's name is written in `cluster_state`.
        space: what stands behind a comma there.
        exchanges: those of the first virtual host that no other release has.
        json_pid: how JSON shows a process.
        mnesia: whether `rabbit_mnesia` answers.
        pages: whether queues page messages out under memory pressure.
        single_quotes: whether a definition may have its texts in single quotes.
        formatters: default formatter of each listing.
        typed: a queue's arguments are printed with its type, and in the order of their names.
        led: columns that every queue fills here: its leader and members.
        no_definition: what is shown as the definition of no policy.
        busy: the activity of a consumer that holds all that its prefetch allows.
    """

    version: str
    erlang: str
    commands: Mapping[str, frozenset[str]]
    columns: Mapping[str, tuple[str, ...]]
    default: Mapping[str, tuple[str, ...]]
    usages: Mapping[str, CommandUsage] = {}
    flags: Mapping[str, tuple[str, str]]
    deprecated: Mapping[str, tuple[str, str]] = {}
    units: str = "bytes, mb, gb"
    idle: Mapping[str, int]
    connection: Mapping[str, int]
    refusals: Mapping[str, CtlRefusal]
    deleted: str = "ready messages"
    remarks: Mapping[str, str] = {}
    status: Callable[[Mapping[str, Any], tuple[float, float, float, float]], dict[str, Any]]
    not_in_status: str = ""
    queue_type: str = "undefined"
    atom: str = "'{}'"
    space: str = ""
    exchanges: tuple[Exchange, ...] = ()
    json_pid: str = "{}"
    mnesia: bool = True
    pages: bool = True
    single_quotes: bool = True
    formatters: Mapping[str, str] = {}
    typed: bool = False
    led: bool = False
    no_definition: str = "[]"
    busy: str = "up"

    def no_json(self, text: str) -> CtlRefusal:
        found = self.refusals["set_policy no_json"].of(text=text)
        if len(found.text.rpartition("\n")[2]) <= WIDTH:
            return found
        head = "Could not parse JSON document: "
        inner = found.text.partition("{error,")[2]
        deep = " " * (len(head) + 4)
        words = inner.partition(",")
        return CtlRefusal(found.code, f"Error:\n{head}{{error,\n{deep}{words[0]},\n{deep}    {words[2]}")

    def usage(self, name: str) -> CommandUsage:
        return self.usages.get(name) or USAGES[name]


WIDTH: Final = 80
"""The width at which the broker breaks a printed term."""


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def programs(ctl: str, diagnostics: str) -> dict[str, frozenset[str]]:
    return {CTL: frozenset(words(ctl)), DIAGNOSTICS: frozenset(words(diagnostics))}


USAGE: Final = 64
BAD_VALUE: Final = 65
UNREACHABLE: Final = 69
SOFTWARE: Final = 70


class CtlRefused(EngineError):
    """A refused line; the message is what the console prints. `code`: the exit code (64 usage, 65 a bad
    value, 69 the node refused).
    """

    def __init__(self, text: str, code: int = USAGE) -> None:
        super().__init__(text)
        self.text = text
        self.code = code


class NotHere(CtlRefused):
    """A line that the broker would answer and Waterline does not. `what`: a sentence that says what is missing."""

    def __init__(self, what: str, code: int = USAGE) -> None:
        super().__init__(f"Waterline: {what}\n", code)


CTL_COMMON: Final = """
 add_user add_vhost authenticate_user autocomplete await_online_nodes await_startup change_password
 clear_global_parameter clear_operator_policy clear_parameter clear_password clear_permissions clear_policy
 clear_topic_permissions clear_vhost_limits close_all_connections close_connection cluster_status decode delete_queue
 delete_user delete_vhost enable_feature_flag encode environment eval eval_file exec export_definitions force_boot
 force_gc force_reset forget_cluster_node help import_definitions join_cluster list_bindings list_channels
 list_ciphers list_connections list_consumers list_exchanges list_feature_flags list_global_parameters list_hashes
  list_operator_policies list_parameters list_permissions list_policies list_queues
 list_topic_permissions list_unresponsive_queues list_user_permissions list_user_topic_permissions list_users
 list_vhost_limits list_vhosts node_health_check ping purge_queue rename_cluster_node report reset restart_vhost
 resume_listeners rotate_logs set_cluster_name set_disk_free_limit set_global_parameter set_log_level
 set_operator_policy set_parameter set_permissions set_policy set_topic_permissions set_user_tags set_vhost_limits
 set_vm_memory_high_watermark shutdown start_app status stop stop_app suspend_listeners trace_off trace_on
 update_cluster_nodes version wait"""
"""Commands of rabbitmqctl in every release."""

DIAGNOSTICS_COMMON: Final = """
 alarms autocomplete certificates check_alarms check_certificate_expiration check_if_node_is_mirror_sync_critical
 check_if_node_is_quorum_critical check_local_alarms check_port_connectivity check_port_listener
 check_protocol_listener check_running check_virtual_hosts cipher_suites cluster_status command_line_arguments
 consume_event_stream discover_peers
 environment erlang_cookie_hash erlang_cookie_sources erlang_version help is_booting is_running list_bindings
 list_channels list_ciphers list_connections list_consumers list_exchanges list_feature_flags list_global_parameters
 list_hashes list_network_interfaces list_operator_policies list_parameters
 list_permissions list_policies list_queues list_topic_permissions list_unresponsive_queues list_user_permissions
 list_user_topic_permissions list_users list_vhost_limits list_vhosts listeners log_location log_tail log_tail_stream
 maybe_stuck memory_breakdown node_health_check observer os_env ping quorum_status report
 resolve_hostname resolver_info runtime_thread_stats server_version status
 tls_versions version wait"""
"""Commands of rabbitmq-diagnostics in every release."""

ATTEMPTS: Final = "list_node_auth_attempt_stats"
ATTEMPTS_DIAGNOSED: Final[
    str
] = f"""{ATTEMPTS} disable_auth_attempt_source_tracking enable_auth_attempt_source_tracking
 remote_shell reset_node_auth_attempt_metrics stream_status"""
"""Commands that 3.8.9 lacks and all later releases have."""

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "list_bindings": words("source_name source_kind destination_name destination_kind routing_key arguments"),
    "list_channels": words(
        "pid connection name number user vhost transactional confirm consumer_count messages_unacknowledged "
        "messages_uncommitted acks_uncommitted messages_unconfirmed prefetch_count"
    ),
    "list_connections": words(
        "pid name port host peer_port peer_host ssl ssl_protocol ssl_key_exchange ssl_cipher ssl_hash "
        "peer_cert_subject peer_cert_issuer peer_cert_validity state channels protocol auth_mechanism user vhost "
        "timeout frame_max channel_max client_properties recv_oct recv_cnt send_oct send_cnt send_pend connected_at"
    ),
    "list_consumers": words(
        "queue_name channel_pid consumer_tag ack_required prefetch_count active activity_status arguments"
    ),
    "list_exchanges": words("name type durable auto_delete internal arguments policy"),
    "list_feature_flags": words("name state stability provided_by desc doc_url"),
    "list_vhosts": words("name description tags default_queue_type tracing cluster_state"),
}
"""Columns of listings in most releases; `queue_columns` makes those of `list_queues`."""


def queue_columns(
    policy: str = "", capacity: str = "consumer_capacity", mirrors: str = "", led: str = ""
) -> tuple[str, ...]:
    """Return the columns of `list_queues`, with those that some releases have in their places."""
    return words(
        f"name durable auto_delete arguments policy {policy} pid owner_pid exclusive exclusive_consumer_pid "
        "exclusive_consumer_tag messages_ready messages_unacknowledged messages messages_ready_ram "
        "messages_unacknowledged_ram messages_ram messages_persistent message_bytes message_bytes_ready "
        "message_bytes_unacknowledged message_bytes_ram message_bytes_persistent head_message_timestamp disk_reads "
        f"disk_writes consumers consumer_utilisation {capacity} memory {mirrors} state type {led}"
    )


DEFAULT: Final[dict[str, tuple[str, ...]]] = {
    "list_bindings": COLUMNS["list_bindings"],
    "list_channels": words("pid user consumer_count messages_unacknowledged"),
    "list_connections": words("user peer_host peer_port state"),
    "list_consumers": words(
        "queue_name channel_pid consumer_tag ack_required prefetch_count active arguments"
    ),
    "list_exchanges": words("name type"),
    "list_feature_flags": words("name state"),
    "list_policies": words("vhost name pattern apply-to definition priority"),
    "list_queues": words("name messages"),
    "list_vhosts": words("name"),
}
"""Columns that listings show by default."""

REFUSALS: Final[dict[str, CtlRefusal]] = {
    "purge_queue missing": CtlRefusal(69, "Error:\nnot_found"),
    "delete_queue missing": CtlRefusal(64, "Error:\nQueue not found"),
    "delete_queue filled": CtlRefusal(64, "Error:\nQueue is not empty"),
    "delete_queue used": CtlRefusal(64, "Error:\nQueue is in use"),
    "set_policy no_json": CtlRefusal(69, "Error:\nJSON decoding error. Reason: badarg"),
}
"""Refusals of 3.x."""

CONNECTION: Final[dict[str, int]] = {
    "connection_readers": 3_904,
    "connection_writers": 2_768,
    "connection_channels": 4_040,
    "connection_other": 16_928,
    "metrics": 1_936,
    "mnesia": 680,
    "other_ets": 1_113,
    "other_system": 2_936,
}
"""Bytes of a connection with one channel, as on 3.10.8; its buffers count as binaries."""


def parts(text: str) -> dict[str, int]:
    """Return the parts of a memory, given their names, each followed by its bytes if it has any."""
    found: dict[str, int] = {}
    for word in text.split():
        if word.isdecimal():
            found[next(reversed(found))] = int(word)
        else:
            found[word] = 0
    return found


def flags(**names: str) -> dict[str, tuple[str, str]]:
    """Return the feature flags of a new node, given the names of each stability; experiments are not enabled."""
    return _by_name(
        names, lambda stability: ("disabled" if stability == "experimental" else "enabled", stability)
    )


def deprecated(**names: str) -> dict[str, tuple[str, str]]:
    """Return the deprecated features, given the names of each phase."""
    return _by_name(names, lambda phase: (phase, "permitted" if phase.startswith("permitted") else "denied"))


def _by_name(names: Mapping[str, str], row: Callable[[str], tuple[str, str]]) -> dict[str, tuple[str, str]]:
    return dict(sorted((name, row(kind)) for kind, listed in names.items() for name in words(listed)))


V3_8_9: Final = ReleaseFacts(
    version="3.8.9",
    erlang="23.2.6",
    commands=programs(
        f"{CTL_COMMON} cancel_sync_queue change_cluster_node_type hipe_compile schema_info sync_queue",
        f"{DIAGNOSTICS_COMMON} schema_info",
    ),
    columns={
        **COLUMNS,
        "list_channels": (*COLUMNS["list_channels"], "global_prefetch_count"),
        "list_queues": queue_columns(capacity="", mirrors="slave_pids synchronised_slave_pids"),
        "list_vhosts": words("name description tags tracing cluster_state"),
    },
    default=DEFAULT,
    usages={"add_vhost": USAGES["add_vhost"].without(" --default-queue-type <quorum|classic|stream>")},
    flags=flags(
        stable="implicit_default_bindings maintenance_mode_status quorum_queue virtual_host_metadata"
    ),
    idle=parts(
        "connection_readers connection_writers connection_channels connection_other queue_procs queue_slave_procs "
        "quorum_queue_procs plugins 4732608 other_proc 29278820 metrics 196028 mgmt_db mnesia 80152 quorum_ets 47632 "
        "other_ets 3548160 binary 460272 msg_index 29616 code 28899082 atom 1376577 other_system 12284013 "
        "allocated_unused reserved_unallocated"
    ),
    connection=CONNECTION,
    refusals=REFUSALS,
    deleted="messages",
    status=printed_3_8,
)


V3_10_8: Final = ReleaseFacts(
    version="3.10.8",
    erlang="25.2.3",
    commands=programs(
        f"{CTL_COMMON} {ATTEMPTS} cancel_sync_queue change_cluster_node_type clear_user_limits "
        "close_all_user_connections "
        "hipe_compile list_user_limits schema_info set_user_limits set_vhost_tags sync_queue",
        f"{DIAGNOSTICS_COMMON} {ATTEMPTS_DIAGNOSED} list_user_limits reclaim_quorum_memory schema_info",
    ),
    columns={
        **COLUMNS,
        "list_channels": (*COLUMNS["list_channels"], "global_prefetch_count"),
        "list_queues": queue_columns(
            mirrors="slave_pids synchronised_slave_pids", led="leader members online"
        ),
    },
    default=DEFAULT,
    flags=flags(
        stable="classic_mirrored_queue_version implicit_default_bindings maintenance_mode_status quorum_queue "
        "stream_queue user_limits virtual_host_metadata"
    ),
    idle=parts(
        "connection_readers connection_writers connection_channels connection_other queue_procs queue_slave_procs "
        "quorum_queue_procs quorum_queue_dlx_procs 2768 stream_queue_procs 2768 stream_queue_replica_reader_procs 2768 "
        "stream_queue_coordinator_procs plugins 14232 other_proc 13861736 metrics 550072 mgmt_db mnesia 90400 "
        "quorum_ets 24472 other_ets 2681976 binary 92104 msg_index 29808 code 31353566 atom 1335609 "
        "other_system 12895153 allocated_unused reserved_unallocated"
    ),
    connection=CONNECTION,
    refusals=REFUSALS,
    status=printed,
)


CTL_4_0: Final = f"""{CTL_COMMON} {ATTEMPTS}
 activate_free_disk_space_monitoring check_if_any_deprecated_features_are_used clear_user_limits
 close_all_user_connections deactivate_free_disk_space_monitoring decrypt_conf_value encrypt_conf_value
 force_standalone_khepri_boot hash_password list_deprecated_features list_user_limits reconcile_vhosts
 remove_classic_queue_mirroring_from_policies set_permissions_globally set_user_limits set_vhost_tags
 update_vhost_metadata"""

DIAGNOSTICS_4_0: Final = f"""{DIAGNOSTICS_COMMON} {ATTEMPTS_DIAGNOSED}
 activate_free_disk_space_monitoring check_if_any_deprecated_features_are_used
 check_if_cluster_has_classic_queue_mirroring_policy check_if_new_quorum_queue_replicas_have_finished_initial_sync
 coordinator_status deactivate_free_disk_space_monitoring list_deprecated_features
 list_operator_policies_with_classic_queue_mirroring list_policies_that_match
 list_policies_with_classic_queue_mirroring list_user_limits metadata_store_status reclaim_quorum_memory"""

QUEUE_COLUMNS: Final = queue_columns(
    policy="operator_policy effective_policy_definition", led="leader members online"
)

REQUIRED: Final = (
    "classic_mirrored_queue_version classic_queue_type_delivery_support direct_exchange_routing_v2 feature_flags_v2 "
    "implicit_default_bindings listener_records_in_ets maintenance_mode_status message_containers quorum_queue "
    "restart_streams stream_filtering stream_queue stream_sac_coordinator_unblock_group "
    "stream_single_active_consumer stream_update_config_command tracking_records_in_ets user_limits "
    "virtual_host_metadata"
)
"""Feature flags that every node of 4.x needs."""

UNITS: Final = "bytes, mb, mib, gb, gib, tb, tib"

DELETE_QUEUE: Final = USAGES["delete_queue"].with_option("vhost=", "<queue_name>")

_ERROR: Final = (
    "Error:\n{{:amqp_error, :precondition_failed, ~c\"queue '{name}' in vhost '{vhost}' %s\", :none}}"
)
REFUSALS_4_0: Final[dict[str, CtlRefusal]] = {
    **REFUSALS,
    "purge_queue missing": CtlRefusal(65, "Object (queue, stream, exchange, etc) was not found"),
    "delete_queue filled": CtlRefusal(69, _ERROR % "not empty"),
    "delete_queue used": CtlRefusal(69, _ERROR % "in use"),
    "set_policy no_json": CtlRefusal(
        69, 'Error:\nCould not parse JSON document: {{error,{{failed_to_decode_json,<<"{text}">>}}}}'
    ),
}


V4_0_5: Final = ReleaseFacts(
    version="4.0.5",
    erlang="27.3.4.1",
    commands=programs(f"{CTL_4_0} change_cluster_node_type schema_info", f"{DIAGNOSTICS_4_0} schema_info"),
    columns={
        **COLUMNS,
        "list_queues": QUEUE_COLUMNS,
        "list_deprecated_features": words("name deprecation_phase provided_by desc doc_url"),
    },
    default={**DEFAULT, "list_deprecated_features": words("name deprecation_phase")},
    usages={"delete_queue": DELETE_QUEUE},
    flags=flags(
        required=REQUIRED,
        stable="message_containers_deaths_v2 quorum_queue_non_voters rabbit_exchange_type_local_random rabbitmq_4.0.0",
        experimental="khepri_db",
    ),
    deprecated=deprecated(
        permitted_by_default="amqp_address_v1 global_qos queue_master_locator ram_node_type transient_nonexcl_queues",
        removed="classic_queue_mirroring",
    ),
    units=UNITS,
    idle=parts(
        "connection_readers connection_writers connection_channels connection_other queue_procs "
        "quorum_queue_procs 2760 quorum_queue_dlx_procs 2760 stream_queue_procs 1312 "
        "stream_queue_replica_reader_procs 1312 stream_queue_coordinator_procs plugins 12248 metadata_store 88796 "
        "other_proc 15096652 metrics 631968 mgmt_db mnesia 73008 quorum_ets 24472 metadata_store_ets 7576 "
        "other_ets 2374488 binary 20288 msg_index 125312 code 19376622 atom 999681 other_system 16162369 "
        "allocated_unused reserved_unallocated"
    ),
    connection=CONNECTION,
    refusals=REFUSALS_4_0,
    status=printed_4_0,
    pages=False,
    single_quotes=False,
    typed=True,
    led=True,
)


CTL_4_3_6: Final = (
    f"{CTL_4_0} disable_vhost_deletion_protection enable_vhost_deletion_protection has_reached_target_cluster_size "
    "list_channel_interceptors set_channel_interceptor_priorities"
)
DIAGNOSTICS_4_3_6: Final = (
    f"{DIAGNOSTICS_4_0} check_for_quorum_queues_without_an_elected_leader check_if_metadata_store_is_initialized "
    "check_if_metadata_store_is_initialized_with_data has_reached_target_cluster_size list_channel_interceptors "
    "message_size_stats"
)

V4_3_6: Final = ReleaseFacts(
    version="4.3.6",
    erlang="29.1.2",
    commands=programs(CTL_4_3_6, DIAGNOSTICS_4_3_6),
    columns={
        **COLUMNS,
        "list_connections": words(
            "pid name port host peer_port peer_host ssl ssl_protocol ssl_key_exchange ssl_cipher ssl_hash "
            "peer_cert_subject peer_cert_issuer peer_cert_serial_number peer_cert_validity state channels protocol "
            "auth_mechanism user vhost container_id timeout frame_max channel_max client_properties recv_oct recv_cnt "
            "send_oct send_cnt send_pend connected_at"
        ),
        "list_deprecated_features": words("name deprecation_phase state provided_by desc doc_url"),
        "list_queues": QUEUE_COLUMNS,
        "list_vhosts": (*COLUMNS["list_vhosts"], "protected_from_deletion", "metadata"),
    },
    default={**DEFAULT, "list_deprecated_features": words("name deprecation_phase state")},
    usages={"delete_queue": DELETE_QUEUE.with_option("force!", "timeout=")},
    flags=flags(
        required=f"{REQUIRED} khepri_db message_containers_deaths_v2 quorum_queue_non_voters "
        "rabbit_exchange_type_local_random rabbitmq_4.0.0 rabbitmq_4.1.0 rabbitmq_4.2.0",
        stable="rabbitmq_4.3.0 tie_binding_to_dest_with_keep_while_cond topic_binding_projection_v4 "
        "topic_binding_projection_v5 track_qq_members_uids",
    ),
    deprecated=deprecated(
        denied_by_default="amqp_address_v1 amqp_filter_set_bug global_qos queue_master_locator",
        permitted_by_default="transient_nonexcl_queues",
        removed="classic_queue_mirroring ram_node_type",
    ),
    units=UNITS,
    idle=parts(
        "connection_readers connection_writers connection_channels connection_other quorum_queue_procs 2768 "
        "quorum_queue_dlx_procs 2768 queue_procs stream_queue_procs 1408 stream_queue_replica_reader_procs 1408 "
        "stream_queue_coordinator_procs plugins 11456 metadata_store 163692 other_proc 15983252 metrics 632120 mgmt_db "
        "quorum_ets 5152 mnesia metadata_store_ets 37336 other_ets 3331016 binary 65840 msg_index 125488 "
        "code 20420015 atom 1008374 other_system 19290051 allocated_unused reserved_unallocated"
    ),
    connection=CONNECTION,
    refusals={**REFUSALS_4_0, "delete_queue missing": CtlRefusal(64, "Error:\nNo such queue was found")},
    remarks={
        "check_local_alarms": "This command is DEPRECATED and is a no-op. It will be removed in a future version."
    },
    status=printed_4_3,
    not_in_status="delivery_count",
    queue_type="classic",
    atom="{}",
    space=" ",
    exchanges=(LOG,),
    json_pid="Pid({})",
    mnesia=False,
    pages=False,
    single_quotes=False,
    formatters={"list_deprecated_features": "pretty_table"},
    typed=True,
    led=True,
    no_definition="#{}",
    busy="blocked",
)


FACTS: Final = {each.version: each for each in (V3_8_9, V3_10_8, V4_0_5, V4_3_6)}
"""By the name of the release."""

KNOWN_COLUMNS: Final = frozenset(
    column for facts in FACTS.values() for columns in facts.columns.values() for column in columns
)
"""All columns of all listings and releases; rabbitmqctl reports a known word before an unknown one."""


def release_shown(state: Mapping[str, Any]) -> BrokerRelease:
    settings = state["node"]["settings"]
    return release_of(settings["profile"], settings)


def facts_of(state: Mapping[str, Any]) -> ReleaseFacts:
    """Return the facts of the release whose rules a snapshot follows. Raises NotHere: there are none."""
    release = release_shown(state)
    if release.name not in FACTS:
        raise NotHere(f"what the command line of RabbitMQ {release.name} answers is not known here")
    return FACTS[release.name]
