"""The report of the interop run: one line for each queue, its differences, and the sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from tools.proofs.interop.host import TakenMessage


class Report(msgspec.Struct):
    """Counts of one direction.

    Args:
        directories: that a node wrote.
        segments, store_files: files that the engine wrote, combined: pairs of store files that it combined before.
    """

    queues: int = 0
    directories: int = 0
    messages: int = 0
    segments: int = 0
    store_files: int = 0
    combined: int = 0
    problems: list[str] = []

    def add(self, name: str, messages: int, problem: str | None) -> None:
        """Count one queue and print its line."""
        self.queues += 1
        self.messages += messages
        if problem is not None:
            self.problems.append(f"{name}: {problem}")
        print(f"  {'equal  ' if problem is None else 'DIFFERS'} {messages:6} messages  {name}", flush=True)
        if problem is not None:
            print(f"          {problem}", flush=True)

    def as_dict(self) -> dict[str, Any]:
        """Return the counts for the summary."""
        counts: dict[str, Any] = {
            "queues": self.queues,
            "messages": self.messages,
            "differing": self.problems,
        }
        for name in ("directories", "segments", "store_files", "combined"):
            if getattr(self, name):
                counts[name] = getattr(self, name)
        return counts


def first_difference(
    expected: Sequence[TakenMessage], actual: Sequence[TakenMessage], who: str
) -> str | None:
    """Say in words where two lists of messages begin to differ, or return None."""
    for i, (one, other) in enumerate(zip(expected, actual, strict=False)):
        for name in ("body", "redelivered", "properties"):
            left, right = getattr(one, name), getattr(other, name)
            if left != right:
                shown = [each[:24] if isinstance(each, bytes) else each for each in (left, right)]
                return f"message {i}: {name} is {shown[1]!r} {who}, expected {shown[0]!r}"
    if len(expected) != len(actual):
        return f"{len(actual)} messages {who}, expected {len(expected)}"
    return None


def wrong_bodies(bodies: Sequence[bytes], must: Sequence[bytes], may: Sequence[bytes]) -> str | None:
    """Say whether a message that must be there is missing, one is invented, or the order is wrong."""
    if not _in_order(bodies, may):
        return "messages that were never published, twice, or out of order"
    if not _in_order(must, bodies):
        return f"of {len(must)} messages that must be there some are missing; {len(bodies)} are there"
    return None


def _in_order(part: Sequence[bytes], whole: Sequence[bytes]) -> bool:
    rest = iter(whole)
    return all(any(each == other for other in rest) for each in part)
