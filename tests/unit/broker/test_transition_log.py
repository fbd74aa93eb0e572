"""The log: numbers without holes, a digest that depends on nothing else, a bounded ring."""

from __future__ import annotations

import json
from hashlib import blake2b

import pytest

from engine.classic_v1.transitions import JournalOpened, SegmentWritten
from engine.report.log import TransitionLog
from engine.report.transitions.base import Transition
from engine.report.transitions.node import NodeChanged


def some(count: int) -> list[tuple[int, Transition]]:
    return [(7 * i, SegmentWritten("S80.1", "orders", i, 36)) for i in range(count)]


def filled(entries: list[tuple[int, Transition]], keep: int = 2048) -> TransitionLog:
    log = TransitionLog(keep)
    for at_us, each in entries:
        log.add(at_us, each)
    return log


def test_rows_since_a_number() -> None:
    log = filled(some(10))
    rows = log.since(4)
    assert rows is not None
    assert (rows.first, rows.next, rows.at_us[0]) == (4, 10, 28)
    assert [each.segment for each in rows.rows if isinstance(each, SegmentWritten)] == list(range(4, 10))
    empty = log.since(10)
    assert empty is not None
    assert empty.rows == []
    with pytest.raises(ValueError, match="does not exist yet"):
        log.since(11)


def test_old_rows_fall_out() -> None:
    log = filled(some(5000), keep=300)
    assert log.since(0) is None
    assert log.number == 5000
    assert 300 <= log.number - log.oldest <= 1000
    rows = log.since(log.oldest)
    assert rows is not None
    assert rows.next == 5000


def test_digest_is_of_lines_of_json() -> None:
    entries = [(5, JournalOpened("S70", "orders")), (6, NodeChanged("M7", "memory", {"b": 0.1, "a": 1e22}))]
    text = '5\n["JournalOpened","S70","orders"]\n6\n["NodeChanged","M7","memory",{"a":1e22,"b":0.1},{}]\n'
    assert [json.loads(line) for line in text.splitlines()][3][3] == {"a": 1e22, "b": 0.1}
    assert filled(entries).digest == blake2b(text.encode(), digest_size=16).hexdigest()


@pytest.mark.parametrize("every", [1, 3, 255, 256, 257, 1000])
def test_reading_the_digest_does_not_change_it(every: int) -> None:
    log = TransitionLog(300)
    for number, (at_us, each) in enumerate(some(1500)):
        log.add(at_us, each)
        if number % every == 0:
            assert len(log.digest) == 32
    assert log.digest == filled(some(1500)).digest
    assert log.digest != filled(some(1499)).digest
