"""What a node reads from its configuration, apart from the queue's own settings (queue.md section 23)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec

from engine.broker.commands import base
from engine.broker.commands.base import AbsoluteLimit, FreeLimit, refused
from engine.costs import ProfileName
from engine.releases import PROFILES, RELEASES, BrokerRelease
from engine.report.transitions.base import Why
from engine.values.errors import InvalidSetting, ScenarioError
from engine.values.settings import GIBIBYTE, MEBIBYTE, StorageSettings

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
        connection_memory_bytes: what each publisher or consumer adds: a connection with one channel.
        receive_buffer_bytes: what the VM keeps in addition for a connection's socket; counted, but not resident.
        garbage_lingers_ms: how long bodies still count after they leave RAM, until their processes collect garbage.
        processes_collect_garbage: model each process's garbage and heap instead; `garbage_lingers_ms` is then unused.
            Only for a single node.
        desired_hibernate_ms: a queue that wakes sooner than this waits longer before it sleeps again (P4); 0 lets every
            wait be the same.
        connection_bytes_per_s: what the connection of bursts carries; None lets a burst arrive in one instant.
        client_trip_us: what a delivery to an idle client and its acknowledgement take beside the processes' work, with
            the client's own; None if the work profile says it.
        running_since_ms: how long the node had run when the scenario begins, which sets the phase of its monitors'
            timers.
        memory_monitor_after_ms: when the target duration is first computed; None if that follows from
            `running_since_ms`.
        vm_memory_high_watermark: publishers are blocked above this fraction of the RAM, or these bytes (M7, M8).
        vm_memory_high_watermark_paging_ratio: paging starts at this part of the watermark (M3).
        vm_memory_calculation_strategy: which memory is compared with the watermark (M9): the VM's own total (as in runs
            from before there was a choice), what its allocators took, or what the operating system counts.
        memory_check_interval_ms: how often the node looks at its memory (M7).
        memory_monitor_interval_ms: how often the target duration is computed (M1).
        rate_timer_ms: how long after a message the queue reports its duration (P5).
        queue_sync_interval_ms: an idle queue syncs its journal after this long (P2).
        hibernate_after_ms: an idle queue flushes its journal and sleeps after this long (P4).
        unsent_message_limit: messages on the way to a consumer without acknowledgements (P12, F8).
        max_messages: most messages that the node may hold, a bound of this program.
        max_disk_bytes: most bytes of the node's files, a bound of this program; None for none.
        queue_durable: whether the queue is durable (Q1).
        disk_total_bytes: size of the modelled partition with the node's files (M10).
        disk_free_bytes_other: bytes that everything else on that partition takes.
        disk_free_limit: publishers are blocked, and paging stops, when less is free (M10, M12).
        work_profile: the machine that sets the time of work, see engine.costs.
        credit_flow_default_credit: the first credit of readers and channels, and that of each grant (F1).
        nodes: how many nodes the cluster has; with more than one, work takes no time.
        ring_hop_us: how long an instruction travels from one member of a mirrored queue to the next (H88).
        queue_master_locator: where a new queue's master begins, unless argument or policy say (H15).
        max_message_size: bytes of the largest body that a channel takes (P22).
        consumer_timeout_ms: how long a delivery may wait for its acknowledgement; 0 for no limit (P21).
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
    client_trip_us: Annotated[int, msgspec.Meta(ge=1, le=10_000_000)] | None = None
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
        """Whether garbage is modelled by process; in a cluster bodies linger for a fixed time."""
        return self.processes_collect_garbage and self.nodes == 1


RUNTIME: Final = (
    "vm_memory_high_watermark",
    "vm_memory_high_watermark_paging_ratio",
    "vm_memory_calculation_strategy",
    "disk_free_limit",
)
"""Settings whose changes by commands are lost when the node starts (M8)."""

DISK_NAMES: Final = frozenset({"disk_total_bytes", "disk_free_bytes_other", "disk_free_limit"})
SHOWN_ALWAYS: Final = frozenset(
    "ram_bytes base_memory_bytes connection_memory_bytes vm_memory_high_watermark "
    "vm_memory_high_watermark_paging_ratio memory_check_interval_ms memory_monitor_interval_ms rate_timer_ms "
    "queue_sync_interval_ms hibernate_after_ms unsent_message_limit max_messages max_disk_bytes queue_durable".split()
)
"""Settings that every run lists; the others are shown only if a scenario or a command names them. They were added after
links to runs existed: listed by every run they would change the first `NodeChanged` of kept runs, and so their digests,
which links promise to keep.
"""

NODE_NAMES: Final = frozenset(NodeSettings.__struct_fields__)
RULES: Final = "release"
"""The setting that names the series whose rules queues follow, if not the profile's own."""


def release_of(profile: str, overrides: Mapping[str, Any]) -> BrokerRelease:
    """Return the release whose rules a run follows, for settings that `resolve` returned."""
    return RELEASES[overrides.get(RULES, PROFILES[profile].release.series)]


def resolve(profile: str, overrides: Mapping[str, Any]) -> tuple[StorageSettings, NodeSettings]:
    """Return a profile's settings with `overrides` in place. Raises ScenarioError for an unknown name or an
    impossible value.
    """
    if profile not in PROFILES:
        raise ScenarioError("no_such_value", place=f"profile: {profile!r}")
    release, scale = PROFILES[profile]
    storage = release.storage
    for name in sorted(overrides):
        if name not in NODE_NAMES and name not in storage.chosen and name != RULES:
            known = ", ".join(sorted({*NODE_NAMES, *storage.chosen, RULES}))
            raise ScenarioError("no_setting", name=name, known=known)
        if name in storage.settings.bounds:
            value, (low, high) = overrides[name], storage.settings.bounds[name]
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise ScenarioError("not_whole_between", place=f"settings.{name}", least=low, most=high)
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


def segment_entries(profile: str, overrides: Mapping[str, Any]) -> int:
    """Return how many entries a segment of an index has, for settings that `resolve` returned."""
    return resolve(profile, overrides)[0].shown()["segment_entry_count"]  # type: ignore[no-any-return]


def info_items(settings: NodeSettings, named: frozenset[str]) -> Why:
    """Return what is shown of the settings; limits in bytes. `named`: settings that the scenario or a command named."""
    shown: Why = {
        name: getattr(settings, name)
        for name in NodeSettings.__struct_fields__
        if name in SHOWN_ALWAYS or name in named
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
