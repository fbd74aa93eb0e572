"""The tables of slots: S71, S91 and S115, cell by cell, and the overlay beneath them."""

from __future__ import annotations

import pytest

from engine.classic_v1.formats.publishing import PublishRecord
from engine.classic_v1.index.segments import combined, overlay, without_duplicates
from engine.classic_v1.index.slots import ACK, DELIVER, JournalSlot, record, record_publish
from engine.values.errors import IndexCorrupt, InvariantBroken
from engine.values.stretches import Range, Stretches, split

PUB = PublishRecord(7, 5000)
OTHER = PublishRecord(8, 5000)
NONE = 0
P, PD, D, A, DA, PDA = 1, 3, 2, 4, 6, 7
ERROR = object()


def slot(bits: int, count: int = 1, publish: PublishRecord = PUB, start: int = 3) -> JournalSlot:
    return JournalSlot(start, count, publish if bits & 1 else None, bool(bits & 2), bool(bits & 4))


S71 = [
    (NONE, P, D, A),
    (P, ERROR, PD, ERROR),
    (D, ERROR, ERROR, DA),
    (PD, ERROR, ERROR, NONE),
    (A, ERROR, ERROR, ERROR),
    (DA, ERROR, ERROR, ERROR),
]


@pytest.mark.parametrize(("before", "publish", "deliver", "ack"), S71)
def test_s71(before: int, publish: object, deliver: object, ack: object) -> None:
    for action, expected in ((P, publish), (DELIVER, deliver), (ACK, ack)):
        slots: Stretches[JournalSlot] = Stretches([slot(before, 4)] if before else [])
        if expected is ERROR:
            with pytest.raises(InvariantBroken):
                act(slots, action)
            assert list(slots) == [slot(before, 4)]
        else:
            act(slots, action)
            assert [each.bits for each in slots] == ([expected] if expected else [])


def act(slots: Stretches[JournalSlot], action: int) -> None:
    if action == P:
        record_publish(slots, slot(P, 4))
    else:
        record(slots, action, 3, 4)


def test_an_ack_over_several_states() -> None:
    slots = Stretches([slot(PD, 2, start=0), slot(D, 1, start=2), slot(PD, 1, start=5)])
    record(slots, ACK, 1, 4)
    assert [(each.start, each.count, each.bits) for each in slots] == [
        (0, 1, PD),
        (2, 1, DA),
        (3, 2, A),
        (5, 1, PD),
    ]


S91 = {
    (NONE, P): (P, 1),
    (NONE, PD): (PD, 1),
    (P, D): (PD, 0),
    (P, DA): (NONE, -1),
    (PD, A): (NONE, -1),
}


@pytest.mark.parametrize("filed", [NONE, P, PD])
@pytest.mark.parametrize("pending", [P, PD, D, A, DA])
def test_s91(filed: int, pending: int) -> None:
    old = slot(filed) if filed else None
    if (filed, pending) in S91:
        bits, change = S91[filed, pending]
        assert combined(old, slot(pending)) == (slot(bits) if bits else None, change)
    else:
        with pytest.raises(IndexCorrupt, match="S91"):
            combined(old, slot(pending))


S115 = {
    P: {NONE: (P, 0), P: (NONE, 1), PD: ERROR, PDA: ERROR},
    PD: {NONE: (PD, 0), P: (D, 1), PD: (NONE, 1), PDA: ERROR},
    D: {NONE: ERROR, P: (D, 0), PD: (NONE, 0), PDA: ERROR},
    A: {NONE: (NONE, 0), P: ERROR, PD: (A, 0), PDA: (NONE, -1)},
    DA: {NONE: (NONE, 0), P: (DA, 0), PD: (A, 0), PDA: (NONE, -1)},
}


@pytest.mark.parametrize("pending", list(S115))
@pytest.mark.parametrize("filed", [NONE, P, PD, PDA])
def test_s115(pending: int, filed: int) -> None:
    expected = S115[pending][filed]
    old = [slot(filed, 5)] if filed else []
    if expected is ERROR:
        with pytest.raises(IndexCorrupt, match="S115"):
            without_duplicates([slot(pending, 5)], old)
    else:
        assert isinstance(expected, tuple)
        bits, each = expected
        kept, duplicates = without_duplicates([slot(pending, 5)], old)
        assert list(kept) == ([slot(bits, 5)] if bits else [])
        assert duplicates == 5 * each


@pytest.mark.parametrize("pending", [P, PD])
def test_s115_wants_the_same_publish(pending: int) -> None:
    for filed in (P, pending):
        with pytest.raises(IndexCorrupt):
            without_duplicates([slot(pending)], [slot(filed, publish=OTHER)])


def test_overlay_covers_both() -> None:
    pairs = overlay([Range(0, 4), Range(6, 2)], [Range(2, 5), Range(10, 1)])
    assert [(a and (a.start, a.count), b and (b.start, b.count)) for a, b in pairs] == [
        ((0, 2), None),
        ((2, 2), (2, 2)),
        (None, (4, 2)),
        ((6, 1), (6, 1)),
        ((7, 1), None),
        (None, (10, 1)),
    ]


def test_split_at_boundaries() -> None:
    assert list(split(5, 14, 8)) == [(0, 5, 3), (1, 8, 8), (2, 16, 3)]
