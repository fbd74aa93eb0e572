"""The command line of 4.0.5."""

from __future__ import annotations

from typing import Final

from engine.classic_v2.status import printed_4_0
from engine.ctl.releases import common, v4
from engine.ctl.releases.facts import ReleaseFacts, programs, words

DEPRECATED: Final = "amqp_address_v1 global_qos queue_master_locator ram_node_type transient_nonexcl_queues"

FACTS: Final = ReleaseFacts(
    version="4.0.5",
    erlang="27.3.4.1",
    commands=programs(f"{v4.CTL} change_cluster_node_type schema_info", f"{v4.DIAGNOSTICS} schema_info"),
    columns={
        **common.COLUMNS,
        "list_queues": v4.QUEUE_COLUMNS,
        "list_deprecated_features": words("name deprecation_phase provided_by desc doc_url"),
    },
    default={**common.DEFAULT, "list_deprecated_features": words("name deprecation_phase")},
    usages={"delete_queue": v4.DELETE_QUEUE},
    flags=common.flags(
        required=v4.REQUIRED,
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
    units=v4.UNITS,
    idle=common.parts(
        "connection_readers connection_writers connection_channels connection_other queue_procs "
        "quorum_queue_procs 2760 quorum_queue_dlx_procs 2760 stream_queue_procs 1312 "
        "stream_queue_replica_reader_procs 1312 stream_queue_coordinator_procs plugins 12248 metadata_store 88796 "
        "other_proc 15096652 metrics 631968 mgmt_db mnesia 73008 quorum_ets 24472 metadata_store_ets 7576 "
        "other_ets 2374488 binary 20288 msg_index 125312 code 19376622 atom 999681 other_system 16162369 "
        "allocated_unused reserved_unallocated"
    ),
    connection=common.CONNECTION,
    refusals=v4.REFUSALS,
    status=printed_4_0,
    pages=False,
    single_quotes=False,
    typed=True,
    led=True,
)
