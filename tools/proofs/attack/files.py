"""Cases that give Inspect small files with large numbers in them, many from one address."""

from __future__ import annotations

import asyncio
import io
import zipfile
from typing import Final

from tests.helpers.hostile_journal import scattered_acks
from tools.proofs.attack.readers import given, zipped
from tools.proofs.attack.world import World, in_thread

PUBLISHED: Final = bytes.fromhex("c000") + b"\x01" * 16 + bytes(8) + (100).to_bytes(4, "big") + bytes(4)
"""A record of a segment: its entry 0, whose body is in a store."""


def far(number: int) -> bytes:
    """Return a zip with one record in a segment of that number: 214 bytes shut Inspect for a minute."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"queues/q/{number}.idx", PUBLISHED)
    return held.getvalue()


async def segments_far_away(world: World) -> None:
    """C5: work follows what is in files: several such are answered, and so is an honest one between them."""
    numbers = [10**18 - 1] if world.tiny else [10**18 - 1, 2**31, 2**59, 70_000]
    hostile = asyncio.gather(*(in_thread(given, world, far(each)) for each in numbers))
    if not world.tiny:
        [*_steps, honest] = await in_thread(given, world, zipped(scattered_acks(100)))
        assert honest.get("kind") == "vhost", honest
    for lines in await hostile:
        assert lines[-1].get("queues"), lines[-1]


CASES = (segments_far_away,)
