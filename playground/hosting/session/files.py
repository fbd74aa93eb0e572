"""What a session needs of the disk."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class DataFiles(Protocol):
    """Where the files of sessions are."""

    def fresh(self, session_id: str) -> Path:
        """Return an empty directory for a session."""

    def of(self, session_id: str) -> Path:
        """Return where the files of a session are, or would be."""

    def forget(self, session_id: str) -> None:
        """Remove the files of a session."""
