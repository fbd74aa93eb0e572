"""The table of surfaces by releases: what was probed of each (`make surfaces`), in words of the reader's language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from django.utils.translation import gettext_lazy as _

from engine.metrics import METRICS
from engine.releases import RELEASES, BrokerRelease
from playground.library.fidelity_figures import latest
from playground.storybook.other_release import GONE
from playground.texts.page_message import PageMessage
from playground.whatif.labels import metric

FILE: Final = "surfaces.json"
WORKS: Final = "works"
METRIC: Final = "metric_"

GROUPS: Final[tuple[tuple[Any, Mapping[str, Any]], ...]] = (
    (
        _("The page of a session"),
        {
            "stage": _("stage, also in words"),
            "log": _("log: What happened"),
            "why": _("Why?"),
            "charts": _("charts and instruments"),
            "table": _("tables of the charts"),
            "bytes": _("bytes of a message"),
            "console_line": _("a line in the console"),
            "theatre": _("what a stop would leave: the guess, and the stop"),
            "survival": _("what survives, message by message"),
            "back": _("going back in time"),
            "undo": _("undo"),
            "fork": _("fork"),
            "tour": _("guided tour"),
            "png": _("picture (PNG)"),
            "svg": _("picture (SVG)"),
            "gif": _("film (GIF)"),
            "recorded_page": _("page that works offline, opened from a disk"),
        },
    ),
    (
        _("What the server answers of a session"),
        {
            "session_page": _("the session's page"),
            "sessions_page": _("My sessions"),
            "console": _("the console's usual lines"),
            "past": _("what came before a page was opened"),
            "fates": _("what each stop would leave"),
            "record": _("a record of a file"),
            "archive": _("all files of a moment (zip)"),
            "scenario_file": _("scenario, saved and imported"),
            "csv": _("run as CSV"),
            "json_lines": _("run as JSON lines"),
            "fork_of_a_moment": _("fork of an earlier moment"),
            "other_releases": _("the same session on each other release"),
        },
    ),
    (
        _("Links, library and comparison"),
        {
            "permalink": _("short link"),
            "stateless": _("link with the run in it"),
            "card": _("preview picture of a link"),
            "small_stage": _("small stage beside a text"),
            "embed": _("frame for another page"),
            "comparison": _("two runs side by side"),
            "comparison_of_releases": _("one run on all releases side by side"),
            "library": _("library opened on this release"),
        },
    ),
    (
        _("Imports"),
        {
            "workload_perf_test": _("PerfTest command line"),
            "workload_csv": _("table of arrivals (CSV)"),
            "workload_tracing": _("log of rabbitmq_tracing"),
            "workload_firehose": _("Firehose capture"),
            "workload_session": _("a session as a workload"),
            "import_definitions": _("definitions.json as a run"),
        },
    ),
    (
        _("Inspect"),
        {
            "inspect_directory": _("a node's directory, and a start on it"),
            "inspect_bytes": _("records byte by byte"),
            "inspect_upgrade": _("rehearsal of an upgrade"),
            "inspect_listing": _("output of list_queues"),
            "inspect_configuration": _("rabbitmq.conf"),
            "inspect_definitions": _("definitions.json"),
        },
    ),
    (
        _("Classes, exercises, and without a server"),
        {
            "class_push": _("a run opened for the whole class"),
            "exercise_today": _("an exercise's “what today's broker does instead”"),
            "static_edition": _("a session of the static edition"),
            "static_link": _("a link of the static edition"),
        },
    ),
    (
        _("Parts that not every release has"),
        {
            "cluster": _("cluster of three nodes with mirrors"),
            "lazy_mode": _("lazy mode"),
            "paging_ratio": _("paging ratio"),
            "ram_target": _("target_ram_count"),
        },
    ),
    (_("Metrics of a sweep"), {f"{METRIC}{name}": None for name in METRICS}),
)
"""Label of every surface by name, in groups; a metric is called as elsewhere."""

ABSENT: Final[Mapping[str, Any]] = {
    **{str(feature): text for feature, text in GONE.items()},
    "counted": _("%(release)s has nothing that this metric could count."),
    "newest": _("%(release)s is the newest release here, so there is nothing to upgrade to."),
    "todays": _("%(release)s stores messages as today's broker does, so there is no difference to tell."),
}
"""What is said in place of an answer where a release does not have what a surface shows, by the probe's answer."""


class SurfaceCell(NamedTuple):
    """What is known of a surface on a release.

    Args:
        works: at both scales.
        absent: what is said where it has nothing to show; None where it works.
    """

    works: bool
    absent: PageMessage | None


class SurfaceRow(NamedTuple):
    """One surface: its label, and a cell for each column."""

    label: str
    cells: list[SurfaceCell]


def names() -> list[str]:
    """Return the names of all surfaces, in the order of the table."""
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
    for name, label in surfaces.items():
        shown_label = metric(name.removeprefix(METRIC)).name if label is None else str(label)
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
