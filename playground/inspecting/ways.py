"""The node's gate: which release starts on a directory of which, by the feature flags that are enabled in it.

Flags are those that `rabbit_core_ff` and the management plugin declare, read from their sources at the tags of the
releases; where a node was really tried, docs/rules says so. A release refuses a directory in which a flag that it
requires is not enabled; it touches no file of a queue then.
"""

from __future__ import annotations

import re
from typing import Any, Final

SERIES: Final = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "4.0", "4.1", "4.2", "4.3")
"""In the order of an upgrade."""

_OF_3_11: Final = frozenset(
    {
        "implicit_default_bindings",
        "maintenance_mode_status",
        "quorum_queue",
        "user_limits",
        "virtual_host_metadata",
    }
)
_OF_3_12: Final = _OF_3_11 | {
    "classic_mirrored_queue_version",
    "classic_queue_type_delivery_support",
    "direct_exchange_routing_v2",
    "feature_flags_v2",
    "listener_records_in_ets",
    "stream_queue",
    "stream_single_active_consumer",
    "tracking_records_in_ets",
}
_OF_4_0: Final = _OF_3_12 | {
    "message_containers",
    "restart_streams",
    "stream_filtering",
    "stream_sac_coordinator_unblock_group",
    "stream_update_config_command",
}
_OF_MANAGEMENT: Final = frozenset({"drop_unroutable_metric", "empty_basic_get_metric"})
"""Declared by the management plugin's agent: a node without the plugin neither has nor needs them."""
REQUIRED: Final[dict[str, frozenset[str]]] = {
    "3.8": frozenset(),
    "3.9": frozenset(),
    "3.10": frozenset(),
    "3.11": _OF_3_11,
    "3.12": _OF_3_12,
    "3.13": _OF_3_12,
    "4.0": _OF_4_0,
    "4.1": _OF_4_0,
    "4.2": _OF_4_0,
    "4.3": _OF_4_0,
}
"""Flags without which a series does not start."""
KNOWN: Final[dict[str, frozenset[str]]] = {
    "3.8": frozenset(
        {"implicit_default_bindings", "maintenance_mode_status", "quorum_queue", "virtual_host_metadata"}
    ),
    "3.10": _OF_3_11 | {"classic_mirrored_queue_version", "stream_queue"},
    "4.0": _OF_4_0 | {"message_containers_deaths_v2", "quorum_queue_non_voters", "rabbitmq_4.0.0"},
    "4.3": _OF_4_0 | {"message_containers_deaths_v2", "quorum_queue_non_voters", "rabbitmq_4.0.0"},
}
"""Flags that a series of the table of releases can enable at all."""
STEPS: Final = {"3.8": "3.10", "3.10": "3.11", "3.11": "3.12", "3.12": "3.13", "3.13": "4.0", "4.0": "4.3"}
"""The next series at which an upgrade stops, all flags enabled at each."""


def read_flags(data: bytes) -> frozenset[str] | None:
    """Return the flags that a node's list names as enabled, None if it is not a list.

    Args:
        data: the file `<node>-feature_flags`, a list of atoms.
    """
    text = data[: 1 << 16].decode("utf-8", "replace").strip()
    if not re.fullmatch(r"\[[\sa-z0-9_.,']*\]\.", text):
        return None
    return frozenset(re.findall(r"[a-z][a-z0-9_.]*", text[1:-2]))


def series_of(data: bytes | None) -> str | None:
    """Return the series of a 4.x by the node's own list of flags, None where there is no list.

    Args:
        data: see `read_flags`.
    """
    flags = None if data is None else read_flags(data)
    if flags is None:
        return None
    return "4.3" if any(re.fullmatch(r"rabbitmq_4\.[1-9]\d*\.0", each) for each in flags) else "4.0"


def gate(source: str, target: str, enabled: frozenset[str] | None) -> dict[str, Any]:
    """Return whether a release starts on a directory of another, and the way where it does not.

    An older release never is: no release of RabbitMQ supports going back, whatever the flags say.

    Args:
        source, target: series.
        enabled: flags in the directory; None where its list was not given, which then counts as all that there are.
    """
    flags = KNOWN[source] if enabled is None else enabled
    plugin = _OF_MANAGEMENT if flags & _OF_MANAGEMENT else frozenset()
    missing = sorted(_required(target, plugin) - flags)
    is_back = SERIES.index(target) < SERIES.index(source)
    way = []
    at = source
    while at != target and at in STEPS and SERIES.index(STEPS[at]) <= SERIES.index(target):
        at = STEPS[at]
        way.append(at)
    return {
        "accepted": not missing and not is_back,
        "missing": missing,
        "enable_first": sorted(_required(way[0], plugin) - flags) if way else [],
        "way": way,
        "listed": enabled is not None,
    }


def _required(series: str, plugin: frozenset[str]) -> frozenset[str]:
    """Return the flags that a series requires, with those of a plugin that is in use; these it requires since 3.12."""
    needed = REQUIRED[series]
    return needed | plugin if needed >= _OF_3_12 else needed
