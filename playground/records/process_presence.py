"""Which processes live: each holds a lock at the database, on a connection of its own.

A process that is killed loses the connection at that moment, and with it the lock. One that only has too little of a
processor keeps both, for however long. So whoever wants its sessions need not wait until its leases lapse, and no busy
machine loses any. Of a machine that is gone the database hears nothing: it asks for a few seconds, and the leases may
lapse first. Only PostgreSQL has such locks, and it is what several processes share.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from typing import Any, Final

import psycopg
from django.db import connection

from playground.hosting.session_record import RecordUnreachable

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
    """Return whether the lock of a process is free."""
    with connection.cursor() as cursor:
        cursor.execute(_FREE, [STARTED_S, SPACE, _name_of(process)])
        return bool(cursor.fetchone()[0])


class ProcessPresence:
    """Holds the lock of this process for as long as it lives.

    Args:
        process: a name that no other process has or had.
    """

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
        """Let go of it."""
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
