"""The protocol between the server and the process that forks its workers, over a socket."""

from __future__ import annotations

from typing import Final

ONE_MORE: Final = b"+"
"""Comes with a handle: the end of a socket that a new worker is to serve."""
NUMBER_BYTES: Final = 8
"""The answer: the new worker's number with a handle of its process, or an error's number with none."""
