"""The results that the page shows are real ones: measured, complete, and of this engine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playground.web import fidelity_figures
from tests.conftest import RECORDINGS
from tools.measured_on import measured_on, stale
from tools.proofs.fidelity import measures
from tools.proofs.fidelity.__main__ import MEASURES, main


def test_a_date_is_wanted_and_is_one() -> None:
    with pytest.raises(SystemExit):
        main([])
    with pytest.raises(ValueError, match="isoformat"):
        main(["--date", "today"])


def test_one_measure_alone_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    old = {"measured_on": {"engine": "0.0.1"}, "traces": 1, "whole": 1}
    out.write_text(json.dumps({"traces": old, "rules": {"uncited": []}}))
    assert main(["--date", "2026-01-31", "--only", "memory_model", "--out", str(out)]) == 0
    results = json.loads(out.read_text())
    assert results["traces"] == old
    assert results["memory_model"]["measured_on"] == measured_on(date="2026-01-31")


@pytest.fixture
def committed(repo_root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((repo_root / "fidelity" / "results.json").read_text())
    return found


def test_what_is_committed_is_whole(committed: dict[str, Any]) -> None:
    assert committed["traces"]["whole"] == committed["traces"]["traces"] >= 137
    assert not committed["rules"]["uncited"]
    assert committed["crashes"]["runs"] >= 1000


PROOFS = (*MEASURES, *fidelity_figures.ON_NODES)


@pytest.mark.parametrize("name", PROOFS)
def test_no_proof_is_older_than_the_engine(name: str) -> None:
    """`make fidelity` measures anew; differential and interop have their own targets."""
    assert stale(name, (fidelity_figures.results() or {})[name]) is None


def test_every_trace_that_is_there_was_replayed(committed: dict[str, Any]) -> None:
    """Whether each is whole is asked by tests/conformance; here that the page counts all of them, by release."""
    shown = {
        release: {name: each[name] for name in ("traces", "steps")}
        for release, each in committed["traces"]["releases"].items()
    }
    assert shown == measures.listed(RECORDINGS)
    assert all(each["whole"] == each["traces"] for each in committed["traces"]["releases"].values())


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("rules", measures.rules),
        ("directories", lambda: measures.directories(RECORDINGS)),
        ("memory_model", measures.memory_model),
    ],
)
def test_what_can_be_counted_again_in_no_time_is_the_same(
    committed: dict[str, Any], name: str, measure: Callable[[], dict[str, Any]]
) -> None:
    shown = {key: value for key, value in committed[name].items() if key != "measured_on"}
    assert shown == json.loads(json.dumps(measure()))
