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


def test_every_measurement_is_kept(results: dict[str, Any]) -> None:
    assert set(results) == set(BENCHES)


@pytest.mark.parametrize("name", sorted(BENCHES))
def test_no_figure_is_older_than_the_engine(results: dict[str, Any], name: str) -> None:
    """`make bench` measures anew."""
    assert stale(name, results[name]) is None
    assert results[name].get("passed", True)
