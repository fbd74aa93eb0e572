"""A journal of very many records is carried out all at once: as if one by one, by arrays and without them."""

from __future__ import annotations

import random

import pytest

from engine.classic_v1.formats import journal as format_of
from engine.classic_v1.formats.journal import JournalMarks, JournalRecords, decode_journal
from engine.classic_v1.formats.publishing import PublishRecord
from engine.classic_v1.index import recovery, slots
from engine.classic_v1.index.actions import IndexJournal
from engine.classic_v1.index.segments import IndexFiles, IndexSegments
from engine.formats.message import MessageCodec
from engine.storage.ledger import LedgerStorage
from engine.values.chunks import RawBytes
from engine.values.errors import IndexCorrupt

SIZE = 16
SEEDS = range(60)


def encoded(seed: int, codec: MessageCodec) -> bytes:
    """Return a journal with runs, lone records in any order, and now and then something impossible."""
    chance = random.Random(seed)
    wrong = chance.random() < 0.3
    parts: list[bytes] = []
    state: dict[int, int] = {}
    for _each in range(chance.randrange(20, 400)):
        seq = chance.randrange(0, 200)
        count = chance.choice((1, 1, 1, 3))
        after = {
            "publish": {0: 1},
            "deliver": {0: 2, 1: 3},
            "ack": {0: 4, 2: 6, 3: 0},
            "publish_deliver": {0: 3},
            "deliver_ack": {0: 6, 1: 0},
        }
        action = chance.choice(tuple(after))
        possible = all(state.get(each, 0) in after[action] for each in range(seq, seq + count))
        if not possible and not (wrong and chance.random() < 0.02):
            continue
        for each in range(seq, seq + count):
            state[each] = after[action].get(state.get(each, 0), 0)
        publish = PublishRecord(seq, 40, embedded=chance.random() < 0.2) if "publish" in action else None
        step = chance.choice((1, -1)) if action in ("deliver", "ack") else 1
        parts.append(JournalRecords(action, seq, count, publish, codec, step=step).encode())  # type: ignore[arg-type]
    return b"".join(parts)


def outcome(data: bytes, codec: MessageCodec) -> tuple[object, ...]:
    """Return what a replay leaves, or that it is impossible."""
    storage = LedgerStorage()
    storage.append("q/journal.jif", [RawBytes(data)])
    files = IndexFiles("q", b"q", "q", storage, codec, SIZE, lambda _each: None)
    segments, reader = IndexSegments(files), IndexJournal(files)
    try:
        actions = recovery.replay(segments, reader)
    except IndexCorrupt as error:
        return (error.code,)
    return actions, list(segments.pending), dict(segments.unacked)


@pytest.fixture
def all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every journal counts as one of very many records, with scattered marks."""
    monkeypatch.setattr(recovery, "MANY", -1)
    monkeypatch.setattr(format_of, "WINDOW", 4)
    monkeypatch.setattr(slots, "ROUNDS", 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_all_at_once_is_as_one_by_one(seed: int, request: pytest.FixtureRequest) -> None:
    codec = MessageCodec()
    data = encoded(seed, codec)
    expected = outcome(data, codec)
    request.getfixturevalue("all_at_once")
    assert outcome(data, codec) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_without_arrays_it_is_the_same(
    seed: int, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    codec = MessageCodec()
    data = encoded(seed, codec)
    expected = outcome(data, codec)
    request.getfixturevalue("all_at_once")
    monkeypatch.setattr(slots, "HAS_ARRAYS", False)
    assert outcome(data, codec) == expected


def test_both_outcomes_are_among_them() -> None:
    found = [outcome(encoded(seed, codec := MessageCodec()), codec) for seed in SEEDS]
    assert {len(each) for each in found} == {1, 3}
    assert any(len(each) == 3 and each[1] for each in found)


def test_scattered_marks_are_read_as_they_stand(all_at_once: None) -> None:
    codec = MessageCodec()
    runs = [JournalRecords("ack", 10 * at % 70, 1, None, codec) for at in range(20)]
    data = b"".join(run.encode() for run in runs) + JournalRecords("deliver", 500, 9, None, codec).encode()
    chunks = decode_journal(data, codec)
    assert any(isinstance(each, JournalMarks) for each in chunks)
    assert b"".join(each.encode() for each in chunks) == data
    first = next(each for each in chunks if isinstance(each, JournalMarks))
    for at in range(0, first.size_bytes + 1, 3):
        before, after = first.cut(at)
        assert b"".join(each.encode() for each in before) == first.data[:at]
        assert b"".join(each.encode() for each in after) == first.data[at:]
