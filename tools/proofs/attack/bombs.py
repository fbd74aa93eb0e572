"""Cases in which few bytes stand for much work or memory: unequal messages, columns of zeros, packed archives."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
import zlib
from base64 import b64encode
from typing import Final

import msgspec

from engine.broker.commands import client_commands as columns
from playground.inspecting import uploads
from playground.sessions.scenario_links import LONGEST, encoded, packed
from tools.proofs.attack.hogs import BLANK
from tools.proofs.attack.patterns import ANSWERS
from tools.proofs.attack.processes import memory_bytes, memory_of_all
from tools.proofs.attack.readers import given
from tools.proofs.attack.world import SMALL, World, in_thread

UNEQUAL: Final = 2_000_000
"""Messages of one event: its picture took 62 s, and 3.3 GB of the server."""
ZEROS: Final = 10_000_000
GROWS_BYTES: Final = 100 * 2**20
UNPACKED: Final = uploads.MOST_BYTES + 2**20
"""A little more than may come out of an archive."""


async def one_event_of_unequal_messages(world: World) -> None:
    """C2: the picture of a link with one event: drawn or given up, and the server itself holds nothing of it."""
    count = 20_000 if world.tiny else UNEQUAL
    sizes = columns.pack([100, 101] * (count // 2))
    event = {"at_us": 0, "do": "publish", "count": count, "size_bytes": 101, "sizes": sizes}
    link = encoded(msgspec.json.encode({**BLANK, "commands": [event]}))
    assert len(link) < LONGEST, "it stands in an address"
    before = memory_bytes(world.server.process.pid)
    statuses = await asyncio.gather(
        *(_picture(world, link) for _each in range(1 if world.tiny else 4)),
    )
    assert set(statuses) <= ANSWERS, statuses
    plain = packed({**BLANK, "commands": [{"at_us": 0, **SMALL}]})
    assert plain is not None
    assert await _picture(world, plain) == 200
    grown = memory_bytes(world.server.process.pid) - before
    assert grown < GROWS_BYTES, f"the server grew by {grown >> 20} MB"


async def _picture(world: World, link: str) -> int:
    return int((await in_thread(world.person().ask, f"/x/{link}/card.png")).status)


async def columns_of_zeros(world: World) -> None:
    """C3: scenarios whose columns unpack to 40 MB are refused before anything of them is unpacked."""
    before = memory_of_all(world.server.process.pid)
    count = ZEROS // 100 if world.tiny else ZEROS

    async def send(number: int) -> int:
        person = world.person()
        await in_thread(person.ask, "/")
        sizes = b64encode(zlib.compress(bytes(4 * (count + number)), 9)).decode()
        events = [
            {"at_us": at_us, "do": "publish", "count": count + number, "size_bytes": 0, "sizes": sizes}
            for at_us in range(3)
        ]
        text = json.dumps({**BLANK, "commands": events})
        return int((await in_thread(person.ask, "/s/import", text=text)).status)

    statuses = [await send(number) for number in range(1 if world.tiny else 9)]
    assert world.tiny or set(statuses) <= {413, 422, 429}, statuses
    grown = memory_of_all(world.server.process.pid) - before
    assert grown < GROWS_BYTES, f"the server and its processes grew by {grown >> 20} MB"


async def archives_of_zeros(world: World) -> None:
    """C9: archives by each method of packing come to more than may be read: refused, and the reader stays small."""
    kinds = (
        [zipfile.ZIP_DEFLATED] if world.tiny else [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
    )
    before = memory_bytes(world.server.process.pid)
    for kind in kinds:
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w", kind) as archive:
            archive.writestr("queues/q/0.idx", bytes(UNPACKED))
        [*_steps, answer] = await in_thread(given, world, held.getvalue())
        assert answer.get("unreadable") in {"too_many_bytes", "zip_member"}, answer
    assert memory_bytes(world.server.process.pid) - before < GROWS_BYTES


CASES = (one_event_of_unequal_messages, columns_of_zeros, archives_of_zeros)
