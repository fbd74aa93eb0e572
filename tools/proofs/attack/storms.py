"""Cases in which much of the same comes at once: links, copies, sockets that wait, commands that leave something."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

from tools.processes import descendants_of
from tools.proofs.attack.processes import memory_bytes
from tools.proofs.attack.world import SMALL, World, in_thread

MEBI = 2**20


async def links_and_copies(world: World) -> None:
    """Many share and copy the same runs at once: done, or asked to come later; and their sessions go on."""
    people = [world.person() for _each in range(2 if world.tiny else 8)]
    sessions = await asyncio.gather(*(in_thread(person.new_session) for person in people))
    for person, session in zip(people, sessions, strict=True):
        seat = await world.seat(person, session)
        assert (await seat.command(1, {**SMALL, "count": 300}))["t"] == "accepted"

    async def storm(person: Any, session: str) -> list[int]:
        found = []
        for number in range(2 if world.tiny else 25):
            path = f"/s/{session}/{'share' if number % 2 else 'fork'}"
            found.append((await in_thread(person.ask, path, at_us="")).status)
        return found

    every = await asyncio.gather(
        *(
            storm(person, session)
            for person, session in zip(people, sessions, strict=True)
            for _each in range(2)
        )
    )
    statuses = set(itertools.chain.from_iterable(every))
    assert statuses <= {200, 409, 429, 503}, statuses
    assert 200 in statuses
    for seat in world.seats[: len(people)]:
        assert (await seat.command("after", SMALL))["t"] == "accepted"


async def thousands_of_idle_sockets(world: World) -> None:
    """Sockets that say hello and then nothing, as many as a few addresses may have: others get in, at a known price."""
    count, addresses = (12, 2) if world.tiny else (1_600, 8)
    places = [world.address() for _each in range(addresses)]
    before = memory_bytes(world.server.process.pid)
    owners = [world.person(place) for place in places]
    sessions = [await in_thread(owner.new_session) for owner in owners]
    opened = 0
    for number in range(0, count, 20):
        some = range(number, min(count, number + 20))
        seats = await asyncio.gather(
            *(
                world.seat(world.person(places[each % addresses]), sessions[each % addresses])
                for each in some
            ),
            return_exceptions=True,
        )
        opened += sum(not isinstance(each, BaseException) for each in seats)
    newcomer = world.person()
    seat = await world.seat(newcomer, await in_thread(newcomer.new_session))
    assert (await seat.command(1, SMALL))["t"] == "accepted"
    grown = memory_bytes(world.server.process.pid) - before
    print(f"  {opened} sockets opened, the server grew by {grown // MEBI} MB")
    assert grown < 300 * MEBI, grown


async def commands_that_leave_something(world: World) -> None:
    """Each command has another size, key and headers, which a session may remember: its worker does not grow for it."""
    person = world.person()
    seat = await world.seat(person, await in_thread(person.new_session))
    assert (await seat.command("first", SMALL))["t"] == "accepted"
    workers = descendants_of(world.server.process.pid)
    before = sum(memory_bytes(each) for each in workers)
    await seat.send(t="control", play=True, speed=100)
    for number in range(20 if world.tiny else 400):
        headers = {f"h{number}": "x" * 200, f"g{number}": "y" * 200}
        command = {"do": "publish", "count": 2, "size_bytes": 1 + number, "headers": headers}
        reply = await seat.command(number, command)
        assert reply["t"] in {"accepted", "refused"}
        await asyncio.sleep(0.05)
    grown = sum(memory_bytes(each) for each in workers) - before
    print(f"  its workers grew by {grown // MEBI} MB")
    assert grown < 64 * MEBI, grown


CASES = (links_and_copies, thousands_of_idle_sockets, commands_that_leave_something)
