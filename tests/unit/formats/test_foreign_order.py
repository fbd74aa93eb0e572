"""A broker's messages that are alike are numbered as they lie in the queue, though its segments have them backwards."""

from __future__ import annotations

import contextlib
from random import Random
from typing import Any

import pytest

from engine.classic_v1.formats import publishing
from engine.classic_v1.formats.segment import SegmentRecords, scan_segment
from engine.formats import terms
from engine.formats.message import FIRST_FOREIGN, MessageCodec
from engine.formats.properties import StoredNames
from engine.values.errors import IndexCorrupt

ENTRIES = 2048


def _entry(rel: int, id16: bytes, body: bytes) -> bytes:
    """Return a persistent publish record with the message in it."""
    names = (StoredNames.RESOURCE, b"/", StoredNames.EXCHANGE, b"")
    content = (StoredNames.CONTENT, 60, terms.NONE, b"\x10\x00\x02", StoredNames.PROTOCOL, [body])
    term = terms.encode((StoredNames.BASIC_MESSAGE, names, [b"orders"], content, id16, terms.TRUE))
    sizes = len(body).to_bytes(4, "big") + len(term).to_bytes(4, "big")
    return (0xC000 | rel).to_bytes(2, "big") + id16 + bytes(8) + sizes + term


def test_numbers_ascend_with_positions() -> None:
    chance = Random(1)
    ids = [chance.randbytes(16) for _ in range(40)]
    entries = [_entry(rel, id16, chance.randbytes(50)) for rel, id16 in enumerate(ids)]
    data = b"".join([*entries[29::-1], *entries[:29:-1]])  # two flushes
    codec = MessageCodec()
    found = [chunk for _offset, chunk in scan_segment(data, 0, ENTRIES, codec)]
    assert b"".join(each.encode() for each in found) == data
    numbers = {
        each.start: each.publish.msg_no for each in found if isinstance(each, SegmentRecords) and each.publish
    }
    assert numbers == {rel: FIRST_FOREIGN + rel for rel in range(40)}
    assert [codec.id_bytes(numbers[rel]) for rel in range(40)] == ids


@pytest.mark.sources  # it counts calls inside a module
@pytest.mark.parametrize("seed", range(3))
def test_what_is_like_the_last_is_read_like_any_other(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = Random(seed)
    entries = [
        _entry(rel, chance.randbytes(16), chance.randbytes(chance.choice([50, 50, 50, 51])))
        for rel in range(60)
    ]
    data = bytearray(b"".join(reversed(entries)))
    for _ in range(seed):
        data[chance.randrange(len(data))] ^= 1

    def read() -> tuple[list[bytes], list[int], str]:
        codec, found, end = MessageCodec(), [], ""
        try:
            for _offset, chunk in scan_segment(bytes(data), 0, ENTRIES, codec):
                found.append(chunk)
        except IndexCorrupt as error:
            end = str(error)
        numbers = [each.publish.msg_no for each in found if isinstance(each, SegmentRecords) and each.publish]
        return [each.encode() for each in found], numbers, end

    calls: list[int] = []
    usual = publishing.read_publish

    def counted(*given: Any) -> Any:
        calls.append(1)
        return usual(*given)

    monkeypatch.setattr(publishing, "read_publish", counted)
    fast, few = read(), len(calls)
    monkeypatch.setattr(publishing.PublishReader, "_read_alike", lambda *_anything: None)
    assert read() == fast
    assert few < (len(calls) - few) * 2 // 3 or fast[2]


def test_what_is_cut_off_is_numbered_as_far_as_it_goes() -> None:
    chance = Random(2)
    ids = [chance.randbytes(16) for _ in range(3)]
    data = b"".join(_entry(rel, ids[rel], b"body") for rel in (2, 1, 0))
    for end in range(len(data)):
        codec = MessageCodec()
        found: list[bytes] = []
        with contextlib.suppress(IndexCorrupt):
            for _offset, chunk in scan_segment(data[:end], 0, ENTRIES, codec):
                if isinstance(chunk, SegmentRecords) and chunk.publish:
                    found.append(codec.id_bytes(chunk.publish.msg_no))
        assert found == ids[::-1][: end // (len(data) // 3)]
