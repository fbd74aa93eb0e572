"""What the readers share: arrivals gathered into bursts, and the scenario around them."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from engine.broker.commands.base import MAX_SIZE_BYTES
from engine.broker.commands.packed import mean_of, pack
from engine.broker.commands.scenario import MAX_UNTIL_US
from workloads.errors import LineError, WorkloadError
from workloads.remarks import Remark
from workloads.workload import Scenario

TICK_US: Final = 10_000
"""Messages that come within a tick are one burst, as a publisher's own ticks are."""
BORDER_BYTES: Final = 4_093
"""Bodies of so many bytes, without properties, belong to a message store: 4,096 with their own delivery mode (Q12)."""
SECOND_US: Final = 1_000_000
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
        self._after_first_us = 0
        """How long after the first message the others came, added up."""
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
        self._after_first_us += count * (at_us - self.first_us)
        self.last_us = max(self.last_us, at_us)

    @property
    def duration_us(self) -> int:
        """Time between the first and the last message."""
        return self.last_us - (self.first_us or 0)

    def bursts(self, remarks: list[Remark]) -> list[dict[str, Any]]:
        """Return the messages as publish commands, few enough for a scenario; what was rounded is added to the remarks.

        Each message keeps its size and whether it is persistent. What may move is its time, by less than a tick.

        Raises:
            WorkloadError: there is no message.
        """
        if not self.messages:
            raise WorkloadError("no_messages")
        for tick_us, alike in self._widths():
            bursts = self._gathered(tick_us // TICK_US, alike=alike)
            if len(bursts) <= MOST_BURSTS:
                break
        commands = [
            _burst(at_us, persistent, found) for (at_us, persistent, _side), found in sorted(bursts.items())
        ]
        if tick_us > TICK_US:
            remarks.append(Remark.of("burst_s", seconds=f"{tick_us / 1e6:g}"))
            remarks.append(self._moved(commands))
        if not alike:
            remarks.append(Remark.of("sizes_kept"))
        return commands

    @staticmethod
    def _widths() -> Iterator[tuple[int, bool]]:
        """Yield ticks, and whether a burst has messages of one size alone: at first so, with ticks up to 100 ms."""
        for tick_us in (1, 2, 5, 10):
            yield tick_us * TICK_US, True
        tick_us = TICK_US
        while tick_us < WIDEST_TICK_US:
            yield tick_us, False
            tick_us *= 2
        yield WIDEST_TICK_US, False

    def _gathered(self, ticks: int, *, alike: bool) -> dict[tuple[int, bool, int], list[tuple[int, int]]]:
        """Return sizes with how many have them, by time, persistence, and the side of the border (or the size)."""
        found: dict[tuple[int, bool, int], list[tuple[int, int]]] = {}
        for (tick, size_bytes, persistent), count in self._counts.items():
            side = size_bytes if alike else int(size_bytes >= BORDER_BYTES)
            place = (tick // ticks * ticks * TICK_US, persistent, side)
            found.setdefault(place, []).append((size_bytes, count))
        return found

    def _moved(self, commands: Sequence[dict[str, Any]]) -> Remark:
        """Return by how much times moved, and what became of the highest rate."""
        first_us = sum(each["at_us"] * each["count"] for each in commands)
        exact: Counter[int] = Counter()
        for (tick, _size, _persistent), count in self._counts.items():
            exact[tick * TICK_US // SECOND_US] += count
        played: Counter[int] = Counter()
        for each in commands:
            played[each["at_us"] // SECOND_US] += each["count"]
        return Remark.of(
            "times_moved",
            mean_ms=round((self._after_first_us - first_us) / self.messages / 1000),
            before=max(exact.values()),
            after=max(played.values()),
        )


def _burst(at_us: int, persistent: bool, found: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Return the command that publishes messages at once.

    Args:
        found: sizes, and how many messages have each, in the order of the log.
    """
    count = sum(many for _size, many in found)
    command: dict[str, Any] = {"at_us": at_us, "do": "publish", "count": count, "size_bytes": found[0][0]}
    if len({size for size, _many in found}) > 1:
        sizes = array("I", (size for size, many in found for _each in range(many)))
        command |= {"size_bytes": mean_of(sizes), "sizes": pack(sizes)}
    return {**command, "persistent": persistent, "confirm": False}


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
