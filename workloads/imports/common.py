"""What the readers share: arrivals gathered into bursts, and the scenario around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from engine.broker.commands.base import MAX_SIZE_BYTES
from engine.broker.commands.scenario import MAX_UNTIL_US
from workloads.errors import LineError, WorkloadError
from workloads.remarks import Remark
from workloads.workload import Scenario

TICK_US: Final = 10_000
"""Messages that come within a tick are one burst, as a publisher's own ticks are."""
MOST_BURSTS: Final = 8_000
WIDEST_TICK_US: Final = 10_000_000
MOST_LINES: Final = 20_000_000
MOST_LINE_CHARACTERS: Final = 4_000_000


class Options(NamedTuple):
    """What a log does not say.

    Args:
        queue: the queue to look at, where the log has several.
        consumer_rate_per_s: how fast a consumer is; None takes what the log has, or makes no consumer.
        prefetch: unacknowledged messages that a consumer may hold.
        ram_bytes: RAM of the node.
    """

    queue: str | None = None
    consumer_rate_per_s: int | None = None
    prefetch: int = 100
    ram_bytes: int | None = None


class Imported(NamedTuple):
    """A scenario as JSON, and remarks about what was rounded or assumed on the way."""

    scenario: Scenario
    remarks: Sequence[Remark]


class Arrivals:
    """Messages by when they came, how large and whether persistent; cost follows ticks, not messages."""

    def __init__(self) -> None:
        self._counts: dict[tuple[int, int, bool], int] = {}
        self.messages = 0
        self.first_us: int | None = None
        self.last_us = 0

    def add(self, line: int, at_us: int, size_bytes: int, *, persistent: bool, count: int = 1) -> None:
        """Add messages that came at once.

        Raises:
            LineError: the time goes back, the log is too long, or the message too large.
        """
        if self.first_us is None:
            self.first_us = at_us
        if at_us < self.first_us:
            raise LineError(line, "time_before_first")
        if at_us - self.first_us > MAX_UNTIL_US:
            hours = MAX_UNTIL_US // 3_600_000_000
            raise LineError(line, "time_too_late", hours=hours)
        if not 0 <= size_bytes <= MAX_SIZE_BYTES:
            raise LineError(line, "body_impossible", size=size_bytes, most=MAX_SIZE_BYTES)
        tick = (at_us - self.first_us) // TICK_US
        key = (tick, size_bytes, persistent)
        self._counts[key] = self._counts.get(key, 0) + count
        self.messages += count
        self.last_us = max(self.last_us, at_us)

    @property
    def duration_us(self) -> int:
        """Time between the first and the last message."""
        return self.last_us - (self.first_us or 0)

    def bursts(self, remarks: list[Remark]) -> list[dict[str, Any]]:
        """Return the messages as publish commands, few enough for a scenario; what was rounded is added to the remarks.

        Raises:
            WorkloadError: there is no message.
        """
        if not self.messages:
            raise WorkloadError("no_messages")
        for tick_us, exact in self._widths():
            bursts = self._gathered(tick_us // TICK_US, exact=exact)
            if len(bursts) <= MOST_BURSTS:
                break
        if tick_us > TICK_US:
            remarks.append(Remark.of("burst_s", seconds=f"{tick_us / 1e6:g}"))
        if not exact:
            remarks.append(Remark.of("mean_sizes"))
        return [
            {
                "at_us": at_us,
                "do": "publish",
                "count": count,
                "size_bytes": size_bytes,
                "persistent": persistent,
                "confirm": False,
            }
            for (at_us, size_bytes, persistent), count in sorted(bursts.items())
        ]

    @staticmethod
    def _widths() -> Iterator[tuple[int, bool]]:
        """Yield ticks and whether sizes stay exact: first wider ticks up to a second, then mean sizes, then wider."""
        for tick_us in (1, 2, 5, 10, 20, 50, 100):
            yield tick_us * TICK_US, True
        tick_us = TICK_US
        while tick_us <= WIDEST_TICK_US:
            yield tick_us, False
            tick_us *= 2
        yield WIDEST_TICK_US, False

    def _gathered(self, ticks: int, *, exact: bool) -> dict[tuple[int, int, bool], int]:
        if exact:
            found: dict[tuple[int, int, bool], int] = {}
            for (tick, size_bytes, persistent), count in self._counts.items():
                key = (tick // ticks * ticks * TICK_US, size_bytes, persistent)
                found[key] = found.get(key, 0) + count
            return found
        sums: dict[tuple[int, bool], tuple[int, int]] = {}
        for (tick, size_bytes, persistent), count in self._counts.items():
            place = (tick // ticks * ticks * TICK_US, persistent)
            messages, total_bytes = sums.get(place, (0, 0))
            sums[place] = (messages + count, total_bytes + count * size_bytes)
        return {
            (at_us, round(total_bytes / messages), persistent): messages
            for (at_us, persistent), (messages, total_bytes) in sums.items()
        }


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


def consumer(rate_per_s: int, options: Options, *, at_us: int = 0) -> dict[str, Any]:
    """Return the command that starts a consumer."""
    return {
        "at_us": at_us,
        "do": "set_consumer",
        "name": "c1",
        "rate_per_s": max(1, rate_per_s),
        "prefetch": options.prefetch,
        "ack": "multiple",
    }


def one_queue(queues: dict[str, int], wanted: str | None) -> str | None:
    """Return the queue to look at.

    Args:
        queues: messages by queue.
        wanted: the one that was asked for.

    Raises:
        WorkloadError: there are several and none was named, or the named one is not there.
    """
    names = ", ".join(sorted(queues, key=lambda each: -queues[each])[:8])
    if wanted is not None and wanted not in queues:
        raise WorkloadError("no_messages_to_queue", name=wanted, known=names or "none")
    if wanted is None and len(queues) > 1:
        raise WorkloadError("several_queues", count=len(queues), known=names)
    return wanted if wanted is not None else next(iter(queues), None)
