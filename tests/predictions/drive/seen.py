"""What the clients of a run saw, counted together: messages, waits, and how long anybody was blocked."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence


class Seen:
    """Counts of one run; threads of all clients write here."""

    def __init__(self) -> None:
        self.published_count = self.published_bytes = self.delivered_count = 0
        self.waits_s: list[float] = []
        self.confirms_s: list[float] = []
        self.blocked_s = 0.0
        self._lock = threading.Lock()
        self._blocked = 0
        self._since = 0.0

    def published(self, size_bytes: int) -> None:
        """Count a message that went out."""
        with self._lock:
            self.published_count += 1
            self.published_bytes += size_bytes

    def delivered(self, wait_s: float, redelivered: bool) -> None:
        """Count a message that came in; how long it waited is known from its first delivery."""
        with self._lock:
            self.delivered_count += 1
            if not redelivered:
                self.waits_s.append(wait_s)

    def confirmed(self, wait_s: float) -> None:
        """Count a confirm."""
        with self._lock:
            self.confirms_s.append(wait_s)

    def blocked(self) -> None:
        """A connection got the notice that it is blocked."""
        with self._lock:
            if not self._blocked:
                self._since = time.monotonic()
            self._blocked += 1

    def unblocked(self) -> None:
        """A connection got the notice that it is blocked no more, or ended."""
        with self._lock:
            self._blocked -= 1
            if not self._blocked:
                self.blocked_s += time.monotonic() - self._since

    @property
    def anybody_blocked(self) -> bool:
        """Whether some connection is blocked now."""
        return self._blocked > 0


def percentile(values: Sequence[float], share: float) -> float | None:
    """Return the value that `share` of all do not exceed, None where there are none."""
    if not values:
        return None
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]
