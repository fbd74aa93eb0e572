"""How we know that the picture is what RabbitMQ does, and what was probed of each surface and release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from engine.counting.disk import write_amplification
from engine.counting.load import blocked_s, latency_p95_s, peak_ram_bytes, throughput_per_s
from engine.metrics import METRICS
from engine.releases import RELEASES, BrokerRelease
from playground.storybook.rehearsal import GONE
from playground.texts import PageMessage
from playground.web import fidelity_figures
from playground.web.fidelity_figures import latest, todays_memory
from playground.whatif.shipped import NOTHING, full, metric
from playground.whatif.shipped import metric as label

FILE: Final = "surfaces.json"
WORKS: Final = "works"
METRIC: Final = "metric_"

GROUPS: Final[tuple[tuple[Any, Mapping[str, Any]], ...]] = (
    (
        gettext_lazy("The page of a session"),
        {
            "stage": gettext_lazy("stage, also in words"),
            "log": gettext_lazy("log: What happened"),
            "why": gettext_lazy("Why?"),
            "charts": gettext_lazy("charts and instruments"),
            "table": gettext_lazy("tables of the charts"),
            "bytes": gettext_lazy("bytes of a message"),
            "console_line": gettext_lazy("a line in the console"),
            "theatre": gettext_lazy("what a stop would leave: the guess, and the stop"),
            "survival": gettext_lazy("what survives, message by message"),
            "back": gettext_lazy("going back in time"),
            "undo": gettext_lazy("undo"),
            "fork": gettext_lazy("fork"),
            "tour": gettext_lazy("guided tour"),
            "png": gettext_lazy("picture (PNG)"),
            "svg": gettext_lazy("picture (SVG)"),
            "gif": gettext_lazy("film (GIF)"),
            "recorded_page": gettext_lazy("page that works offline, opened from a disk"),
        },
    ),
    (
        gettext_lazy("What the server answers of a session"),
        {
            "session_page": gettext_lazy("the session's page"),
            "sessions_page": gettext_lazy("My sessions"),
            "console": gettext_lazy("the console's usual lines"),
            "past": gettext_lazy("what came before a page was opened"),
            "fates": gettext_lazy("what each stop would leave"),
            "record": gettext_lazy("a record of a file"),
            "archive": gettext_lazy("all files of a moment (zip)"),
            "scenario_file": gettext_lazy("scenario, saved and imported"),
            "csv": gettext_lazy("run as CSV"),
            "json_lines": gettext_lazy("run as JSON lines"),
            "fork_of_a_moment": gettext_lazy("fork of an earlier moment"),
            "other_releases": gettext_lazy("the same session on each other release"),
        },
    ),
    (
        gettext_lazy("Links, library and comparison"),
        {
            "permalink": gettext_lazy("short link"),
            "stateless": gettext_lazy("link with the run in it"),
            "card": gettext_lazy("preview picture of a link"),
            "small_stage": gettext_lazy("small stage beside a text"),
            "embed": gettext_lazy("frame for another page"),
            "comparison": gettext_lazy("two runs side by side"),
            "comparison_of_releases": gettext_lazy("one run on all releases side by side"),
            "library": gettext_lazy("library opened on this release"),
        },
    ),
    (
        gettext_lazy("Imports"),
        {
            "workload_perf_test": gettext_lazy("PerfTest command line"),
            "workload_csv": gettext_lazy("table of arrivals (CSV)"),
            "workload_tracing": gettext_lazy("log of rabbitmq_tracing"),
            "workload_firehose": gettext_lazy("Firehose capture"),
            "workload_session": gettext_lazy("a session as a workload"),
            "import_definitions": gettext_lazy("definitions.json as a run"),
        },
    ),
    (
        gettext_lazy("Inspect"),
        {
            "inspect_directory": gettext_lazy("a node's directory, and a start on it"),
            "inspect_bytes": gettext_lazy("records byte by byte"),
            "inspect_upgrade": gettext_lazy("rehearsal of an upgrade"),
            "inspect_listing": gettext_lazy("output of list_queues"),
            "inspect_configuration": gettext_lazy("rabbitmq.conf"),
            "inspect_definitions": gettext_lazy("definitions.json"),
        },
    ),
    (
        gettext_lazy("Classes, exercises, and without a server"),
        {
            "class_push": gettext_lazy("a run opened for the whole class"),
            "exercise_today": gettext_lazy("an exercise's “what today's broker does instead”"),
            "static_edition": gettext_lazy("a session of the static edition"),
            "static_link": gettext_lazy("a link of the static edition"),
        },
    ),
    (
        gettext_lazy("Parts that not every release has"),
        {
            "cluster": gettext_lazy("cluster of three nodes with mirrors"),
            "lazy_mode": gettext_lazy("lazy mode"),
            "paging_ratio": gettext_lazy("paging ratio"),
            "ram_target": gettext_lazy("target_ram_count"),
        },
    ),
    (gettext_lazy("Metrics of a sweep"), {f"{METRIC}{name}": None for name in METRICS}),
)
"""Label of every surface by name, in groups; a metric is called as elsewhere."""

ABSENT: Final[Mapping[str, Any]] = {
    **{str(feature): text for feature, text in GONE.items()},
    "counted": gettext_lazy("%(release)s has nothing that this metric could count."),
    "newest": gettext_lazy("%(release)s is the newest release here, so there is nothing to upgrade to."),
    "todays": gettext_lazy(
        "%(release)s stores messages as today's broker does, so there is no difference to tell."
    ),
}
"""What is said in place of an answer where a release does not have what a surface shows, by the probe's answer."""


class SurfaceCell(NamedTuple):
    """What is known of a surface on a release. `works`: at both scales. `absent`: what is said where it has nothing
    to show; None where it works.
    """

    works: bool
    absent: PageMessage | None


class SurfaceRow(NamedTuple):
    """One surface: its label, and a cell for each column."""

    label: str
    cells: list[SurfaceCell]


def names() -> list[str]:
    return [name for _label, surfaces in GROUPS for name in surfaces]


def shown() -> dict[str, Any] | None:
    """Return the table for the page: heads, groups of rows, and on what it was measured; None where it was not made."""
    found = latest(FILE)
    if found is None:
        return None
    heads: dict[str, BrokerRelease] = {}
    for column in found["columns"]:
        heads[column["of"]] = RELEASES[column["series"]]
    cells = found["surfaces"]
    groups = [{"label": label, "rows": list(_rows(surfaces, heads, cells))} for label, surfaces in GROUPS]
    return {
        "heads": list(heads),
        "groups": groups,
        "count": sum(len(surfaces) for _label, surfaces in GROUPS),
        "measured_on": found["measured_on"],
    }


def _rows(
    surfaces: Mapping[str, Any], heads: Mapping[str, BrokerRelease], cells: Mapping[str, Mapping[str, str]]
) -> Iterator[SurfaceRow]:
    for name, named in surfaces.items():
        shown_label = metric(name.removeprefix(METRIC)).name if named is None else str(named)
        yield SurfaceRow(
            shown_label[:1].upper() + shown_label[1:],
            [_cell(of, release, cells.get(name, {})) for of, release in heads.items()],
        )


def _cell(of: str, release: BrokerRelease, answers: Mapping[str, str]) -> SurfaceCell:
    """Return the cell of a release: what both scales answer, which is the same (`tools/proofs/surfaces`)."""
    answer = next(answers[f"{of} {scale}"] for scale in release.profiles)
    if answer == WORKS:
        return SurfaceCell(True, None)
    values = {"release": release.name, "rule": release.gone.get(answer, "")}  # type: ignore[call-overload]
    return SurfaceCell(False, PageMessage(ABSENT[answer], **values))


SHOWN = tuple(
    each.name for each in (peak_ram_bytes, blocked_s, throughput_per_s, latency_p95_s, write_amplification)
)
"""Metrics whose values the page lists for every measured run."""


@require_safe
def fidelity(request: HttpRequest) -> HttpResponse:
    """Show what was measured, when, and what is modelled rather than executed."""
    context = {
        "results": fidelity_figures.results(),
        "predictions": [
            _predictions(found)
            for found in (fidelity_figures.predictions(), *fidelity_figures.predictions_of_other_releases())
            if found is not None
        ],
        "todays": todays_memory(),
        "surfaces": shown(),
        "others": {name: fidelity_figures.of_other_releases(name) for name in fidelity_figures.ON_NODES},
    }
    return render(request, "playground/fidelity.html", context)


def _predictions(found: dict[str, Any]) -> dict[str, Any]:
    verdicts = {
        "good": _("predicted"),
        "rough": _("roughly predicted"),
        "order": _("predicted in order only"),
        "none": _("not predicted"),
    }
    table = [
        {
            **each,
            "name": label(name).name,
            "verdict": verdicts[each["verdict"]],
            "missed": ", ".join(missed(found["cells"], name)),
            "worst_run": worst_run(found["cells"], name),
        }
        for name, each in found["metrics"].items()
    ]
    runs = [
        {**each, "values": [_beside(name, each["metrics"].get(name)) for name in SHOWN]}
        for each in (*found["cells"], *({**each, "under_rss": True} for each in found.get("rss", ())))
    ]
    return {**found, "table": table, "runs": runs, "columns": [label(name).name for name in SHOWN]}


MISSED_PCT = 30
"""A run whose prediction lies further than this outside of the node's own range is named beside the verdict."""


def missed(cells: list[dict[str, Any]], metric: str) -> list[str]:
    """Return the names of judged runs in which a metric was further off than any verdict allows."""
    return [
        each["name"]
        for each in cells
        if not each["fitted"]
        and metric in each["metrics"]
        and each["metrics"][metric]["beyond_pct"] > MISSED_PCT
    ]


def worst_run(cells: list[dict[str, Any]], metric: str) -> str:
    """Return the name of the judged run whose metric was predicted worst."""
    errors = {
        each["name"]: abs(each["metrics"][metric]["error_pct"])
        for each in cells
        if not each["fitted"] and metric in each["metrics"]
    }
    return max(errors, key=lambda name: errors[name])


def _beside(name: str, each: dict[str, Any] | None) -> str:
    """Return predicted and measured value of a metric, each with the lowest and the highest of its runs."""
    if each is None:
        return NOTHING
    predicted = _with_range(label(name).kind, each["predicted"], each["low"], each["high"])
    fidelity_figures = _with_range(
        label(name).kind, each["measured"], each["measured_low"], each["measured_high"]
    )
    return f"{predicted} / {fidelity_figures}"


def _with_range(kind: str, value: float, low: float, high: float) -> str:
    words, *ends = (full(each, kind) for each in (value, low, high))
    return words if {*ends} == {words} else f"{words} ({ends[0]}–{ends[1]})"
