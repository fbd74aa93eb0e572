"""`python -m tools.proofs.soak.back_again`: for how long sessions stay away while their users try all the time.

The goal is two seconds from the end of the cause, on a machine that does nothing else. A bound in a test would fail on
a busy one, where all that a server does takes longer; test_setbacks.py and test_pool.py hold what makes it so.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tools.proofs.attack.world import VisitorSeat, World, in_thread
from tools.proofs.soak.faults import Fault, Place, all_workers_are_killed, disk_is_full, worker_is_killed

EVERY_S: Final = 0.15
"""Between two commands of somebody who tries."""
CALM_S: Final = 6.0
"""Between one cause and the next."""
GIVES_UP_S: Final = 120.0
KINDS: Final[tuple[Fault, ...]] = (worker_is_killed, all_workers_are_killed, disk_is_full)
SMALL: Final = {"do": "publish", "count": 1, "size_bytes": 200, "persistent": True}


NUMBERS: Final = itertools.count()
"""Of commands: the answer to an earlier one must not be taken for the answer to this one."""


async def tries(seat: VisitorSeat, over: asyncio.Event) -> float:
    """Give commands until one that was given after the cause's end is accepted; return the moment of its answer."""
    last_s = time.monotonic() + GIVES_UP_S
    while True:
        after = over.is_set()
        answer = await seat.command(f"try {next(NUMBERS)}", SMALL)
        if answer["t"] == "accepted" and after:
            return time.monotonic()
        if time.monotonic() > last_s:
            break
        seat.received.clear()
        await asyncio.sleep(EVERY_S)
    return float("inf")


async def measure(place: Place, sessions: int, repetitions: int) -> dict[str, list[float]]:
    """Return for each cause how many seconds each session was away after its end."""
    world = World(place.server, tiny=False)
    people = [world.person() for _each in range(sessions)]
    names = [await in_thread(person.new_session) for person in people]
    seats = [await world.seat(person, name) for person, name in zip(people, names, strict=True)]
    for number, seat in enumerate(seats):
        assert (await seat.command(f"first {number}", SMALL))["t"] == "accepted"
    found: dict[str, list[float]] = {}
    for _repetition in range(repetitions):
        for cause in KINDS:
            await asyncio.sleep(CALM_S)
            over = asyncio.Event()
            at_work = [asyncio.create_task(tries(seat, over)) for seat in seats]
            await cause(place)
            ended_s = time.monotonic()
            over.set()
            back_s = await asyncio.gather(*at_work)
            found.setdefault(cause.__name__, []).extend(each - ended_s for each in back_s)
    await world.leave()
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; return 0 only if everybody came back."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.soak.back_again", description=__doc__)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="waterline-") as scratch:
        place = Place(Path(scratch) / "var")
        try:
            found = asyncio.run(measure(place, options.sessions, options.repetitions))
        finally:
            place.stop()
    for cause, seconds in found.items():
        ordered = sorted(seconds)
        middle, worst = ordered[len(ordered) // 2], ordered[-1]
        print(f"{cause}: {len(ordered)} times back, {middle:.1f} s in the middle, {worst:.1f} s at worst")
    return 0 if all(each < float("inf") for seconds in found.values() for each in seconds) else 1


if __name__ == "__main__":
    sys.exit(main())
