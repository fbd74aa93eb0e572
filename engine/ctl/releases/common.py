"""Facts that the command lines of several releases share, and those of the releases 3.x."""

from __future__ import annotations

from typing import Final

from engine.classic_v1.status import printed, printed_3_8
from engine.ctl.releases.facts import USAGES, CtlRefusal, ReleaseFacts, programs, words

CTL: Final = """
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

DIAGNOSTICS: Final = """
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
    found = {
        name: ("disabled" if stability == "experimental" else "enabled", stability)
        for stability, listed in names.items()
        for name in words(listed)
    }
    return dict(sorted(found.items()))


V3_8_9: Final = ReleaseFacts(
    version="3.8.9",
    erlang="23.2.6",
    commands=programs(
        f"{CTL} cancel_sync_queue change_cluster_node_type hipe_compile schema_info sync_queue",
        f"{DIAGNOSTICS} schema_info",
    ),
    columns={
        **COLUMNS,
        "list_channels": (*COLUMNS["list_channels"], "global_prefetch_count"),
        "list_queues": queue_columns(capacity="", mirrors="slave_pids synchronised_slave_pids"),
        "list_vhosts": words("name description tags tracing cluster_state"),
    },
    default=DEFAULT,
    usages={
        "add_vhost": USAGES["add_vhost"].without(" --default-queue-type <quorum|classic|stream>"),
    },
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
        f"{CTL} {ATTEMPTS} cancel_sync_queue change_cluster_node_type clear_user_limits "
        "close_all_user_connections "
        "hipe_compile list_user_limits schema_info set_user_limits set_vhost_tags sync_queue",
        f"{DIAGNOSTICS} {ATTEMPTS_DIAGNOSED} list_user_limits reclaim_quorum_memory schema_info",
    ),
    columns={
        **COLUMNS,
        "list_channels": (*COLUMNS["list_channels"], "global_prefetch_count"),
        "list_queues": queue_columns(
            mirrors="slave_pids synchronised_slave_pids", led="leader members online"
        ),
    },
    default=DEFAULT,
    flags=dict.fromkeys(
        "classic_mirrored_queue_version implicit_default_bindings maintenance_mode_status quorum_queue stream_queue "
        "user_limits virtual_host_metadata".split(),
        ("enabled", "stable"),
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
