"""Published heatmaps, read from their JSON files (a changed one again), their runs, and their names and units."""

from __future__ import annotations

import copy
import functools
import logging
from collections.abc import Mapping
from pathlib import Path
from statistics import median_low
from typing import Any, Final, NamedTuple

import msgspec
from django.conf import settings
from django.utils.translation import gettext, override, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from engine.metrics import METRICS, BetterWay


class AxisLabel(NamedTuple):
    """The name of a parameter or a metric. `name`: as it is in the middle of a sentence. `kind`: bytes, seconds,
    count, ratio, rate, share, factor or word; chooses unit and number format. `help`: one short explanation, for
    the axis or the list.
    """

    name: Any
    kind: str
    help: Any = ""
    better: BetterWay = BetterWay.NEITHER


PARAMETERS = {
    "vm_memory_high_watermark_paging_ratio": AxisLabel(
        _("paging ratio"), "ratio", _("share of the watermark at which contents start to leave RAM")
    ),
    "vm_memory_high_watermark": AxisLabel(
        _("high watermark"), "ratio", _("share of RAM at which publishers are blocked")
    ),
    "vm_memory_calculation_strategy": AxisLabel(
        _("memory strategy"), "word", _("what is compared with the watermark: erlang, allocated or rss")
    ),
    "ram_bytes": AxisLabel(_("RAM of the node"), "bytes", _("all the memory that the node may count on")),
    "queue_index_embed_msgs_below": AxisLabel(
        _("embed threshold"), "bytes", _("smaller messages are kept inside the queue index")
    ),
    "segment_entry_count": AxisLabel(_("entries per segment"), "count", _("messages in one index file")),
    "queue_index_max_journal_entries": AxisLabel(
        _("journal limit"), "count", _("entries after which the journal goes to the segments")
    ),
    "msg_store_file_size_limit": AxisLabel(
        _("store file limit"), "bytes", _("size at which the next store file begins")
    ),
    "msg_store_io_batch_size": AxisLabel(_("write batch"), "count", _("messages that page out together")),
    "message_size_bytes": AxisLabel(_("message size"), "bytes", _("bytes in the body of each message")),
    "publisher_rate_per_s": AxisLabel(_("publishing rate"), "rate", _("messages published each second")),
    "consumer_rate_per_s": AxisLabel(
        _("consumer speed"), "rate", _("messages a consumer handles each second")
    ),
    "consumer_prefetch": AxisLabel(_("prefetch"), "count", _("unacknowledged messages a consumer may hold")),
    "consumer_ack": AxisLabel(_("acknowledging"), "word", _("what one acknowledgement is for")),
    "confirm": AxisLabel(_("confirms"), "word", _("whether the publisher asks for confirms")),
    "disk_total_bytes": AxisLabel(_("size of the disk"), "bytes", _("the partition with the node's files")),
    "disk_free_limit": AxisLabel(_("disk limit"), "bytes", _("publishers are blocked when less is free")),
    "burst_count": AxisLabel(_("burst length"), "count", _("messages published at once")),
    "persistent": AxisLabel(_("persistence"), "word", _("whether messages survive a restart")),
    "queue_mode": AxisLabel(_("queue mode"), "word", _("default or lazy")),
    "nodes": AxisLabel(_("number of nodes"), "count", _("nodes of the cluster")),
    "ha_mode": AxisLabel(
        _("mirroring"), "word", _("how many members a queue has: only the master, two, or one on each node")
    ),
    "work_profile": AxisLabel(
        _("machine"), "word", _("how long work takes there: a model, see the work profiles")
    ),
}

BROKER: Final = frozenset(
    "vm_memory_high_watermark_paging_ratio vm_memory_high_watermark vm_memory_calculation_strategy "
    "queue_index_embed_msgs_below segment_entry_count queue_index_max_journal_entries msg_store_file_size_limit "
    "msg_store_io_batch_size disk_free_limit queue_mode".split()
)
"""Settings of a broker that have a default."""
ADVISED: Final = BROKER | {"ram_bytes", "disk_total_bytes", "nodes", "ha_mode", "consumer_prefetch"}
"""What an operator may be advised to change; all else belongs to the workload, as its rates and guarantees do."""

WORKLOADS = {
    "backlog-drain": _("a backlog that drains"),
    "slow-consumer": _("a slow consumer"),
    "bursts": _("bursts every five seconds"),
    "steady": _("a consumer that keeps up"),
    "burst": _("one burst, then a consumer"),
    "large-bodies": _("bodies of half a megabyte"),
    "requeue-storm": _("a consumer that takes thousands and vanishes"),
    "mixed-persistence": _("persistent and transient messages together"),
    "day-curve": _("a day in twenty-four seconds"),
    "lazy": _("a lazy queue that fills and drains"),
    "fan-out": _("one message for six queues"),
    "ttl-storm": _("messages that expire by thousands"),
    "many-queues": _("eight queues that share a node"),
    "persistent-drain": _("a persistent backlog that drains"),
    "persistent-steady": _("persistent messages and a consumer that keeps up"),
    "working-consumer": _("a consumer slower than its publisher, on a real machine"),
    "one-queue": _("one publisher and one consumer, on a real machine"),
    "confirmed": _("a steady publisher, on a real machine"),
    "master-dies": _("the first node dies and comes back"),
}
"""Names of the shipped workloads; any other is called by its own title."""

HEATMAPS = {
    "paging-watermark": _("Paging ratio and watermark"),
    "size-embed": _("Message size and embed threshold"),
    "lazy-default": _("Lazy against default"),
    "several-queues": _("Several queues on one node"),
    "ram-rate": _("RAM and publishing rate"),
    "memory-strategy": _("Memory strategy and RAM"),
    "disk-limit": _("Free disk and its limit"),
    "power-cut": _("Power cuts"),
    "prefetch-ack": _("Prefetch and acknowledgements"),
    "backlog-spiral": _("Publishing against consuming"),
    "confirms-size": _("Confirms and message size"),
    "nodes-mirrors": _("Nodes and mirrors"),
}
"""Titles of the shipped heatmaps; any other has its own title."""

QUESTIONS = {
    "paging-watermark": _("When will publishers be blocked?"),
    "size-embed": _("What does the embed threshold cost on disk?"),
    "lazy-default": _("Does a lazy queue help me?"),
    "several-queues": _("How many messages can queues share in memory?"),
    "ram-rate": _("How much RAM does my node need?"),
    "memory-strategy": _("Does it matter how the node counts its memory?"),
    "disk-limit": _("When does a full disk stop my publishers?"),
    "power-cut": _("What does a power cut cost?"),
    "prefetch-ack": _("What do prefetch and acknowledgements change?"),
    "backlog-spiral": _("When does a backlog grow for good?"),
    "confirms-size": _("What do confirms cost?"),
    "nodes-mirrors": _("What do mirrors cost, and what do they save?"),
}
"""What an operator asks, and a shipped heatmap answers."""

WORDS = {
    ("persistent", True): _("persistent"),
    ("persistent", False): _("transient"),
    ("queue_mode", "default"): _("default"),
    ("queue_mode", "lazy"): _("lazy"),
    ("confirm", True): _("with confirms"),
    ("confirm", False): _("without confirms"),
    ("ha_mode", "none"): pgettext_lazy("mirrors", "none"),  # elsewhere a way to acknowledge
    ("ha_mode", "exactly 2"): _("exactly 2"),
    ("ha_mode", "all"): _("all nodes"),
    ("consumer_ack", "each"): _("each"),
    ("consumer_ack", "multiple"): _("several at once"),
    ("consumer_ack", "auto"): _("none"),
}


def parameter(name: str) -> AxisLabel:
    """Return the label of a parameter; an unknown one is called by its own name."""
    return PARAMETERS.get(name, AxisLabel(name, "count"))


def metric(name: str) -> AxisLabel:
    """Return the label of a metric; one that a heatmap of another version has is called by its own name."""
    known = METRICS.get(name)
    return (
        AxisLabel(name, "count")
        if known is None
        else AxisLabel(gettext(known.label), known.unit.value, better=known.better)
    )


THIN_SPACE = "\u202f"
MINUS = "\u2212"
FAILED = "×"
"""Stands where a run failed."""
NOTHING = "–"
"""Stands where a run has no value, as a waiting time has none when no message was delivered."""

KIB, MIB, GIB = 1024, 1024**2, 1024**3


class NumberUnit(NamedTuple):
    """What the numbers of one metric are divided by, and what is after them."""

    divisor: float
    name: str


UNITS = {"rate": NumberUnit(1, "/s"), "share": NumberUnit(0.01, "%"), "factor": NumberUnit(1, "B/B")}
"""Units of the kinds that have but one."""


def unit_for(kind: str, largest: float) -> NumberUnit:
    """Choose a unit so that the largest number has at most four digits before the point."""
    if kind == "bytes":
        for divisor, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
            if largest >= 2 * divisor:
                return NumberUnit(divisor, name)
        return NumberUnit(1, "B")
    if kind == "seconds":
        return NumberUnit(1, "s") if largest == 0 or largest >= 1 else NumberUnit(0.001, "ms")
    if kind == "count" and largest >= 10_000_000:
        return NumberUnit(1_000_000, "M")
    if kind == "count" and largest >= 10_000:
        return NumberUnit(1000, "k")
    return UNITS.get(kind, NumberUnit(1, ""))


def grouped(value: int) -> str:
    return f"{value:,}".replace(",", THIN_SPACE).replace("-", MINUS)


def short(value: float, unit: NumberUnit) -> str:
    """Return a number for a cell: at most four digits, no unit."""
    scaled = value / unit.divisor
    if scaled == 0:
        return "0"
    if unit.divisor == 1 and unit.name in {"", "B"}:
        return grouped(round(scaled))
    if abs(scaled) < 0.05:
        return "<0.1" if scaled > 0 else f">{MINUS}0.1"
    if abs(scaled) < 9.95:
        return f"{scaled:.1f}".replace("-", MINUS)
    return grouped(round(scaled))


def signed(value: float, unit: NumberUnit) -> str:
    text = short(value, unit)
    return f"+{text}" if value > 0 and text[0] not in "<>" else text


def full(value: float, kind: str) -> str:
    """Return a number with its unit, for a sentence or a table."""
    if kind == "count":
        return grouped(round(value))
    unit = unit_for(kind, abs(value))
    return f"{short(value, unit)}{THIN_SPACE}{unit.name}".strip()


def setting(name: str, value: object) -> str:
    """Return a parameter's value for an axis: 0.5, 4096 B as 4 KiB, persistent."""
    if (name, value) in WORDS:
        return str(WORDS[name, value])
    if isinstance(value, bool | str) or not isinstance(value, int | float):
        return str(value)
    kind = parameter(name).kind
    if kind == "bytes":
        return _exact_bytes(int(value))
    if kind == "ratio":
        return f"{value:g}"
    return f"{grouped(round(value))}{THIN_SPACE}/s" if kind == "rate" else grouped(round(value))


def named(values: Mapping[str, Any]) -> list[str]:
    """Return each parameter with its value, in words."""
    return [f"{parameter(name).name} {setting(name, value)}" for name, value in values.items()]


def _exact_bytes(value: int) -> str:
    """Return bytes in the largest unit that divides them evenly, so that 4092 is not written as 4.0 KiB."""
    for divisor, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if value and value % divisor == 0:
            return f"{grouped(value // divisor)}{THIN_SPACE}{name}"
    return f"{grouped(value)}{THIN_SPACE}B"


DIRECTORY = Path(__file__).resolve().parents[1] / "heatmaps"
DISAGREE = 0.2
"""Runs with different seeds that lie further apart than this share of their median get a mark."""

VERSION = 2
"""Of the files; one of another version is left out."""

FIRST = "paging-watermark"
"""The heatmap that is shown where none is asked for; the others follow in the order of names."""

log = logging.getLogger(__name__)


class NamedHeatmap(msgspec.Struct, frozen=True):
    """A workload: its name in the file, its title, and the scenario that its cells vary."""

    name: str
    title: str
    scenario: dict[str, Any]


class HeatmapAxis(msgspec.Struct, frozen=True):
    """A swept parameter and its values in order."""

    parameter: str
    values: tuple[int | float | bool | str, ...]


class CellRun(msgspec.Struct, frozen=True, array_like=True):
    """One run of one cell, as `spark_jobs.publish` writes it. `metrics` is None when it failed; one of them is None
    when the run has no value for it, as a waiting time when no message was delivered. `series_states` are alpha,
    beta, gamma, delta and unacknowledged messages.
    """

    cell_id: str
    workload: str
    seed: int
    values: tuple[int | float | bool | str, ...]
    digest: str | None
    error: str | None
    metrics: tuple[float | None, ...] | None
    changes: tuple[tuple[tuple[str | int, ...], Any], ...]
    series_ram_kib: tuple[int, ...]
    series_states: tuple[tuple[int, ...], ...]


class ShippedHeatmap(msgspec.Struct, frozen=True, dict=True):
    """A published sweep."""

    version: int
    name: str
    title: str
    engine_version: str
    workloads: tuple[NamedHeatmap, ...]
    axes: tuple[HeatmapAxis, ...]
    seeds: tuple[int, ...]
    home: dict[str, int | float | bool | str]
    offered: tuple[str, ...]
    metrics: tuple[str, ...]
    cells: tuple[CellRun, ...]

    @functools.cached_property
    def runs(self) -> dict[str, CellRun]:
        return {run.cell_id: run for run in self.cells}

    @functools.cached_property
    def places(self) -> dict[tuple[Any, ...], list[CellRun]]:
        """The runs (one for each seed) by workload and values, in the order of the axes."""
        found: dict[tuple[Any, ...], list[CellRun]] = {}
        for run in self.cells:
            found.setdefault((run.workload, *run.values), []).append(run)
        return found

    def workload(self, name: str) -> NamedHeatmap:
        return next(each for each in self.workloads if each.name == name)

    def scenario(self, run: CellRun) -> dict[str, Any]:
        """Return the complete scenario of a run: its workload's, with the changes that make it this cell."""
        whole = copy.deepcopy(self.workload(run.workload).scenario)
        for path, value in run.changes:
            place: Any = whole
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = value
        return whole

    def axis(self, parameter: str) -> HeatmapAxis:
        return next(axis for axis in self.axes if axis.parameter == parameter)

    def runs_at(self, workload: str, values: Mapping[str, Any]) -> list[CellRun]:
        """Return the runs of the cell with these values by parameter; none where the grid has none."""
        return self.places.get((workload, *(values[axis.parameter] for axis in self.axes)), [])

    def values(self, run: CellRun) -> dict[str, Any]:
        """Return the values of a run by parameter."""
        return dict(zip((axis.parameter for axis in self.axes), run.values, strict=True))

    def value(self, run: CellRun, metric: str) -> float | None:
        """Return a metric of a run; None when the run failed, or has no value for it."""
        return None if run.metrics is None else run.metrics[self.metrics.index(metric)]

    def typical(self, runs: list[CellRun], metric: str) -> CellRun:
        """Return the run with the median of a metric: the one that a cell shows and opens."""
        values = [value for run in runs if (value := self.value(run, metric)) is not None]
        if not values:
            return next((run for run in runs if run.metrics is not None), runs[0])
        middle = median_low(values)
        return next(run for run in runs if self.value(run, metric) == middle)

    def median(self, runs: list[CellRun], metric: str) -> float | None:
        """Return a metric of a cell: what the table shows of it. None where no run has a value."""
        return self.value(self.typical(runs, metric), metric)

    def disagree(self, runs: list[CellRun], metric: str) -> bool:
        values = [value for run in runs if (value := self.value(run, metric)) is not None]
        return len(values) > 1 and max(values) - min(values) > DISAGREE * max(median_low(values), 1e-9)


def directories() -> tuple[Path, ...]:
    """Return where heatmaps lie: those that come with the project, and those that were made here."""
    return DIRECTORY, Path(settings.VAR_DIR) / "heatmaps"


def heatmaps(*places: Path) -> dict[str, ShippedHeatmap]:
    """Return the published heatmaps by name, one's own after the project's. A damaged file is logged and left out.
    `places`: directories to look in instead of the usual ones; of two with one name the later counts.
    """
    found: dict[str, ShippedHeatmap] = {}
    for path in (
        path for place in places or directories() for path in sorted(place.glob("*.json"), key=_order)
    ):
        if path.name.endswith(".findings.json"):
            continue
        try:
            heatmap = _read(path, path.stat().st_mtime_ns)
            if heatmap.version != VERSION:
                log.error("heatmap %s has version %s, not %s", path.name, heatmap.version, VERSION)
                continue
        except (msgspec.ValidationError, msgspec.DecodeError, OSError) as error:
            log.error("heatmap %s cannot be read: %s", path.name, error)
            continue
        found[heatmap.name] = heatmap
    return found


def _order(path: Path) -> tuple[bool, str]:
    return path.stem != FIRST, path.name


def beside(name: str, ending: str, *places: Path) -> Path | None:
    """Return the file of a published heatmap (its name is checked) with another ending, None if there is none."""
    paths = [place / f"{name}{ending}" for place in reversed(places or directories())]
    return next((path for path in paths if path.is_file()), None)


@functools.lru_cache(maxsize=32)
def _read(path: Path, changed_ns: int) -> ShippedHeatmap:
    """Read one file; `changed_ns` makes a changed file another entry of the cache."""
    return msgspec.json.decode(path.read_bytes(), type=ShippedHeatmap)


LONGEST_TITLE = 120


def cell_scenario(heatmap: ShippedHeatmap, run: CellRun) -> dict[str, Any]:
    """Return the scenario of a run, with the digest that it must reach."""
    return {**heatmap.scenario(run), "title": run_title(heatmap, run), "digest": run.digest}


def peak_us(heatmap: ShippedHeatmap, run: CellRun) -> int:
    """Return the moment of a run at which memory is at its peak: that is what one wants to see of a cell. It is a
    second before the end at the latest, so that the run can go on and its end shows whether it is the same.
    """
    until_us = int(heatmap.workload(run.workload).scenario["until_us"])
    samples = run.series_ram_kib
    if not samples:
        return 0
    peak = until_us * (samples.index(max(samples)) + 1) // len(samples)
    return max(0, min(peak, until_us - 1_000_000))


def run_title(heatmap: ShippedHeatmap, run: CellRun) -> str:
    """Return a title that names the cell, in English, because it is stored with the run."""
    workload = heatmap.workload(run.workload).title
    with override("en"):
        return f"{workload}: {', '.join(named(heatmap.values(run)))}"[:LONGEST_TITLE]
