"""The command line of 4.3.6."""

from __future__ import annotations

from typing import Final

from engine.amqp.exchanges import LOG
from engine.classic_v2.status import printed_4_3
from engine.ctl.releases import common, v4
from engine.ctl.releases.facts import CtlRefusal, ReleaseFacts, programs, words

CTL: Final = (
    f"{v4.CTL} disable_vhost_deletion_protection enable_vhost_deletion_protection has_reached_target_cluster_size "
    "list_channel_interceptors set_channel_interceptor_priorities"
)
DIAGNOSTICS: Final = (
    f"{v4.DIAGNOSTICS} check_for_quorum_queues_without_an_elected_leader check_if_metadata_store_is_initialized "
    "check_if_metadata_store_is_initialized_with_data has_reached_target_cluster_size list_channel_interceptors "
    "message_size_stats"
)

FACTS: Final = ReleaseFacts(
    version="4.3.6",
    erlang="29.1.2",
    commands=programs(CTL, DIAGNOSTICS),
    columns={
        **common.COLUMNS,
        "list_connections": words(
            "pid name port host peer_port peer_host ssl ssl_protocol ssl_key_exchange ssl_cipher ssl_hash "
            "peer_cert_subject peer_cert_issuer peer_cert_serial_number peer_cert_validity state channels protocol "
            "auth_mechanism user vhost container_id timeout frame_max channel_max client_properties recv_oct recv_cnt "
            "send_oct send_cnt send_pend connected_at"
        ),
        "list_deprecated_features": words("name deprecation_phase state provided_by desc doc_url"),
        "list_queues": v4.QUEUE_COLUMNS,
        "list_vhosts": (*common.COLUMNS["list_vhosts"], "protected_from_deletion", "metadata"),
    },
    default={
        **common.DEFAULT,
        "list_deprecated_features": words("name deprecation_phase state"),
    },
    usages={"delete_queue": v4.DELETE_QUEUE.with_option("force!", "timeout=")},
    flags=common.flags(
        required=f"{v4.REQUIRED} khepri_db message_containers_deaths_v2 quorum_queue_non_voters "
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
    units=v4.UNITS,
    idle=common.parts(
        "connection_readers connection_writers connection_channels connection_other quorum_queue_procs 2768 "
        "quorum_queue_dlx_procs 2768 queue_procs stream_queue_procs 1408 stream_queue_replica_reader_procs 1408 "
        "stream_queue_coordinator_procs plugins 11456 metadata_store 163692 other_proc 15983252 metrics 632120 mgmt_db "
        "quorum_ets 5152 mnesia metadata_store_ets 37336 other_ets 3331016 binary 65840 msg_index 125488 "
        "code 20420015 atom 1008374 other_system 19290051 allocated_unused reserved_unallocated"
    ),
    connection=common.CONNECTION,
    refusals={**v4.REFUSALS, "delete_queue missing": CtlRefusal(64, "Error:\nNo such queue was found")},
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
