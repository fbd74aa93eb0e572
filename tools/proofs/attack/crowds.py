"""Cases of many visitors at one address, and of one visitor who takes what others need."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

from tools.proofs.attack.hogs import BLANK
from tools.proofs.attack.world import SMALL, Person, World, in_thread

VISITORS: Final = 8
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
    """C7: what is kept needs no place: all of an address get the stages of a subject that was opened before."""
    [[link]] = world.rows("select short_id from playground_scenario where slug is not null limit 1")
    paths = (f"/r/{link}/card.png", f"/r/{link}/lead.json")
    for path in paths:
        assert (await in_thread(world.person().ask, path)).status == 200
    address = world.address()

    async def open_stage(number: int) -> int:
        return int((await in_thread(world.person(address).ask, paths[number % 2])).status)

    statuses = await asyncio.gather(*(open_stage(number) for number in range(8 if world.tiny else 60)))
    assert set(statuses) == {200}, {each: statuses.count(each) for each in set(statuses)}


async def copies_of_a_kept_scenario(world: World) -> None:
    """C4: sessions that begin with one kept scenario store it once; an address is charged for what it keeps."""
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
    statuses = [
        (await in_thread(person.ask, "/s/new", scenario=shared["short_id"])).status
        for _each in range(3 if world.tiny else 60)
    ]
    assert set(statuses) <= {200, 404, 422, 429, 503}, statuses
    grown = _size(world) - before
    assert grown < (KEPT_BYTES if world.tiny else len(text) * len(statuses) // 4), f"{grown >> 20} MB"


def _size(world: World) -> int:
    return sum(each.stat().st_size for each in world.server.var_dir.glob("waterline.sqlite3*"))


async def comparisons_of_four(world: World) -> None:
    """C9: four runs beside each other, asked for by several visitors at once: places, and then an answer."""
    links = [
        row[0]
        for row in world.rows("select short_id from playground_scenario where slug is not null limit 4")
    ]
    path = "/compare/" + "/".join(links) + "/"

    async def ask(end: str) -> int:
        return int((await in_thread(world.person().ask, path + end)).status)

    statuses = await asyncio.gather(*(ask("reel") for _each in range(1 if world.tiny else 8)))
    assert set(statuses) <= {200, 202, 429, 503}, statuses
    assert await ask("") == 200


CASES = (sweeps_of_one_address, stages_that_are_kept, copies_of_a_kept_scenario, comparisons_of_four)
