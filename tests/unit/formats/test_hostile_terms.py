"""Numbers and shapes that no broker writes into what a clean stop leaves: refused, and never an error of ours."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from engine.formats import terms
from engine.formats.clean_stop import (
    ACTIVE,
    ETS_HEADER,
    ETS_MAGIC,
    MAGIC,
    read_clean_dot,
    read_file_summary,
    read_index,
    read_recovery_terms,
)
from engine.formats.names import read_queue_name
from engine.formats.terms import ErlangAtom, TermError

REF = bytes(16)
HUGE = (1 << 63, 1 << 70, -1, 1 << 40_000)


def _table(listed: list[Any]) -> bytes:
    """Return a `recovery.dets` with the terms of one queue."""
    term = terms.encode(([*b"q"], listed))
    held = struct.pack(">I", 4 + len(term)) + term
    return bytes(4) + MAGIC + struct.pack(">I", 8 + len(held)) + ACTIVE + held


def _dump(*rows: Any) -> bytes:
    """Return a table dump."""
    end = [ErlangAtom("$end_of_table"), [(ErlangAtom("count"), len(rows))]]
    items = [terms.encode(each) for each in ((ErlangAtom("description"),), *rows, end)]
    return ETS_HEADER + b"".join(struct.pack(">I", len(each)) + ETS_MAGIC + each for each in items)


def _saved(count: Any = 1, segments: Any = ((0, 1),)) -> list[Any]:
    return [
        (ErlangAtom("segments"), list(segments)),
        (ErlangAtom("persistent_count"), count),
        (ErlangAtom("persistent_ref"), REF),
    ]


def test_what_a_broker_saves_is_read() -> None:
    found = read_recovery_terms(_table(_saved()))
    assert found is not None
    assert found["q"].segments == ((0, 1),)


@pytest.mark.parametrize("huge", HUGE, ids=hex)
def test_terms_with_numbers_that_no_broker_has_are_none(huge: int) -> None:
    assert read_recovery_terms(_table(_saved(count=huge))) == {}
    assert read_recovery_terms(_table(_saved(segments=[(huge, 1)]))) == {}
    assert read_recovery_terms(_table(_saved(segments=[(0, huge)]))) == {}
    more = read_recovery_terms(_table([*_saved(), (ErlangAtom("next_seq_id"), huge)]))
    assert more is not None
    assert more["q"].next_seq_id is None


def test_an_empty_tuple_among_terms_is_passed_over() -> None:
    found = read_recovery_terms(_table([(), *_saved()]))
    assert found is not None
    assert found["q"].persistent_count == 1


@pytest.mark.parametrize("huge", HUGE, ids=hex)
def test_rows_with_numbers_that_no_broker_has_are_refused_in_words(huge: int) -> None:
    """Python writes no number of thousands of digits: the refusal did not come to its sentence."""
    unlocked, none = ErlangAtom("false"), ErlangAtom("undefined")
    with pytest.raises(TermError, match="row"):
        read_file_summary(_dump((ErlangAtom("file_summary"), 0, 5, none, none, huge, unlocked, 0)))
    with pytest.raises(TermError, match="row"):
        read_index(_dump((ErlangAtom("msg_location"), REF, 1, 0, huge, 30)))


@pytest.mark.parametrize("digits", ["256", "9" * 5_000])
def test_a_reference_of_other_bytes_is_none(digits: str) -> None:
    assert read_clean_dot(b"{client_refs,[<<1,2>>]}.\n{index_module,rabbit_msg_store_ets_index}.") is not None
    text = f"{{client_refs,[<<1,{digits}>>]}}.\n{{index_module,rabbit_msg_store_ets_index}}."
    assert read_clean_dot(text.encode()) is None


def test_a_long_name_costs_nothing() -> None:
    """An expression looked for the end of a name behind each place where it may begin: a square of the file's size."""
    assert read_queue_name(b"VHOST: " + b"\nQUEUE: " * 1_000_000) is None
    assert read_queue_name(b"VHOST: /\nQUEUE: orders\n") == ("/", "orders")
