"""The command lines of 3.8.9 and 3.10.8."""

from __future__ import annotations

from typing import Final

from engine.classic_v1.status import printed, printed_3_8
from engine.ctl.releases import common
from engine.ctl.releases.facts import ReleaseFacts, programs, words
from engine.ctl.usage import USAGES

V3_8_9: Final = ReleaseFacts(
    version="3.8.9",
    erlang="23.2.6",
    commands=programs(
        f"{common.CTL} cancel_sync_queue change_cluster_node_type hipe_compile schema_info sync_queue",
        f"{common.DIAGNOSTICS} schema_info",
    ),
    columns={
        **common.COLUMNS,
        "list_channels": (*common.COLUMNS["list_channels"], "global_prefetch_count"),
        "list_queues": common.queue_columns(capacity="", mirrors="slave_pids synchronised_slave_pids"),
        "list_vhosts": words("name description tags tracing cluster_state"),
    },
    default=common.DEFAULT,
    usages={
        "add_vhost": USAGES["add_vhost"].without(" --default-queue-type <quorum|classic|stream>"),
    },
    flags=common.flags(
        stable="implicit_default_bindings maintenance_mode_status quorum_queue virtual_host_metadata"
    ),
    idle=common.parts(
        "connection_readers connection_writers connection_channels connection_other queue_procs queue_slave_procs "
        "quorum_queue_procs plugins 4732608 other_proc 29278820 metrics 196028 mgmt_db mnesia 80152 quorum_ets 47632 "
        "other_ets 3548160 binary 460272 msg_index 29616 code 28899082 atom 1376577 other_system 12284013 "
        "allocated_unused reserved_unallocated"
    ),
    connection=common.CONNECTION,
    refusals=common.REFUSALS,
    deleted="messages",
    status=printed_3_8,
)


V3_10_8: Final = ReleaseFacts(
    version="3.10.8",
    erlang="25.2.3",
    commands=programs(
        f"{common.CTL} {common.ATTEMPTS} cancel_sync_queue change_cluster_node_type clear_user_limits "
        "close_all_user_connections "
        "hipe_compile list_user_limits schema_info set_user_limits set_vhost_tags sync_queue",
        f"{common.DIAGNOSTICS} {common.ATTEMPTS_DIAGNOSED} list_user_limits reclaim_quorum_memory schema_info",
    ),
    columns={
        **common.COLUMNS,
        "list_channels": (*common.COLUMNS["list_channels"], "global_prefetch_count"),
        "list_queues": common.queue_columns(
            mirrors="slave_pids synchronised_slave_pids", led="leader members online"
        ),
    },
    default=common.DEFAULT,
    flags=dict.fromkeys(
        "classic_mirrored_queue_version implicit_default_bindings maintenance_mode_status quorum_queue stream_queue "
        "user_limits virtual_host_metadata".split(),
        ("enabled", "stable"),
    ),
    idle=common.parts(
        "connection_readers connection_writers connection_channels connection_other queue_procs queue_slave_procs "
        "quorum_queue_procs quorum_queue_dlx_procs 2768 stream_queue_procs 2768 stream_queue_replica_reader_procs 2768 "
        "stream_queue_coordinator_procs plugins 14232 other_proc 13861736 metrics 550072 mgmt_db mnesia 90400 "
        "quorum_ets 24472 other_ets 2681976 binary 92104 msg_index 29808 code 31353566 atom 1335609 "
        "other_system 12895153 allocated_unused reserved_unallocated"
    ),
    connection=common.CONNECTION,
    refusals=common.REFUSALS,
    status=printed,
)
