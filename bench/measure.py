"""Timing, and the yardstick that makes figures of one run comparable."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from cProfile import Profile
from typing import Any

from tools.compiled import environment, fitting

BROKER_MESSAGES_PER_S = 22_000
"""What the broker's own module did of the same work on a machine like the one this was written on."""

NEARLY = 0.8
"""Of a speed: two measurements of the same differ by less."""

Result = dict[str, Any]


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Return how long `work` takes, once, without the garbage collector in between.

    The processor's time is measured, which other programs on the machine disturb least; work that waits for the disk
    needs `time.perf_counter`.
    """
    gc.collect()
    gc.disable()
    try:
        start = clock()
        work()
        return clock() - start
    finally:
        gc.enable()


def best(
    make: Callable[[], Callable[[], object]], times: int = 3, clock: Callable[[], float] = time.process_time
) -> float:
    """Return the shortest of several runs, each on something freshly made."""
    return min(seconds(make(), clock) for _ in range(times))


def best_on_files(
    make: Callable[[str], Callable[[], object]],
    times: int = 3,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """Return the shortest of several runs, each on files below an empty directory of its own, which is not timed.

    Args:
        make: returns the work, given the directory.
    """
    found: list[float] = []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as root:
            found.append(seconds(make(root), clock))
    return min(found)


def calls(work: Callable[[], object]) -> int:
    """Return the calls of functions that `work` makes: the same on every machine, however busy it is."""
    profile = Profile()
    profile.runcall(work)
    return sum(each.callcount for each in profile.getstats())


def yardstick() -> float:
    """Return how long this machine takes for a fixed loop of plain Python, in seconds."""

    def loop() -> None:
        table: dict[int, int] = {}
        for i in range(1_000_000):
            table[i & 1023] = table.get(i & 1023, 0) + i

    return best(lambda: loop)


def on_compiled(function: str, count: int) -> Result | None:
    """Return what a measurement finds on the compiled engine; None where none was compiled of these sources.

    Args:
        function: of this package, as `bench.unequal:mixed`; it takes a count and returns a result.
        count: how many messages.
    """
    place = fitting()
    if place is None:
        return None
    module, name = function.split(":")
    call = f"import json; from {module} import {name}; print(json.dumps({name}({count})))"
    variables = {**os.environ, **environment(place)}
    done = subprocess.run([sys.executable, "-c", call], env=variables, stdout=subprocess.PIPE, check=True)
    found: Result = json.loads(done.stdout)
    return found


def not_slower(compiled: Result | None, sources: Result) -> bool:
    """Return whether the compiled engine is at least nearly as fast as its sources, in every kind that was measured.

    The compiler may take for a list what the sources only begin to read: then the digests are the same, and the time
    is another.

    Args:
        compiled: what `on_compiled` returned.
        sources: the same figures, measured without it.
    """
    fast = [name for name in sources if name.endswith("_messages_per_s")]
    return compiled is None or all(compiled[name] >= NEARLY * sources[name] for name in fast)
