"""A ledger makes chunks of a file's bytes once for equal decoders, until the file changes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from engine.storage.ledger import LedgerStorage
from engine.values.chunks import ByteChunk, RawBytes


def test_equal_decoders_are_asked_once_until_the_file_changes() -> None:
    asked: list[bytes] = []

    def decode(data: bytes, name: str) -> Sequence[ByteChunk]:
        asked.append(data)
        return [RawBytes(data)]

    storage = LedgerStorage()
    storage.create("0.idx")
    storage.append("0.idx", [RawBytes(b"abc")])
    first = storage.read("0.idx", partial(decode, name="one"))
    assert storage.read("0.idx", partial(decode, name="one")) == first
    assert len(asked) == 1
    storage.read("0.idx", partial(decode, name="another"))
    storage.read("0.idx", lambda data: decode(data, "one"))
    assert len(asked) == 3
    for change, after in (
        (lambda: storage.append("0.idx", [RawBytes(b"d")]), b"abcd"),
        (lambda: storage.write("0.idx", 1, [RawBytes(b"xx")]), b"axxd"),
        (lambda: storage.truncate("0.idx", 2), b"ax"),
    ):
        storage.read("0.idx", partial(decode, name="one"))
        change()
        assert storage.read("0.idx", partial(decode, name="one")) == [RawBytes(after)]
        assert asked[-1] == after
