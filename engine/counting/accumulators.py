"""How the answers that a metric gives to single transitions become one number."""

from __future__ import annotations

from abc import ABC, abstractmethod

Number = int | float
"""What an answer is; the compiler would make a whole number a broken one where only `float` stands."""


class Accumulator(ABC):
    """One number, kept up while a run goes on; 0 before the first answer."""

    __slots__ = ("_number",)

    def __init__(self) -> None:
        self._number: Number = 0

    @abstractmethod
    def add(self, answer: Number, at_us: int) -> None:
        """Take the metric's answer to a transition at `at_us`, virtual microseconds."""

    def value(self, at_us: int) -> Number | None:
        """Return the number as it is at `at_us`, None if nothing was counted; the run may go on afterwards."""
        return self._number


class TotalOf(Accumulator):
    """All answers added up."""

    __slots__ = ()

    def add(self, answer: Number, at_us: int) -> None:
        """Add the answer."""
        self._number += answer


class HighestOf(Accumulator):
    """The largest answer."""

    __slots__ = ()

    def add(self, answer: Number, at_us: int) -> None:
        """Keep the answer if it is larger than all before it."""
        self._number = answer if answer > self._number else self._number


class LatestOf(Accumulator):
    """The last answer."""

    __slots__ = ()

    def add(self, answer: Number, at_us: int) -> None:
        """Keep the answer in place of the one before."""
        self._number = answer


class FirstOf(Accumulator):
    """At which second of virtual time the answer was yes for the first time; None if it never was."""

    __slots__ = ("_first_us",)

    def __init__(self) -> None:
        super().__init__()
        self._first_us: int | None = None

    def add(self, answer: Number, at_us: int) -> None:
        """Note the time of the first yes."""
        if answer and self._first_us is None:
            self._first_us = at_us

    def value(self, at_us: int) -> float | None:
        """Return the second of the first yes."""
        return None if self._first_us is None else self._first_us / 1e6


class LastingOf(Accumulator):
    """For how many seconds of virtual time the answer was yes."""

    __slots__ = ("_since_us",)

    def __init__(self) -> None:
        super().__init__()
        self._since_us: int | None = None

    def add(self, answer: Number, at_us: int) -> None:
        """Start the clock with a yes, stop it with a no."""
        if answer and self._since_us is None:
            self._since_us = at_us
        elif not answer and self._since_us is not None:
            self._number += at_us - self._since_us
            self._since_us = None

    def value(self, at_us: int) -> Number:
        """Return the seconds up to `at_us`, those of a clock that still runs included."""
        open_us = 0 if self._since_us is None else at_us - self._since_us
        return (self._number + open_us) / 1e6
