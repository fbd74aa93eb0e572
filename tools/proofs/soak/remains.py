"""What must be so when everybody has left: nothing lost, nothing different, nothing left over."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

from engine.replay import RunPlayer, on_ledger
from tests.conftest import ROOT
from tools.processes import descendants_of
from tools.proofs.attack.processes import memory_bytes, open_files
from tools.proofs.attack.world import Person, ServerAnswer, VisitorSeat, World, in_thread
from tools.proofs.soak.faults import Place
from tools.proofs.soak.users import Work, named

SETTLES_S: Final = 120.0
BUSY: Final = 60
"""How often a busy session is asked."""
LATE: Final = 504
"""What stands for an answer that did not come in time."""
DIFFERENT: Final = ROOT / "var" / "soak"
"""Where the files of sessions are kept whose run is another one than the server's."""
MORE_HANDLES: Final = 12
MORE_BYTES: Final = 64 * 2**20
VISITS, TINY_VISITS = 60, 6


async def lost(world: World, works: list[Work]) -> list[str]:
    """Return which accepted commands are not on record, which are there twice, and which nobody gave."""
    problems = []
    for work in works:
        found = [name for command in world.commands_of(work.session) if (name := named(command))]
        missing = set(work.accepted) - set(found)
        strange = set(found) - set(work.accepted) - work.uncertain
        if missing or strange or len(found) != len(set(found)):
            problems.append(
                f"session {work.session}: missing {missing}, strange {strange}, {len(found)} in all"
            )
        times = world.times_of(work.session)
        if found != sorted(found) or times != sorted(times):
            problems.append(f"session {work.session}: its commands are in another order")
    return problems


async def different(world: World, works: list[Work]) -> list[str]:
    """Return the sessions whose run, repeated here from their files, is another one than the server's."""
    problems = []
    for work in works:
        person = world.person()
        answer = await _file_of(world, person, work.session)
        if answer.status != 200:
            problems.append(f"session {work.session}: its file is answered with {answer.status}")
            continue
        scenario = json.loads(answer.text)
        digest = await in_thread(_repeated, scenario)
        if digest != scenario["digest"]:
            DIFFERENT.mkdir(parents=True, exist_ok=True)
            (DIFFERENT / f"{work.session}.json").write_text(answer.text, "utf-8")
            problems.append(
                f"session {work.session}: {digest} instead of {scenario['digest']}; its file is kept in var/soak"
            )
    return problems


async def _file_of(world: World, person: Person, session: str) -> ServerAnswer:
    """Return the file of a session that somebody has open, asking again while it is busy with waking or late."""
    seat = await world.seat(person, session)
    try:
        for _each in range(BUSY):
            try:
                answer: ServerAnswer = await in_thread(person.ask, f"/s/{session}/scenario.json")
            except TimeoutError:
                answer = ServerAnswer(LATE, "", {})
            if answer.status not in {409, 503, LATE}:
                break
            await asyncio.sleep(1)
        return answer
    finally:
        await world.leave()
        assert seat.code is None, f"the server closed a seat with {seat.code}"


def _repeated(scenario: dict[str, Any]) -> str:
    player = RunPlayer(on_ledger(scenario))
    player.finish(scenario["until_us"])
    return str(player.node.log.digest)


async def at_rest(world: World) -> bool:
    """Wait until no session has files any more; return whether that came to be."""
    try:
        async with asyncio.timeout(SETTLES_S):
            while world.directories():  # noqa: ASYNC110 - seen only from outside
                await asyncio.sleep(0.3)
    except TimeoutError:
        return False
    return True


async def grown(world: World) -> list[str]:
    """Let people come and go; return which handles and how much memory are left of it."""
    pid = world.server.process.pid

    async def visit() -> None:
        person: Person = world.person()
        seat = await VisitorSeat.take(person, await in_thread(person.new_session))
        await seat.command(1, {"do": "publish", "count": 300, "size_bytes": 3000, "persistent": True})
        await seat.leave()

    async def visits(count: int) -> tuple[int, int]:
        for _each in range(count):
            await visit()
        await at_rest(world)
        return open_files(pid), sum(memory_bytes(each) for each in (pid, *descendants_of(pid)))

    count = TINY_VISITS if world.tiny else VISITS
    handles, held_bytes = await visits(count)
    more_handles, more_bytes = await visits(count)
    print(
        f"soak: {count} visits more: {more_handles - handles} handles, {(more_bytes - held_bytes) / 2**20:.1f} MiB"
    )
    problems = []
    if more_handles - handles > MORE_HANDLES:
        problems.append(f"{more_handles - handles} handles are left open by {count} visits")
    if more_bytes - held_bytes > MORE_BYTES:
        problems.append(f"{more_bytes - held_bytes} bytes are left by {count} visits")
    return problems


def left_over(place: Place, workers: list[int]) -> list[str]:
    """Return the directories and processes that a server leaves when it has ended."""
    found = [f"the directory {path.name}" for path in place.var_dir.glob("sessions/process-*")]
    return found + [f"the process {pid}" for pid in workers if _is_alive(pid)]


def _is_alive(pid: int) -> bool:
    return memory_bytes(pid) > 0
