"""Random programs: runs give the bytes that single messages give, and the fold gives the snapshot."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.values.extents import Extent
from engine.values.stretches import Range, RangeSet
from tests.unit.classic_v1.index.harness import KINDS, Harness, extent, numbers
from tests.unit.classic_v1.index.naive import NaiveIndex
from tools.proofs.conformance.vector import index_vector

HINTS = st.sampled_from([None, None, 0, 1, 3, 10])
STRETCH = st.tuples(st.integers(0, 2), st.sampled_from(KINDS), st.integers(1, 14), st.booleans())
"""Seq_ids left out, kind, count, confirm wanted."""

OPERATIONS = st.one_of(
    st.tuples(st.just("publish"), st.lists(STRETCH, min_size=1, max_size=3), HINTS),
    st.tuples(st.just("pre_publish"), st.lists(STRETCH, min_size=1, max_size=4), HINTS, st.booleans()),
    st.tuples(st.just("ack"), st.integers(0, 60), st.integers(1, 40), st.integers(1, 3), st.booleans()),
    st.tuples(st.just("flush")),
    st.tuples(st.just("sync")),
    st.tuples(st.just("read"), st.integers(0, 60), st.integers(1, 20)),
    st.tuples(st.just("reset")),
    st.tuples(st.just("clean")),
    st.tuples(st.just("dirty"), st.sampled_from(["kill", "torn", "store"]), st.integers(2, 9)),
)


class Twins:
    """The same program on runs, on single messages of the same engine, and on the naive index."""

    def __init__(self, size: int, max_journal: int) -> None:
        self.batched = Harness(size, max_journal)
        self.single = Harness(size, max_journal)
        self.naive = NaiveIndex(size, max_journal, self.batched.codec)
        self.next_seq_id = 0
        self.next_msg_no = 1
        self.live: list[int] = []

    def extents(self, stretches: list[tuple[int, int, int, bool]]) -> list[Extent]:
        found = []
        for gap, kind, count, confirm in stretches:
            self.next_seq_id += gap
            found.append(extent(self.next_seq_id, kind, count, self.next_msg_no, confirm=confirm))
            self.live += range(self.next_seq_id, self.next_seq_id + count)
            self.next_seq_id += count
            self.next_msg_no += count
        return found

    def publish(self, stretches: list[tuple[int, int, int, bool]], hint: int | None) -> None:
        for each in self.extents(stretches):
            self.batched.index.publish([each], hint)
            for i in range(each.count):
                self.single.index.publish([each.part(i, 1)], hint)
                self.naive.publish(each.part(i, 1), hint)

    def pre_publish(
        self, stretches: list[tuple[int, int, int, bool]], hint: int | None, descending: bool
    ) -> None:
        step = -1 if descending else 1
        for each in self.extents(stretches)[::step]:
            self.batched.index.pre_publish([each], hint, descending=descending)
            for i in range(each.count)[::step]:
                self.single.index.pre_publish([each.part(i, 1)], hint)
                self.naive.pre_publish(each.part(i, 1), hint)
        self.batched.index.flush_pre_publish_cache(hint)
        self.single.index.flush_pre_publish_cache(hint)
        self.naive.flush_cache(hint)

    def ack(self, first: int, count: int, step: int, one_by_one: bool) -> None:
        chosen = self.live[first : first + count][::step]
        self.live = [seq_id for seq_id in self.live if seq_id not in chosen]
        ranges = list(RangeSet([Range(seq_id, 1) for seq_id in chosen]))
        if step == 3:
            ranges.reverse()
            chosen = [seq_id for each in ranges for seq_id in range(each.start, each.end)]
        self.batched.index.ack(ranges, one_by_one)
        singles = [Range(seq_id, 1) for seq_id in chosen]
        if one_by_one:
            for each in singles:
                self.single.index.ack([each])
                self.naive.mark("ack", [each.start])
        else:
            self.single.index.ack(singles)
            self.naive.mark("ack", chosen)

    def flush(self) -> None:
        self.batched.index.flush()
        self.single.index.flush()
        self.naive.flush()

    def sync(self) -> None:
        self.batched.index.sync()
        self.single.index.sync()
        self.naive.sync()

    def reset(self) -> None:
        self.batched.index.reset()
        self.single.index.reset()
        self.naive.reset()
        self.live = []

    def read(self, start: int, count: int) -> None:
        found = self.batched.index.read(start, start + count)
        assert found == self.single.index.read(start, start + count)
        seq_ids = [seq_id for each in found for seq_id in range(each.start, each.end)]
        assert seq_ids == self.naive.read(start, start + count)
        assert seq_ids == [seq_id for seq_id in self.live if start <= seq_id < start + count]

    def clean(self) -> None:
        terms = self.batched.index.terminate()
        assert terms == self.single.index.terminate() == self.naive.terminate()
        self.batched.restart(terms, store_clean=True)
        self.single.restart(terms, store_clean=True)
        self.naive.recover_clean(terms)

    def dirty(self, how: str, missing: int) -> None:
        terms = None
        if how == "store":
            terms = self.batched.index.terminate()
            assert terms == self.single.index.terminate() == self.naive.terminate()
        elif how == "torn":
            self.batched.index.kill_in_flush()
            self.single.index.kill_in_flush()
            self.naive.kill_in_flush()
        else:
            self.batched.index.kill()
            self.single.index.kill()
            self.naive.die()

        def contains(asked: Range) -> RangeSet:
            return RangeSet(
                [Range(number, 1) for number in range(asked.start, asked.end) if number % missing]
            )

        references = self.batched.index.store_references()
        recovered = self.batched.restart(terms, contains=contains)
        assert recovered == self.single.restart(terms, contains=contains)
        expected = self.naive.recover_dirty(lambda number: number % missing != 0, terms is not None)
        assert (recovered.count, recovered.size_bytes) == expected
        self.next_seq_id = max(self.next_seq_id, self.batched.index.bounds()[1])
        self.live = self.naive.read(0, self.next_seq_id) if self.next_seq_id else []
        if self.next_seq_id:
            self.batched.index.read(0, self.next_seq_id)
            self.single.index.read(0, self.next_seq_id)
        stored = {
            number
            for each in self.batched.index.read(0, self.next_seq_id)
            if each.persistent and each.home_store
            for number in range(each.msg_no, each.msg_no + each.count)
        }
        assert stored <= set(numbers(RangeSet(references)))

    def check(self) -> None:
        """Compare everything that can be compared."""
        files = self.batched.files()
        assert files == self.single.files()
        assert {name: data for name, data in files.items() if name != ".queue_name"} == {
            **{f"{segment}.idx": data for segment, data in self.naive.files.items()},
            **({} if self.naive.journal is None else {"journal.jif": self.naive.journal}),
        }
        vector: dict[str, Any] = index_vector(self.batched.index)
        assert vector == index_vector(self.single.index)
        assert vector["dirty"] == self.naive.dirty
        assert vector["segments"] == [
            [segment, unacked, len(self.naive.map.get(segment, ()))]
            for segment, unacked in sorted(self.naive.unacked.items())
        ]
        assert vector["journal"][1] == len(self.naive.buffer)
        assert self.batched.confirmed == self.single.confirmed == self.naive.confirmed
        for each in (self.batched, self.single):
            each.index.verify()
            assert each.folded() == each.index.snapshot()
        assert self.batched.index.snapshot() == self.single.index.snapshot()


@settings(max_examples=150, deadline=None)
@given(
    size=st.sampled_from([1, 3, 8, 20]),
    max_journal=st.sampled_from([0, 1, 5, 12, 1000]),
    program=st.lists(OPERATIONS, min_size=1, max_size=14),
)
def test_runs_equal_single_messages(size: int, max_journal: int, program: list[tuple[Any, ...]]) -> None:
    twins = Twins(size, max_journal)
    for name, *arguments in program:
        getattr(twins, name)(*arguments)
        twins.check()
