"""Messages gathered into bursts: as few commands as a scenario may have, with what decides kept exactly.

A message's size, persistence and queues are never touched. What moves is its time, by less than a burst's width, and,
where each message expires at a time of its own, its expiration.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from engine.broker.commands.base import MAX_EXPIRATION_MS, MAX_SIZE_BYTES, MAX_TICK_MS, TICK_MS
from engine.broker.commands.packed import mean_of, pack
from engine.broker.commands.scenario import MAX_UNTIL_US
from workloads.errors import LineError, WorkloadError
from workloads.imports.records import SECOND_US, ArrivedMessages
from workloads.remarks import Remark

TICK_US: Final = TICK_MS * 1000
"""Messages that come within a tick are one burst, as a publisher's own ticks are."""
BORDER_BYTES: Final = 4_093
"""Bodies of so many bytes, without properties, belong to a message store: 4,096 with their own delivery mode (Q12)."""
MOST_BURSTS: Final = 8_000
ALIKE_TICKS: Final = (1, 2, 5, 10)
"""Widths of bursts whose messages all have one size."""
TICKS: Final = (1, 2, 5, 10, 20, 50, 100)
"""Widths that divide a second: bursts of that width leave the number of messages in each second as it is."""
WIDE_TICKS: Final = (200, 500, 1_000, 2_000, 6_000, 12_000, 30_000, 60_000, 360_000)
TICKS_A_BURST: Final = 4
"""How often a consumer hands in messages between two bursts, where these are wide: each time costs a run much."""
KEPT_BITS: Final = 3
"""Of a rounded expiration: so it becomes shorter by less than a quarter."""


class SharedTraits(NamedTuple):
    """What all messages of a burst share."""

    queues: tuple[str, ...]
    persistent: bool
    expiration_ms: int | None


class _Column:
    """Messages of one kind in the order of the log: when they came after the first, body bytes, how many."""

    def __init__(self) -> None:
        self.times = array("q")
        self.sizes = array("I")
        self.counts = array("I")


class _Width(NamedTuple):
    """How coarse bursts are: their width, whether their messages have one size, whether expirations are exact."""

    tick_us: int
    alike: bool
    exact: bool

    @property
    def consumer_tick_ms(self) -> int:
        """How often consumers hand in what is due: as always, or a few times in a burst's width."""
        return max(TICK_MS, min(MAX_TICK_MS, self.tick_us // TICKS_A_BURST // 1000))


class Bursts(NamedTuple):
    """Messages as a scenario has them.

    Args:
        commands: what messages share that are published together, and the command that does it, by time.
        consumer_tick_ms: how often consumers need to hand in messages, beside bursts of this width.
    """

    commands: list[tuple[SharedTraits, dict[str, Any]]]
    consumer_tick_ms: int


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
        kind = SharedTraits(queues, found.persistent, expires)
        column = self._columns.get(kind)
        if column is None:
            column = self._columns[kind] = _Column()
        column.times.append(after_us)
        column.sizes.append(size_bytes)
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

        Each message keeps its size and whether it is persistent; what was rounded is added to the remarks.

        Args:
            remarks: what is told of it.
            ways: how many commands one burst takes at most.

        Raises:
            WorkloadError: there is no message.
        """
        if not self.messages:
            raise WorkloadError("no_messages")
        expire = any(kind.expiration_ms for kind in self._columns)
        width = next(
            (each for each in _widths(expire) if self._fits(each, MOST_BURSTS // ways)),
            _Width(WIDE_TICKS[-1] * TICK_US, False, exact=False),
        )
        bursts = self._gathered(width)
        if width.tick_us > TICK_US:
            remarks.append(Remark.of("burst_s", seconds=f"{width.tick_us / 1e6:g}"))
            remarks.append(self._moved(bursts))
        if expire and not width.exact:
            remarks.append(self._shortened())
        if not width.alike:
            remarks.append(Remark.of("sizes_kept"))
        commands = [(kind, _burst(at_us, kind, found)) for at_us, kind, found in bursts]
        return Bursts(commands, width.consumer_tick_ms)

    def _fits(self, width: _Width, most: int) -> bool:
        """Return whether bursts of that width are few enough, without making them."""
        found: set[tuple[SharedTraits, int, int]] = set()
        for kind, column in self._columns.items():
            shared = _shared(kind, width)
            for after_us, size in zip(column.times, column.sizes, strict=True):
                found.add((shared, after_us // width.tick_us, size if width.alike else 0))
                if len(found) > most:
                    return False
        return True

    def _gathered(self, width: _Width) -> list[tuple[int, SharedTraits, list[tuple[int, int]]]]:
        """Return when each burst comes, its kind, and its sizes with how many have each, in the order of the log."""
        found: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
        kinds: dict[SharedTraits, int] = {}
        for kind, column in self._columns.items():
            number = kinds.setdefault(_shared(kind, width), len(kinds))
            for after_us, size, count in zip(column.times, column.sizes, column.counts, strict=True):
                place = (after_us // width.tick_us, number, size if width.alike else 0)
                found.setdefault(place, []).append((size, count))
        by_number = list(kinds)
        return [
            (tick * width.tick_us, by_number[number], sizes)
            for (tick, number, _size), sizes in sorted(found.items())
        ]

    def _moved(self, bursts: Sequence[tuple[int, SharedTraits, list[tuple[int, int]]]]) -> Remark:
        """Return by how much times moved, and what became of the highest rate."""
        exact: Counter[int] = Counter()
        after_first_us = 0
        for column in self._columns.values():
            for after_us, count in zip(column.times, column.counts, strict=True):
                exact[after_us // SECOND_US] += count
                after_first_us += after_us * count
        played: Counter[int] = Counter()
        for at_us, _kind, sizes in bursts:
            count = sum(many for _size, many in sizes)
            played[at_us // SECOND_US] += count
            after_first_us -= at_us * count
        return Remark.of(
            "times_moved",
            mean_ms=round(after_first_us / self.messages / 1000),
            before=max(exact.values()),
            after=max(played.values()),
        )

    def _shortened(self) -> Remark:
        """Return by how much expirations became shorter."""
        whole = less = worst = 0.0
        for kind, column in self._columns.items():
            if kind.expiration_ms:
                count, by = sum(column.counts), 1 - _rounded(kind.expiration_ms) / kind.expiration_ms
                whole, less, worst = whole + count, less + count * by, max(worst, by)
        return Remark.of("expirations_rounded", mean=f"{100 * less / whole:.1f}", most=f"{100 * worst:.1f}")


def _widths(expire: bool) -> Iterator[_Width]:
    """Yield ever coarser widths: at first bursts of messages of one size, then with columns, then beyond a second.

    Where messages expire, their expirations are rounded before a second's rate is given up.
    """
    for ticks in ALIKE_TICKS:
        yield _Width(ticks * TICK_US, True, exact=True)
    for ticks in TICKS:
        yield _Width(ticks * TICK_US, False, exact=True)
    for ticks in (*TICKS, *WIDE_TICKS) if expire else WIDE_TICKS:
        yield _Width(ticks * TICK_US, False, exact=not expire)


def _shared(kind: SharedTraits, width: _Width) -> SharedTraits:
    """Return the kind of the burst that messages of a kind go into."""
    if width.exact or not kind.expiration_ms:
        return kind
    return kind._replace(expiration_ms=_rounded(kind.expiration_ms))


def _rounded(expiration_ms: int) -> int:
    """Return an expiration of which only the first bits are kept, so that it is never longer."""
    lower = max(0, expiration_ms.bit_length() - KEPT_BITS)
    return expiration_ms >> lower << lower


def _burst(at_us: int, kind: SharedTraits, found: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Return the command that publishes messages at once: those of the index first, then those of the message store.

    Args:
        found: sizes, and how many messages have each, in the order of the log.
    """
    count = sum(many for _size, many in found)
    command: dict[str, Any] = {"at_us": at_us, "do": "publish", "count": count, "size_bytes": found[0][0]}
    if len({size for size, _many in found}) > 1:
        by_side = sorted(found, key=lambda each: each[0] >= BORDER_BYTES)
        sizes = array("I", (size for size, many in by_side for _each in range(many)))
        command |= {"size_bytes": mean_of(sizes), "sizes": pack(sizes)}
    if kind.expiration_ms is not None:
        command["expiration_ms"] = kind.expiration_ms
    return {**command, "persistent": kind.persistent, "confirm": False}
