"""A figure is stale when the version differs, or the engine of that version behaves otherwise."""

import json
from pathlib import Path

import pytest

from engine import ENGINE_VERSION
from tools import measured_on as kept


def test_a_fresh_figure_is_not_stale() -> None:
    assert kept.stale("burst", {"measured_on": kept.measured_on(cores=2)}) is None


def test_a_figure_of_another_version_or_of_none_is_stale() -> None:
    old = {**kept.measured_on(), "engine": "0.0.1"}
    assert kept.stale("burst", {"measured_on": old}) == (
        f"burst was measured with engine 0.0.1; this is {ENGINE_VERSION}"
    )
    assert kept.stale("burst", {"figure": 1}) is not None


def test_an_engine_that_behaves_otherwise_is_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figures = {"measured_on": kept.measured_on()}
    for name in kept.PROBES:
        scenario = json.loads((kept.SCENARIOS / f"{name}.json").read_text())
        if name == "five-lanes":
            scenario["digest"] = "0" * 32
        (tmp_path / f"{name}.json").write_text(json.dumps(scenario))
    monkeypatch.setattr(kept, "SCENARIOS", tmp_path)
    assert kept.stale("burst", figures) == (
        "burst was measured with an engine of the same version that behaved otherwise"
    )
