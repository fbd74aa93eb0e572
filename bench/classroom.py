"""Thirty students at work on one server: see `bench.lesson`."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from bench import lesson
from bench.measure import Result
from tools import live_server

STUDENTS, TINY_STUDENTS = 30, 3
SECONDS, TINY_SECONDS = 30, 8
COMMAND_P95_MS = 500
FRAME_GAP_MS = 3000
FREEZE_MS = 2000


def run(tiny: bool) -> Result:
    """Measure."""
    students, seconds = (TINY_STUDENTS, TINY_SECONDS) if tiny else (STUDENTS, SECONDS)
    with (
        tempfile.TemporaryDirectory(prefix="waterline-") as scratch,
        live_server.running(Path(scratch)) as server,
    ):
        seen, found = asyncio.run(lesson.give(server.url, [server.process.pid], students, seconds))
    in_time = (
        seen.commands.p95 < COMMAND_P95_MS
        and seen.gaps.worst < FRAME_GAP_MS
        and seen.freeze.worst < FREEZE_MS
    )
    # A tiny lesson runs beside other tests: it shows that all of it works, the full one how fast.
    return {**found, "passed": seen.whole and (tiny or in_time)}
