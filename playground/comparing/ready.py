"""Runs that are ready to be compared on several releases, each with what to watch for."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from django.utils.translation import gettext_lazy as _

from engine.broker.commands.base import DEFAULT_QUEUE
from playground.hosting.real_engine import door

Command = dict[str, Any]
SECOND_US: Final = 1_000_000


class ReadyComparison(NamedTuple):
    """A run whose answer depends on the release.

    Args:
        seconds: where it ends.
        commands: times in seconds.
        settings: beside the profile's.
        profile: whose scale every side has.
    """

    name: str
    title: Any
    watch: Any
    seconds: int
    commands: tuple[tuple[float, Command], ...]
    settings: dict[str, Any] = {}
    profile: str = "classroom"

    def scenario(self) -> dict[str, Any]:
        commands = [{"at_us": round(at * SECOND_US), **command} for at, command in self.commands]
        run = {"version": 1, "profile": self.profile, "settings": self.settings, "commands": commands}
        return door().check({**run, "title": str(self.title), "until_us": self.seconds * SECOND_US})


OTHER: Final = "other"
MIXED: Final = ((3, OTHER), (1, DEFAULT_QUEUE)) * 15
"""What shares the files of the store: three messages of a queue that will be emptied, and one of a queue that stays."""


def _publish(count: int, size: int, to: str = DEFAULT_QUEUE) -> Command:
    return {
        "do": "publish",
        "count": count,
        "size_bytes": size,
        "routing_key": to,
        "persistent": True,
        "confirm": True,
    }


def _consumer(rate: int, prefetch: int, ack: str = "each") -> Command:
    return {"do": "set_consumer", "name": "c1", "rate_per_s": rate, "prefetch": prefetch, "ack": ack}


def _publisher(rate: int, size: int, persistent: bool = True) -> Command:
    return {
        "do": "set_publisher",
        "name": "p1",
        "rate_per_s": rate,
        "size_bytes": size,
        "persistent": persistent,
    }


LAZY: Final = {
    "do": "set_policy",
    "name": "lazy",
    "pattern": f"^{DEFAULT_QUEUE}$",
    "definition": {"queue-mode": "lazy"},
}

READY: Final = {
    each.name: each
    for each in (
        ReadyComparison(
            "backlog",
            _("Publish a backlog and drain it"),
            _("How much of a backlog lies in RAM, and how often the disk is read while it drains."),
            20,
            ((0.5, _publish(60, 2000)), (5, _consumer(8, 5))),
        ),
        ReadyComparison(
            "slow-consumer",
            _("A slow consumer"),
            _("What the memory does while the consumer takes a quarter of what comes in."),
            20,
            ((0.5, _consumer(5, 4)), (0.6, _publisher(20, 2000))),
        ),
        ReadyComparison(
            "power-cut",
            _("Power cut after the confirms"),
            _("Every message was confirmed. Which release still has them all after the power comes back?"),
            6,
            ((0.5, _publish(20, 1000)), (1, _publish(4, 6000)), (3, {"do": "restart", "kind": "power"})),
        ),
        ReadyComparison(
            "small",
            _("A million small messages"),
            _("A million messages of 100 bytes, with real sizes: files, bytes written, and memory."),
            30,
            ((0.5, _publish(1_000_000, 100)), (20, _consumer(1000, 100, "multiple"))),
            profile="real",
        ),
        ReadyComparison(
            "garbage",
            _("Large messages with garbage"),
            _(
                "Three of four messages go: two files are combined, or one is compacted in place 15 seconds later."
            ),
            44,
            (
                (0.2, {"do": "declare_queue", "name": OTHER}),
                *((0.5 + at / 20, _publish(count, 6000, to)) for at, (count, to) in enumerate(MIXED)),
                (4, {"do": "get", "count": 9, "ack": True, "queue": OTHER}),
                (4.5, {"do": "ack", "count": 9, "multiple": True}),
                (5, {"do": "purge", "queue": OTHER}),
                (22, {"do": "get", "count": 1, "ack": True}),
                (22.5, {"do": "ack", "count": 1}),
            ),
        ),
        ReadyComparison(
            "lazy",
            _("A lazy policy"),
            _("The policy changes where messages wait, or nothing at all."),
            12,
            ((0.2, LAZY), (0.5, _publish(30, 2000)), (5, _consumer(5, 2))),
        ),
        ReadyComparison(
            "restart",
            _("Restart with a backlog"),
            _("An orderly stop with a backlog: how many messages are in RAM after the start?"),
            12,
            ((0.5, _publish(60, 1000)), (4, {"do": "restart", "kind": "clean"}), (7, _consumer(5, 2))),
        ),
        ReadyComparison(
            "memory",
            _("The memory limit is reached"),
            _("A publisher of transient messages runs until it is blocked, or is never blocked."),
            20,
            ((0.5, _publisher(30, 6000, persistent=False)),),
        ),
    )
}
"""By name, in the order of the page."""
