"""What an operator does to a node: settings, stops and starts, listings that wake queues, lines of rabbitmqctl."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from engine.broker.commands.base import (
    DEFAULT_QUEUE,
    Command,
    QueueName,
)
from engine.broker.commands.cluster_commands import NodeName


class Set(Command, frozen=True, tag="set"):
    """Change a setting while the node runs.

    Args:
        queue: for settings that belong to one.
        node: whose member of a mirrored queue, for target_ram_count; None for the master (H80).
    """

    name: Literal[
        "ram_bytes",
        "vm_memory_high_watermark",
        "vm_memory_high_watermark_paging_ratio",
        "vm_memory_calculation_strategy",
        "target_ram_count",
        "queue_mode",
        "disk_free_bytes_other",
        "disk_free_limit",
        "work_profile",
    ]
    value: int | float | str | dict[str, int | float] | None
    queue: QueueName = DEFAULT_QUEUE
    node: NodeName | None = None


class Restart(Command, frozen=True, tag="restart"):
    """Stop the node and start it again: in order, by killing the VM, or by cutting the power (S234).

    With "kill_in_flush" the VM dies while each queue empties its journal: segments are written, the journal is not cut
    yet (S80, S115). A cluster's first node is killed as by "kill".
    """

    kind: Literal["clean", "kill", "kill_in_flush", "power"]


class StopApp(Command, frozen=True, tag="stop_app"):
    """rabbitmqctl stop_app: the broker stops in order and stays stopped, the VM goes on."""


class StartApp(Command, frozen=True, tag="start_app"):
    """rabbitmqctl start_app: the broker starts on its files."""


class AskQueues(Command, frozen=True, tag="ask_queues"):
    """A monitoring script runs list_queues: each queue process is asked, and so wakes, every time (P5, P6).

    Args:
        count: how many times it asks.
        every_ms: how long it waits between two times.
    """

    count: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 1
    every_ms: Annotated[int, msgspec.Meta(ge=10, le=600_000)] = 1000


class Ctl(Command, frozen=True, tag="ctl"):
    """A line of rabbitmqctl that changes something, as it was typed; lines that only list are asked, not commanded."""

    line: Annotated[str, msgspec.Meta(min_length=1, max_length=255)]
