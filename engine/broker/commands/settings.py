"""What a whole node reads from its configuration, beside the queue's own settings (queue.md section 23)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec

from engine.backing_queue.generation import StorageSettings
from engine.broker.commands import base
from engine.broker.commands.base import AbsoluteLimit, FreeLimit, refused
from engine.costs import ProfileName
from engine.releases import PROFILES, RELEASES, BrokerRelease
from engine.report.transitions.base import Why
from engine.values.errors import InvalidSetting, ScenarioError

MEBIBYTE: Final = 1024 * 1024
GIBIBYTE: Final = 1024 * MEBIBYTE

Strategy = Literal["erlang", "legacy", "allocated", "rss"]
Locator = Literal["client-local", "random", "min-masters"]
"""How the node's memory is counted (M9); `legacy` is the old name of `erlang`, and `rss` is 3.10.8's default."""

RamBytes = Annotated[int, msgspec.Meta(ge=64 * 1024, le=1024 * GIBIBYTE)]
Fraction = Annotated[float, msgspec.Meta(ge=0, le=1)]
Watermark = Fraction | AbsoluteLimit
DiskBytes = Annotated[int, msgspec.Meta(ge=0, le=1024 * GIBIBYTE)]
Ratio = Annotated[float, msgspec.Meta(ge=0, le=2)]
CreditCount = Annotated[int, msgspec.Meta(ge=1, le=100_000)]
Milliseconds = Annotated[int, msgspec.Meta(ge=10, le=600_000)]


class NodeSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the node around the queue; defaults are those of 3.10.8 on a small machine.

    The base is the measured VM total of a node with one queue.

    Args:
        ram_bytes: total RAM of the modelled machine (M8).
        base_memory_bytes: what the node and one empty queue need.
        connection_memory_bytes: what each publisher or consumer adds, a connection with one channel.
        receive_buffer_bytes: what the VM keeps beside that for a connection's socket; it counts them, they are not
            resident.
        garbage_lingers_ms: bodies that leave RAM are counted for so long yet, until their processes collect garbage.
        processes_collect_garbage: whether it follows from what each process does how long bodies are counted yet, and
            how much heap they have beside; `garbage_lingers_ms` counts no more then. Only for a single node.
        desired_hibernate_ms: a queue that wakes sooner than this waits longer before it sleeps again (P4); 0 lets every
            wait be the same.
        connection_bytes_per_s: what the connection of bursts carries; None lets a burst arrive in one instant.
        running_since_ms: how long the node had run when the scenario begins: the phase of its monitors' timers.
        memory_monitor_after_ms: when the wanted duration is computed first; None where that follows from
            `running_since_ms`.
        vm_memory_high_watermark: publishers are blocked above this part of the RAM, or these bytes (M7, M8).
        vm_memory_high_watermark_paging_ratio: paging starts at this part of the watermark (M3).
        vm_memory_calculation_strategy: what is compared with the watermark (M9): what lives in the VM, which runs from
            before there was a choice had, what its allocators took, or what the operating system counts.
        memory_check_interval_ms: how often the node looks at its memory (M7).
        memory_monitor_interval_ms: how often the wanted duration is computed (M1).
        rate_timer_ms: how long after a message the queue reports its duration (P5).
        queue_sync_interval_ms: an idle queue syncs its journal after this long (P2).
        hibernate_after_ms: an idle queue flushes its journal and sleeps after this long (P4).
        unsent_message_limit: messages on the way to a consumer without acknowledgements (P12, F8).
        max_messages: most messages that the node may hold, a bound of this program.
        max_disk_bytes: most bytes that the node's files may have, a bound of this program; None for none.
        queue_durable: whether the queue is durable (Q1).
        disk_total_bytes: size of the modelled partition with the node's files (M10).
        disk_free_bytes_other: what everything else on that partition takes.
        disk_free_limit: publishers are blocked, and paging stops, when less is free (M10, M12).
        work_profile: the machine whose times work costs, see engine.costs.
        credit_flow_default_credit: what readers and channels begin with, and what each grant gives (F1).
        nodes: how many nodes the cluster has; with more than one, work takes no time.
        ring_hop_us: how long an instruction travels from one member of a mirrored queue to the next (H88).
        queue_master_locator: the node on which a new queue's master begins; argument and policy come first (H15).
        max_message_size: bytes of the largest body that a channel takes (P22).
        consumer_timeout_ms: how long a delivery may wait for its acknowledgement; 0 for as long as it likes (P21).
        channel_tick_interval_ms: how often a channel looks at its oldest delivery (P21).
    """

    ram_bytes: RamBytes = 512 * MEBIBYTE
    base_memory_bytes: Annotated[int, msgspec.Meta(ge=0, le=1024 * GIBIBYTE)] = 66_800_000
    connection_memory_bytes: Annotated[int, msgspec.Meta(ge=0, le=GIBIBYTE)] = 34_305
    receive_buffer_bytes: Annotated[int, msgspec.Meta(ge=0, le=GIBIBYTE)] = 3_950_000
    garbage_lingers_ms: Annotated[int, msgspec.Meta(ge=0, le=600_000)] = 2000
    processes_collect_garbage: bool = False
    desired_hibernate_ms: Annotated[int, msgspec.Meta(ge=0, le=600_000)] = 0
    connection_bytes_per_s: Annotated[int, msgspec.Meta(ge=1024, le=1024 * GIBIBYTE)] | None = None
    running_since_ms: Annotated[int, msgspec.Meta(ge=0, le=600_000)] = 0
    memory_monitor_after_ms: Milliseconds | None = None
    vm_memory_high_watermark: Watermark = 0.4
    vm_memory_high_watermark_paging_ratio: Ratio = 0.5
    vm_memory_calculation_strategy: Strategy = "erlang"
    memory_check_interval_ms: Milliseconds = 1000
    memory_monitor_interval_ms: Milliseconds = 2500
    rate_timer_ms: Milliseconds = 5000
    queue_sync_interval_ms: Milliseconds = 200
    hibernate_after_ms: Milliseconds = 1000
    unsent_message_limit: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 200
    max_messages: Annotated[int, msgspec.Meta(ge=1, le=10_000_000)] = 10_000_000
    max_disk_bytes: Annotated[int, msgspec.Meta(ge=0, le=1024 * GIBIBYTE)] | None = None
    queue_durable: bool = True
    disk_total_bytes: DiskBytes = 50_000_000_000
    disk_free_bytes_other: DiskBytes = 0
    disk_free_limit: DiskBytes | FreeLimit = 50_000_000
    work_profile: ProfileName = "instant"
    credit_flow_default_credit: Annotated[tuple[CreditCount, CreditCount], msgspec.Meta()] = (400, 200)
    nodes: Annotated[int, msgspec.Meta(ge=1, le=3)] = 1
    ring_hop_us: Annotated[int, msgspec.Meta(ge=0, le=20_000)] = 0
    queue_master_locator: Locator = "client-local"
    max_message_size: Annotated[int, msgspec.Meta(ge=1, le=536_870_912)] = 128 * MEBIBYTE
    consumer_timeout_ms: Annotated[int, msgspec.Meta(ge=0, le=86_400_000)] = 1_800_000
    channel_tick_interval_ms: Annotated[int, msgspec.Meta(ge=100, le=3_600_000)] = 60_000

    @property
    def garbage_follows(self) -> bool:
        """Whether what is not collected follows from what processes do; in a cluster bodies linger for a fixed time."""
        return self.processes_collect_garbage and self.nodes == 1


RUNTIME: Final = (
    "vm_memory_high_watermark",
    "vm_memory_high_watermark_paging_ratio",
    "vm_memory_calculation_strategy",
    "disk_free_limit",
)
"""Settings of which a start of the node forgets what commands made of them (M8)."""

DISK_NAMES: Final = frozenset({"disk_total_bytes", "disk_free_bytes_other", "disk_free_limit"})
SHOWN_ONCE_NAMED: Final = DISK_NAMES | {
    "work_profile",
    "credit_flow_default_credit",
    "vm_memory_calculation_strategy",
    "nodes",
    "ring_hop_us",
    "queue_master_locator",
    "receive_buffer_bytes",
    "garbage_lingers_ms",
    "processes_collect_garbage",
    "desired_hibernate_ms",
    "connection_bytes_per_s",
    "running_since_ms",
    "memory_monitor_after_ms",
    "max_message_size",
    "consumer_timeout_ms",
    "channel_tick_interval_ms",
}
"""Settings that are shown only once a scenario or a command names them.

Each was added after links to runs had been kept. A setting that every run listed would change the transition
`NodeChanged` at the start of all kept runs, and with it their digests; but whoever opens a link is promised the same
digest. So a setting that is added to `NodeSettings` later is added here as well.
"""

NODE_NAMES: Final = frozenset(NodeSettings.__struct_fields__)
RULES: Final = "release"
"""The setting that names the series whose rules queues go by, where these are others than the profile's own."""


def release_of(profile: str, overrides: Mapping[str, Any]) -> BrokerRelease:
    """Return the release whose rules a run goes by, for settings that `resolve` has taken."""
    return RELEASES[overrides.get(RULES, PROFILES[profile].release.series)]


def resolve(profile: str, overrides: Mapping[str, Any]) -> tuple[StorageSettings, NodeSettings]:
    """Return a profile's settings with `overrides` in place.

    Raises ScenarioError for an unknown name or an impossible value.
    """
    if profile not in PROFILES:
        raise ScenarioError("no_such_value", place=f"profile: {profile!r}")
    release, scale = PROFILES[profile]
    storage = release.storage
    for name in sorted(overrides):
        if name not in NODE_NAMES and name not in storage.chosen and name != RULES:
            known = ", ".join(sorted({*NODE_NAMES, *storage.chosen, RULES}))
            raise ScenarioError("no_setting", name=name, known=known)
        if name in storage.bounds:
            _check_bounds(name, overrides[name], *storage.bounds[name])
    series = overrides.get(RULES, release.series)
    lent = RELEASES.get(series) if isinstance(series, str) else None
    if lent is None or lent.storage.host_files is not storage.host_files:
        raise ScenarioError("no_such_value", place=f"settings.{RULES}: {series!r}")
    node = {**release.node_values(scale), **{name: overrides[name] for name in NODE_NAMES & overrides.keys()}}
    chosen = {name: overrides[name] for name in storage.chosen & overrides.keys()}
    try:
        found = msgspec.convert(node, NodeSettings)
        queue = release.storage_settings(scale, chosen, lent.rules)
    except msgspec.ValidationError as error:
        raise refused(ScenarioError, error, "settings.") from error
    except InvalidSetting as error:
        raise error.inside("settings: ", ScenarioError) from error
    if found.nodes != 1 and not release.mirrors:
        raise ScenarioError("release_without_mirrors", release=release.name)
    if found.nodes != 1 and found.work_profile != "instant":
        raise ScenarioError("cluster_instant")
    return queue, found


def info_items(settings: NodeSettings, named: frozenset[str]) -> Why:
    """Return what is shown of the settings; limits in bytes.

    Args:
        named: settings that the scenario or a command named.
    """
    shown: Why = {
        name: getattr(settings, name)
        for name in NodeSettings.__struct_fields__
        if name not in SHOWN_ONCE_NAMED or name in named
    }
    watermark = settings.vm_memory_high_watermark
    if isinstance(watermark, AbsoluteLimit):
        shown["vm_memory_high_watermark"] = (
            base.limit_bytes(watermark, settings.ram_bytes) / settings.ram_bytes
        )
    if "credit_flow_default_credit" in named:
        del shown["credit_flow_default_credit"]
        shown["credit_flow_initial"], shown["credit_flow_more"] = settings.credit_flow_default_credit
    if "disk_free_limit" in named:
        shown["disk_free_limit"] = base.free_limit_bytes(settings.disk_free_limit, settings.ram_bytes)
    return shown


def _check_bounds(name: str, value: Any, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ScenarioError("not_whole_between", place=f"settings.{name}", least=low, most=high)
