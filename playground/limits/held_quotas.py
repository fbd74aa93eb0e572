"""How much of something each caller may hold at the same time, such as open sockets."""

from __future__ import annotations

from collections import Counter


class HeldQuotas:
    """Counts what callers hold. For one thread, or one event loop."""

    def __init__(self) -> None:
        self._held: Counter[str] = Counter()

    def take(self, bounds: dict[str, int]) -> str | None:
        """Take one for every caller in `bounds`, or none at all and return whose bound is reached."""
        for caller, most in bounds.items():
            if self._held[caller] >= most:
                return caller
        self._held.update(bounds.keys())
        return None

    def give_back(self, callers: dict[str, int]) -> None:
        """Give back what `take` took; callers that hold nothing are forgotten."""
        for caller in callers:
            self._held[caller] -= 1
            if self._held[caller] <= 0:
                del self._held[caller]
