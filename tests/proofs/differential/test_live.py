"""Real brokers beside the engine, fetched where they are missing: only `make long-tests` runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.proofs.differential.__main__ import main as differential
from tools.proofs.interop.__main__ import main as interop


@pytest.mark.soak
def test_random_programs_are_equal(tmp_path: Path) -> None:
    assert differential(["--seed", "1", "--count", "300", "--summary", str(tmp_path / "summary.json")]) == 0


@pytest.mark.soak
def test_random_programs_are_equal_on_a_3_8(tmp_path: Path) -> None:
    """V1-V10: crashes and conversions that never end included."""
    options = ["--release", "3.8.9", "--seed", "1", "--count", "100"]
    assert differential([*options, "--summary", str(tmp_path / "summary.json")]) == 0


@pytest.mark.soak
def test_directories_are_exchanged_with_a_3_8(tmp_path: Path) -> None:
    assert interop(["--release", "3.8.9", "--summary", str(tmp_path / "summary.json")]) == 0


@pytest.mark.soak
def test_directories_are_exchanged(tmp_path: Path) -> None:
    assert interop(["--summary", str(tmp_path / "summary.json")]) == 0


@pytest.mark.soak
@pytest.mark.parametrize("release", ["4.3.6", "4.0.5"])
def test_directories_are_exchanged_with_todays_broker(release: str, tmp_path: Path) -> None:
    """W94-W97, W150: believed clean stops included."""
    assert interop(["--release", release, "--summary", str(tmp_path / "summary.json")]) == 0
