"""What a sweep refuses, and why a run of it failed, by code: the English sentence of each, with named places."""

from __future__ import annotations

from typing import Final

ENGLISH: Final[dict[str, str]] = {
    # --- the description of a sweep ---
    "value_not_offered": "%(name)s = %(value)s is not possible; use one of: %(allowed)s",
    "value_no_number": "%(name)s = %(value)s is not a number; write it without quotes",
    "value_out_of_range": "%(name)s = %(value)s is out of range; use %(least)s to %(most)s",
    "value_fraction": "%(name)s = %(value)s has a fraction; use whole numbers",
    "nothing_to_vary": (
        "the workload '%(title)s' has no %(verbs)s command, so its %(name)s cannot be varied; take that axis out, or "
        "choose another workload"
    ),
    "no_parameter": "no setting or workload parameter is called '%(name)s'; known: %(known)s",
    "axis_value_twice": "the axis %(name)s names a value twice; take one of them out",
    "axis_empty": "the axis %(name)s needs `values`, or `first`, `last` and `steps`",
    "axis_steps": "the axis %(name)s has %(steps)s steps; use 2 to %(most)s",
    "axis_log_from_zero": "the log axis %(name)s must begin and end above 0",
    "too_many_cells": "the sweep has %(count)s cells; at most %(most)s: take steps out of an axis",
    "no_metric": "no metric is called '%(name)s'; known: %(known)s",
    "home_no_axis": "home names %(name)s, which is no axis; the axes are %(known)s",
    # --- a run of it ---
    "event_too_long": "one event made more than %(most)s transitions; use smaller bursts",
    "cell_too_long": "the run made more than %(most)s transitions; shorten it or use larger bursts",
    "unexpected": "%(why)s",
    # --- the whole of it ---
    "process_ended": "a process that ran cells ended; run the sweep again",
    "pool_closed": "this pool is closed",
    "sweep_too_slow": "it took longer than %(seconds)s s",
    "job_too_slow": "the Spark job took too long",
    "job_failed": "the Spark job failed: %(why)s",
    "server_fault": "the server's fault",
}
