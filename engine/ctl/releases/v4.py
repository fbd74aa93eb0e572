"""What the command lines of 4.x have in common."""

from __future__ import annotations

from typing import Final

from engine.ctl.releases import common
from engine.ctl.releases.facts import CtlRefusal
from engine.ctl.usage import USAGES

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
