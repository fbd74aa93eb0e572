"""What is refused, in words that tell the fix."""

from __future__ import annotations


class WorkloadError(Exception):
    """A workload, a store or an import is not possible as given; the message says what to change."""


class LineError(WorkloadError):
    """A line of an imported file is not possible; the message begins with its number."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
