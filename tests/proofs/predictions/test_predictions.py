"""The published errors of the predictions are those that the measured runs and this engine give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.metrics import METRICS
from sweeps.pool import Pool
from tools.measured_on import stale
from tools.proofs.differential.installation import LATEST
from tools.proofs.predictions import errors, measured
from tools.proofs.predictions.__main__ import compare, constants, main
from tools.proofs.predictions.measured import FITTED, FLOORS, ON_TODAYS, TODAYS_RELEASE
from tools.proofs.predictions.play import predict

GOALS = {
    "peak_ram_bytes": 6.0,
    "blocked_s": 15.0,
    "first_paging_s": 15.0,
    "throughput_per_s": 15.0,
    "latency_p95_s": 15.0,
}
"""Median error in per cent, on cells that no constant was chosen by."""
WORST = {"peak_ram_bytes": 10.0, "first_paging_s": 30.0, "throughput_per_s": 20.0, "latency_p95_s": 30.0}
"""The same of the worst cell."""
IN_BAND = ("blocked_s",)
"""In every cell the node's own runs and the predicted band have values in common: a look at the memory decides."""
BEYOND_PCT = 30.0
MISSED = {("blocked_s", "off the grid p20")}
"""The cells that lie further outside of the range of the node's own runs, in the metrics whose order is judged."""
WORST_TODAY_PCT = 15.0
"""On a node of today every metric that a goal is set for is as near as that, in each cell."""
IN_ORDER = ("peak_ram_bytes", "blocked_s", "throughput_per_s", "latency_p95_s")
LEAST_TAU = 0.9
"""Kendall's tau over the settings of one workload."""
REPETITIONS = 3


def of_today(repo_root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (repo_root / "fidelity" / f"predictions-{TODAYS_RELEASE}.json").read_text()
    )
    return found


@pytest.fixture(scope="module")
def committed(repo_root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((repo_root / "fidelity" / "predictions.json").read_text())
    return found


def test_tiny_run_writes_every_metric_with_its_error(tmp_path: Path) -> None:
    out = tmp_path / "predictions.json"
    assert main(["--date", "2026-01-31", "--tiny", "--recorded", "--out", str(out)]) == 0
    found = json.loads(out.read_text())
    assert found["measured_on"]["date"] == "2026-01-31"
    assert {each["name"] for each in found["cells"]} == {"drain p.5 w.6", "pdrain 4000 e4096"}
    assert found["metrics"]["peak_ram_bytes"]["cells"] == 1
    assert found["metrics"].keys() == found["swept"].keys() <= METRICS.keys()


def test_what_is_committed_is_of_this_engine_and_of_its_constants(committed: dict[str, Any]) -> None:
    assert stale("predictions", committed) is None
    assert committed["constants"] == constants()
    assert {each["name"] for each in committed["cells"]} == {each.name for each in measured.read()}
    assert {each["name"] for each in committed["rss"]} == {each.name for each in measured.read("rss")}


def test_a_cell_predicted_again_is_the_same(committed: dict[str, Any]) -> None:
    cell = next(each for each in measured.read() if each.name == "drain p.5 w.6")
    with Pool(2) as pool:
        again = compare([cell], predict([cell], pool, constants()))
    assert again["cells"] == [each for each in committed["cells"] if each["name"] == cell.name]


def test_cells_of_today_are_of_this_engine_and_as_near_as_they_should_be(repo_root: Path) -> None:
    found = of_today(repo_root)
    assert stale("predictions", found) is None
    assert found["constants"] == constants(TODAYS_RELEASE)
    assert {each["name"] for each in found["cells"]} == {f"{name} {TODAYS_RELEASE}" for name in ON_TODAYS}
    assert {each["name"] for each in found["cells"]} == {
        each.name for each in measured.read(release=TODAYS_RELEASE)
    }
    assert not any(each["fitted"] for each in found["cells"])
    for name in GOALS.keys() & found["metrics"].keys():
        assert found["metrics"][name]["worst_pct"] <= WORST_TODAY_PCT


def test_tiny_run_of_another_release_takes_its_node_and_constants(tmp_path: Path) -> None:
    out = tmp_path / "predictions.json"
    words = ["--date", "2026-01-31", "--tiny", "--recorded", "--release", TODAYS_RELEASE, "--out", str(out)]
    assert main(words) == 0
    found = json.loads(out.read_text())
    assert found["reference"].startswith(f"RabbitMQ {TODAYS_RELEASE}")
    assert [each["name"] for each in found["cells"]] == [f"mixed 8192 {TODAYS_RELEASE}"]
    assert found["constants"] == constants(TODAYS_RELEASE)


def test_goals_hold_on_cells_that_were_not_fitted(committed: dict[str, Any]) -> None:
    for name, most in GOALS.items():
        assert committed["metrics"][name]["median_pct"] <= most
    for name, most in WORST.items():
        assert committed["metrics"][name]["worst_pct"] <= most
    for name in IN_BAND:
        assert committed["metrics"][name]["inside"] == committed["metrics"][name]["cells"]
    for name in IN_ORDER:
        assert committed["metrics"][name]["tau"] >= LEAST_TAU
    missed = {
        (name, each["name"])
        for each in committed["cells"]
        for name in IN_ORDER
        if not each["fitted"] and each["metrics"][name]["beyond_pct"] > BEYOND_PCT
    }
    assert missed == MISSED
    assert committed["metrics"]["blocked_s"]["cells"] == len(measured.read()) - len(FITTED)


def test_every_cell_was_measured_three_times() -> None:
    for strategy, release in (("erlang", LATEST), ("rss", LATEST), ("erlang", TODAYS_RELEASE)):
        cells = measured.read(strategy, release=release)
        assert cells
        assert all(each.runs >= REPETITIONS for each in cells)


def test_no_workload_of_the_judges_is_all_fitted() -> None:
    cells = measured.read()
    assert {each.name for each in cells} >= FITTED
    assert len(FITTED) < len(cells) / 2
    assert all(each.metrics.keys() <= FLOORS.keys() for each in cells)


def test_errors_are_shares_of_what_was_measured_or_of_a_floor() -> None:
    assert errors.error(110, 100, 1) == pytest.approx(0.1)
    assert errors.error(0.5, 0, 1) == pytest.approx(0.5)
    assert errors.error(0, 4, 1) == -1


def test_an_error_inside_of_the_nodes_own_range_is_none() -> None:
    measured_runs = (4.0, 3.0, 5.0)
    assert errors.beyond(4.9, measured_runs, 1) == 0
    assert errors.beyond(2.0, measured_runs, 1) == pytest.approx(0.25)
    assert errors.beyond(7.0, measured_runs, 1) == pytest.approx(0.5)
    assert errors.beyond(0.5, (0.0, 0.0, 0.2), 1) == pytest.approx(0.3), "a share of the floor"


def test_order_counts_pairs_and_forgives_what_lies_together() -> None:
    def tau(*settings: tuple[float, float, float], floor: float = 0) -> float | None:
        return errors.tau([errors.Ordered(*each) for each in settings], floor)

    assert tau((1, 10, 10), (2, 20, 20), (3, 30, 30)) == 1
    assert tau((1, 30, 30), (2, 20, 20), (3, 10, 10)) == -1
    assert tau((1, 10, 10), (1.1, 20, 20), floor=0.5) is None
    assert tau((1, 10, 20), (3, 30, 40), (2, 35, 50)) == 1, "the last two overlap"
    assert tau((1, 10, 20), (3, 30, 40), (1, 35, 50)) == pytest.approx(0.707, abs=0.001), (
        "one order was missed"
    )
    assert errors.verdict(10, None) == "good"
    assert errors.verdict(25, 0.1) == "rough"
    assert errors.verdict(60, 0.9) == "order"
    assert errors.verdict(60, None) == "none"
