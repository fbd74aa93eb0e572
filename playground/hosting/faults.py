"""A session that stands still because files, memory, the record or its worker failed: why, and until when."""

from __future__ import annotations

import math
from typing import Final

from playground.texts.page_message import PageMessage, RequestRefused

FIRST_WAIT_S: Final = 0.25
LONGEST_WAIT_S: Final = 1.0
"""A session is back within two seconds of the end of what stopped it."""
LONGEST_REST_S: Final = 15.0
"""A try that takes long is followed by a rest of the same length, up to this: trying takes half of the time at most."""
CALM_S: Final = 60.0
"""A run that went well for so long begins with the first wait again."""


class RunStopped(RequestRefused):
    """The run cannot be had for now, through no fault of a command. Everything acknowledged is on record."""

    again = True
    """Whether trying again by itself is of use."""


class RetryDelay:
    """How long to wait before something that failed is tried again: longer after each try, until all is well again.

    Only a try that failed moves the time of the next one. Whoever asks meanwhile is refused, and that changes nothing,
    however often it happens.
    """

    def __init__(self) -> None:
        self.message: PageMessage | None = None
        """What is wrong now; None while all is well."""
        self.play = False
        """Whether time passed before, so that it passes again afterwards."""
        self.due_s = 0.0
        self._wait_s = FIRST_WAIT_S
        self._mended_s = -math.inf
        self._tried_s: float | None = None
        """When the try began that is under way."""

    def tries(self, now_s: float) -> None:
        """Note that a try begins."""
        self._tried_s = now_s

    def failed(self, message: PageMessage, play: bool, now_s: float, *, again: bool = True) -> bool:
        """Note a failure; return whether it is news to those who watch.

        Args:
            message: what is wrong.
            play: whether time passed before.
            now_s: real time.
            again: whether trying again by itself is of use.
        """
        news = self.message is None or str(self.message) != str(message)
        if not news and math.isinf(self.due_s):
            return False  # who asks once more does not make trying of use
        begins = self.message is None
        if begins:
            self.play = play
            if now_s - self._mended_s >= CALM_S:
                self._wait_s = FIRST_WAIT_S
        self.message = message
        if not again:
            self.due_s = math.inf
        elif begins or self._tried_s is not None:
            took_s = 0.0 if self._tried_s is None else now_s - self._tried_s
            self.due_s = now_s + max(self._wait_s, min(LONGEST_REST_S, took_s))
            self._wait_s = min(LONGEST_WAIT_S, 2 * self._wait_s)
        self._tried_s = None
        return news

    def try_now(self) -> None:
        """Let the next try be at once: something was changed."""
        self.due_s = 0.0

    def mended(self, now_s: float) -> None:
        """Note that all is well again."""
        self.message = self._tried_s = None
        self._mended_s = now_s
