"""A cache is bounded in bytes, whatever is asked of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.values.byte_cache import ByteCache

MOST = 100


def size(key: int, value: bytes) -> int:
    return len(value) + 1


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 120), st.booleans()), max_size=60))
def test_it_never_keeps_more_bytes_than_it_may_and_finds_what_it_keeps(
    steps: list[tuple[int, int, bool]],
) -> None:
    cache: ByteCache[int, bytes] = ByteCache(MOST, size)
    last: dict[int, bytes] = {}
    for key, length, asks in steps:
        if asks:
            assert cache.find(key) in (None, last.get(key))
            continue
        last[key] = b"x" * length
        assert cache.keep(key, last[key]) is last[key]
        assert (cache.find(key) is not None) == (size(key, last[key]) <= MOST)
        kept = [value for each in range(10) if (value := cache.find(each)) is not None]
        assert cache.used_bytes == sum(size(0, each) for each in kept) <= MOST
        assert len(cache) == len(kept)
    cache.clear()
    assert (len(cache), cache.used_bytes) == (0, 0)


def test_what_nobody_asked_for_the_longest_time_gives_way() -> None:
    cache: ByteCache[int, bytes] = ByteCache(MOST, size)
    for key in (1, 2, 3):
        cache.keep(key, b"x" * 30)
    cache.find(1)
    cache.keep(4, b"x" * 30)
    assert [key for key in (1, 2, 3, 4) if cache.find(key)] == [1, 3, 4]
