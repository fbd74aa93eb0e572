"""Index and stores stop and start (S200-S213, S110-S117)."""

from __future__ import annotations

from typing import ClassVar

from engine.report.transitions.base import About, Transition


class StoreStopped(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A store stopped. Fold: everything of the store is forgotten."""

    about: ClassVar[About] = About(group="files", function="terminate", fold="stores", shown="detail")

    store: str
    how: str


class StoreRecovered(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A store started with the files that it found (S205-S208).

    files: (number, file_size, valid_bytes, locked, disk_bytes); rows: (msg_no, count, ref_count, file, offset,
    record_bytes, step); orphans: (number, disk_bytes) of files that are in no table (S186).
    """

    about: ClassVar[About] = About(group="files", function="recover", fold="store", shown="detail")

    store: str
    clean: bool
    files: tuple[tuple[int, int, int, bool, int], ...]
    current: int
    rows: tuple[tuple[int, int, int, int, int, int, int], ...]
    orphans: tuple[tuple[int, int], ...] = ()


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
