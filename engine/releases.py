"""The table of releases: the storage, defaults, rules and scales of each. It is the only place that compares
releases; all other code asks a row for a rule. A *profile* is a release at a scale: `real` has the constants
of the release, `classroom` the same rules with numbers small enough to draw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

import msgspec

from engine.amqp.arguments import with_version
from engine.amqp.exchanges import LOG, PREDECLARED
from engine.amqp.rules import TODAYS, VALIDATIONS, AmqpRules
from engine.backing_queue.generation import (
    DeclaredSettings,
    QueueImplementation,
    StorageGeneration,
    any_queue,
)
from engine.backing_queue.message_places import CLASSIC_V2, PRIORITY_QUEUE, VARIABLE_QUEUE, VARIABLE_QUEUE_V2
from engine.classic_v1.generation import CLASSIC_V1
from engine.classic_v2 import generation as version_2
from engine.classic_v2.settings import RULES_4_0
from engine.priority_queue import priorities_of
from engine.values.settings import MEBIBYTE, USUAL_ENTRY_COUNT, StorageSettings
from engine.version_choice.generation import EITHER_VERSION, make_converting, serves_version_2

Scale = Literal["real", "classroom"]
Feature = Literal["mirrors", "queue_mode", "paging", "target_ram_count"]
"""Features that only some releases have: mirrors, lazy mode, paging under memory pressure, a target for RAM."""

Values = Mapping[str, Any]


class RequestedQueue(NamedTuple):
    """A requested queue."""

    name: str
    arguments: Values


class BrokerRelease(msgspec.Struct, frozen=True, kw_only=True):
    """One release of the broker.

    Args:
        name: as its makers write it.
        series: as links and scenario files write it; a setting named `release` chooses rules by it.
        queues: its backing queues by name; the last one that serves a declared queue is used.
        constants: settings of queues and stores whose defaults differ from the generation's.
        rules: rules of queues that differ from the generation's.
        amqp: rules of channels, consumers and dead letters that differ.
        node: settings of a node whose defaults differ from `NodeSettings`.
        profiles: its words in scenario files and links, by scale; they never change, because kept runs contain them.
        gone: features that it lacks, each with its rule.
    """

    name: str
    series: str
    storage: StorageGeneration
    queues: dict[str, QueueImplementation]
    constants: Values = MappingProxyType({})
    rules: Values = MappingProxyType({})
    amqp: AmqpRules = AmqpRules()
    node: Values = MappingProxyType({})
    profiles: Mapping[Scale, str]
    gone: Mapping[Feature, str] = MappingProxyType({})

    @property
    def mirrors(self) -> bool:
        """Whether its queues can have mirrors, so that several nodes are useful."""
        return "mirrors" not in self.gone

    def __reduce__(self) -> tuple[Any, ...]:
        """Let a checkpoint of a run refer to its row instead of copying it."""
        return _row, (self.series,)

    def backing_queue_of(self, queue: DeclaredSettings, version: int | None = None) -> str:
        """Return the name of the implementation that serves a declared queue. `version`: of its files, if a
        policy or its current state sets it instead of an argument (W2).
        """
        wished = (
            queue if version is None else RequestedQueue(queue.name, with_version(queue.arguments, version))
        )
        return next(name for name, each in reversed(self.queues.items()) if each.serves(wished))

    def storage_settings(self, scale: Scale, chosen: Values, rules: Values | None = None) -> StorageSettings:
        """Return what queues and stores read from the configuration. `chosen`: values from a scenario.
        `rules`: of another release of the same generation; None for its own. Raises InvalidSetting: the
        formats or the rules cannot work with a value; msgspec.ValidationError: a value has the wrong type.
        """
        small = CLASSROOM_STORAGE[self.storage.name] if scale == "classroom" else {}
        values = {**self.constants, **small, **(self.rules if rules is None else rules), **chosen}
        kind: Callable[..., Any] = self.storage.settings
        return msgspec.convert(values, kind)  # type: ignore[no-any-return]

    def node_values(self, scale: Scale) -> Values:
        """Return the settings of a node that differ from those of `NodeSettings`."""
        return {**self.node, **(CLASSROOM_NODE if scale == "classroom" else {})}


def _row(series: str) -> BrokerRelease:
    return RELEASES[series]


_CLASSROOM_V1: Final[Values] = {
    "segment_entry_count": 8,
    "delta_read_cap": 2048,
    "msg_store_io_batch_size": 1,
    "explicit_gc_run_operation_threshold": 0,
    "msg_store_file_size_limit": 64 * 1024,
    "write_buffer_bytes": 16 * 1024,
}

CLASSROOM_STORAGE: Final[Mapping[str, Values]] = {
    CLASSIC_V1.name: _CLASSROOM_V1,
    EITHER_VERSION.name: _CLASSROOM_V1,
    version_2.CLASSIC_V2.name: {
        "segment_entry_count": 8,
        "store_max_cache_size": 1000,
        "window_cap": 8,
        "msg_store_file_size_limit": 64 * 1024,
        "write_buffer_bytes": 16 * 1024,
    },
}
"""Same rules, visible with ten messages (queue.md section 23), by the name of the generation."""

CLASSROOM_NODE: Final[Values] = {
    "ram_bytes": MEBIBYTE,
    "base_memory_bytes": 100_000,
    "connection_memory_bytes": 1000,
    "receive_buffer_bytes": 0,
    "garbage_lingers_ms": 0,
    "memory_check_interval_ms": 100,
    "memory_monitor_interval_ms": 250,
    "rate_timer_ms": 250,
    "hibernate_after_ms": 500,
    "unsent_message_limit": 4,
    "max_messages": 20_000,
}
"""A node at the size of a hand-drawn picture.

Paging starts at 0.5 * 0.4 of one MiB, which is 110 kB above the base: 16 messages of 6 kB, 22 of 4 kB or 39 of 2 kB.
The watermark is at 45 messages of 6 kB.

Timers are faster than real ones, and the rate timer fires before the hibernation. So a queue reports twice
after a burst; the second report tells it how long messages may stay in RAM, and it pages 0.75 s after the
burst. With the real timers it hibernates at its first report, and learns that only after the next message:
with a single queue M4 never pushes a duration below the reported one, because (d + 1) / r > d for every r <
1. Every single publish may reduce here (G = 0), so a message costs about 100 microseconds instead of one for
a whole burst; hence the smaller bound.
"""


def _queues(generation: StorageGeneration, name: str) -> dict[str, QueueImplementation]:
    """Return the backing queues of a release with one generation: its queue, with and without priorities."""
    return {
        name: QueueImplementation(any_queue, generation.make),
        PRIORITY_QUEUE: priorities_of(generation.make),
    }


V3_8_9: Final = BrokerRelease(
    name="3.8.9",
    series="3.8",
    storage=CLASSIC_V1,
    queues=_queues(CLASSIC_V1, VARIABLE_QUEUE),
    constants={"segment_entry_count": USUAL_ENTRY_COUNT, "delta_read_cap": 16384},
    rules={
        "flags_deliveries": True,
        "starts_at_a_boundary": True,
        "writes_config": False,
        "reduction_flushes": False,
        "pages_the_rest": False,
        "recovery_flushes": False,
        "fetchwhile_forgets": True,
    },
    amqp=AmqpRules(
        validation=VALIDATIONS["3.8.9"],
        settles_by_name=False,
        late_words="consumer ack timed out on channel {channel}",
    ),
    profiles={"real": "articles", "classroom": "3.8.9-classroom"},
)
"""The broker that the articles describe (V1-V10)."""

V3_10_8: Final = BrokerRelease(
    name="3.10.8",
    series="3.10",
    storage=EITHER_VERSION,
    queues={
        VARIABLE_QUEUE: QueueImplementation(any_queue, EITHER_VERSION.make),
        VARIABLE_QUEUE_V2: QueueImplementation(serves_version_2, EITHER_VERSION.make),
        PRIORITY_QUEUE: priorities_of(EITHER_VERSION.make),
    },
    profiles={"real": "real", "classroom": "classroom"},
)
"""The reference: defaults of the generation and of the node are those of 3.10.8. A queue has version 1 unless asked
(W2).
"""

GONE_IN_4: Final[Mapping[Feature, str]] = MappingProxyType(
    {"mirrors": "W75", "queue_mode": "W39", "paging": "W70", "target_ram_count": "W70"}
)
"""Features that queues of version 2 lack in every 4.x."""

TODAYS_NODE: Final[Values] = {"vm_memory_high_watermark": 0.6, "max_message_size": 16 * MEBIBYTE}
"""4.x sets the alarm at 60 % of the memory (W72), and accepts messages of at most 16 MiB (W1)."""

V4_0_5: Final = BrokerRelease(
    name="4.0.5",
    series="4.0",
    storage=version_2.CLASSIC_V2,
    queues={
        CLASSIC_V2: QueueImplementation(any_queue, make_converting),
        PRIORITY_QUEUE: priorities_of(make_converting, least=1),
    },
    rules=RULES_4_0,
    amqp=msgspec.structs.replace(
        TODAYS,
        validation=VALIDATIONS["4.0.5"],
        limits_channels=True,
        exchanges_stay=False,
        commits_look_up=False,
        acknowledgements_time_out=True,
    ),
    node=TODAYS_NODE,
    profiles={"real": "4.0.5", "classroom": "4.0.5-classroom"},
    gone=GONE_IN_4,
)
"""The first release series with only queues of version 2; it converts files of version 1 (W100)."""

V4_3_6: Final = BrokerRelease(
    name="4.3.6",
    series="4.3",
    storage=version_2.CLASSIC_V2,
    queues={
        CLASSIC_V2: QueueImplementation(any_queue, version_2.CLASSIC_V2.make),
        PRIORITY_QUEUE: priorities_of(version_2.CLASSIC_V2.make, least=1),
    },
    amqp=msgspec.structs.replace(
        TODAYS, validation=msgspec.structs.replace(VALIDATIONS["4.3.6"], predeclared=(*PREDECLARED, LOG))
    ),
    node=TODAYS_NODE,
    profiles={"real": "4.3.6", "classroom": "4.3.6-classroom"},
    gone=GONE_IN_4,
)
"""Today's broker: the defaults of version 2 are those of 4.3.6."""

RELEASES: Final = {each.series: each for each in (V3_8_9, V3_10_8, V4_0_5, V4_3_6)}
"""Releases by series."""

REFERENCE: Final = V3_10_8
"""The release of kept runs that name none, from before there were others."""


class Profile(NamedTuple):
    """A release at a scale."""

    release: BrokerRelease
    scale: Scale


PROFILES: Final = {
    word: Profile(release, scale)
    for release in sorted(RELEASES.values(), key=lambda each: each is not REFERENCE)
    for scale, word in sorted(release.profiles.items())
}
"""Profiles by the word in scenario files and links; the reference comes first."""
