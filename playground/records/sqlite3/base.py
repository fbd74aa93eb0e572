"""A connection that is given up when its file is another one by now: what is written to a file that was deleted is on
no record. Django asks `is_usable` before each request and each batch of writes (`CONN_HEALTH_CHECKS`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.db.backends.sqlite3 import base


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's connection, and which file it has open."""

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
