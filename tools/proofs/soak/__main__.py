"""`python -m tools.proofs.soak --minutes 60`: valid, absurd and hostile users at a server to which all happens.

Every some seconds a fault: a worker or the whole server is killed, the disk is full, the database locked, files are
deleted. Afterwards every accepted command is on record once and in order, every session's run is the one that its
record gives, and no handle, directory, process or memory is left over.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from tools.proofs.attack.cases import chosen
from tools.proofs.attack.world import World, seats_left
from tools.proofs.soak import remains
from tools.proofs.soak.faults import FAULTS, Place
from tools.proofs.soak.users import AGAIN_S, User, absurd, hostile

EVERY_S, TINY_EVERY_S = 20.0, 1.0
"""Between two faults: time to go on."""
USERS, TINY_USERS = 6, 2
TINY_REST_S = 4.0
"""In a tiny run, those who only make trouble rest: all that a server does for a while was to read what they sent."""
THREADS: Final = 24
MOST_OF_ATTACK_S: Final = 120.0
"""For one case of `make attack`; then the next one."""


async def attacked(place: Place, over: asyncio.Event, tiny: bool) -> None:
    """Try all that `make attack` tries, again and again; that faults come between is no case's fault."""
    for case in itertools.cycle(chosen(tiny)):
        if over.is_set():
            return
        with contextlib.suppress(Exception):
            async with asyncio.timeout(MOST_OF_ATTACK_S), seats_left(world := World(place.server, tiny=True)):
                await case(world)
        await asyncio.sleep(TINY_REST_S if tiny else AGAIN_S)


async def soak(place: Place, seconds: float, tiny: bool, attacks: bool = False) -> list[str]:
    """Let everything happen for so long; return what is wrong afterwards."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
    over = asyncio.Event()
    users = [User(number, place.url) for number in range(TINY_USERS if tiny else USERS)]
    at_work = [asyncio.create_task(user.live()) for user in users]
    at_work += [
        asyncio.create_task(kind(number, place.url, over, TINY_REST_S if tiny else AGAIN_S))
        for kind in (absurd, hostile)
        for number in range(1 if tiny else 2)
    ]
    if attacks:
        at_work.append(asyncio.create_task(attacked(place, over, tiny)))
    ends_s = time.monotonic() + seconds
    happened = 0
    for fault in FAULTS if tiny else itertools.cycle(FAULTS):
        await asyncio.sleep(TINY_EVERY_S if tiny else min(EVERY_S, max(0.0, ends_s - time.monotonic())))
        if not tiny and time.monotonic() >= ends_s:
            break
        await fault(place)
        happened += 1
    await asyncio.sleep(TINY_EVERY_S if tiny else EVERY_S)
    over.set()
    for user in users:
        user.stop()
    await asyncio.gather(
        *at_work
    )  # raises what a user did not expect: then the soak has shown less than it says
    world = World(place.server, tiny)
    works = [work for user in users for work in user.works]
    given, uncertain = (sum(len(getattr(work, name)) for work in works) for name in ("accepted", "uncertain"))
    refused = sum(user.refused for user in users)
    summary = f"{given} commands accepted, {refused} refused, {uncertain} never answered"
    print(f"soak: {happened} faults, {len(works)} sessions, {summary}")
    problems = [] if given else ["nobody could do anything"]
    problems += await remains.lost(world, works)
    problems += await remains.different(world, works)
    if not await remains.at_rest(world):
        problems.append(f"sessions that nobody watches keep their files: {world.directories()}")
    return problems + await remains.grown(world)


def main(argv: Sequence[str] | None = None) -> int:
    """Soak; return 0 only if nothing is wrong afterwards."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--tiny", action="store_true", help="each fault once, and no more")
    parser.add_argument("--attacks", action="store_true", help="with the cases of `make attack` all the time")
    options = parser.parse_args(argv)
    began_s = time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_signal: sys.exit(1))  # the server ends with who started it
    with tempfile.TemporaryDirectory(prefix="waterline-") as scratch:
        place = Place(Path(scratch) / "var")
        try:
            problems = asyncio.run(soak(place, 60 * options.minutes, options.tiny, options.attacks))
        finally:
            workers = place.workers()
            place.stop()
        problems += [f"left over: {each}" for each in remains.left_over(place, workers)]
        log = place.server.log()
    if "Internal Server Error" in log:
        at = log.index("Internal Server Error")
        problems.append(log[max(0, at - 500) : at + 5000])  # down to what was raised
    for problem in problems:
        print(f"WRONG: {problem}")
    print(f"soak: {'nothing' if not problems else len(problems)} wrong, {time.monotonic() - began_s:.0f} s")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
