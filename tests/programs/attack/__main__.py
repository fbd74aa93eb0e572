"""`python -m tests.programs.attack`: everything that a stranger may try, against a server on this machine only.

Beside each case an innocent session does its work, in a process of its own. A case holds if what it claims is so, and
if the p95 of the innocent's commands is at most twice that of the quiet stretches before and after all cases.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from playground import handles
from tests.programs.attack import hogs, intruders, nonsense, readers, senders, storms
from tests.programs.attack.world import PATIENCE_S, World, seats_left
from tools import live_server

CASES: Final = (
    *nonsense.CASES,
    *intruders.CASES,
    *hogs.CASES,
    *senders.CASES,
    *readers.CASES,
    *storms.CASES,
)
TINY: Final = (
    nonsense.absurd_messages,
    nonsense.floods,
    intruders.strangers_commands,
    intruders.other_origins,
    intruders.files_of_others,
    hogs.settings_that_make_files_without_end,
    hogs.patterns_made_to_hang,
    hogs.many_small_sessions,
    hogs.files_that_are_gone,
    hogs.a_session_that_stands_still,
    *senders.CASES,
    *readers.CASES,
    *storms.CASES,
)
"""Those that need no time."""
QUIET_S: Final = 20.0
MOST_S: Final = 13 * 60.0
"""For all cases; what is left then has not held."""
FLOOR_MS: Final = 100.0
"""Faster than this nobody notices: below it twice as long is no harm."""
SETTLES_S: Final = 1.0

Case = Callable[[World], Coroutine[Any, Any, None]]
Stretch = tuple[str, float, float]
"""A name, and from when to when."""


@contextlib.contextmanager
def innocent(url: str, times_file: Path) -> Iterator[None]:
    """Let the innocent session work meanwhile, from its first answer on: until then it still opens its files.

    Raises:
        TimeoutError: nothing was answered in time.
    """
    command = [sys.executable, "-m", "tests.programs.attack.innocent", url]
    with (
        times_file.open("wb") as out,
        subprocess.Popen(command, cwd=live_server.ROOT, stdin=subprocess.PIPE, stdout=out) as process,
    ):
        try:
            await_first_line(times_file)
            yield
        finally:
            assert process.stdin is not None
            process.stdin.close()


def await_first_line(times_file: Path) -> None:
    """Wait until the innocent has measured its first command; raises TimeoutError."""
    until_s = time.monotonic() + PATIENCE_S
    while b"\n" not in times_file.read_bytes():
        if time.monotonic() > until_s:
            raise TimeoutError(f"the innocent session did nothing in {PATIENCE_S:.0f} s")
        time.sleep(0.05)


def measured(times_file: Path) -> list[tuple[float, float]]:
    """Return when each of the innocent's commands was given, and how long it took in milliseconds."""
    lines = times_file.read_text().splitlines()
    return [(float(at_s), float(took_ms)) for at_s, took_ms in (line.split() for line in lines)]


def p95(found: list[tuple[float, float]], stretches: list[Stretch]) -> float:
    """Return the p95 over some stretches; infinite if a command was not accepted, or none was given."""
    times = sorted(
        took for at_s, took in found if any(begin <= at_s < end for _name, begin, end in stretches)
    )
    if not times or times[0] < 0:
        return float("inf")
    return times[min(len(times) - 1, len(times) * 95 // 100)]


async def attack(world: World, cases: Sequence[Case]) -> tuple[list[Stretch], dict[str, str]]:
    """Try cases; return when each was, and what did not hold."""
    stretches: list[Stretch] = []
    problems: dict[str, str] = {}

    async def quiet() -> None:
        begin_s = time.monotonic()
        await asyncio.sleep(1 if world.tiny else QUIET_S)
        stretches.append(("quiet", begin_s, time.monotonic()))

    began_s = time.monotonic()
    await asyncio.sleep(SETTLES_S)
    await quiet()
    for case in cases:
        begin_s = time.monotonic()
        try:
            async with asyncio.timeout(max(1.0, MOST_S - (begin_s - began_s))), seats_left(world):
                await case(world)
        except Exception as error:  # noqa: BLE001 - whatever is wrong is reported at the end
            problems[case.__name__] = f"{error!r}\n{traceback.format_exc(limit=-3)}"
        stretches.append((case.__name__, begin_s, time.monotonic()))
        await asyncio.sleep(0 if world.tiny else SETTLES_S)
    await quiet()
    return stretches, problems


def judge(world: World, stretches: list[Stretch], found: list[tuple[float, float]]) -> dict[str, str]:
    """Print what the innocent felt in each case; return where it was too much."""
    usual_ms = p95(found, [each for each in stretches if each[0] == "quiet"])
    most_ms = 2 * max(usual_ms, FLOOR_MS / 2)
    print(f"innocent p95, quiet: {usual_ms:.0f} ms; at most {most_ms:.0f} ms in a case")
    problems = {}
    for name, begin, end in stretches:
        felt_ms = p95(found, [(name, begin, end)])
        short = not any(begin <= at_s < end for at_s, _took in found)
        print(f"  {name:42} {end - begin:6.1f} s  innocent p95 {'-' if short else f'{felt_ms:.0f} ms'}")
        if not (short or world.tiny) and felt_ms > most_ms:
            problems[name] = f"the innocent's p95 was {felt_ms:.0f} ms"
    if usual_ms == float("inf"):
        problems["innocent"] = "it could not work even in the quiet"
    return problems


def main(argv: Sequence[str] | None = None) -> int:
    """Attack; return 0 only if everything holds."""
    parser = argparse.ArgumentParser(prog="python -m tests.programs.attack", description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="the least that shows that it works")
    parser.add_argument("--only", metavar="CASE", default="", help="the cases whose names have this")
    options = parser.parse_args(argv)
    cases = [each for each in (TINY if options.tiny else CASES) if options.only in each.__name__]
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="waterline-") as scratch:
        place = Path(scratch)
        handles.raise_to_most()  # some cases open more connections than a process may by default
        more = {"WATERLINE_UNWATCHED_S": "1", "WATERLINE_LOG_LEVEL": "WARNING"}
        with live_server.running(place / "var", options=("--proxy-headers",), more=more) as server:
            os.nice(10)  # who attacks from elsewhere takes no processor of this machine
            world = World(server, options.tiny)
            with innocent(server.url, place / "innocent"):
                stretches, problems = asyncio.run(attack(world, cases))
            for name, why in judge(world, stretches, measured(place / "innocent")).items():
                problems[name] = f"{problems.get(name, '')}{why}"
            log = server.log()
    for word in ("Internal Server Error", "a worker is gone", "Unhandled", "never retrieved"):
        if word in log:
            problems[word] = log[max(0, log.index(word) - 300) : log.index(word) + 2500]
    for name, why in problems.items():
        print(f"DOES NOT HOLD: {name}: {why}")
    held = len(cases) - sum(case.__name__ in problems for case in cases)
    print(f"attack: {held} of {len(cases)} cases hold, {time.monotonic() - began_s:.0f} s")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
