"""Keeps a repetition within its time, and lets live sessions go first."""

from __future__ import annotations

import time
from typing import Final

SLICE_S: Final = 0.05
REST_S: Final = 0.005
"""Between two slices: live sessions go first."""


class Breath:
    """The time of one repetition.

    Args:
        most_s: how long it may take.
    """

    def __init__(self, most_s: float) -> None:
        self._deadline_s = time.monotonic() + most_s
        self._rest_s = time.monotonic() + SLICE_S

    def is_over(self) -> bool:
        """Rest if a slice is over; return whether all of the time is."""
        if time.monotonic() >= self._rest_s:
            time.sleep(REST_S)
            self._rest_s = time.monotonic() + SLICE_S
        return time.monotonic() >= self._deadline_s
