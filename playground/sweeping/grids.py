"""What a visitor may vary, and at which values: those around the workload's own, few enough to wait for."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, Final

from engine.broker.commands.settings import NodeSettings, resolve
from sweeps.grid import Axis
from sweeps.parameters import OF_EACH_MESSAGE, Value

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


def home(axes: Iterable[Axis], scenario: Mapping[str, Any]) -> dict[str, Value]:
    """Return the values of the workload itself: of a field that differs from command to command it has none."""
    found = {}
    for axis in axes:
        own = _own(axis.parameter, scenario)
        field, _verbs = OF_COMMANDS.get(axis.parameter, ("", ()))
        columns = OF_EACH_MESSAGE.get(field, ())
        each_its_own = any(column in each for each in scenario["commands"] for column in columns)
        if len(own) == 1 and own <= set(axis.values) and not each_its_own:
            [found[axis.parameter]] = own
    return found


def values(parameter: str, scenario: Mapping[str, Any], finer: bool = False) -> tuple[Value, ...]:
    """Return the values of an axis for a workload, none where the workload has nothing that it could vary.

    Args:
        finer: with one more value between each two numbers, for a large sweep.
    """
    if parameter in OF_COMMANDS and not _commands(parameter, scenario):
        return ()
    if parameter in AROUND:
        own = max(_own(parameter, scenario), default=0) or 1
        found = dict.fromkeys(max(1, round(own * share)) for share in _finer(AROUND[parameter], finer))
        if parameter == "ram_bytes":
            return tuple(each for each in found if LEAST_RAM_BYTES <= each <= MOST_RAM_BYTES)
        return tuple(found)
    fixed = FIXED[parameter]
    if all(isinstance(each, int | float) and not isinstance(each, bool) for each in fixed):
        fixed = tuple(sorted({*fixed, *_own(parameter, scenario)}))
    if not finer or not all(isinstance(each, int | float) and not isinstance(each, bool) for each in fixed):
        return fixed
    whole = all(isinstance(each, int) for each in fixed)
    between = _finer([float(each) for each in fixed], True)
    return tuple(dict.fromkeys(round(each) if whole else round(each, 3) for each in between))


def _commands(parameter: str, scenario: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the commands whose field a parameter is."""
    _field, verbs = OF_COMMANDS[parameter]
    return [each for each in scenario["commands"] if each["do"] in verbs]


def _own(parameter: str, scenario: Mapping[str, Any]) -> set[Any]:
    """Return the values that a workload has of a parameter, several where its commands differ."""
    if parameter in OF_COMMANDS:
        field, _verbs = OF_COMMANDS[parameter]
        return {each[field] for each in _commands(parameter, scenario) if field in each}
    if parameter == "queue_mode":  # no setting: a queue is lazy by a command or a policy
        return {"default"}
    queue, node = resolve(scenario["profile"], scenario["settings"])
    if parameter == "ram_bytes":
        return {int(node.ram_bytes or NodeSettings().ram_bytes)}
    return {getattr(node if hasattr(node, parameter) else queue, parameter)}


def _finer(numbers: Any, finer: bool) -> list[float]:
    """Return numbers with the middle of each two between them."""
    if not finer:
        return list(numbers)
    found = [numbers[0]]
    for before, after in itertools.pairwise(numbers):
        found += [(before + after) / 2, after]
    return found
