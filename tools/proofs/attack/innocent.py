"""A session that only does its work, in a process of its own: how long each of its commands takes.

`python -m tools.proofs.attack.innocent URL` begins a session, plays it, and gives a few commands a second until its
input ends. Each line that it prints is the monotonic time at which a command was given and the milliseconds until it
was accepted, or -1 if it was not.
"""

from __future__ import annotations

import asyncio
import sys
import time

from tools.proofs.attack.world import SMALL, Person, VisitorSeat, in_thread

EVERY_S = 0.2
ADDRESS = "192.0.2.7"
MOST = 1000
"""Commands of a session; then comes another one, because each may have only so many."""
WORK = (
    {"do": "set_publisher", "name": "p1", "rate_per_s": 5, "size_bytes": 1000, "persistent": True},
    {"do": "set_consumer", "name": "c1", "rate_per_s": 10, "prefetch": 2, "ack": "each"},
)


async def begin(person: Person) -> VisitorSeat:
    """Begin a session that plays."""
    seat = await VisitorSeat.take(person, await in_thread(person.new_session))
    for number, command in enumerate(WORK):
        await seat.command(f"work {number}", command)
    await seat.send(t="control", play=True, speed=1.0)
    return seat


async def main(url: str) -> None:
    """Work until the input ends."""
    person = Person(url, ADDRESS)
    seat = await begin(person)
    over = asyncio.create_task(in_thread(sys.stdin.read))
    number = 0
    while not over.done():
        number += 1
        if number % MOST == 0:
            await seat.leave()
            seat = await begin(person)
        began_s = time.monotonic()
        try:
            done = (await seat.command(number, SMALL))["t"] == "accepted"
        except (TimeoutError, AssertionError):
            done = False
        took_ms = 1000 * (time.monotonic() - began_s)
        print(began_s, round(took_ms, 2) if done else -1, flush=True)
        seat.received.clear()
        await asyncio.wait([over], timeout=max(0.0, EVERY_S - took_ms / 1000))
    await seat.leave()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
