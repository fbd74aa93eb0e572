"""Index and stores stop and start (S200-S213, S110-S117)."""

from __future__ import annotations

from typing import ClassVar

from engine.report.transitions.base import About, Transition


class IndexRecovered(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A queue index started with the files that it found (S110-S117).

    entries: (start, count, code); segments: (number, file_bytes); journal_bytes None when there is no file.
    """

    about: ClassVar[About] = About(
        group="files", function="recover", fold="index", units={"dirty": "records"}
    )

    queue: str
    clean: bool
    entries: tuple[tuple[int, int, int], ...]
    segments: tuple[tuple[int, int], ...]
    journal_bytes: int | None
    dirty: int
