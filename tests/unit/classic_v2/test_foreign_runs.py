"""Another node's messages that are alike but for body and id are read as runs, with the very bytes that were there."""

from __future__ import annotations

from itertools import accumulate
from random import Random

import pytest

from engine.classic_v2.formats import qs
from engine.classic_v2.formats.qs import EntryDamaged, StoreEntries, read_entries
from engine.formats import terms
from engine.formats.message import FIRST_FOREIGN, MessageCodec
from engine.formats.properties import StoredNames

COUNT = 60


def _term(chance: Random) -> bytes:
    """Return a message of one length as some broker stores it: nearly all to one key, with one list of properties."""
    names = (StoredNames.RESOURCE, b"/", StoredNames.EXCHANGE, b"")
    key = b"orders" if chance.random() < 0.9 else b"others"
    named = b"\x10\x80\x02\x01" + (b"a" if chance.random() < 0.9 else b"b")
    content = (StoredNames.CONTENT, 60, terms.NONE, named, StoredNames.PROTOCOL, [chance.randbytes(16)])
    return terms.encode((StoredNames.BASIC_MESSAGE, names, [key], content, chance.randbytes(16), terms.TRUE))


def _file(seed: int) -> tuple[bytes, int]:
    """Return entries of another node's messages, and the length of each term."""
    chance = Random(seed)
    found = [_term(chance) for _ in range(COUNT)]
    entries = [StoreEntries(0, 1, 16, True, 0, seed > 0, MessageCodec(), term) for term in found]
    return b"".join(each.encode() for each in entries), len(found[0])


def _read(data: bytes, size: int, count: int) -> tuple[list[StoreEntries], MessageCodec]:
    codec = MessageCodec()
    return read_entries(data, 0, size, count, codec), codec


@pytest.mark.sources  # it replaces a function that its own module calls
@pytest.mark.parametrize("seed", range(3))
def test_runs_say_what_single_entries_say(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    data, size = _file(seed)
    runs, codec = _read(data, size, COUNT)
    assert len(runs) < COUNT // 2
    assert b"".join(each.encode() for each in runs) == data
    monkeypatch.setattr(qs, "_foreign_run", lambda _data, _at, _count, first, _term: first)
    single, other = _read(data, size, COUNT)
    assert [each.part(at, 1) for each in runs for at in range(each.count)] == single
    assert codec.templates == other.templates


def test_a_run_is_cut_turned_and_measured_like_its_entries() -> None:
    data, size = _file(1)
    run = max(_read(data, size, COUNT)[0], key=lambda each: each.count)
    assert run.count > 3
    assert run.msg_no >= FIRST_FOREIGN
    whole = run.encode()
    assert run.size_bytes == len(whole) == run.count * (size + 8)
    for at in range(0, len(whole), 7):
        before, behind = run.cut(at)
        assert b"".join(each.encode() for each in (*before, *behind)) == whole
    assert run.turned().turned() == run
    singles = [run.part(at, 1).encode() for at in range(run.count)]
    assert run.turned().encode() == b"".join(reversed(singles))


def test_a_damaged_entry_ends_its_run() -> None:
    data, size = _file(1)
    counts = [each.count for each in _read(data, size, COUNT)[0]]
    _count, end = max(zip(counts, accumulate(counts), strict=True))
    hurt = bytearray(data)
    hurt[(end - 1) * (size + 8) + 8 + size // 2] ^= 1
    with pytest.raises(EntryDamaged):
        _read(bytes(hurt), size, COUNT)
    assert sum(each.count for each in _read(bytes(hurt), size, end - 1)[0]) == end - 1
