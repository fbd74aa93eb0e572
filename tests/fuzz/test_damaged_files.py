"""Damaged copies of files that a real broker wrote (S119, S209)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.claimed import TIMES
from tests.fuzz.damage import TEMPTING, damaged, load
from tests.fuzz.running import inspected, opened, real_files, run

RUNS = 400
SOAK_RUNS = 20_000
AT_ONCE = 50
SOAK_AT_ONCE = 100


@pytest.mark.parametrize("first", range(0, RUNS, AT_ONCE))
def test_damaged_files(first: int, recordings: Path) -> None:
    """S119: damage that crashes the broker is reported with its place, and never crashes the engine."""
    seen = [run(recordings, seed) for seed in range(first, first + AT_ONCE)]
    assert sum(found for found, _ in seen) > AT_ONCE / 2
    assert any(refused for _, refused in seen)


@pytest.mark.soak
@pytest.mark.parametrize("first", range(RUNS, SOAK_RUNS, SOAK_AT_ONCE))
def test_many_damaged_files(first: int, recordings: Path) -> None:
    for seed in range(first, first + SOAK_AT_ONCE):
        run(recordings, seed)


@pytest.mark.parametrize("name", ["clean-mixed", "dirty-mixed"])
def test_whole_files_have_no_damage(name: str, recordings: Path) -> None:
    files = load(recordings / "datadirs" / name)
    assert not inspected(files)
    assert opened(files) == 0


def test_no_claimed_size_is_believed(repo_root: Path, recordings: Path) -> None:
    """S209, S119: memory follows the bytes that are there, not those that a record claims."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.claimed"],
        cwd=repo_root,
        capture_output=True,
        text=True,
        check=False,
    )
    tried = len(TEMPTING) * len(real_files(recordings, 1)) * TIMES
    assert run.stdout == f"{tried} files opened, the bound holds\n", run.stdout + run.stderr
    assert run.returncode == 0


def test_the_same_seed_gives_the_same_damage(recordings: Path) -> None:
    files = real_files(recordings, 3)
    assert damaged(files, 3) == damaged(files, 3) != damaged(files, 4)
