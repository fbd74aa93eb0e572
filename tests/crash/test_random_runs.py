"""Seeded random programs with crashes: no confirmed message missing, none invented, order kept (S230-S234)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.storage.handle import BufferedHandle
from tests.crash.programs import draw
from tests.crash.runs import run_seeds, shortened

RUNS = 300
SOAK_RUNS = 10_000
AT_ONCE = 25


@pytest.mark.parametrize("first", range(0, RUNS, AT_ONCE))
def test_runs(first: int, tmp_path: Path) -> None:
    """S230, S231, S232, S233, S234: what each failure may cost, and no more."""
    outcome = run_seeds(range(first, first + AT_ONCE), tmp_path)
    assert outcome.runs == AT_ONCE
    assert outcome.crashes >= AT_ONCE


@pytest.mark.soak
@pytest.mark.parametrize("first", range(RUNS, SOAK_RUNS, 100))
def test_many_runs(first: int, tmp_path: Path) -> None:
    run_seeds(range(first, first + 100), tmp_path)


def _without_fsync(self: BufferedHandle) -> None:
    self.flush()
    self.dirty = False


def _only_to_the_buffer(self: BufferedHandle) -> None:
    """Claim to have synced without handing anything over."""


@pytest.mark.parametrize("broken", [_without_fsync, _only_to_the_buffer])
def test_an_engine_that_confirms_too_early_is_caught(
    broken: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K7: the simulator itself is worth something only if it finds what it is for."""
    monkeypatch.setattr(BufferedHandle, "sync", broken)
    with pytest.raises(AssertionError, match=r"(?s)seed \d+: .*run\(\{'config'"):
        run_seeds(range(60), tmp_path)


def test_a_failing_program_is_made_shorter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BufferedHandle, "sync", _only_to_the_buffer)
    seed = next(seed for seed in range(60) if _fails(seed, tmp_path))
    assert len(shortened(draw(seed), tmp_path)["steps"]) < len(draw(seed)["steps"])


def _fails(seed: int, place: Path) -> bool:
    try:
        run_seeds([seed], place)
    except AssertionError:
        return True
    return False
