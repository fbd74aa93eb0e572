"""Messages change place inside a queue of version 2."""

from __future__ import annotations

from typing import ClassVar

from engine.report.transitions.base import About
from engine.report.transitions.queue import Shift


class TailLoaded(Shift, frozen=True, tag=True, gc=False):
    """One load brings messages from the tail to the head lane (W45). why: start, end, window, dropped.

    With nothing to bring only the tail's record changes.
    """

    about: ClassVar[About] = About(
        group="memory",
        function="read_from_q_tail",
        fold="shift",
        weight=6,
        setting="segment_entry_count",
        mark="load",
        units={"window": "messages"},
    )


class HeadReturned(Shift, frozen=True, tag=True, gc=False):
    """The first message that did not match goes back to the front, with the mark that its take gave it (W47)."""

    about: ClassVar[About] = About(group="messages", function="in_r", fold="shift", shown="detail")
