"""The store equals one that does everything message by message (S130-S190)."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.storage.ledger import LedgerStorage
from engine.values.extents import Extent
from engine.values.stretches import Range
from tests.unit.classic_v1.store.harness import numbers
from tests.unit.classic_v1.store.naive import NaiveStore
from tests.unit.classic_v1.store.programs import CLIENTS, Command, Limits, World, make_program
from tools.proofs.conformance.vector import store_vector

REFS = tuple(f"q{at}" for at in range(CLIENTS))


class Pair(World):
    """A world whose commands a naive store gets too, message by message."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(LedgerStorage(), limits, singly=False)
        self.naive = NaiveStore(limits.limit, limits.credit[1], {REFS[2]})

    def _write(self, at: int, what: Extent, single: bool, descending: bool) -> None:
        size = self.harness.codec.record_bytes(what.template, what.size_bytes, what.raw_persistent)
        ids = range(what.msg_no, what.msg_no + what.count)
        for number in reversed(ids) if descending else ids:
            self.naive.write(REFS[at], number, size)
            if single:
                self.naive.settle()
        super()._write(at, what, single, descending)

    def _remove(self, at: int, what: list[Range], single: bool, descending: bool) -> None:
        ids = [
            part.start + i
            for each in what
            for part in self.held[at].inside(each.start, each.count)
            for i in range(part.count)
        ]
        ids = ids[::-1] if descending else ids
        if single:
            for number in ids:
                self.naive.remove(REFS[at], [number])
                self.naive.settle()
        elif ids:
            self.naive.remove(REFS[at], ids)
        super()._remove(at, what, single, descending)

    def _take(self, at: int, what: Extent) -> None:
        for present in self._present(at, what):
            for number in range(present.msg_no, present.msg_no + present.count):
                self.naive.remove(REFS[at], [number])
                self.naive.settle()
        super()._take(at, what)

    def _handle(self, limit: int) -> None:
        super()._handle(limit)
        self.naive.handle(limit)

    def _sync(self) -> None:
        super()._sync()
        self.naive.sync()

    def _gc(self, steps: int) -> None:
        while self.harness.store.run_gc_step():
            pass
        self.naive.collect()

    def _settle(self) -> None:
        super()._settle()
        self.naive.settle()

    def _delete(self, at: int) -> None:
        self.naive.delete(REFS[at])
        super()._delete(at)
        self.naive.settle()
        self.naive.notified = [each for each in self.naive.notified if each[0] != REFS[at]]
        self.naive.handled.pop(REFS[at], None)

    def compare(self) -> None:
        """Compare all that both know."""
        store, naive = self.harness.store, self.naive
        vector = store_vector(store)
        assert {n: list(place) for n, place in self.harness.places().items()} == naive.index
        assert vector["files"] == [[n, file[1], file[0]] for n, file in sorted(naive.files.items())]
        locked = [row[0] for row in store.snapshot()["files"] if row[3]]
        assert locked == [n for n, file in sorted(naive.files.items()) if file[2]]
        assert vector["cache"] == len(naive.cache)
        assert store.sync_owed == bool(naive.confirms)
        assert store.mailbox_messages == len(naive.mailbox) + len(naive.results)
        for at, client in enumerate(self.clients):
            assert sum(client.grants) == naive.grants(REFS[at])
            notified = sorted((how, n) for how, found in client.notified for n in found)
            assert notified == sorted((how, n) for ref, how, n in naive.notified if ref == REFS[at])


def without_stops(commands: list[Command]) -> list[Command]:
    """Leave out what the naive store cannot do: stops, and reads, which change nothing there."""
    return [command for command in commands if command[0] not in ("restart", "crash", "read")]


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32), length=st.integers(1, 60))
def test_equals_naive(seed: int, length: int) -> None:
    limits, commands = make_program(seed, length)
    pair = Pair(limits)
    for command in without_stops(commands):
        pair.run(command)
        pair.compare()


def test_naive_has_met_everything() -> None:
    """The programs above are worth something only if they reach the rare cases."""
    rules: set[Any] = set()
    for seed in range(60):
        limits, commands = make_program(seed, 60)
        pair = Pair(limits)
        for command in without_stops(commands):
            pair.run(command)
        pair.compare()
        rules.update((type(t).__name__, t.rule) for t in pair.harness.transitions)
        assert numbers(pair.held[0]) == sorted(numbers(pair.held[0]))
    assert rules >= {
        ("WriteIgnored", "S145"),
        ("WriteIgnored", "S150"),
        ("RowsForgotten", "S142"),
        ("RowsForgotten", "S183"),
        ("OperationDeferred", "S187"),
        ("FilesCombined", "S185"),
        ("FileDeleted", "S185"),
    }
