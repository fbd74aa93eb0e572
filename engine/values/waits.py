"""How long messages wait, exactly: a stamp for each stretch of messages, a tally for each waiting time.

Cost follows the number of extents, never the number of messages: a million messages published at once are one stamp.
"""

from __future__ import annotations

from engine.values.stretches import Range, RangeSet, Stretches, StretchRecord


class WaitStamp(StretchRecord, frozen=True, gc=False):
    """When a stretch of messages began to wait, in virtual microseconds. A sweep asks it for each message."""

    at_us: int

    def part(self, offset: int, count: int) -> WaitStamp:
        return WaitStamp(self.start + offset, count, self.at_us)

    def continued_by(self, after: WaitStamp) -> bool:
        return self.at_us == after.at_us


class WaitTimes:
    """Waiting times of messages that are known by consecutive numbers."""

    __slots__ = ("waiting", "tally")

    def __init__(self) -> None:
        self.waiting: Stretches[WaitStamp] = Stretches()
        self.tally: dict[int, int] = {}
        """How many messages waited how many microseconds."""

    def begin(self, start: int, count: int, at_us: int) -> None:
        """Let messages wait from now on; what an earlier life left under these numbers is forgotten."""
        self.waiting.remove(start, count)
        self.waiting.insert(WaitStamp(start, count, at_us))

    def begin_once(self, start: int, count: int, at_us: int) -> None:
        """Let those of the messages wait that do not wait yet."""
        for each in RangeSet([Range(start, count)]).subtract(self.waiting.overlapping(start, count)):
            self.waiting.insert(WaitStamp(each.start, each.count, at_us))

    def end(self, start: int, count: int, at_us: int) -> None:
        for stamp in self.waiting.remove(start, count):
            self.note(at_us - stamp.at_us, stamp.count)

    def forget(self, start: int, count: int) -> None:
        """Let messages wait no longer, without a result: they expired or were purged."""
        self.waiting.remove(start, count)

    def note(self, waited_us: int, count: int) -> None:
        self.tally[waited_us] = self.tally.get(waited_us, 0) + count


def total(*tallies: dict[int, int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for tally in tallies:
        for waited_us, count in tally.items():
            found[waited_us] = found.get(waited_us, 0) + count
    return found


def percentiles_s(tally: dict[int, int], percents: tuple[int, ...]) -> list[float | None]:
    """Return each percentile of the waiting times (nearest rank).

    Args:
        tally: messages by microseconds.
        percents: ascending, each from 1 to 100.

    Returns:
        seconds; None for each when there is no message.
    """
    count = sum(tally.values())
    found: list[float | None] = []
    if not count:
        return [None] * len(percents)
    reached, waits = 0, iter(sorted(tally.items()))
    waited_us = 0
    for percent in percents:
        rank = -(-count * percent // 100)
        while reached < rank:
            waited_us, more = next(waits)
            reached += more
        found.append(waited_us / 1e6)
    return found
