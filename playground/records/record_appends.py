"""What is added to the records of sessions, each under the epoch of a lease; many sessions' additions at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from django.db import connection, transaction
from django.utils import timezone

from playground.hosting.session_record import OwnedElsewhere
from playground.models import Session
from playground.records import session_leases


class RecordAppend(msgspec.Struct, frozen=True):
    """An addition to the record of one session.

    Args:
        public_id: of the session.
        epoch: of the lease under which it is written; None where no run is at stake, as in tests and tools.
        row: a new row: its number, the virtual time, and the command.
        reached: how far the run has come, and its digest there if it is known.
    """

    public_id: str
    epoch: int | None
    row: tuple[int, int, dict[str, Any]] | None = None
    reached: tuple[int, str] | None = None


# Written out, because this is done for each command, and every second for each session that plays: Django takes longer
# to write such statements than the database to carry them out.
_ROW: Final = """
    INSERT INTO playground_commandrecord (session_id, sequence, epoch, at_us, command)
    VALUES (%s, %s, %s, %s, %s)
"""
_REACHED: Final = "UPDATE playground_session SET reached_us = %s, digest = %s, last_seen = %s WHERE id = %s"


def append(wanted: Sequence[RecordAppend]) -> list[OwnedElsewhere | None]:
    """Write additions in one transaction, in their order; return what became of each.

    Nothing is written of a session whose lease is another process's by now; the others are not held up by it.

    Raises:
        DatabaseError: nothing is written at all, such as when another process wrote the row of this number already.
    """
    with transaction.atomic(savepoint=False):
        keys = _keys(wanted)
        rows: list[tuple[Any, ...]] = []
        reached: dict[int, tuple[Any, ...]] = {}
        found: list[OwnedElsewhere | None] = []
        now = connection.ops.adapt_datetimefield_value(timezone.now())
        for each in wanted:
            key = keys.get((each.public_id, each.epoch))
            found.append(OwnedElsewhere(session_leases.node_of(each.public_id)) if key is None else None)
            if key is None:
                continue
            if each.row is not None:
                sequence, at_us, command = each.row
                written = connection.ops.adapt_json_value(command, None)
                rows.append((key, sequence, each.epoch or 0, at_us, written))
            if each.reached is not None:
                at_us, digest = each.reached
                reached[key] = (at_us, digest, now, key)
        with connection.cursor() as cursor:
            if rows:
                cursor.executemany(_ROW, rows)
            if reached:
                cursor.executemany(_REACHED, list(reached.values()))
    return found


def _keys(wanted: Sequence[RecordAppend]) -> dict[tuple[str, int | None], int]:
    """Return the primary keys of the sessions that may be written, and let nobody take them over meanwhile."""
    epochs = {(each.public_id, each.epoch) for each in wanted if each.epoch is not None}
    found: dict[tuple[str, int | None], int] = {}
    if epochs:
        found.update(session_leases.guard(epochs).items())
    for each in wanted:
        if each.epoch is None:
            found[each.public_id, None] = Session.objects.only("pk").get(public_id=each.public_id).pk
    return found
