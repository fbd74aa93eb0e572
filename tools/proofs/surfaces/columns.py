"""The columns of the table: releases, with both versions of files where a release has two, at both scales."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from engine.broker.commands import scenario
from engine.releases import RELEASES, BrokerRelease, Scale
from engine.version_choice.generation import EITHER_VERSION

Scenario = dict[str, Any]

MIDDLE_US: Final = 1_000_000
UNTIL_US: Final = 2_000_000
COMMANDS: Final[tuple[Scenario, ...]] = (
    {"at_us": 0, "do": "publish", "count": 40, "size_bytes": 6144, "persistent": True, "confirm": True},
    {"at_us": 10_000, "do": "publish", "count": 10, "size_bytes": 100},
    {"at_us": 200_000, "do": "get", "count": 3},
    {"at_us": 300_000, "do": "set_consumer", "name": "c1", "rate_per_s": 20, "prefetch": 2, "ack": "each"},
    {"at_us": 1_500_000, "do": "set_consumer", "name": "c1", "running": False},
)
"""Enough for each surface to have something to show: messages in every place, files, a consumer, acknowledgements."""


class Column(NamedTuple):
    """A release at a scale.

    Args:
        version: of its queues' files, where the release has two; None where it has one.
    """

    release: BrokerRelease
    version: int | None
    scale: Scale

    @property
    def name(self) -> str:
        """Its name in the table's file."""
        return " ".join([self.of, self.scale])

    @property
    def of(self) -> str:
        """Its release, with the version where there are two."""
        return self.release.name if self.version is None else f"{self.release.name} v{self.version}"

    @property
    def profile(self) -> str:
        """The word of scenario files for release and scale."""
        return self.release.profiles[self.scale]

    def topology(self) -> Scenario:
        """Return one queue, of this version."""
        arguments = {} if self.version in {None, 1} else {"x-queue-version": self.version}
        return {"queues": [{"name": "orders", "arguments": arguments}]}

    def run(self, **changes: Any) -> Scenario:
        """Return the run in full, as the engine checked it."""
        base = {
            "version": 1,
            "title": f"RabbitMQ {self.of}",
            "profile": self.profile,
            "topology": self.topology(),
            "commands": list(COMMANDS),
            "until_us": UNTIL_US,
        }
        return scenario.parse({**base, **changes}).to_json()


def _columns() -> Iterator[Column]:
    for release in RELEASES.values():
        for version in (1, 2) if release.storage is EITHER_VERSION else (None,):
            for scale in sorted(release.profiles, reverse=True):
                yield Column(release, version, scale)


COLUMNS: Final = tuple(_columns())
