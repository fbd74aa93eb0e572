"""What is known of a metric stands once: pages, tables and docs read it from the registry."""

import ast
from pathlib import Path

import pytest
from django.utils import translation

from engine.counting.levels import RunLevels
from engine.counting.metric import TotalOf
from engine.metrics import METRICS, BetterWay, Metric, MetricUnit
from engine.report.transitions.base import Transition
from playground.comparing.reel import FIRST, TOLD, figure_labels
from playground.whatif.query import GridBounds, best_cell
from playground.whatif.shipped import ShippedHeatmap, heatmaps
from playground.whatif.shipped import metric as label
from spark_jobs.analyse import check_metric
from spark_jobs.schema import CELLS
from tests.web import whatif_data
from tools.catalogue.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
USERS = ("playground", "spark_jobs", "sweeps", "workloads")
COMMON = {"published", "delivered", "confirmed", "expired", "refused", "sent", "transitions"}
"""Names of metrics that are words of other things as well: counters of a client, columns, keys."""


def test_no_user_spells_a_metric() -> None:
    """They import the metric and ask for its name, so that one that is renamed or gone is an error at once."""
    spelled = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.value}"
        for package in USERS
        for path in sorted((ROOT / package).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and node.value in METRICS.keys() - COMMON
    ]
    assert spelled == []


def test_docs_have_the_table_of_the_registry() -> None:
    assert main(["--check"]) == 0


@pytest.mark.parametrize("language", ["zh-hans", "zh-hant"])
def test_every_metric_is_called_in_the_readers_language(language: str) -> None:
    with translation.override(language):
        assert [name for name, metric in METRICS.items() if str(label(name).name) == metric.label] == []


def test_comparisons_show_every_metric() -> None:
    shown = [each["name"] for each in figure_labels()]
    assert sorted(map(str, shown)) == sorted(METRICS)
    leading = list(dict.fromkeys((*TOLD, *FIRST)))
    assert shown[: len(leading)] == leading


def test_the_best_setting_has_most_of_what_more_is_better_of(tmp_path: Path) -> None:
    data = whatif_data.heatmap()
    names = ["throughput_per_s" if name == "disk_writes" else name for name in whatif_data.METRICS]
    whatif_data.write(tmp_path, data | {"metrics": names, "offered": names})
    heatmap: ShippedHeatmap = next(iter(heatmaps(tmp_path).values()))
    bounds = GridBounds(None, None, None, "throughput_per_s")
    best = best_cell(heatmap, heatmap.workloads[0].name, bounds)
    assert best is not None
    values = [
        value
        for run in heatmap.cells
        if run.workload == heatmap.workloads[0].name
        and (value := heatmap.value(run, "throughput_per_s")) is not None
    ]
    assert heatmap.median(best, "throughput_per_s") == max(values) > min(values)


def test_a_metric_more_is_known_everywhere_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def twice(levels: RunLevels, transition: Transition) -> int:
        return 2

    more = Metric(
        name="twice",
        label="twice the transitions",
        unit=MetricUnit.COUNT,
        better=BetterWay.LOWER,
        kinds=(Transition,),
        help="Two for each.",
        accumulator=TotalOf,
        function=twice,
    )
    monkeypatch.setitem(METRICS, more.name, more)
    assert check_metric("twice") == "twice"
    assert (str(label("twice").name), label("twice").kind) == (more.label, "count")
    assert any(each["name"] == "twice" for each in figure_labels())
    assert set(METRICS) - {"twice"} <= set(CELLS.names)
