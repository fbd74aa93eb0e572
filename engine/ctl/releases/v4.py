"""The command lines of 4.0.5 and 4.3.6, and what those of 4.x have in common."""

from __future__ import annotations

from typing import Final

from engine.amqp.exchanges import LOG
from engine.classic_v2.status import printed_4_0, printed_4_3
from engine.ctl.releases import common
from engine.ctl.releases.facts import USAGES, CtlRefusal, ReleaseFacts, programs, words

CTL: Final = f"""{common.CTL} {common.ATTEMPTS}
 activate_free_disk_space_monitoring check_if_any_deprecated_features_are_used clear_user_limits
 close_all_user_connections deactivate_free_disk_space_monitoring decrypt_conf_value encrypt_conf_value
 force_standalone_khepri_boot hash_password list_deprecated_features list_user_limits reconcile_vhosts
 remove_classic_queue_mirroring_from_policies set_permissions_globally set_user_limits set_vhost_tags
 update_vhost_metadata"""

DIAGNOSTICS: Final = f"""{common.DIAGNOSTICS} {common.ATTEMPTS_DIAGNOSED}
 activate_free_disk_space_monitoring check_if_any_deprecated_features_are_used
 check_if_cluster_has_classic_queue_mirroring_policy check_if_new_quorum_queue_replicas_have_finished_initial_sync
 coordinator_status deactivate_free_disk_space_monitoring list_deprecated_features
 list_operator_policies_with_classic_queue_mirroring list_policies_that_match
 list_policies_with_classic_queue_mirroring list_user_limits metadata_store_status reclaim_quorum_memory"""

QUEUE_COLUMNS: Final = common.queue_columns(
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
REFUSALS: Final[dict[str, CtlRefusal]] = {
    **common.REFUSALS,
    "purge_queue missing": CtlRefusal(65, "Object (queue, stream, exchange, etc) was not found"),
    "delete_queue filled": CtlRefusal(69, _ERROR % "not empty"),
    "delete_queue used": CtlRefusal(69, _ERROR % "in use"),
    "set_policy no_json": CtlRefusal(
        69, 'Error:\nCould not parse JSON document: {{error,{{failed_to_decode_json,<<"{text}">>}}}}'
    ),
}


DEPRECATED: Final = "amqp_address_v1 global_qos queue_master_locator ram_node_type transient_nonexcl_queues"

V4_0_5: Final = ReleaseFacts(
    version="4.0.5",
    erlang="27.3.4.1",
    commands=programs(f"{CTL} change_cluster_node_type schema_info", f"{DIAGNOSTICS} schema_info"),
    columns={
        **common.COLUMNS,
        "list_queues": QUEUE_COLUMNS,
        "list_deprecated_features": words("name deprecation_phase provided_by desc doc_url"),
    },
    default={**common.DEFAULT, "list_deprecated_features": words("name deprecation_phase")},
    usages={"delete_queue": DELETE_QUEUE},
    flags=common.flags(
        required=REQUIRED,
        stable="message_containers_deaths_v2 quorum_queue_non_voters rabbit_exchange_type_local_random rabbitmq_4.0.0",
        experimental="khepri_db",
    ),
    deprecated=dict(
        sorted(
            {
                **dict.fromkeys(words(DEPRECATED), ("permitted_by_default", "permitted")),
                "classic_queue_mirroring": ("removed", "denied"),
            }.items()
        )
    ),
    units=UNITS,
    idle=common.parts(
        "connection_readers connection_writers connection_channels connection_other queue_procs "
        "quorum_queue_procs 2760 quorum_queue_dlx_procs 2760 stream_queue_procs 1312 "
        "stream_queue_replica_reader_procs 1312 stream_queue_coordinator_procs plugins 12248 metadata_store 88796 "
        "other_proc 15096652 metrics 631968 mgmt_db mnesia 73008 quorum_ets 24472 metadata_store_ets 7576 "
        "other_ets 2374488 binary 20288 msg_index 125312 code 19376622 atom 999681 other_system 16162369 "
        "allocated_unused reserved_unallocated"
    ),
    connection=common.CONNECTION,
    refusals=REFUSALS,
    status=printed_4_0,
    pages=False,
    single_quotes=False,
    typed=True,
    led=True,
)


CTL_4_3_6: Final = (
    f"{CTL} disable_vhost_deletion_protection enable_vhost_deletion_protection has_reached_target_cluster_size "
    "list_channel_interceptors set_channel_interceptor_priorities"
)
DIAGNOSTICS_4_3_6: Final = (
    f"{DIAGNOSTICS} check_for_quorum_queues_without_an_elected_leader check_if_metadata_store_is_initialized "
    "check_if_metadata_store_is_initialized_with_data has_reached_target_cluster_size list_channel_interceptors "
    "message_size_stats"
)

V4_3_6: Final = ReleaseFacts(
    version="4.3.6",
    erlang="29.1.2",
    commands=programs(CTL_4_3_6, DIAGNOSTICS_4_3_6),
    columns={
        **common.COLUMNS,
        "list_connections": words(
            "pid name port host peer_port peer_host ssl ssl_protocol ssl_key_exchange ssl_cipher ssl_hash "
            "peer_cert_subject peer_cert_issuer peer_cert_serial_number peer_cert_validity state channels protocol "
            "auth_mechanism user vhost container_id timeout frame_max channel_max client_properties recv_oct recv_cnt "
            "send_oct send_cnt send_pend connected_at"
        ),
        "list_deprecated_features": words("name deprecation_phase state provided_by desc doc_url"),
        "list_queues": QUEUE_COLUMNS,
        "list_vhosts": (*common.COLUMNS["list_vhosts"], "protected_from_deletion", "metadata"),
    },
    default={
        **common.DEFAULT,
        "list_deprecated_features": words("name deprecation_phase state"),
    },
    usages={"delete_queue": DELETE_QUEUE.with_option("force!", "timeout=")},
    flags=common.flags(
        required=f"{REQUIRED} khepri_db message_containers_deaths_v2 quorum_queue_non_voters "
        "rabbit_exchange_type_local_random rabbitmq_4.0.0 rabbitmq_4.1.0 rabbitmq_4.2.0",
        stable="rabbitmq_4.3.0 tie_binding_to_dest_with_keep_while_cond topic_binding_projection_v4 "
        "topic_binding_projection_v5 track_qq_members_uids",
    ),
    deprecated={
        "amqp_address_v1": ("denied_by_default", "denied"),
        "amqp_filter_set_bug": ("denied_by_default", "denied"),
        "classic_queue_mirroring": ("removed", "denied"),
        "global_qos": ("denied_by_default", "denied"),
        "queue_master_locator": ("denied_by_default", "denied"),
        "ram_node_type": ("removed", "denied"),
        "transient_nonexcl_queues": ("permitted_by_default", "permitted"),
    },
    units=UNITS,
    idle=common.parts(
        "connection_readers connection_writers connection_channels connection_other quorum_queue_procs 2768 "
        "quorum_queue_dlx_procs 2768 queue_procs stream_queue_procs 1408 stream_queue_replica_reader_procs 1408 "
        "stream_queue_coordinator_procs plugins 11456 metadata_store 163692 other_proc 15983252 metrics 632120 mgmt_db "
        "quorum_ets 5152 mnesia metadata_store_ets 37336 other_ets 3331016 binary 65840 msg_index 125488 "
        "code 20420015 atom 1008374 other_system 19290051 allocated_unused reserved_unallocated"
    ),
    connection=common.CONNECTION,
    refusals={**REFUSALS, "delete_queue missing": CtlRefusal(64, "Error:\nNo such queue was found")},
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
