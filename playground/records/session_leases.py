"""Which process owns a session: a row in the database with an owner, an epoch and a time at which it lapses.

Whoever owns a session has its run and may add to its record. Each new owner gets a higher epoch, every write to the
record names the epoch that it was made under, and one of an older epoch is refused: a process that slept through the
loss of its lease cannot write over what the next owner did. Times are the database's, so clocks need not agree.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Collection, Iterable
from datetime import timedelta
from typing import Any, Final

import msgspec
import psycopg
from django.db import IntegrityError, connection, transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from playground.hosting.session_record import OwnedElsewhere, RecordUnreachable
from playground.models import Lease, Session

logger = logging.getLogger(__name__)

SPACE: Final = 1463897164
"""The first half of all these locks' names."""
LOOKS_S: Final = 0.5
"""A connection that broke is noticed, and replaced, after so long."""
CONNECTS_S: Final = 5
GRACE_S: Final = 1.0
"""Somebody whose lock is free is gone if it is free so much later as well: a connection may be replaced meanwhile."""
STARTED_S: Final = 10
"""So long after its own start the database knows of nobody that they are gone: they may not have come back yet."""
KEEPALIVES: Final = "-c tcp_keepalives_idle=2 -c tcp_keepalives_interval=1 -c tcp_keepalives_count=3"
_FREE: Final = """
    SELECT pg_postmaster_start_time() < now() - make_interval(secs => %s) AND NOT EXISTS (
        SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND classid = %s AND objid = %s AND objsubid = 2)
"""


def _name_of(process: str) -> int:
    return int.from_bytes(hashlib.sha256(process.encode()).digest()[:4], "big") >> 1


def is_gone(process: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(_FREE, [STARTED_S, SPACE, _name_of(process)])
        return bool(cursor.fetchone()[0])


class ProcessPresence:
    """Holds the lock of this process for as long as it lives. `process`: a name that no other process has or had."""

    def __init__(self, process: str) -> None:
        self._name = _name_of(process)
        self._held = threading.Event()
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def hold(self) -> None:
        """Return once the lock is held; it is taken anew whenever the connection breaks. Raises `RecordUnreachable`."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._keep, name="presence", daemon=True)
                self._thread.start()
        if not self._held.wait(CONNECTS_S):
            raise RecordUnreachable("the database does not take the lock by which others see this process")

    def end(self) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _keep(self) -> None:
        while not self._ended.is_set():
            try:
                self._keep_one()
            except psycopg.Error as error:
                logger.warning("the connection by which others see this process is gone: %s", error)
            self._held.clear()
            self._ended.wait(LOOKS_S)

    def _keep_one(self) -> None:
        """Hold the lock for as long as one connection lasts."""
        with psycopg.connect(**_parameters()) as held:
            held.execute("SELECT pg_advisory_lock(%s, %s)", [SPACE, self._name])
            self._held.set()
            while not self._ended.wait(LOOKS_S):
                held.execute("SELECT 1")


def _parameters() -> dict[str, Any]:
    """Return what Django connects with, for a connection outside of its pool."""
    given = connection.get_connection_params()
    plain = {name: value for name, value in given.items() if isinstance(value, str | int) and name != "pool"}
    plain.pop("prepare_threshold", None)
    return {**plain, "autocommit": True, "connect_timeout": CONNECTS_S, "options": KEEPALIVES}


AHEAD: Final = 4
"""A lease that ends later than so many of its times from now is over: the database's clock was set back since."""


class LeaseHolder(msgspec.Struct, frozen=True):
    """Who may own sessions. `process`: a name that no other process has or had. `node`: the name by which the proxy
    finds it; empty where there is none.
    """

    process: str
    node: str = ""


def take(public_id: str, holder: LeaseHolder, lasts_s: float, epoch: int | None = None) -> int:
    """Make a process the owner of a session; return the epoch.

    Args:
        lasts_s: seconds after which it lapses if it is not renewed.
        epoch: under which this holder already has it, as far as it knows; it is kept if that is so.

    Raises:
        OwnedElsewhere: another process owns it.
        Session.DoesNotExist: there is no such session.
    """
    until = Now() + timedelta(seconds=lasts_s)
    mine = Lease.objects.filter(session__public_id=public_id, process=holder.process)
    if epoch is not None and mine.filter(epoch=epoch).update(expires_at=until):
        return epoch
    beyond = Now() + timedelta(seconds=AHEAD * lasts_s)
    free = Q(process=holder.process) | Q(expires_at__lte=Now()) | Q(expires_at__gt=beyond)
    taken = Lease.objects.filter(free, session__public_id=public_id).update(
        process=holder.process, node=holder.node, epoch=F("epoch") + 1, expires_at=until
    )
    if not taken:
        _create(public_id, holder, until)
    found = mine.values_list("epoch", flat=True).first()
    if found is None:
        raise OwnedElsewhere(node_of(public_id))
    return found


def _create(public_id: str, holder: LeaseHolder, until: object) -> None:
    session = Session.objects.only("pk").get(public_id=public_id)
    try:
        with transaction.atomic():
            Lease.objects.create(
                session=session, process=holder.process, node=holder.node, epoch=1, expires_at=until
            )
    except IntegrityError:
        return


def node_of(public_id: str) -> str:
    """Return the node of a session's owner, or nothing when nobody owns it."""
    return _of_owner(public_id, "node")


def owner_of(public_id: str) -> str:
    """Return the process that owns a session, or nothing when nobody does."""
    return _of_owner(public_id, "process")


def _of_owner(public_id: str, field: str) -> str:
    found = Lease.objects.filter(session__public_id=public_id, expires_at__gt=Now())
    return found.values_list(field, flat=True).first() or ""


def renew(holder: LeaseHolder, public_ids: Iterable[str], lasts_s: float) -> set[str]:
    """Renew the leases of sessions; return those that are still this holder's."""
    mine = Lease.objects.filter(process=holder.process, session__public_id__in=list(public_ids))
    mine.update(expires_at=Now() + timedelta(seconds=lasts_s))
    return set(mine.values_list("session__public_id", flat=True))


def give_back(public_id: str, holder: LeaseHolder, epoch: int) -> None:
    """Let the next one have a session at once."""
    mine = Lease.objects.filter(session__public_id=public_id, process=holder.process, epoch=epoch)
    mine.update(expires_at=Now())


def lapse(processes: Iterable[str]) -> int:
    """End the leases of processes that are known to be gone; return how many there were."""
    return Lease.objects.filter(process__in=list(processes), expires_at__gt=Now()).update(expires_at=Now())


def guard(epochs: Collection[tuple[str, int]]) -> dict[tuple[str, int], int]:
    """Let nobody take sessions over before the transaction ends. `epochs`: sessions, each with the epoch under which
    it is to be written. Returns the primary keys of those whose epoch is not over.
    """
    if not epochs:
        return {}
    names = sorted({public_id for public_id, _epoch in epochs})
    lock = "FOR UPDATE OF lease" if connection.features.has_select_for_update else ""
    with connection.cursor() as cursor:
        cursor.execute(_GUARD.format(marks=", ".join(["%s"] * len(names)), lock=lock), names)
        found = cursor.fetchall()
    return {(public_id, epoch): key for public_id, epoch, key in found if (public_id, epoch) in epochs}


# Written out, because this is asked before each command is written down: Django takes longer to write it than the
# database to answer it. Always in the same order, so that two processes never wait for each other.
_GUARD: Final = """
    SELECT session.public_id, lease.epoch, lease.session_id
    FROM playground_lease AS lease JOIN playground_session AS session ON session.id = lease.session_id
    WHERE session.public_id IN ({marks}) ORDER BY lease.session_id {lock}
"""
