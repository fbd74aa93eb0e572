"""What a visitor may vary, and at which values: those around the workload's own, few enough to wait for."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, Final

from engine.node.commands.settings import REAL_NODE, resolve
from sweeps.grid import Axis
from sweeps.parameters import Value

FIXED: Final[dict[str, tuple[Value, ...]]] = {
    "vm_memory_high_watermark": (0.2, 0.4, 0.6, 0.8),
    "vm_memory_high_watermark_paging_ratio": (0.25, 0.5, 0.75, 0.9),
    "queue_mode": ("default", "lazy"),
    "message_size_bytes": (256, 1024, 4096, 16384, 65536),
    "consumer_prefetch": (1, 10, 100, 1000),
    "consumer_ack": ("each", "multiple", "auto"),
    "confirm": (False, True),
    "persistent": (False, True),
    "queue_index_embed_msgs_below": (0, 1024, 4096),
}
"""Values that are the same for every workload."""

AROUND: Final[dict[str, tuple[float, ...]]] = {
    "ram_bytes": (0.5, 1, 2, 4),
    "publisher_rate_per_s": (0.5, 0.75, 1, 1.25, 1.5),
    "consumer_rate_per_s": (0.5, 0.75, 1, 1.25, 1.5),
    "burst_count": (0.25, 0.5, 1, 2),
}
"""Shares of what the workload has."""

OF_COMMANDS: Final = {
    "message_size_bytes": ("size_bytes", ("publish", "set_publisher")),
    "publisher_rate_per_s": ("rate_per_s", ("set_publisher",)),
    "consumer_rate_per_s": ("rate_per_s", ("set_consumer",)),
    "consumer_prefetch": ("prefetch", ("set_consumer",)),
    "consumer_ack": ("ack", ("set_consumer",)),
    "burst_count": ("count", ("publish",)),
    "confirm": ("confirm", ("publish", "set_publisher")),
    "persistent": ("persistent", ("publish", "set_publisher")),
}
"""Fields of commands that an axis varies, and in which commands."""

OFFERED: Final = tuple({**FIXED, **AROUND})
"""The parameters that a visitor may put on an axis."""

MOST_RAM_BYTES: Final = 1024**4
LEAST_RAM_BYTES: Final = 64 * 1024


PLAIN: Final[dict[str, Value]] = {
    "vm_memory_high_watermark": 0.4,
    "vm_memory_high_watermark_paging_ratio": 0.5,
    "queue_mode": "default",
    "queue_index_embed_msgs_below": 4096,
}
"""What a node has that nobody configured."""


def home(axes: Iterable[Axis], scenario: Mapping[str, Any]) -> dict[str, Value]:
    """Return the values of the workload itself, where its axes have them."""
    found: dict[str, Value] = {}
    for axis in axes:
        own: Value | None = PLAIN.get(axis.parameter)
        if axis.parameter in OF_COMMANDS:
            field, verbs = OF_COMMANDS[axis.parameter]
            given = [each[field] for each in scenario["commands"] if each["do"] in verbs and field in each]
            own = max(given) if given else None
        elif axis.parameter == "ram_bytes":
            own = ram_bytes(scenario)
        own = scenario["settings"].get(axis.parameter, own)
        if own in axis.values:
            found[axis.parameter] = own
    return found


def values(parameter: str, scenario: Mapping[str, Any], finer: bool = False) -> tuple[Value, ...]:
    """Return the values of an axis for a workload, none where the workload has nothing that it could vary.

    Args:
        finer: with one more value between each two numbers, for a large sweep.
    """
    own = 0
    if parameter in OF_COMMANDS:
        field, verbs = OF_COMMANDS[parameter]
        commands = [each for each in scenario["commands"] if each["do"] in verbs]
        if not commands:
            return ()
        numbers = [each[field] for each in commands if isinstance(each.get(field), int)]
        own = max(numbers, default=1)
    if parameter == "ram_bytes":
        own = ram_bytes(scenario)
    if parameter in AROUND:
        found = dict.fromkeys(max(1, round(own * share)) for share in _finer(AROUND[parameter], finer))
        if parameter == "ram_bytes":
            return tuple(each for each in found if LEAST_RAM_BYTES <= each <= MOST_RAM_BYTES)
        return tuple(found)
    fixed = FIXED[parameter]
    if not finer or not all(isinstance(each, int | float) and not isinstance(each, bool) for each in fixed):
        return fixed
    whole = all(isinstance(each, int) for each in fixed)
    between = _finer([float(each) for each in fixed], True)
    return tuple(dict.fromkeys(round(each) if whole else round(each, 3) for each in between))


def _finer(numbers: Any, finer: bool) -> list[float]:
    """Return numbers with the middle of each two between them."""
    if not finer:
        return list(numbers)
    found = [numbers[0]]
    for before, after in itertools.pairwise(numbers):
        found += [(before + after) / 2, after]
    return found


def ram_bytes(scenario: Mapping[str, Any]) -> int:
    """Return the RAM that a workload's node has."""
    _queue, node = resolve(scenario["profile"], scenario["settings"])
    return int(node.ram_bytes or REAL_NODE.ram_bytes)
