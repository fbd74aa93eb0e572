"""What is added to the records of sessions, each under the epoch of a lease; many sessions' additions at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from django.db import transaction
from django.utils import timezone

from playground import leases
from playground.hosting.book import Elsewhere
from playground.models import CommandRecord, Session


class Append(msgspec.Struct, frozen=True):
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


def append(wanted: Sequence[Append]) -> list[Elsewhere | None]:
    """Write additions in one transaction, in their order; return what became of each.

    Nothing is written of a session whose lease is another process's by now; the others are not held up by it.

    Raises:
        DatabaseError: nothing is written at all, such as when another process wrote the row of this number already.
    """
    with transaction.atomic():
        keys = _keys(wanted)
        rows: list[CommandRecord] = []
        reached: dict[int, Session] = {}
        found: list[Elsewhere | None] = []
        now = timezone.now()
        for each in wanted:
            key = keys.get((each.public_id, each.epoch))
            found.append(Elsewhere(leases.node_of(each.public_id)) if key is None else None)
            if key is None:
                continue
            if each.row is not None:
                sequence, at_us, command = each.row
                epoch = each.epoch or 0
                rows.append(
                    CommandRecord(
                        session_id=key, sequence=sequence, at_us=at_us, command=command, epoch=epoch
                    )
                )
            if each.reached is not None:
                at_us, digest = each.reached
                reached[key] = Session(pk=key, reached_us=at_us, digest=digest, last_seen=now)
        if rows:
            CommandRecord.objects.bulk_create(rows)
        if reached:
            Session.objects.bulk_update(reached.values(), ["reached_us", "digest", "last_seen"])
    return found


def _keys(wanted: Sequence[Append]) -> dict[tuple[str, int | None], int]:
    """Return the primary keys of the sessions that may be written, and let nobody take them over meanwhile."""
    epochs = {(each.public_id, each.epoch) for each in wanted if each.epoch is not None}
    found: dict[tuple[str, int | None], int] = {}
    if epochs:
        found.update(leases.guard(epochs).items())
    for each in wanted:
        if each.epoch is None:
            found[each.public_id, None] = Session.objects.only("pk").get(public_id=each.public_id).pk
    return found
