"""The shared store of 4.x collects garbage: one file at a time, in place."""

from __future__ import annotations

from typing import ClassVar

from engine.report.transitions.base import About, Transition, Why


class CollectionTimed(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Files in which messages were removed wait for the timer of 15 s (W140), or it fired (`fired`)."""

    about: ClassVar[About] = About(group="files", function="gc_candidate", shown="detail")

    store: str
    fired: bool
    files: tuple[int, ...]


class FileCompacted(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Records moved from the end of a file into its gaps (W141, W142). why: valid, size, moved."""

    about: ClassVar[About] = About(
        group="files",
        function="compact_file",
        weight=5,
        setting="msg_store_file_size_limit",
        mark="compact",
        units={"valid": "bytes", "size": "bytes", "moved": "messages"},
    )

    store: str
    file: int
    why: Why = {}
