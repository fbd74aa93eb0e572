"""`python -m tools.proofs.attack`: everything that a stranger may try, against a server on this machine only.

Two servers run: one is attacked, the other is not. At each an innocent session does its work, in a process of its own.
A case holds if what it claims is so, if the attacked innocent's p95 is at most twice that of the other in the same
stretch, and if the attacked server's memory is back soon afterwards.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from playground.jobs import pool
from playground.limits.work_places import PLACES
from playground.server import serve
from tests.helpers.busy_links import busy_link
from tools import live_server
from tools.proofs.attack.cases import GROUPS, Case, chosen
from tools.proofs.attack.judging import Measured, MeasuredStretch, felt, words
from tools.proofs.attack.processes import memory_of_all
from tools.proofs.attack.world import PATIENCE_S, World, in_thread, seats_left

QUIET_S: Final = 10.0
MOST_S: Final = 600.0
"""For one case: only so that it ends at all, however busy the machine is."""
THREADS: Final = 32
"""Requests of who attacks at the same time."""
SETTLES_S: Final = 1.0
JUDGED_S: Final = 5.0
"""A shorter case is judged by what innocents feel from its begin on for so long."""
FIRST, LAST = -10, 10
"""How the machine orders processes: the servers and the innocents before all other work, who attacks after it."""
BACK_S: Final = 10.0
"""In which memory is given back."""
KEPT_BYTES: Final = 64 * 2**20
"""What a case may leave in caches."""
WARM: Final = 10_000
"""Messages of a picture with which all processes begin."""
WRONG: Final = ("Internal Server Error", "a worker is gone", "Unhandled", "never retrieved")
"""What no attack may bring into the server's log."""


@contextlib.contextmanager
def innocent(url: str, times_file: Path) -> Iterator[None]:
    """Let the innocent session work meanwhile, from its first answer on: until then it still opens its files.

    Raises:
        TimeoutError: nothing was answered in time.
    """
    command = [sys.executable, "-m", "tools.proofs.attack.innocent", url]
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


def measured(times_file: Path) -> Measured:
    """Return when each of the innocent's commands was given, and how long it took in milliseconds."""
    lines = times_file.read_text().rpartition("\n")[0].splitlines()  # another one may be under way
    return [(float(at_s), float(took_ms)) for at_s, took_ms in (line.split() for line in lines)]


async def memory_kept(world: World, before: int) -> int:
    """Return by how many bytes the server and all that it started are larger, as soon as that is no harm."""
    until_s = time.monotonic() + BACK_S
    while (kept := memory_of_all(world.server.process.pid) - before) > KEPT_BYTES:
        if time.monotonic() > until_s:
            break
        await asyncio.sleep(0.5)
    return kept


async def warm_up(world: World) -> None:
    """Let the server start all its processes: what they hold is no case's."""
    if not world.tiny:
        link = busy_link(WARM)
        await asyncio.gather(
            *(
                in_thread(world.person().ask, f"/x/{link}/card.png?at={each}")
                for each in range(PLACES + pool.CHECKS)
            )
        )


async def attack(world: World, cases: Sequence[Case], place: Path) -> dict[str, str]:
    """Try cases; print what innocents felt in each, and return what did not hold.

    Args:
        place: the directory in which both innocents write what they measure.
    """
    problems: dict[str, str] = {}
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
    await warm_up(world)
    await asyncio.sleep(SETTLES_S)
    begin_s = time.monotonic()
    await asyncio.sleep(1 if world.tiny else QUIET_S)
    await judge(world, MeasuredStretch("quiet", begin_s, time.monotonic()), place)
    for case in cases:
        before = memory_of_all(world.server.process.pid)
        begin_s = time.monotonic()
        wrong = []
        try:
            async with asyncio.timeout(MOST_S), seats_left(world):
                await case(world)
        except Exception as error:  # noqa: BLE001 - whatever is wrong is reported at the end
            wrong.append(f"{error!r}\n{traceback.format_exc(limit=-3)}")
        if not world.tiny:
            await asyncio.sleep(max(0.0, begin_s + JUDGED_S - time.monotonic()))
        stretch = MeasuredStretch(case.__name__, begin_s, time.monotonic())
        if not world.tiny:
            kept = await memory_kept(world, before)
            if kept > KEPT_BYTES:
                wrong.append(f"{kept >> 20} MB stay in memory")
            await asyncio.sleep(SETTLES_S)
        wrong += await judge(world, stretch, place)
        if wrong:
            problems[case.__name__] = "; ".join(wrong)
    return problems


async def judge(world: World, stretch: MeasuredStretch, place: Path) -> list[str]:
    """Print what the innocents felt in a stretch, as soon as all of it is answered; return what was too much."""
    until_s = time.monotonic() + PATIENCE_S
    files = (place / "here", place / "there")
    while time.monotonic() < until_s:
        if all(found and found[-1][0] >= stretch.end_s for found in map(measured, files)):
            break
        await asyncio.sleep(0.1)
    [found] = felt([stretch], *map(measured, files))
    print(words(found), flush=True)
    if found.is_too_much and not world.tiny:
        return [f"the innocent's p95 was {found.here_ms} ms, beside {found.beside_ms} ms"]
    return []


def ordered(niceness: int) -> None:
    """Set how this process, and what it starts from now on, is ordered; only root may be before others."""
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, niceness)


def main(argv: Sequence[str] | None = None) -> int:
    """Attack; return 0 only if everything holds."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.attack", description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="the least that shows that it works")
    parser.add_argument(
        "--group", choices=list(GROUPS), action="append", help="the cases of a file, or of several"
    )
    parser.add_argument("--first", action="store_true", help="of each group nothing but its first case")
    parser.add_argument("--only", metavar="CASE", default="", help="the cases whose names have this")
    options = parser.parse_args(argv)
    cases = chosen(options.tiny, options.group or list(GROUPS), options.only, options.first)
    began_s = time.monotonic()
    with contextlib.ExitStack() as held:
        place = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="waterline-")))
        serve.raise_to_most()  # some cases open more connections than a process may by default
        more = {"WATERLINE_UNWATCHED_S": "1", "WATERLINE_LOG_LEVEL": "WARNING"}
        live_server.prepare(place / "attacked")
        shutil.copytree(place / "attacked", place / "beside")
        ordered(FIRST)
        servers = []
        for name in ("attacked", "beside"):
            servers.append(
                live_server.start(place / name, options=("--proxy-headers",), more=more, seconds=PATIENCE_S)
            )
            held.callback(live_server.stop, servers[-1])
        server, other = servers
        world = World(server, options.tiny)
        with innocent(server.url, place / "here"), innocent(other.url, place / "there"):
            ordered(LAST)
            problems = asyncio.run(attack(world, cases, place))
        if not measured(place / "here") or not measured(place / "there"):
            problems["innocent"] = "one of the two could do nothing at all"
        log = server.log()
    for word in WRONG:
        if word in log:
            problems[word] = log[max(0, log.index(word) - 300) : log.index(word) + 2500]
    for name, why in problems.items():
        print(f"DOES NOT HOLD: {name}: {why}")
    held_count = len(cases) - sum(case.__name__ in problems for case in cases)
    print(f"attack: {held_count} of {len(cases)} cases hold, {time.monotonic() - began_s:.0f} s")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
