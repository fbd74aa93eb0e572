"""Messages as they are after their queue's files were converted."""

from __future__ import annotations

from typing import ClassVar

from engine.report.transitions.base import About
from engine.report.transitions.queue import Shift


class FilesConverted(Shift, frozen=True):
    """The queue's files have another version from now on: messages as their entries are afterwards (W100)."""

    about: ClassVar[About] = About(group="memory", function="set_queue_version", fold="shift", weight=6)
