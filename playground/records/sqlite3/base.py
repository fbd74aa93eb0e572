"""A connection that is given up when its file is another one by now: what is written to a file that was deleted is on
no record. Django asks `is_usable` before each request and each batch of writes (`CONN_HEALTH_CHECKS`).

Transactions of a process wait for each other here. SQLite would let all but one sleep, for 1 to 100 ms at a time,
however soon the first is done.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, Final

from django.db.backends.sqlite3 import base

_transaction: Final = threading.Lock()


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's connection, which file it has open, and whether it has the process's transaction."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._holds = False

    def get_new_connection(self, conn_params: Any) -> Any:
        made = super().get_new_connection(conn_params)
        self._file = self._file_of_now()
        return made

    def is_usable(self) -> bool:
        return super().is_usable() and self._file == self._file_of_now()

    def _file_of_now(self) -> tuple[int, int]:
        try:
            found = Path(self.settings_dict["NAME"]).stat()
        except OSError:
            return (0, 0)
        return found.st_dev, found.st_ino

    def _start_transaction_under_autocommit(self) -> None:
        # One that waits for too long leaves it to SQLite, which says that the database is locked.
        self._holds = _transaction.acquire(timeout=self.settings_dict["OPTIONS"]["timeout"])
        try:
            super()._start_transaction_under_autocommit()
        except BaseException:
            self._give_back()
            raise

    def _commit(self) -> None:
        super()._commit()
        self._give_back()

    def _rollback(self) -> None:
        try:
            super()._rollback()
        finally:
            self._give_back()

    def _close(self) -> None:
        try:
            super()._close()
        finally:
            self._give_back()

    def _give_back(self) -> None:
        if self._holds:
            self._holds = False
            _transaction.release()
