"""Cases that give a broker's files to be read: journals of millions of records, and visitors who leave."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from playground.inspecting import reader
from tests.helpers.hostile_journal import scattered_acks
from tools.processes import descendants_of
from tools.proofs.attack.processes import memory_bytes
from tools.proofs.attack.world import Person, World, in_thread

ACKS: Final = 4_100_000
"""In a journal of 32 MB: it took 155 s and 3.9 GB in the server's own process."""
GROWS_BYTES: Final = 100 * 2**20
"""What the server may grow by meanwhile: others are at work."""
ENDS_S: Final = 20.0
"""How long after its visitor has left a process may be noticed on a busy machine."""
EDGE: Final = "----waterline"


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return files as a zip."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, data in files.items():
            packed.writestr(path, data)
    return held.getvalue()


def _acks(count: int) -> bytes:
    return zipped(scattered_acks(count))


def _readers(world: World) -> list[int]:
    """Return the processes that read files now."""
    found = []
    for each in descendants_of(world.server.process.pid):
        command = Path(f"/proc/{each}/cmdline")
        if command.exists() and reader.PROGRAM.encode() in command.read_bytes():
            found.append(each)
    return found


def given(world: World, data: bytes, leaves: bool = False) -> list[dict[str, object]]:
    """Give a zip; return the lines of the answer, only the first ones where the visitor leaves."""
    person: Person = world.person()
    person.ask("/inspect/")
    token = next(cookie.value or "" for cookie in person.jar if cookie.name == "csrftoken")
    part = f'--{EDGE}\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n'
    fields = {"agreed": "1", "csrfmiddlewaretoken": token}
    body = b"".join((part % (name, "") + value + "\r\n").encode() for name, value in fields.items())
    body += (part % ("files", '; filename="data.zip"')).encode() + data + f"\r\n--{EDGE}--\r\n".encode()
    connection = http.client.HTTPConnection(
        urlsplit(world.server.url).netloc, timeout=reader.MOST_WALL_S + reader.PATIENCE_S
    )
    headers = {"Cookie": person.cookies(), "X-Forwarded-For": person.address}
    headers["Content-Type"] = f"multipart/form-data; boundary={EDGE}"
    with contextlib.closing(connection):
        connection.request("POST", "/inspect/", body, headers)
        answer = connection.getresponse()
        return [json.loads(answer.readline())] if leaves else [json.loads(line) for line in answer]


async def journals_of_millions(world: World) -> None:
    """Each is read in a process with bounds, a few at once; the server itself holds nothing of them."""
    data = await in_thread(_acks, ACKS // 1000 if world.tiny else ACKS)
    before = memory_bytes(world.server.process.pid)
    giving = asyncio.gather(*(in_thread(given, world, data) for _each in range(2 if world.tiny else 5)))
    most_memory = most_readers = 0
    while not giving.done():
        running = _readers(world)
        most_readers = max(most_readers, len(running))
        most_memory = max([most_memory, *map(memory_bytes, running)])
        await asyncio.sleep(0.05 if world.tiny else 0.5)
    answers = [lines[-1] for lines in await giving]
    read = [answer for answer in answers if answer.get("kind") == "vhost"]
    later = [answer for answer in answers if answer.get("unreadable") in {"many_read", "takes_too_long"}]
    assert read, answers
    assert len(read) + len(later) == len(answers), answers
    assert 0 < most_readers <= reader.AT_ONCE, most_readers
    assert most_memory < reader.MOST_MEMORY + GROWS_BYTES, most_memory
    grown = memory_bytes(world.server.process.pid) - before
    assert grown < GROWS_BYTES, grown
    print(f"  a reader held up to {most_memory >> 20} MB, the server grew by {grown >> 20} MB")


async def readers_who_leave(world: World) -> None:
    """Nothing goes on for somebody who has left, and the place is free again."""
    data = await in_thread(_acks, ACKS // 100 if world.tiny else ACKS)
    await asyncio.gather(
        *(in_thread(given, world, data, leaves=True) for _each in range(2 if world.tiny else 6))
    )
    async with asyncio.timeout(ENDS_S):
        while _readers(world):  # noqa: ASYNC110 - seen only from outside
            await asyncio.sleep(0.1)
    [*_steps, answer] = await in_thread(given, world, await in_thread(_acks, 100))
    assert answer.get("kind") == "vhost", answer


CASES = (journals_of_millions, readers_who_leave)
