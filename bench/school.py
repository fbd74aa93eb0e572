"""A school at work: 60, 120 and 300 students on one process, on one that uses all cores, and on a cluster.

A lesson of each size on each layout, one after the other; see `bench.lesson` for what a student does. Each takes 60 to
150 seconds at most, the whole about a quarter of an hour; each is printed as soon as it is over.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest import mock

from bench import lesson
from bench.measure import Result
from tools import live_server
from tools.cluster import cluster
from tools.free_port import free_port

STUDENTS, TINY_STUDENTS = (60, 120, 300), (3,)
SECONDS, TINY_SECONDS = 25, 8
APPS = 2
COMMAND_P95_MS = 250
FREEZE_MS = 1000
BOUND_UP_TO = 60
"""Students up to whom a lesson is held to the times above; a larger one must only lose nothing."""
ROOM = {"WATERLINE_SESSIONS": "1000", "WATERLINE_NEW_PER_MINUTE": "600", "WATERLINE_SIGN_UP": "open"}
"""Every student has two or three sessions, two of them begun in the first minute; how many it takes is measured."""

Place = tuple[str, Sequence[int]]
"""Where a server answers, and its processes."""


@contextlib.contextmanager
def one_process() -> Iterator[Place]:
    """Run a server that has its engines in a thread."""
    with mock.patch.dict(os.environ, {**ROOM, "WATERLINE_WORKERS": "0"}), _server() as place:
        yield place


@contextlib.contextmanager
def all_cores() -> Iterator[Place]:
    """Run a server as `make run` does: a worker for each core."""
    with mock.patch.dict(os.environ, ROOM), _server() as place:
        yield place


@contextlib.contextmanager
def _server() -> Iterator[Place]:
    with (
        tempfile.TemporaryDirectory(prefix="waterline-") as scratch,
        live_server.running(Path(scratch)) as server,
    ):
        yield server.url, [server.process.pid]


@contextlib.contextmanager
def in_cluster() -> Iterator[Place]:
    """Run a cluster as `make cluster` does."""
    listen = f"127.0.0.1:{free_port()}"
    with (
        mock.patch.dict(os.environ, ROOM),
        tempfile.TemporaryDirectory(prefix="waterline-") as scratch,
        cluster.running(Path(scratch), APPS, listen, keep=False) as running,
    ):
        yield running.url, [app.process.pid for app in running.apps.values()]


LAYOUTS = {"one_process": one_process, "all_cores": all_cores, "cluster": in_cluster}


def run(tiny: bool) -> Result:
    """Measure."""
    sizes, seconds = (TINY_STUDENTS, TINY_SECONDS) if tiny else (STUDENTS, SECONDS)
    layouts = (
        ["one_process"] if tiny else list(LAYOUTS)
    )  # the others' tiny ones are `classroom` and `make cluster`
    passed = True
    found: Result = {}
    for students in sizes:
        for name in layouts:
            result, kept = _lesson(name, students, seconds)
            bound = not tiny and name != "one_process" and students <= BOUND_UP_TO
            passed &= result["whole"] and (kept or not bound)
            found[f"{students}_on_{name}"] = result
            print(f"  {students} on {name}: {result}", flush=True)
    return {**found, "passed": passed}


def _lesson(layout: str, students: int, seconds: float) -> tuple[Result, bool]:
    """Give a lesson; return what was measured, and whether it was in time. One that breaks off is marked as such."""
    try:
        with LAYOUTS[layout]() as (url, pids):
            seen, result = asyncio.run(lesson.give(url, pids, students, seconds))
    except Exception as error:  # noqa: BLE001 - the others are given all the same
        return {"whole": False, "broke_off": repr(error)}, False
    return {
        **result,
        "whole": seen.whole,
    }, seen.commands.p95 < COMMAND_P95_MS and seen.freeze.worst < FREEZE_MS
