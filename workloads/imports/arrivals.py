"""Messages gathered into bursts: as few commands as a scenario may have, with what decides kept exactly.

A message's size, persistence, expiration and queues are never touched. What moves is its time, by less than a burst's
width.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from engine.broker.commands.base import MAX_EXPIRATION_MS, MAX_SIZE_BYTES, MAX_TICK_MS, TICK_MS
from engine.broker.commands.client_commands import mean_of, pack, pack_expirations
from engine.broker.commands.scenario import MAX_UNTIL_US
from workloads.errors import LineError, WorkloadError
from workloads.imports.records import SECOND_US, ArrivedMessages
from workloads.remarks import Remark

TICK_US: Final = TICK_MS * 1000
"""Messages that come within a tick are one burst, as a publisher's own ticks are."""
BORDER_BYTES: Final = 4_093
"""Bodies of this size, without properties, belong to a message store: 4,096 with their own delivery mode (Q12)."""
MOST_BURSTS: Final = 8_000
ALIKE_TICKS: Final = (1, 2, 5, 10)
"""Widths of bursts whose messages all have one size."""
TICKS: Final = (1, 2, 5, 10, 20, 50, 100)
"""Widths that divide a second: bursts of that width leave the number of messages in each second as it is."""
WIDE_TICKS: Final = (200, 500, 1_000, 2_000, 6_000, 12_000, 30_000, 60_000, 360_000)
TICKS_A_BURST: Final = 4
"""How often a consumer hands in messages between two bursts, where these are wide: each time costs a run much."""
AS_MANY: Final = 0.98
"""Of the moments at which messages come: with so many bursts a run counts its events as the log's, nearly."""
NEVER: Final = MAX_EXPIRATION_MS + 1
"""Stands for the expiration of a message that has none: it comes after all others."""


class SharedTraits(NamedTuple):
    """What all messages of a burst share."""

    queues: tuple[str, ...]
    persistent: bool


class _Column:
    """Messages of one kind in the order of the log: when they came after the first, bodies, expirations, how many."""

    def __init__(self) -> None:
        self.times = array("q")
        self.sizes = array("I")
        self.expirations = array("q")
        self.counts = array("I")


class _Alike(NamedTuple):
    """Messages that came at once, all alike; `expiration_ms` may be NEVER."""

    size_bytes: int
    expiration_ms: int
    many: int


class _Width(NamedTuple):
    """How coarse bursts are: their width, and whether their messages have one size."""

    tick_us: int
    alike: bool

    @property
    def consumer_tick_ms(self) -> int:
        """How often consumers hand in what is due: as always, or a few times in a burst's width."""
        return max(TICK_MS, min(MAX_TICK_MS, self.tick_us // TICKS_A_BURST // 1000))


WIDTHS: Final = (
    *(_Width(ticks * TICK_US, True) for ticks in ALIKE_TICKS),
    *(_Width(ticks * TICK_US, False) for ticks in (*TICKS, *WIDE_TICKS)),
)
"""Ever coarser: at first bursts of messages of one size, then with columns, then beyond a second."""


class Bursts(NamedTuple):
    """Messages as a scenario has them.

    Args:
        commands: what messages share that are published together, and the command that does it, by time.
        consumer_tick_ms: how often consumers need to hand in messages, beside bursts of this width.
        burst_us: how wide bursts are; 0 where as good as all messages keep their times.
    """

    commands: list[tuple[SharedTraits, dict[str, Any]]]
    consumer_tick_ms: int
    burst_us: int


class Arrivals:
    """Messages by when they came, how large, whether persistent, and where to."""

    def __init__(self) -> None:
        self._columns: dict[SharedTraits, _Column] = {}
        self.by_queue: Counter[str] = Counter()
        self.messages = 0
        self.first_us: int | None = None
        self.last_us = 0

    def add(self, found: ArrivedMessages, queues: tuple[str, ...]) -> None:
        """Add messages that came at once.

        Args:
            found: the messages.
            queues: those of their queues that are kept.

        Raises:
            LineError: the time goes back, the log is too long, or the message too large.
        """
        line, at_us, size_bytes = found.line, found.at_us, found.size_bytes
        if self.first_us is None:
            self.first_us = at_us
        after_us = at_us - self.first_us
        if after_us < 0:
            raise LineError(line, "time_before_first")
        if after_us > MAX_UNTIL_US:
            raise LineError(line, "time_too_late", hours=MAX_UNTIL_US // 3_600_000_000)
        if not 0 <= size_bytes <= MAX_SIZE_BYTES:
            raise LineError(line, "body_impossible", size=size_bytes, most=MAX_SIZE_BYTES)
        expires = found.expiration_ms
        if expires is not None and not 0 <= expires <= MAX_EXPIRATION_MS:
            raise LineError(line, "expiration_impossible", given=expires, most=MAX_EXPIRATION_MS)
        kind = SharedTraits(queues, found.persistent)
        column = self._columns.get(kind)
        if column is None:
            column = self._columns[kind] = _Column()
        column.times.append(after_us)
        column.sizes.append(size_bytes)
        column.expirations.append(NEVER if expires is None else expires)
        column.counts.append(found.count)
        for queue in queues:
            self.by_queue[queue] += found.count
        self.messages += found.count
        self.last_us = max(self.last_us, at_us)

    @property
    def together(self) -> Counter[tuple[str, ...]]:
        """How many messages went to each set of several queues."""
        found: Counter[tuple[str, ...]] = Counter()
        for kind, column in self._columns.items():
            if len(kind.queues) > 1:
                found[kind.queues] += sum(column.counts)
        return found

    def bursts(self, remarks: list[Remark], ways: int = 1) -> Bursts:
        """Return the messages as publish commands, few enough for a scenario, in the order of their times.

        Each message keeps its size, its expiration and whether it is persistent; moves are added to the remarks.

        Args:
            remarks: what is told of it.
            ways: how many commands one burst takes at most.

        Raises:
            WorkloadError: there is no message.
        """
        if not self.messages:
            raise WorkloadError("no_messages")
        width = next((each for each in WIDTHS if self._fits(each, MOST_BURSTS // ways)), WIDTHS[-1])
        bursts = self._gathered(width)
        if width.tick_us > TICK_US:
            remarks.append(Remark.of("burst_s", seconds=f"{width.tick_us / 1e6:g}"))
            remarks.append(self._moved(bursts))
        if not width.alike:
            remarks.append(Remark.of("sizes_kept"))
        commands = [(kind, _burst(at_us, kind, found)) for at_us, kind, found in bursts]
        as_many = len(commands) >= AS_MANY * self._events()
        return Bursts(commands, width.consumer_tick_ms, 0 if as_many else width.tick_us)

    def _events(self) -> int:
        """Return how many bursts there would be if each message kept its time."""
        return sum(len({at_us // TICK_US for at_us in column.times}) for column in self._columns.values())

    def _fits(self, width: _Width, most: int) -> bool:
        """Return whether bursts of that width are few enough, without making them."""
        found: set[tuple[SharedTraits, int, int]] = set()
        for kind, column in self._columns.items():
            for after_us, size in zip(column.times, column.sizes, strict=True):
                found.add((kind, after_us // width.tick_us, size if width.alike else 0))
                if len(found) > most:
                    return False
        return True

    def _gathered(self, width: _Width) -> list[tuple[int, SharedTraits, list[_Alike]]]:
        """Return when each burst comes, its kind, and its messages in the order of the log."""
        found: dict[tuple[int, int, int], list[_Alike]] = {}
        once: dict[_Alike, _Alike] = {}  # rows of a large log are mostly alike
        kinds = list(self._columns)
        for number, column in enumerate(self._columns.values()):
            rows = zip(column.times, column.sizes, column.expirations, column.counts, strict=True)
            for after_us, size, expires, count in rows:
                place = (after_us // width.tick_us, number, size if width.alike else 0)
                alike = _Alike(size, expires, count)
                found.setdefault(place, []).append(once.setdefault(alike, alike))
        return [
            (tick * width.tick_us, kinds[number], messages)
            for (tick, number, _size), messages in sorted(found.items())
        ]

    def _moved(self, bursts: Sequence[tuple[int, SharedTraits, list[_Alike]]]) -> Remark:
        """Return by how much times moved, and what became of the highest rate."""
        exact: Counter[int] = Counter()
        after_first_us = 0
        for column in self._columns.values():
            for after_us, count in zip(column.times, column.counts, strict=True):
                exact[after_us // SECOND_US] += count
                after_first_us += after_us * count
        played: Counter[int] = Counter()
        for at_us, _kind, messages in bursts:
            count = sum(each.many for each in messages)
            played[at_us // SECOND_US] += count
            after_first_us -= at_us * count
        return Remark.of(
            "times_moved",
            mean_ms=round(after_first_us / self.messages / 1000),
            before=max(exact.values()),
            after=max(played.values()),
        )


def _burst(at_us: int, kind: SharedTraits, found: Sequence[_Alike]) -> dict[str, Any]:
    """Return the command that publishes messages at once: those of the index first, then those of the message store.

    Of each side those come first that expire first, and of these the smallest: so messages of one kind follow each
    other, wherever a sweep puts the border between index and store.

    Args:
        found: the messages in the order of the log.
    """
    count = sum(each.many for each in found)
    command: dict[str, Any] = {"at_us": at_us, "do": "publish", "count": count}
    ordered = sorted(
        found, key=lambda each: (each.size_bytes >= BORDER_BYTES, each.expiration_ms, each.size_bytes)
    )
    command |= _sizes(ordered) | _expirations(ordered)
    return {**command, "persistent": kind.persistent, "confirm": False}


def _sizes(messages: Sequence[_Alike]) -> dict[str, Any]:
    """Return the fields of a command that say how large its messages are."""
    if len({each.size_bytes for each in messages}) == 1:
        return {"size_bytes": messages[0].size_bytes}
    sizes = array("I", (each.size_bytes for each in messages for _one in range(each.many)))
    return {"size_bytes": mean_of(sizes), "sizes": pack(sizes)}


def _expirations(messages: Sequence[_Alike]) -> dict[str, Any]:
    """Return the fields of a command that say when its messages expire."""
    own = [None if each.expiration_ms == NEVER else each.expiration_ms for each in messages]
    if len(set(own)) == 1:
        return {} if own[0] is None else {"expiration_ms": own[0]}
    every = (expires for expires, each in zip(own, messages, strict=True) for _one in range(each.many))
    return {"expirations": pack_expirations(every)}
