"""What workloads, stores and imports refuse, by code: the English sentence of each, with named places."""

from __future__ import annotations

from typing import Final

ENGLISH: Final[dict[str, str]] = {
    # --- workloads and their store ---
    "workload_file_missing": "%(path)s does not exist; check the path",
    "workload_file_too_large": "a workload may have at most %(most)s bytes",
    "console_lines": "it holds console lines, which may name anything",
    "store_cannot_open": "%(uri)s cannot be opened: %(why)s",
    "store_cannot_write": "%(uri)s cannot be written to: %(why)s",
    "no_store": "%(uri)s holds no workload store of version %(version)s; `manage.py export_workloads` makes one",
    "no_workload": "no workload is called '%(name)s'; there are: %(known)s",
    # --- a log as a whole ---
    "log_unreadable": "it cannot be read: %(why)s",
    "no_messages": "there is no message in it; check that it is the right file and queue",
    "no_messages_to_queue": "no message goes to a queue '%(name)s'; there are: %(known)s",
    "several_queues": (
        "messages go to %(count)s queues, and a run has at most %(most)s; choose one with --queue: %(known)s"
    ),
    # --- a line of a log ---
    "too_many_lines": "at most %(most)s lines; cut the file here",
    "no_table_line": "a value has more than %(most)s characters, or a quotation mark has no partner",
    "line_too_long": "at most %(most)s characters in a line",
    "time_before_first": "the time is before that of the first message; sort the file by time",
    "time_too_late": "more than %(hours)s hours after the first message; cut the file here",
    "body_impossible": "a body of %(size)s bytes is not possible; use 0 to %(most)s",
    "expiration_impossible": "an expiration of %(given)s ms is not possible; use 0 to %(most)s",
    "no_time_value": "%(name)s = %(text)s is no time",
    # --- a line of a table of arrivals ---
    "no_column": "no column is called '%(name)s'; known: %(known)s",
    "no_time_column": "name one column for the time: at_us, at_ms, at_s or timestamp",
    "no_size_column": "the column size_bytes is missing; it tells the body's bytes",
    "column_twice": "a column stands there twice; keep one",
    "wrong_cell_count": "%(count)s values for %(wanted)s columns",
    "not_true_or_false": "%(name)s = %(text)s is neither true nor false",
    "count_out_of_range": "count = %(count)s is out of range; use 1 to %(most)s",
    "no_whole_number": "%(name)s = %(text)s is no whole number",
    # --- a line of a trace ---
    "no_trace_line": "no line of a rabbitmq_tracing log in JSON: %(why)s",
    "no_trace_entry": "no entry of a rabbitmq_tracing log as text",
    "trace_type": "type is %(text)s, neither published nor received",
    "trace_time": "timestamp %(text)s is no time such as 2026-01-31 12:00:00:123",
    # --- a line of a Firehose capture ---
    "no_firehose_line": "no message of the Firehose in JSON: %(why)s",
    "firehose_time": "the Firehose says no time; add timestamp, at_us, at_ms or at_s to each line",
    # --- a line of a PerfTest command ---
    "no_perf_test": (
        "there is no PerfTest command in it; it begins with perf-test, runjava, java -jar perf-test.jar or docker run"
    ),
    "text_too_long": "a command of more than %(most)s characters is not read",
    "quotes_open": "the quotes do not fit together: %(why)s",
    "option_not_whole": "%(name)s %(text)s is no whole number",
    "option_not_number": "%(name)s %(text)s is no number",
    "option_out_of_range": "%(name)s %(text)s is out of range",
    "option_without_value": "%(name)s needs a value behind it",
    "tx_and_confirm": "--ptxsize with --confirm: a broker closes such a channel; leave one of them out",
    "option_takes_no_value": "%(name)s takes no value",
    "option_unknown": "PerfTest has no option %(name)s",
    "option_not_here": "the option %(name)s cannot be carried over; take it out",
    "variable_unknown": "%(name)s is %(text)s, and nothing in the text says what that is; write its value",
    "queue_argument_refused": "the queue argument %(text)s is not possible: %(why)s",
    "queue_pattern_bounds": (
        "--queue-pattern, --queue-pattern-from and --queue-pattern-to go together, from 0 on and in order"
    ),
    "perf_test_queues": "%(name)s asks for %(count)s queues, and a session has at most %(most)s; give fewer",
    "exchange_type": "--type %(text)s is not known; there are %(known)s",
    "flag_unknown": "--flag %(text)s is not known; there are persistent, mandatory",
    "no_value_and_seconds": "%(name)s %(text)s is no VALUE:SECONDS",
    "value_or_seconds_too_small": "%(name)s %(text)s needs a value from 0 and seconds from 1 on",
    "too_many_changes": "more than %(most)s commands would be needed; give a shorter --time",
    "too_many_clients": "%(count)s of them for %(name)s are too many: at most %(most)s",
}
