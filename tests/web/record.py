"""A session's record, written row by row as its host does."""

from __future__ import annotations

from typing import Any

from playground.records import kept_runs
from playground.records.database_record import RecordAppend, append


def record_command(
    public_id: str, sequence: int, at_us: int, command: dict[str, Any], epoch: int | None = None
) -> None:
    """Add a row to the record of a session: see `playground.records.database_record`. Raises `Elsewhere`."""
    _append(RecordAppend(public_id, epoch, row=(sequence, at_us, command)))


def undo_command(public_id: str, sequence: int, at_us: int, epoch: int | None = None) -> None:
    """Take the last command of a session back, which is a row of its own; its run is known up to `at_us`."""
    _append(RecordAppend(public_id, epoch, row=(sequence, at_us, kept_runs.UNDO), reached=(at_us, "")))


def note_progress(public_id: str, at_us: int, digest: str, epoch: int | None = None) -> None:
    """Write down how far a session has come, and that somebody is there."""
    _append(RecordAppend(public_id, epoch, reached=(at_us, digest)))


def _append(wanted: RecordAppend) -> None:
    (failure,) = append([wanted])
    if failure is not None:
        raise failure
