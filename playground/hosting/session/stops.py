"""Where time stands still in a session, whatever happens before."""

from __future__ import annotations


class StoryStops:
    """The moments up to which a session's time may pass; None for what nothing waits for.

    Args:
        last_us: virtual microseconds that no session passes.
    """

    def __init__(self, last_us: int) -> None:
        self._last_us = last_us
        self.end_us: int | None = None
        """Where the scenario ends, if nobody has done anything of their own."""
        self.asked_us: int | None = None
        """Up to where somebody let time pass."""
        self.answer_us: int | None = None
        """Where time waits for an answer."""

    def next_us(self) -> int:
        """Return the first of them."""
        known = (self.end_us, self.asked_us, self.answer_us, self._last_us)
        return min(each for each in known if each is not None)

    def holds_at(self, now_us: int) -> bool:
        """Return whether an answer is owed before time goes on."""
        return self.answer_us is not None and now_us >= self.answer_us
