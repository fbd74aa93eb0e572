"""What the readers share: what a log does not say, what comes of it, and the scenario around its commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.broker.commands.scenario import MAX_UNTIL_US
from workloads.remarks import Remark
from workloads.workload import Scenario


class Options(NamedTuple):
    """What a log does not say.

    Args:
        queue: the only queue to look at, where the log has several.
        consumer_rate_per_s: how fast a consumer is; None takes what the log has, or makes no consumer.
        prefetch: unacknowledged messages that a consumer may hold.
        ram_bytes: RAM of the node.
        part_s: seconds of each part that a long log is cut into; None keeps it whole.
    """

    queue: str | None = None
    consumer_rate_per_s: int | None = None
    prefetch: int = 100
    ram_bytes: int | None = None
    part_s: int | None = None


class Imported(NamedTuple):
    """A scenario as JSON, and remarks about what was rounded or assumed on the way."""

    scenario: Scenario
    remarks: Sequence[Remark]


def make_scenario(
    title: str, commands: list[dict[str, Any]], until_us: int, options: Options
) -> dict[str, Any]:
    """Return a scenario with real constants; commands in the order of their times."""
    return {
        "version": 1,
        "title": title,
        "profile": "real",
        "settings": {} if options.ram_bytes is None else {"ram_bytes": options.ram_bytes},
        "seed": 1,
        "commands": sorted(commands, key=lambda each: each["at_us"]),
        "until_us": min(until_us, MAX_UNTIL_US),
    }


def consumer(
    rate_per_s: int, options: Options, *, at_us: int = 0, number: int = 1, queue: str = ""
) -> dict[str, Any]:
    """Return the command that starts a consumer.

    Args:
        rate_per_s: how many messages it takes in a second.
        options: what else it does.
        at_us: when it comes.
        number: in its name.
        queue: where it consumes from; the usual one without a name.
    """
    return {
        "at_us": at_us,
        "do": "set_consumer",
        "name": f"c{number}",
        "rate_per_s": max(1, rate_per_s),
        "prefetch": options.prefetch,
        "ack": "multiple",
        **({"queue": queue} if queue else {}),
    }
