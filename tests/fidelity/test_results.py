"""The results that the page shows are real ones: measured, complete, and of this engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import ENGINE_VERSION
from tests.fidelity import measures
from tests.fidelity.__main__ import main


def test_a_small_run_writes_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "traces", lambda _: {"traces": 1, "whole": 1})
    out = tmp_path / "results.json"
    assert main(["--date", "2026-01-31", "--crashes", "5", "--fuzz", "5", "--out", str(out)]) == 0
    results = json.loads(out.read_text())
    assert (results["date"], results["engine"]) == ("2026-01-31", ENGINE_VERSION)
    assert results["crashes"]["runs"] == results["fuzz"]["inputs"] == 5
    assert results["rules"]["engine"] == results["rules"]["engine_cited"] > 150


def test_a_date_is_wanted_and_is_one() -> None:
    with pytest.raises(SystemExit):
        main([])
    with pytest.raises(ValueError, match="isoformat"):
        main(["--date", "today"])


def test_what_is_committed_is_whole(repo_root: Path) -> None:
    results: dict[str, Any] = json.loads((repo_root / "fidelity" / "results.json").read_text())
    assert results["engine"] == ENGINE_VERSION
    assert results["traces"]["whole"] == results["traces"]["traces"] >= 137
    assert not results["rules"]["uncited"]
    assert results["crashes"]["runs"] >= 1000
