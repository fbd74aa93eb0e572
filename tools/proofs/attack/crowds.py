"""Cases of many visitors at one address, and of one visitor who takes what others need."""

from __future__ import annotations

import asyncio
import html
import json
import re
import time
from collections import Counter
from typing import Any, Final

from tools.proofs.attack.hogs import BLANK
from tools.proofs.attack.world import PATIENCE_S, SMALL, Person, World, in_thread

VISITORS: Final = 8
STAGES: Final = 27
"""Of two subjects: 61 of 806 were refused to thirty visitors of an address."""
RELEASES: Final = ("3.8.9-classroom", "classroom", "4.0.5-classroom", "4.3.6-classroom")
NEW_PER_MINUTE: Final = 120
"""Sessions that an address may begin, unless WATERLINE_NEW_PER_MINUTE says otherwise."""
KEPT_BYTES: Final = 60 * 2**20
"""What an address may leave in the database; 120 copies of a scenario of 450 kB were 54 MB, and more each hour."""


async def sweeps_of_one_address(world: World) -> None:
    """C6: eight visitors of an address ask for sweeps; somebody at another address is still taken, and truly told."""
    address = world.address()
    lines = ["at_s,size_bytes", *(f"{number / 10},1000" for number in range(100))]
    form = {
        "kind": "csv",
        "text": "\n".join(lines),
        "x": "consumer_rate_per_s",
        "y": "vm_memory_high_watermark",
    }

    async def ask(person: Person) -> Any:
        await in_thread(person.ask, "/whatif/own/")
        return await in_thread(person.ask, "/whatif/own/", **form)

    crowd = await asyncio.gather(
        *(ask(world.person(address)) for _each in range(2 if world.tiny else VISITORS))
    )
    assert all(answer.status < 500 or answer.status == 503 for answer in crowd), crowd
    other = await ask(world.person())
    assert other.status < 500, other.status
    assert "started anew" not in other.text


async def stages_that_are_kept(world: World) -> None:
    """C7: what is kept needs no place: 30 of an address get every stage of subjects that somebody had open before."""
    paths = await _stages(world, 4 if world.tiny else STAGES)
    first = world.person()
    for path in paths:
        assert (await in_thread(first.ask, path)).status == 200
    address = world.address()

    async def open_stages() -> list[int]:
        person = world.person(address)
        return [int((await in_thread(person.ask, path)).status) for path in paths]

    found = await asyncio.gather(*(open_stages() for _each in range(4 if world.tiny else 30)))
    statuses = Counter(status for each in found for status in each)
    assert set(statuses) == {200}, statuses


async def _stages(world: World, most: int) -> list[str]:
    """Return the addresses of what the stages of subjects play."""
    person, found = world.person(), list[str]()
    subjects = re.findall(r'href="(/subjects/[a-z0-9-]+/)"', (await in_thread(person.ask, "/subjects/")).text)
    for subject in dict.fromkeys(subjects):
        page = await in_thread(person.ask, subject)
        found += [html.unescape(each) for each in re.findall(r'data-lead="([^"]+)"', page.text)]
        if len(found) >= most:
            break
    assert len(found) >= most, f"subjects have {len(found)} stages"
    return found[:most]


async def a_leads_file_again_and_again(world: World) -> None:
    """C7: 300 requests of an address to a lead's file, each for another moment: they wait in turn, others do not."""
    [path] = [each.split("?")[0] for each in await _stages(world, 1)]
    count = 6 if world.tiny else 300
    address = world.address()
    other, *flood = await asyncio.gather(
        in_thread(world.person().ask, f"{path}?at=0"),
        *(in_thread(world.person(address).ask, f"{path}?at={1 + number}") for number in range(count)),
    )
    assert other.status == 200, other.status
    statuses = Counter(answer.status for answer in flood)
    assert set(statuses) <= {200, 409, 429, 503}, statuses
    assert statuses[200], statuses


async def a_flood_from_one_network(world: World) -> None:
    """C6: as many addresses of one IPv6 network as one likes are one who asks; another network is let in meanwhile."""
    count = 8 if world.tiny else 240

    async def begin(address: str) -> int:
        person = world.person(address)
        await in_thread(person.ask, "/")
        return int((await in_thread(person.ask, "/s/new", profile="classroom")).status)

    began_s = time.monotonic()
    other, *flood = await asyncio.gather(
        begin("2001:db8:0:2::1"), *(begin(f"2001:db8:0:1::{number:x}") for number in range(count))
    )
    assert other == 200, other
    statuses = Counter(flood)
    assert set(statuses) <= {200, 429, 503}, statuses
    minutes = 1 + (time.monotonic() - began_s) / 60
    assert statuses[200] <= NEW_PER_MINUTE * minutes, (statuses, minutes)


async def copies_of_a_kept_scenario(world: World) -> None:
    """C4: a flood of sessions that begin with one kept scenario: it is stored once, and its address is charged."""
    person = world.person()
    await in_thread(person.ask, "/")
    count = 60 if world.tiny else 4_000
    commands = [{"at_us": at_us, **SMALL, "size_bytes": 10 + at_us % 7} for at_us in range(count)]
    text = json.dumps({**BLANK, "commands": commands})
    kept = await in_thread(person.ask, "/s/import", text=text)
    assert kept.status == 200, (kept.status, kept.text[:300])
    session = kept.text.split('"websocket": "/ws/session/', 1)[1].split("/", 1)[0]
    seat = await world.seat(person, session)
    assert (await seat.command("x", SMALL))["t"] in {"accepted", "refused"}
    shared = json.loads((await in_thread(person.ask, f"/s/{session}/share", at_us="")).text)
    before = _size(world)

    async def flood(copies: int) -> list[int]:
        who = world.person(person.address)
        await in_thread(who.ask, "/")
        return [
            int((await in_thread(who.ask, "/s/new", scenario=shared["short_id"])).status)
            for _each in range(copies)
        ]

    found = await asyncio.gather(*(flood(3 if world.tiny else 30) for _each in range(1 if world.tiny else 4)))
    statuses = [status for each in found for status in each]
    assert set(statuses) <= {200, 404, 422, 429, 503}, statuses
    grown = _size(world) - before
    assert grown < (KEPT_BYTES if world.tiny else len(text) * len(statuses) // 4), f"{grown >> 20} MB"


def _size(world: World) -> int:
    return sum(each.stat().st_size for each in world.server.var_dir.glob("waterline.sqlite3*"))


async def comparisons_of_four(world: World) -> None:
    """C9: heavy runs of four releases beside each other, by an address that never stops: another one gets its own."""
    address, rounds = world.address(), 1 if world.tiny else 4
    heavy = [await _four_releases(world.person(address), 40 + each) for each in range(rounds)]
    asking = [asyncio.create_task(_reel(world.person(address), path)) for path in heavy]
    try:
        links = [
            row[0]
            for row in world.rows("select short_id from playground_scenario where slug is not null limit 2")
        ]
        assert await _reel(world.person(), f"/compare/{'/'.join(links)}/") == 200
        if not world.tiny:
            assert set(await asyncio.gather(*asking)) <= {200, 409}
    finally:
        for each in asking:
            each.cancel()


async def _four_releases(person: Person, size_bytes: int) -> str:
    """Keep a long run, and return the address at which four releases of it are compared."""
    await in_thread(person.ask, "/")
    commands = [
        {"at_us": 1000 * at, **SMALL, "count": 100, "size_bytes": size_bytes + at % 7} for at in range(900)
    ]
    kept = []
    for profile in RELEASES:
        run = {**BLANK, "profile": profile, "commands": commands, "until_us": 20_000_000}
        page = await in_thread(person.ask, "/s/import", text=json.dumps(run))
        assert page.status == 200, (page.status, page.text[:300])
        session = page.text.split('"websocket": "/ws/session/', 1)[1].split("/", 1)[0]
        shared = await in_thread(person.ask, f"/s/{session}/share", at_us="")
        kept.append(json.loads(shared.text)["short_id"])
    return f"/compare/{'/'.join(kept)}/"


async def _reel(person: Person, path: str) -> int:
    """Ask until the comparison is there, or it is said why it never will be; return the status."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            status = int((await in_thread(person.ask, path + "reel")).status)
            assert status in {200, 202, 409, 429, 503}, status
            if status in {200, 409}:
                return status
            await asyncio.sleep(0.5)


CASES = (
    sweeps_of_one_address,
    stages_that_are_kept,
    a_leads_file_again_and_again,
    a_flood_from_one_network,
    copies_of_a_kept_scenario,
    comparisons_of_four,
)
