"""The property list of S52."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats import properties
from engine.formats.terms import TermError

FIELDS = st.recursive(
    st.one_of(
        st.tuples(st.just("S"), st.binary(max_size=5)),
        st.tuples(st.just("I"), st.integers(-(2**31), 2**31 - 1)),
        st.tuples(st.just("l"), st.integers(-(2**63), 2**63 - 1)),
        st.tuples(st.just("t"), st.booleans()),
        st.tuples(st.just("d"), st.floats(allow_nan=False)),
        st.tuples(st.just("D"), st.tuples(st.integers(0, 255), st.integers(0, 2**32 - 1))),
        st.just(("V", None)),
    ),
    lambda inner: (
        st.tuples(st.just("A"), st.lists(inner, max_size=3))
        | st.tuples(st.just("F"), st.lists(st.tuples(st.text(max_size=4), inner), max_size=3))
    ),
    max_leaves=6,
)
VALUES = {
    "shortstr": st.text(max_size=20),
    "octet": st.integers(0, 255),
    "timestamp": st.integers(0, 2**64 - 1),
    "table": st.lists(st.tuples(st.text(max_size=4), FIELDS), max_size=3),
}


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ({}, "0000"),
        ({"delivery_mode": 2}, "100002"),
        ({"delivery_mode": 1, "expiration": "3600003"}, "1100010733363030303033"),
        (
            {"content_type": "application/octet-stream", "delivery_mode": 2},
            "9000186170706c69636174696f6e2f6f637465742d73747265616d02",
        ),
        (
            {
                "headers": [("kind", ("S", b"fan")), ("n", ("I", 1))],
                "delivery_mode": 2,
                "message_id": "fan-small",
            },
            "308000000014046b696e64530000000366616e016e4900000001020966616e2d736d616c6c",
        ),
    ],
)
def test_s52_lists_that_a_broker_stored(values: dict[str, object], written: str) -> None:
    assert properties.encode(values).hex() == written
    assert properties.decode(bytes.fromhex(written)) == values


@given(st.fixed_dictionaries({}, optional={name: VALUES[kind] for name, _, kind in properties.FLAGS}))
def test_round_trip(values: dict[str, object]) -> None:
    assert properties.decode(properties.encode(values)) == values


@given(st.binary(max_size=60))
def test_no_bytes_surprise_the_reader(data: bytes) -> None:
    try:
        values = properties.decode(data)
    except TermError:
        return
    properties.encode(values)


@pytest.mark.parametrize(
    "values", [{"colour": "red"}, {"priority": 256}, {"type": "x" * 256}, {"headers": [("a", ("?", 1))]}]
)
def test_what_does_not_fit_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(TermError):
        properties.encode(values)
