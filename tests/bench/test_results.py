"""The figures that are kept are of the present engine, and kept their bounds."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench.__main__ import BENCHES
from tools.measured_on import stale


@pytest.fixture
def results(repo_root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((repo_root / "bench" / "results.json").read_text())
    return found


NOT_KEPT = {"school"}
"""It needs a quarter of an hour on a machine that does nothing else, and has not had it yet."""


def test_nothing_else_is_kept(results: dict[str, Any]) -> None:
    assert set(results) == set(BENCHES) - NOT_KEPT


@pytest.mark.parametrize("name", sorted(set(BENCHES) - NOT_KEPT))
def test_no_figure_is_older_than_the_engine(results: dict[str, Any], name: str) -> None:
    """`make bench` measures anew."""
    assert stale(name, results[name]) is None
    assert results[name].get("passed", True)
