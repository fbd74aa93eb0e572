"""Why a workload or a sweep is refused, what an import remarks, in the reader's language: a text for each code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from playground.hosting import refusals
from playground.texts import PageMessage
from sweeps.errors import read
from workloads.errors import LineError
from workloads.remarks import Remark

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
