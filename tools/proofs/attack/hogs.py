"""Cases that take the machine: long events, many sessions, many runs to repeat, texts that become large."""

from __future__ import annotations

import asyncio
import itertools
import json
import shutil
import time
from typing import Any

from tools.proofs.attack.processes import memory_bytes, open_files
from tools.proofs.attack.world import SMALL, World, in_thread

BACK_S = 5.0
"""In which a session is back on a machine that is being attacked; on a quiet one it takes two seconds."""
BLANK = {"version": 1, "title": "x", "profile": "classroom", "until_us": 1_000_000}


def scenario(**parts: Any) -> str:
    """Return the text of a scenario."""
    return json.dumps({**BLANK, **parts})


async def one_event_of_many_messages(world: World) -> None:
    """A4: the largest bursts that are allowed, from several visitors at once."""

    async def burst() -> None:
        person = world.person()
        seat = await world.seat(person, await in_thread(person.new_session))
        for number in range(1 if world.tiny else 5):
            command = {"do": "publish", "count": 20_000, "size_bytes": 2000, "persistent": True}
            reply = await seat.command(number, command)
            assert reply["t"] in {"accepted", "refused"}

    await asyncio.gather(*(burst() for _each in range(1 if world.tiny else 3)))


async def settings_that_make_files_without_end(world: World) -> None:
    """A4, B: a scenario is bound by what commands are bound by; several visitors send such ones, again and again."""
    visitors, rounds = (1, 1) if world.tiny else (3, 12)
    for _each in range(rounds):
        await asyncio.gather(*(_send_endless(world) for _each in range(visitors)))


async def _send_endless(world: World) -> None:
    person = world.person()
    publisher = {"at_us": 5, "do": "set_publisher", "name": "p1", "rate_per_s": 10, "size_bytes": 10}
    publish = {"at_us": 5, "do": "publish", "count": 10_000_000, "size_bytes": 1}
    await in_thread(person.ask, "/")
    for text in (
        scenario(settings={"segment_entry_count": 1}),
        scenario(settings={"msg_store_file_size_limit": 1}),
        scenario(commands=[{**publisher, "rate_per_s": 1_000_000}]),
        scenario(commands=[{**publisher, "name": f"p{number}"} for number in range(129)]),
        scenario(commands=[publish]),
    ):
        answer = await in_thread(person.ask, "/s/import", text=text)
        assert answer.status == 422, (answer.status, text[:200])


async def texts_that_become_large(world: World) -> None:
    """B: a short workload that stands for millions of commands, many at once, is counted and not made."""
    phase = {"name": "w", "start": 0, "time": 36_000, "rate": 1000, "size": 1, "producers": 16}
    text = scenario(workload=[{**phase, "name": f"w{number}"} for number in range(30)])
    before = memory_bytes(world.server.process.pid)

    async def send() -> int:
        person = world.person()
        await in_thread(person.ask, "/")
        return int((await in_thread(person.ask, "/s/import", text=text)).status)

    statuses = await asyncio.gather(*(send() for _each in range(3 if world.tiny else 24)))
    assert set(statuses) == {422}, statuses
    assert memory_bytes(world.server.process.pid) - before < 150 * 2**20


async def runs_to_repeat(world: World) -> None:
    """B: pictures, checks, exports, comparisons and moments of the past take turns; others are asked to come later."""
    person = world.person()
    session = await in_thread(person.new_session)
    seat = await world.seat(person, session)
    await seat.command(1, {"do": "publish", "count": 2000, "size_bytes": 6000, "persistent": True})
    links = [
        row[0]
        for row in world.rows("select short_id from playground_scenario where slug is not null limit 8")
    ]

    async def ask(number: int) -> Any:
        who = world.person()
        pair = f"/compare/{links[number % 8]}/{links[(number + 1) % 8]}/reel"
        addresses = (
            f"/r/{links[number % 8]}/card.png?at={1_000_000 + number}",
            f"/s/{session}/run.csv",
            f"/s/{session}/record?seq=1&at={200 + number}",
            f"/s/{session}/files.zip",
            pair,
        )
        return await in_thread(who.ask, addresses[number % len(addresses)])

    answers = await asyncio.gather(*(ask(number) for number in range(5 if world.tiny else 60)))
    for answer in answers:
        assert answer.status in {200, 202, 404, 409, 429, 503}, (answer.status, answer.text[:300])
        assert answer.status != 503 or int(answer.headers["Retry-After"]) > 0


async def many_small_sessions(world: World) -> None:
    """A3: sessions that rest close their files, and their directories go."""
    rounds = 1 if world.tiny else 10

    async def visit() -> None:
        person = world.person()
        seat = await world.seat(person, await in_thread(person.new_session))
        assert (await seat.command(1, {**SMALL, "count": 200}))["t"] == "accepted"

    async def visits() -> None:
        await asyncio.gather(*(visit() for _each in range(4)))
        await world.leave()

    await visits()  # the first ones open what stays open: each thread's connection to the database
    await world.rested(handles=10_000)
    handles = open_files(world.server.process.pid)
    for _each in range(rounds):
        await visits()
    await world.rested(handles + 8)


async def many_sessions_wake_at_once(world: World) -> None:
    """A2: sessions that were asleep are repeated at the same moment, and none is lost."""
    people = [world.person() for _each in range(2 if world.tiny else 8)]
    sessions = await asyncio.gather(*(in_thread(person.new_session) for person in people))

    async def use(person: Any, session: str, number: int) -> None:
        seat = await world.seat(person, session)
        assert (await seat.command(number, {**SMALL, "count": 50}))["t"] == "accepted"

    pairs = list(zip(people, sessions, strict=True))
    await asyncio.gather(*(use(person, session, 1) for person, session in pairs))
    await world.leave()
    await world.rested(handles=10_000)
    await asyncio.gather(*(use(person, session, 2) for person, session in pairs))
    for session in sessions:
        assert len(world.commands_of(session)) == 2


async def files_that_are_gone(world: World) -> None:
    """A1: the files of a session go while it is used; what was acknowledged stays, and it goes on."""
    person = world.person()
    session = await in_thread(person.new_session)
    seat = await world.seat(person, session)
    for number in range(8):
        assert (await seat.command(number, {**SMALL, "size_bytes": 9000}))["t"] == "accepted"
    [directory] = [each for each in world.directories() if each.name == session]
    shutil.rmtree(directory)
    acknowledged = 8
    for number in range(8, 12):
        reply = await seat.command(number, {**SMALL, "count": 300, "size_bytes": 9000})
        acknowledged += reply["t"] == "accepted"
    assert len(world.commands_of(session)) == acknowledged
    await seat.send(t="undo", id="undo")
    await seat.until(lambda m: m.get("id") == "undo")
    await asyncio.sleep(1)
    assert len(world.commands_of(session)) >= acknowledged - 1


async def a_session_that_stands_still(world: World) -> None:
    """Who goes on giving commands to a session without files does not keep it away once it can have files again."""
    person = world.person()
    session = await in_thread(person.new_session)
    seat = await world.seat(person, session)
    assert (await seat.command("first", SMALL))["t"] == "accepted"
    [directory] = [each for each in world.directories() if each.name == session]
    shutil.rmtree(directory)
    directory.write_text("in the way")
    lasts_s = 1.0 if world.tiny else 8.0
    began_s = ended_s = time.monotonic()
    refused = 0
    for number in itertools.count():
        reply = await seat.command(number, {**SMALL, "count": 300, "size_bytes": 9000})
        refused += reply["t"] == "refused"
        now_s = time.monotonic()
        if directory.is_file():
            if now_s - began_s >= lasts_s:
                directory.unlink()
                ended_s = time.monotonic()
        elif reply["t"] == "accepted":
            break
        assert now_s - began_s < lasts_s + BACK_S, "it stays away"
        await asyncio.sleep(0.15)
    assert refused
    print(f"  back {time.monotonic() - ended_s:.1f} s after its files could be written again")


async def links_without_end(world: World) -> None:
    """C: who brings large scenarios waits, and one address fills no disk."""
    person = world.person()
    await in_thread(person.ask, "/")
    commands = [{"at_us": at_us, "do": "publish", "count": 1, "size_bytes": 10} for at_us in range(4000)]
    before = (world.server.var_dir / "waterline.sqlite3").stat().st_size
    statuses = []
    for number in range(3 if world.tiny else 30):
        text = scenario(commands=commands, seed=number + 1)
        statuses.append((await in_thread(person.ask, "/s/import", text=text)).status)
    grown = (world.server.var_dir / "waterline.sqlite3").stat().st_size - before
    if not world.tiny:
        assert 429 in statuses, statuses
    assert grown < 40 * 2**20, grown


CASES = (
    one_event_of_many_messages,
    settings_that_make_files_without_end,
    texts_that_become_large,
    runs_to_repeat,
    many_small_sessions,
    many_sessions_wake_at_once,
    files_that_are_gone,
    a_session_that_stands_still,
    links_without_end,
)
