"""Damaged copies of files that real brokers of 4.x wrote (W97, W120, W205)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.damage import load
from tests.fuzz.running_v2 import RELEASES, opened, places, run

RUNS = 200
AT_ONCE = 50
SOAK_RUNS = 10_000
SOAK_AT_ONCE = 100


@pytest.mark.parametrize("first", range(0, RUNS, AT_ONCE))
def test_damaged_files_of_4_x(first: int, recordings: Path) -> None:
    """W205: damage is reported with its place or ends the queue's process as the broker's, and never the engine."""
    seen = [run(recordings, seed) for seed in range(first, first + AT_ONCE)]
    assert sum(found for found, _ in seen) > AT_ONCE / 3


@pytest.mark.soak
@pytest.mark.parametrize("first", range(RUNS, SOAK_RUNS, SOAK_AT_ONCE))
def test_many_damaged_files_of_4_x(first: int, recordings: Path) -> None:
    for seed in range(first, first + SOAK_AT_ONCE):
        run(recordings, seed)


def test_whole_directories_open_without_a_refusal(recordings: Path) -> None:
    """W97, W150."""
    for place in places(recordings):
        assert opened(load(place), RELEASES[place.name.rpartition("-")[2]]) == 0, place.name
