"""From a visitor's form to a checked sweep: its workload, what may be varied and how, its runs; or a refusal."""

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
from playground.hosting import refusals
from playground.hosting.real_engine import door
from playground.jobs import CHECK, job
from playground.limits import session_limits
from playground.texts import PageMessage, RequestRefused
from playground.typed_texts import given_text
from sweeps.errors import SweepError, read
from sweeps.grid import Axis, Grid, Spec, make_spec
from sweeps.parameters import OF_EACH_MESSAGE, Value
from sweeps.plan import Plan, make_plan
from workloads.errors import LineError, WorkloadError
from workloads.imports import READERS, Options
from workloads.private import without_personal_data
from workloads.remarks import Remark
from workloads.workload import Scenario, Workload, checked

OF_WORKLOADS: Final[dict[str, Any]] = {
    # --- workloads and their store ---
    "workload_file_missing": _("There is no file %(path)s."),
    "workload_file_too_large": _("A workload may have at most %(most)s bytes."),
    "console_lines": _("It has console lines, which may name anything."),
    "store_cannot_open": _("%(uri)s cannot be opened (%(why)s)."),
    "store_cannot_write": _("%(uri)s cannot be written to (%(why)s)."),
    "no_store": _("%(uri)s holds no store of workloads of version %(version)s."),
    "no_workload": _("There is no workload called %(name)s."),
    # --- a log as a whole ---
    "log_unreadable": _("The log cannot be read (%(why)s)."),
    "no_messages": _("There is no message in it. Check that it is the right log and queue."),
    "no_messages_to_queue": _("No message goes to a queue called %(name)s. There are: %(known)s."),
    "several_queues": _(
        "Its messages go to %(count)s queues (%(known)s), and a run has at most %(most)s. Give the lines of "
        "fewer queues."
    ),
    # --- a line of a log ---
    "too_many_lines": _("There may be at most %(most)s lines. Cut the log here."),
    "no_table_line": _(
        "This is not a line of a table: a value has more than %(most)s characters, or a quotation mark "
        "has no partner."
    ),
    "line_too_long": _("A line may have at most %(most)s characters."),
    "time_before_first": _("The time is before that of the first message. Sort the lines by time."),
    "time_too_late": _("It is more than %(hours)s hours after the first message. Cut the log here."),
    "body_impossible": _("A body cannot have %(size)s bytes. Possible: 0 to %(most)s."),
    "expiration_impossible": _("An expiration cannot be %(given)s ms. Possible: 0 to %(most)s."),
    "no_time_value": _("%(name)s = %(text)s is not a time."),
    # --- a line of a table of arrivals ---
    "no_column": _("There is no column %(name)s. Possible: %(known)s."),
    "no_time_column": _("Name exactly one column for the time: at_us, at_ms, at_s or timestamp."),
    "no_size_column": _("The column size_bytes is missing: how many bytes each body has."),
    "column_twice": _("A column is named twice. Keep one."),
    "wrong_cell_count": _("The line has %(count)s values for %(wanted)s columns."),
    "not_true_or_false": _("%(name)s = %(text)s is neither true nor false."),
    "count_out_of_range": _("count cannot be %(count)s. Possible: 1 to %(most)s."),
    "no_whole_number": _("%(name)s = %(text)s is not a whole number."),
    # --- a line of a trace ---
    "no_trace_line": _("This is not a line of a rabbitmq_tracing log in JSON."),
    "no_trace_entry": _("This is not an entry of a rabbitmq_tracing log as text."),
    "trace_type": _("type is %(text)s, neither published nor received."),
    "trace_time": _("The timestamp %(text)s is not a time such as 2026-01-31 12:00:00:123."),
    # --- a line of a Firehose capture ---
    "no_firehose_line": _("This is not a message of the Firehose in JSON."),
    "firehose_time": _("The Firehose gives no times. Add timestamp, at_us, at_ms or at_s to each line."),
    # --- a line of a PerfTest command ---
    "no_perf_test": _(
        "There is no PerfTest command in it. Such a command begins with perf-test, runjava, java -jar "
        "perf-test.jar or docker run."
    ),
    "text_too_long": _("A command may have at most %(most)s characters."),
    "quotes_open": _("A quotation mark has no partner."),
    "option_not_whole": _("%(name)s needs a whole number, not %(text)s."),
    "option_not_number": _("%(name)s needs a number, not %(text)s."),
    "option_out_of_range": _("%(name)s %(text)s is out of range."),
    "option_without_value": _("%(name)s needs a value after it."),
    "tx_and_confirm": _("--ptxsize with --confirm: a broker closes such a channel; leave one of them out."),
    "option_takes_no_value": _("%(name)s takes no value."),
    "option_unknown": _("PerfTest has no option %(name)s."),
    "option_not_here": _("The option %(name)s cannot be used here. Take it out."),
    "variable_unknown": _(
        "%(name)s is %(text)s, and nothing in the text says what that is. Write its value."
    ),
    "queue_argument_refused": _("The queue argument %(text)s is not possible: %(why)s"),
    "queue_pattern_bounds": _(
        "--queue-pattern, --queue-pattern-from and --queue-pattern-to go together, from 0 on and in order."
    ),
    "perf_test_queues": _(
        "%(name)s asks for %(count)s queues, and a session has at most %(most)s. Give fewer."
    ),
    "exchange_type": _("There is no --type %(text)s here. Possible: %(known)s."),
    "flag_unknown": _("There is no --flag %(text)s. Possible: persistent, mandatory."),
    "no_value_and_seconds": _("%(name)s needs VALUE:SECONDS, not %(text)s."),
    "value_or_seconds_too_small": _(
        "%(name)s %(text)s: the value must be at least 0, the seconds at least 1."
    ),
    "too_many_changes": _("More than %(most)s commands would be needed. Give a shorter --time."),
    "too_many_clients": _("%(name)s: %(count)s are too many; at most %(most)s are possible."),
}
"""By the codes of `workloads.refusals`."""

OF_SWEEPS: Final[dict[str, Any]] = {
    # --- the description of a sweep ---
    "value_not_offered": _("%(name)s cannot be %(value)s. Possible: %(allowed)s."),
    "value_no_number": _("%(name)s = %(value)s is not a number. Write it without quotes."),
    "value_out_of_range": _("%(name)s cannot be %(value)s. Possible: %(least)s to %(most)s."),
    "value_fraction": _("%(name)s = %(value)s has a fraction. Use whole numbers."),
    "nothing_to_vary": _(
        "The workload has no %(verbs)s command, so %(name)s cannot be varied. Choose another parameter."
    ),
    "no_parameter": _("There is no parameter called %(name)s."),
    "axis_value_twice": _("The axis %(name)s has a value twice. Take one of them out."),
    "axis_empty": _("The axis %(name)s has no values."),
    "axis_steps": _("The axis %(name)s has %(steps)s steps. Possible: 2 to %(most)s."),
    "axis_log_from_zero": _("The logarithmic axis %(name)s must begin and end above 0."),
    "too_many_cells": _(
        "The sweep has %(count)s runs; at most %(most)s are possible. Take values out of an axis."
    ),
    "no_metric": _("There is no metric called %(name)s."),
    "home_no_axis": _("%(name)s is not an axis of this sweep. Its axes: %(known)s."),
    # --- a run of it ---
    "event_too_long": _("One event made more than %(most)s transitions. Use smaller bursts."),
    "cell_too_long": _("The run made more than %(most)s transitions. Give a shorter part of the workload."),
    "unexpected": "%(why)s",
    # --- the whole of it ---
    "process_ended": _("A process that ran cells has ended. Ask for the sweep again."),
    "pool_closed": _("The processes that ran cells were ended. Ask for the sweep again."),
    "sweep_too_slow": _("It took longer than %(seconds)s s. Ask for fewer runs, or a shorter workload."),
    "job_too_slow": _("The Spark job took too long. Ask for fewer runs, or a shorter workload."),
    "job_failed": _("The Spark job failed (%(why)s)."),
    "server_fault": _("This is the server's fault; its operator finds the reason in the log."),
}
"""By the codes of `sweeps.refusals`."""

TEXTS: Final[dict[str, Any]] = {**refusals.TEXTS, **OF_WORKLOADS, **OF_SWEEPS}


def message_of(error: Exception) -> PageMessage:
    """Return the sentence of a refusal of a workload or a sweep; of a line of a file, with its number in front."""
    if isinstance(error, LineError):
        why = PageMessage(TEXTS[error.code], code=error.code, **error.values)
        return PageMessage(_("Line %(line)s: %(why)s"), code=error.code, line=error.line, why=why)
    return refusals.message_of(error, TEXTS)


def failure(kept: str | None) -> str:
    """Return why a run or a sweep failed, from what a table keeps of it; nothing where it did not."""
    return str(message_of(read(kept))) if kept else ""


REMARKS: Final[dict[str, Any]] = {
    "burst_s": _("Messages within %(seconds)s s are one burst, to keep the scenario short."),
    "sizes_kept": _(
        "Each message keeps its own size and whether it is persistent, so as many belong to the message store as in "
        "the log, with as many bytes."
    ),
    "times_moved": _(
        "Messages come %(mean_ms)s ms earlier than in the log on average. The most in a second: %(before)s in the log, "
        "%(after)s here."
    ),
    "consumer_ticks": _(
        "Consumers acknowledge every %(ms)s ms instead of every %(usual)s ms, because bursts are wide. "
        "Deliveries are late by less than that."
    ),
    "not_answered": _(
        "Bursts are fewer events than the log's messages, so these metrics stay empty: %(names)s. Times are exact to "
        "the width of a burst."
    ),
    "queues_kept": _(
        "The messages of all %(count)s queues are kept. The queues are called q1, q2 and so on."
    ),
    "queues_apart": _(
        "Messages for several queues (%(count)s) are published to each of them: a scenario has no more bindings."
    ),
    "nowhere": _("Left out, as they went to no queue: %(count)s."),
    "log_part": _("This is part %(number)s of the log. It begins with empty queues."),
    "table_without_consumer": _("A table of arrivals names no consumer, so there is none."),
    "trace_rate": _("The consumer takes messages at %(rate)s/s, as it did on average in the log."),
    "trace_rates": _(
        "Each queue's consumer takes messages as fast as in the log on average: %(least)s to %(most)s a second."
    ),
    "trace_acks": _("A trace holds no acknowledgements; they are assumed to come at that rate."),
    "trace_cut": _(
        "This trace was cut by max_payload_bytes = %(bytes)s. Bodies that end there: %(count)s of %(of)s. The log does "
        "not say how long they were, so they are played too short. Trace again without that limit, or import a table "
        "with their sizes."
    ),
    "trace_may_be_cut": _(
        "Bodies as long as the longest, of %(bytes)s B: %(count)s of %(of)s. If the trace was made with "
        "max_payload_bytes = %(bytes)s, they were longer, and the log does not say by how much. Trace again without "
        "that limit, or import a table with their sizes."
    ),
    "trace_without_consumer": _("Nothing was received in this log, so there is no consumer."),
    "no_effect": _("Without effect on what is stored: %(names)s"),
    "first_command": _("Only the first PerfTest command is read; another begins in line %(line)s."),
    "commands_around": _("Left out, because it is not part of PerfTest: %(names)s"),
    "exclusive_queues": _(
        "--exclusive: each consumer has a queue of its own, which ends with its connection. The run ends before that."
    ),
    "stray_words": _("Not options, so PerfTest ignores them: %(names)s"),
    "default_time": _("There is neither --time nor a number of messages: the run lasts %(seconds)s s."),
    "names_replaced": _("Names of queues and exchanges are replaced."),
    "no_queue": _(
        "PerfTest declares no queue where it has no consumer and no --queue. Here the messages stay in "
        "one that nobody reads."
    ),
    "queue_each": _(
        "Without --queue each consumer declares a queue of its own, and each of the %(count)s queues "
        "gets every message."
    ),
    "fan_out": _("All %(count)s queues have the same routing key, so each of them gets every message."),
    "predeclared": _("--predeclared: the import assumes a queue as PerfTest would declare it."),
    "auto_delete": _("--auto-delete: the run ends before the consumers leave, so the queue stays."),
    "clients_merged": _("%(count)s %(name)s are played as %(fewer)s that do the work of several each."),
    "consumer_shares": _("Each consumer reads %(count)s queues; its rate is divided among them."),
    "unlimited_producers": _(
        "Without --rate producers publish as fast as they can: here, as fast as the machine of the work "
        "profile %(profile)s lets them."
    ),
    "ram_for_connections": _(
        "The node gets %(mib)s MiB of RAM: %(count)s connections and their buffers take part of it."
    ),
    "unlimited_consumers": _("Consumers have no rate: each takes up to %(rate)s/s."),
    "rate_rounded": _("%(name)s %(given)s is played as %(rate)s/s."),
    "messages_bound": _("--pmessages %(count)s: each producer stops after %(seconds)s s."),
    "messages_burst": _("--pmessages %(count)s without --rate: each producer sends them at once."),
    "consumer_messages": _("--cmessages %(count)s: the consumers continue after that many messages."),
    "confirm_window": _(
        "--confirm %(count)s: producers ask for confirms, but do not wait when that many are missing."
    ),
    "nacks_requeue": _("--nack: what a consumer finishes goes back to its queue, and is delivered again"),
    "nacks_discard": _("--nack --requeue false: what a consumer finishes is a dead letter, or gone"),
    "given_again": _("%(name)s is given again; PerfTest takes the first, so %(text)s is left out"),
    "transactions_left_out": _(
        "--ptxsize %(count)s: transactions are left out where messages come in bursts, and beyond %(most)s "
        "messages"
    ),
    "acks_together": _(
        "--multi-ack-every %(count)s: one acknowledgement comes for all messages that are finished."
    ),
    "random_start": _(
        "PerfTest starts its producers at random within %(seconds)s s; here all start at once."
    ),
    "exit_when": _("--exit-when: the run goes on to its end."),
    "json_body": _("--json-body: bodies have the bytes of --size, and no JSON in them."),
    "random_keys": _(
        "--random-routing-key: with an exchange of the type %(type)s such keys lead to no queue; here all have one key."
    ),
    "consumer_argument": _("The consumer argument %(text)s has no effect on what is stored."),
    "content_type": _("--body-content-type becomes the property content_type."),
    "bound_already": _("--skip-binding-queues: the import assumes that the queues are bound already."),
    "keys_decide": _(
        "An exchange of the type %(type)s gives each message to all queues; here each producer has one queue."
    ),
    "dead_letters_dropped": _(
        "Dead letters go to an exchange that PerfTest does not declare. If there is none, the "
        "broker drops them."
    ),
    "queue_argument": _("The queue argument %(text)s is unknown to classic queues and has no effect."),
    "time_cut": _("The run is cut after %(hours)s hours."),
    "one_node": _("%(name)s: all clients connect to the same node."),
    "queue_option": _("The option for one queue of a log has no meaning for a command line."),
}
"""By the codes of `workloads.remarks`."""


def messages_of(remarks: Iterable[Remark]) -> list[PageMessage]:
    return [PageMessage(REMARKS[each.code], code=each.code, **each.values) for each in remarks]


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
    """Return the values of an axis for a workload, none where the workload has nothing that it could vary. `finer`:
    with one more value between each two numbers, for a large sweep.
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
    if any(isinstance(each, bool | str) for each in fixed):
        return fixed
    fixed = tuple(sorted({*fixed, *_own(parameter, scenario)}))
    if not finer:
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
_OFFERED = (blocked_s, peak_ram_bytes, throughput_per_s, latency_p95_s, bytes_written, lost_on_power_cut)
METRICS: Final = tuple(each.name for each in _OFFERED)
"""What its page offers first."""
PHASES: Final = (1, 2, 3)
"""Seeds, each with another phase of the node's timers; one where three would take too long."""


def new_name() -> str:
    """Return an unguessable name for a sweep, because anyone with its address can see it."""
    return NAME_BEGINS + secrets.token_hex(10)


def workload_of(kind: str, text: str, recorded: Scenario | None) -> tuple[Workload, Sequence[Remark]]:
    """Return the workload that a visitor gave, without names that somebody typed, and what is told of it. `kind`:
    one of KINDS. `text`: a PerfTest line, or the lines of a log. `recorded`: what a session recorded, for the kind
    of that name. Raises Refused: it cannot be read, or asks too much of this server.
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
        scenario = recorded
        remarks: Sequence[Remark] = ()
        if scenario is None:
            imported = READERS[kind](StringIO(text, newline=""), Options())
            scenario, remarks = imported.scenario, imported.remarks
        found = checked("own", without_personal_data(scenario), "import" if recorded is None else "session")
        whole = door().check(found.scenario)
    except (WorkloadError, EngineError) as error:
        raise RequestRefused(_("This workload cannot be read: %(why)s"), why=message_of(error)) from None
    session_limits.check(whole, session_limits.current())
    return Workload(name="own", title="My workload", scenario=found.scenario, source=found.source), remarks


@job(CHECK)
def plan_of(workload: Workload, name: str, x: str, y: str, large: bool, most_s: int = 0) -> tuple[Spec, Plan]:
    """Return the sweep over two axes with as many phases as fit, and its cells with a measured estimate. `x`, `y`:
    parameters of OFFERED. `large`: finer axes, for a Spark job. `most_s`: seconds of a processor that the runs may
    take, about; what this server allows if 0. Raises Refused: an axis does not suit the workload, or the runs would
    take longer than this server allows.
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
