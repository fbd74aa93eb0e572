"""What the clients of a run saw: messages, waits, and when they were blocked."""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec


class Seen(msgspec.Struct):
    """Counts of one client, or of all together.

    Args:
        waits_s: of each message from its publishing to its first delivery.
        confirms_s: of each message from its publishing to its confirm.
        blocked_spans: monotonic seconds when a connection got the notice that it is blocked, and that it is no more.
    """

    published_count: int = 0
    published_bytes: int = 0
    delivered_count: int = 0
    waits_s: list[float] = []
    confirms_s: list[float] = []
    blocked_spans: list[tuple[float, float]] = []
    _since: float | None = None

    def published(self, size_bytes: int) -> None:
        """Count a message that went out."""
        self.published_count += 1
        self.published_bytes += size_bytes

    def delivered(self, wait_s: float, redelivered: bool) -> None:
        """Count a message that came in; how long it waited is known from its first delivery."""
        self.delivered_count += 1
        if not redelivered:
            self.waits_s.append(wait_s)

    def confirmed(self, wait_s: float) -> None:
        """Count a confirm."""
        self.confirms_s.append(wait_s)

    def blocked(self) -> None:
        """Note that the connection got the notice that it is blocked."""
        self._since = time.monotonic()

    def unblocked(self) -> None:
        """Note that the connection got the notice that it is blocked no more, or ended."""
        if self._since is not None:
            self.blocked_spans.append((self._since, time.monotonic()))
            self._since = None

    def add(self, other: Seen) -> None:
        """Add what another client saw."""
        self.published_count += other.published_count
        self.published_bytes += other.published_bytes
        self.delivered_count += other.delivered_count
        self.waits_s += other.waits_s
        self.confirms_s += other.confirms_s
        self.blocked_spans += other.blocked_spans

    @property
    def blocked_s(self) -> float:
        """Return the seconds in which at least one connection was blocked."""
        total = 0.0
        counted_until = float("-inf")
        for since, until in sorted(self.blocked_spans):
            total += max(0.0, until - max(since, counted_until))
            counted_until = max(counted_until, until)
        return total

    def anybody_blocked(self, at: float) -> bool:
        """Return whether some connection was blocked at a monotonic second."""
        return any(since <= at < until for since, until in self.blocked_spans)


def percentile(values: Sequence[float], share: float) -> float | None:
    """Return the value that `share` of all do not exceed, None where there are none."""
    if not values:
        return None
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]
