"""What the files of 4.x say of every message in them: body and properties, found by the message's number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.classic_v2.formats.mc import McCodec, parse_container
from engine.classic_v2.formats.qi import HEADER_BYTES, BodyLocation, IndexSlots, decode_index
from engine.classic_v2.formats.rdq import scan
from engine.classic_v2.inspect import entry_term
from engine.formats import properties
from engine.formats.terms import decode
from engine.storage.port import Storage
from engine.values.chunks import ByteChunk
from engine.values.sizes import equal

SIZE_AND_ID = 24
"""Bytes of a record of `.rdq` before the message's term (S54)."""

Content = tuple[bytes, dict[str, object]]


def read(term: bytes) -> tuple[bytes, Content]:
    """Return the id of a stored message, its body, and its properties with the names of the headers alone."""
    parsed = parse_container(term)
    match decode(term):
        case (_, _, (_, _, _, _, _, list(frames)), _):
            body = b"".join(each for each in reversed(frames) if isinstance(each, bytes))
        case _:
            raise ValueError("no message of AMQP 0-9-1")
    found: dict[str, object] = properties.decode(parsed.properties or bytes(2))
    headers = found.get("headers")
    if isinstance(headers, tuple | list):
        found["headers"] = sorted(name for name, _ in headers)
    return parsed.id16, (body, found)


def of_store(storage: Storage, directory: str) -> Iterator[tuple[bytes, Content]]:
    """Yield every message in the files of a shared store, those that nobody needs any more included."""
    for name in storage.list(directory):
        if not name.endswith(".rdq"):
            continue
        data = _whole(storage, f"{directory}/{name}")
        for offset, total, _ in scan(data, lambda *_: True, False):
            yield read(data[offset + SIZE_AND_ID : offset + total - 1])


def of_queue(storage: Storage, directory: str, codec: McCodec) -> Iterator[tuple[bytes, Content]]:
    """Yield every message that a queue's index names and whose body is in the queue's own files."""
    for name in storage.list(directory):
        if not re.fullmatch(r"\d+\.qi", name):
            continue
        slots: list[IndexSlots] = []

        def chunks(data: bytes, into: list[IndexSlots] = slots) -> list[ByteChunk]:
            found = decode_index(data, codec)
            into += [each for each in found if isinstance(each, IndexSlots)]
            return found

        chunks(_whole(storage, f"{directory}/{name}"))
        own = [each for each in slots if each.location is BodyLocation.QUEUE]
        data = _whole(storage, f"{directory}/{name[:-3]}.qs") if own else b""
        for run in own:
            for skip in range(run.count):
                at = run.offset_of(skip)
                if at >= HEADER_BYTES:
                    yield read(entry_term(data, at, equal(run.term_bytes)))


def _whole(storage: Storage, path: str) -> bytes:
    return storage.read_bytes(path, 0, storage.size(path) or 0)
