"""Cases in which processes die at work: those of jobs, a whole server, the owner of sessions in a cluster."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import statistics
import tempfile
import time
from pathlib import Path
from typing import Final

import psycopg

from playground.jobs import pool
from playground.limits.work_places import PLACES
from tests.helpers.busy_links import busy_link, link_of
from tools import live_server
from tools.cluster import cluster, load
from tools.free_port import free_port
from tools.processes import descendants_of
from tools.proofs.attack.patterns import ANSWERS
from tools.proofs.attack.processes import memory_bytes, parent_of
from tools.proofs.attack.world import PATIENCE_S, SMALL, Person, World, in_thread

BUSY: Final = 50_000
"""Messages that differ, in one event: seconds of work."""
ENDS_S: Final = 10.0
"""In which a server ends that was asked to."""
GONE_S: Final = 1.0
"""After which nothing that it started may be there."""
DEATHS: Final = 3
CONNECTED: Final = """
    SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
LEASE_S: Final = 9
BACK_S: Final = 2.0
"""In which sessions of a process that was killed are another's, beyond what opening one takes on this machine now."""


def job_processes(server: int) -> list[int]:
    """Return the processes that a server has for jobs, without the one that they were forked from."""
    found = []
    for each in descendants_of(server):
        with contextlib.suppress(OSError):
            if (
                pool.PROCESS.encode() in Path(f"/proc/{each}/cmdline").read_bytes()
                and parent_of(each) != server
            ):
                found.append(each)
    return found


async def jobs_that_hold_every_place(world: World) -> None:
    """C2: all places are taken, and whatever holds one is killed: every place comes back, as the next ones show."""
    server = world.server.process.pid
    plain = link_of({"at_us": 0, **SMALL})
    assert await _drawn(world.person(), plain, 0) == 200
    for number in range(1 if world.tiny else 4):
        asking = [
            asyncio.create_task(_drawn(world.person(), busy_link(BUSY), 10 * number + each))
            for each in range(PLACES)
        ]
        async with asyncio.timeout(PATIENCE_S):
            while len(job_processes(server)) < PLACES:  # noqa: ASYNC110 - seen only from outside
                await asyncio.sleep(0.05)
        killed: set[int] = set()
        while not all(each.done() for each in asking):
            for each in job_processes(server):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
                    killed.add(each)
            await asyncio.sleep(0.1)
        assert len(killed) >= PLACES, killed
        assert {each.result() for each in asking} <= ANSWERS
    statuses = await asyncio.gather(*(_drawn(world.person(), plain, 1 + each) for each in range(2 * PLACES)))
    assert set(statuses) == {200}, statuses


async def _drawn(person: Person, link: str, at_us: int) -> int:
    return int((await in_thread(person.ask, f"/x/{link}/card.png?at={at_us}")).status)


async def a_server_asked_to_end(world: World) -> None:
    """C2: another server draws and has sessions when it is asked to end: it does, and nothing of it is left."""
    with tempfile.TemporaryDirectory(prefix="waterline-") as scratch:
        place = Path(scratch) / "var"
        await in_thread(live_server.prepare, place)
        for _each in range(DEATHS):
            server = await in_thread(
                live_server.start, place, options=("--proxy-headers",), seconds=PATIENCE_S
            )
            there = World(server, world.tiny)
            try:
                owner = there.person()
                seat = await there.seat(owner, await in_thread(owner.new_session))
                assert (await seat.command(1, SMALL))["t"] == "accepted"
                asking = [
                    asyncio.create_task(_drawn(there.person(), busy_link(BUSY), each))
                    for each in range(PLACES)
                ]
                async with asyncio.timeout(PATIENCE_S):
                    while len(job_processes(server.process.pid)) < PLACES:  # noqa: ASYNC110 - seen only from outside
                        await asyncio.sleep(0.05)
                started = descendants_of(server.process.pid)
                began_s = time.monotonic()
                server.process.send_signal(signal.SIGTERM)
                await in_thread(server.process.wait, ENDS_S)
                print(f"  ended {time.monotonic() - began_s:.1f} s after it was asked to")
                await asyncio.sleep(GONE_S)
                assert not any(map(memory_bytes, started)), "processes are left"
                await asyncio.gather(*asking, return_exceptions=True)
            finally:
                live_server.stop(server)
                await there.leave()


async def processes_of_a_cluster(world: World) -> None:
    """C8, C9: owners of sessions and PostgreSQL are killed under load: all is back long before a lease lapses."""
    with tempfile.TemporaryDirectory(prefix="wl-cluster-") as scratch, contextlib.ExitStack() as held:
        address = f"127.0.0.1:{free_port()}"
        running = cluster.running(
            Path(scratch), DEATHS + 1, address, lease_s=LEASE_S, keep=False, scenarios=False
        )
        there = await in_thread(held.enter_context, running)

        def kill_database(students: list[load.Student]) -> list[load.Student]:
            """Kill a process of PostgreSQL, which then ends all others and recovers."""
            with psycopg.connect(there.database) as base:
                [(victim,), *_others] = base.execute(CONNECTED).fetchall()
            os.kill(victim, signal.SIGKILL)
            return students

        databases = [await load.killed_at_work(there, kill_database) for _each in range(DEATHS)]
        deaths = [await load.one_dies(there) for _each in range(DEATHS)]
    print(*(f"  database: {each}" for each in databases), sep="\n")
    print(*(f"  owner: {each}" for each in deaths), sep="\n")
    assert statistics.median(each.back_s - each.opened_s for each in deaths) < BACK_S
    assert max(each.back_s for each in deaths) < LEASE_S * 2 / 3, "a lease lapsed"


CASES = (jobs_that_hold_every_place, a_server_asked_to_end, processes_of_a_cluster)
