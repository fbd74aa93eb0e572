"""What a message costs in a log whose neighbours are of another kind: in calls, which no busy machine changes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from bench.unequal import run_through, sizes_of
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage

COUNT = 20_000


def calls_of(run: Callable[[], int]) -> tuple[int, int]:
    """Return how many functions a run calls, Python's and those written in C, and what it returns."""
    count = 0

    def note(_: FrameType, event: str, __: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        found = run()
    finally:
        sys.setprofile(None)
    return count, found


@pytest.mark.parametrize(("kind", "most"), [("ledger", 66), ("files", 84)])
def test_a_message_costs_no_more(kind: str, most: int, tmp_path: Path) -> None:
    """Calls were 320 and 640 before short runs had ways of their own, 242 and 311 before many of them went at once.
    With files they were 152 before what is read back was compared instead of taken apart.

    Transitions were 5.2 a message, and 1.2 before one told of many runs.
    """
    storage = LedgerStorage() if kind == "ledger" else DirectoryStorage(str(tmp_path), fsync=False)
    run = run_through(storage, sizes_of(COUNT, "mixed"), "mixed")
    calls, transitions = calls_of(run)
    assert calls / COUNT <= most
    assert transitions / COUNT <= 0.06
