"""From a visitor's form to a checked sweep: its workload, what may be varied and at which values, and its runs."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from engine import ENGINE_VERSION
from engine.broker.commands.settings import NodeSettings, resolve
from engine.counting.disk import bytes_written
from engine.counting.load import blocked_s, latency_p95_s, peak_ram_bytes, throughput_per_s
from engine.counting.survival import lost_on_power_cut
from engine.values.errors import EngineError
from playground.hosting.real_engine import door
from playground.jobs.job import CHECK, job
from playground.limits import session_limits
from playground.sweeping.refusals import message_of
from playground.texts import RequestRefused
from playground.typed_texts import given_text
from sweeps.errors import SweepError
from sweeps.grid import Axis, Grid, Spec, make_spec
from sweeps.parameters import OF_EACH_MESSAGE, Value
from sweeps.plan import Plan, make_plan
from workloads.errors import WorkloadError
from workloads.imports import READERS, Options
from workloads.private import without_personal_data
from workloads.remarks import Remark
from workloads.workload import Scenario, Workload, checked

FIXED: Final[dict[str, tuple[Value, ...]]] = {
    "vm_memory_high_watermark": (0.2, 0.4, 0.6, 0.8),
    "vm_memory_high_watermark_paging_ratio": (0.25, 0.5, 0.75, 0.9),
    "queue_mode": ("default", "lazy"),
    "message_size_bytes": (256, 1024, 4096, 16384, 65536),
    "consumer_prefetch": (1, 10, 100, 1000),
    "consumer_ack": ("each", "multiple", "auto"),
    "confirm": (False, True),
    "persistent": (False, True),
    "queue_index_embed_msgs_below": (0, 1024, 4096),
}
"""Values that are the same for every workload."""


AROUND: Final[dict[str, tuple[float, ...]]] = {
    "ram_bytes": (0.5, 1, 2, 4),
    "publisher_rate_per_s": (0.5, 0.75, 1, 1.25, 1.5),
    "consumer_rate_per_s": (0.5, 0.75, 1, 1.25, 1.5),
    "burst_count": (0.25, 0.5, 1, 2),
}
"""Shares of what the workload has."""


OF_COMMANDS: Final = {
    "message_size_bytes": ("size_bytes", ("publish", "set_publisher")),
    "publisher_rate_per_s": ("rate_per_s", ("set_publisher",)),
    "consumer_rate_per_s": ("rate_per_s", ("set_consumer",)),
    "consumer_prefetch": ("prefetch", ("set_consumer",)),
    "consumer_ack": ("ack", ("set_consumer",)),
    "burst_count": ("count", ("publish",)),
    "confirm": ("confirm", ("publish", "set_publisher")),
    "persistent": ("persistent", ("publish", "set_publisher")),
}
"""Fields of commands that an axis varies, and in which commands."""


OFFERED: Final = tuple({**FIXED, **AROUND})
"""The parameters that a visitor may put on an axis."""


MOST_RAM_BYTES: Final = 1024**4


LEAST_RAM_BYTES: Final = 64 * 1024


def home(axes: Iterable[Axis], scenario: Mapping[str, Any]) -> dict[str, Value]:
    """Return the values of the workload itself: of a field that differs from command to command it has none."""
    found = {}
    for axis in axes:
        own = _own(axis.parameter, scenario)
        field, _verbs = OF_COMMANDS.get(axis.parameter, ("", ()))
        columns = OF_EACH_MESSAGE.get(field, ())
        each_its_own = any(column in each for each in scenario["commands"] for column in columns)
        if len(own) == 1 and own <= set(axis.values) and not each_its_own:
            [found[axis.parameter]] = own
    return found


def values(parameter: str, scenario: Mapping[str, Any], finer: bool = False) -> tuple[Value, ...]:
    """Return the values of an axis for a workload, none where the workload has nothing that it could vary.

    Args:
        finer: with one more value between each two numbers, for a large sweep.
    """
    if parameter in OF_COMMANDS and not _commands(parameter, scenario):
        return ()
    if parameter in AROUND:
        own = max(_own(parameter, scenario), default=0) or 1
        found = dict.fromkeys(max(1, round(own * share)) for share in _finer(AROUND[parameter], finer))
        if parameter == "ram_bytes":
            return tuple(each for each in found if LEAST_RAM_BYTES <= each <= MOST_RAM_BYTES)
        return tuple(found)
    fixed = FIXED[parameter]
    if all(isinstance(each, int | float) and not isinstance(each, bool) for each in fixed):
        fixed = tuple(sorted({*fixed, *_own(parameter, scenario)}))
    if not finer or not all(isinstance(each, int | float) and not isinstance(each, bool) for each in fixed):
        return fixed
    whole = all(isinstance(each, int) for each in fixed)
    between = _finer([float(each) for each in fixed], True)
    return tuple(dict.fromkeys(round(each) if whole else round(each, 3) for each in between))


def _commands(parameter: str, scenario: Mapping[str, Any]) -> list[dict[str, Any]]:
    _field, verbs = OF_COMMANDS[parameter]
    return [each for each in scenario["commands"] if each["do"] in verbs]


def _own(parameter: str, scenario: Mapping[str, Any]) -> set[Any]:
    """Return the values that a workload has of a parameter, several where its commands differ."""
    if parameter in OF_COMMANDS:
        field, _verbs = OF_COMMANDS[parameter]
        return {each[field] for each in _commands(parameter, scenario) if field in each}
    if parameter == "queue_mode":  # no setting: a queue is lazy by a command or a policy
        return {"default"}
    queue, node = resolve(scenario["profile"], scenario["settings"])
    if parameter == "ram_bytes":
        return {int(node.ram_bytes or NodeSettings().ram_bytes)}
    return {getattr(node if hasattr(node, parameter) else queue, parameter)}


def _finer(numbers: Any, finer: bool) -> list[float]:
    """Return numbers with the middle of each two between them."""
    if not finer:
        return list(numbers)
    found = [numbers[0]]
    for before, after in itertools.pairwise(numbers):
        found += [(before + after) / 2, after]
    return found


KINDS: Final = ("perf-test", "csv", "tracing", "firehose", "session")
NAME_BEGINS: Final = "own-"
METRICS: Final = tuple(
    each.name
    for each in (
        blocked_s,
        peak_ram_bytes,
        throughput_per_s,
        latency_p95_s,
        bytes_written,
        lost_on_power_cut,
    )
)
"""What its page offers first."""
PHASES: Final = (1, 2, 3)
"""Seeds, each with another phase of the node's timers; one where three would take too long."""


def new_name() -> str:
    """Return an unguessable name for a sweep, because anyone with its address can see it."""
    return NAME_BEGINS + secrets.token_hex(10)


def workload_of(kind: str, text: str, recorded: Scenario | None) -> tuple[Workload, Sequence[Remark]]:
    """Return the workload that a visitor gave, without names that somebody typed, and what is told of it.

    Args:
        kind: one of KINDS.
        text: a PerfTest line, or the lines of a log.
        recorded: what a session recorded, for the kind of that name.

    Raises:
        Refused: it cannot be read, or asks too much of this server.
    """
    text = given_text(text)
    most = session_limits.current().scenario_bytes
    if len(text.encode()) > most:
        raise RequestRefused(_("This is longer than %(most)s bytes: give a part of it."), most=most)
    if kind == "session":
        if recorded is None:
            raise RequestRefused(_("Choose one of the sessions that this browser began."))
        return read_workload(kind, "", recorded)
    if kind not in READERS:
        raise RequestRefused(_("Choose what kind of workload it is."))
    if not text.strip():
        raise RequestRefused(_("Paste a PerfTest line or the lines of a log."))
    return read_workload(kind, text, None)


@job(CHECK)
def read_workload(kind: str, text: str, recorded: Scenario | None) -> tuple[Workload, Sequence[Remark]]:
    """Return the workload of a text, or of what a session recorded, and what is told of it. Raises Refused."""
    try:
        scenario, remarks = _imported(kind, text) if recorded is None else (recorded, ())
        found = checked("own", without_personal_data(scenario), "import" if recorded is None else "session")
        whole = door().check(found.scenario)
    except (WorkloadError, EngineError) as error:
        raise RequestRefused(_("This workload cannot be read: %(why)s"), why=message_of(error)) from None
    session_limits.check(whole, session_limits.current())
    return Workload(name="own", title="My workload", scenario=found.scenario, source=found.source), remarks


def _imported(kind: str, text: str) -> tuple[Scenario, Sequence[Remark]]:
    imported = READERS[kind](StringIO(text, newline=""), Options())
    return imported.scenario, imported.remarks


@job(CHECK)
def plan_of(workload: Workload, name: str, x: str, y: str, large: bool, most_s: int = 0) -> tuple[Spec, Plan]:
    """Return the sweep over two axes with as many phases as fit, and its cells with a measured estimate.

    Args:
        x, y: parameters of OFFERED.
        large: finer axes, for a Spark job.
        most_s: seconds of a processor that the runs may take, about; what this server allows if 0.

    Raises:
        Refused: an axis does not suit the workload, or the runs would take longer than this server allows.
    """
    if x not in OFFERED or y not in OFFERED or x == y:
        raise RequestRefused(_("Choose two different parameters."))
    axes = []
    for parameter in (x, y):
        points = values(parameter, workload.scenario, finer=large)
        if len(points) < 2:
            raise RequestRefused(
                _("The workload has nothing that “%(parameter)s” could vary. Choose another."),
                parameter=parameter,
            )
        axes.append(Axis(parameter=parameter, values=points))
    bounds = session_limits.current()
    most_cells = bounds.large_sweep_cells if large else bounds.sweep_cells
    most_s = most_s or (bounds.large_sweep_s if large else bounds.sweep_s)
    for seeds in (PHASES, PHASES[:1]):
        spec, plan = _planned(workload, name, tuple(axes), seeds)
        if len(plan.cells) <= most_cells and plan.estimate_s <= most_s:
            return spec, plan
    raise RequestRefused(
        _(
            "These %(cells)s runs would take about %(seconds)s s; this server takes up to %(most_cells)s runs and "
            "%(most)s s. Choose axes with fewer values, or give a shorter part of the workload."
        ),
        cells=len(plan.cells),
        seconds=round(plan.estimate_s),
        most_cells=most_cells,
        most=most_s,
    )


def _planned(
    workload: Workload, name: str, axes: tuple[Axis, ...], seeds: tuple[int, ...]
) -> tuple[Spec, Plan]:
    try:
        grid = Grid(
            version=1,
            name=name,
            title=workload.title,
            axes=axes,
            seeds=seeds,
            metrics=METRICS,
            home=home(axes, workload.scenario),
            series_points=16,
        )
        spec = make_spec((workload,), grid)
        return spec, make_plan(spec, ENGINE_VERSION, probe=True)
    except (SweepError, ValueError) as error:
        raise RequestRefused(
            _("This workload cannot be varied like this: %(why)s"), why=message_of(error)
        ) from None


def answers(given: Mapping[str, str]) -> dict[str, Any]:
    """Return what a form has, each answer as text of a bounded length, so that it can be shown again."""
    return {
        "kind": given.get("kind", KINDS[0])[:20],
        "text": given.get("text", ""),
        "session": given.get("session", "")[:40],
        "x": given.get("x", "vm_memory_high_watermark_paging_ratio")[:60],
        "y": given.get("y", "vm_memory_high_watermark")[:60],
        "large": given.get("size", "") == "large",
    }
