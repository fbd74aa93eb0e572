"""Messages of every class in turn, many at once, leave what the same messages leave one by one."""

from __future__ import annotations

import random
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bench.queue import QueueUnderTest
from engine.backing_queue.protocol import Arrival
from engine.broker.vhost.configuration import QUEUE
from engine.classic_v1.queue.queue import VariableQueue
from engine.classic_v1.queue.state import LANES, PENDING
from engine.folding import empty_state, fold, to_json
from engine.releases import REFERENCE
from engine.report.transitions.base import Transition
from engine.report.transitions.node import NodeChanged
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from engine.storage.port import Storage
from engine.values.sizes import at
from engine.values.stretches import Range
from engine.version_choice.queue import BothSettings
from tests.helpers.twin import Twin
from tests.property.test_javascript_twin import named

Step = tuple[str, Any]
SEEDS = range(16)
OF_MANY = {"StretchesRecorded", "StretchesWritten", "StretchesRead", "StretchesRecounted"}


class OneQueue(QueueUnderTest):
    """A queue with small files, so that they roll over, are combined and flushed often."""

    def __init__(self, storage: Storage, seed: int) -> None:
        draw = random.Random(seed)
        of_release = REFERENCE.storage_settings("real", {})
        assert isinstance(of_release, BothSettings)
        settings = msgspec.structs.replace(
            of_release,
            segment_entry_count=draw.choice((8, 32, 64)),
            queue_index_embed_msgs_below=700,
            queue_index_max_journal_entries=draw.choice((50, 400)),
            msg_store_file_size_limit=draw.choice((5_000, 40_000)),
            msg_store_io_batch_size=draw.choice((1, 20)),
            msg_store_credit_disc_bound=draw.choice(((20, 10), (400, 80))),
            explicit_gc_run_operation_threshold=draw.choice((0, 30, 100)),
            write_buffer_bytes=draw.choice((0, 3_000, 16_384)),
        )
        self.state = empty_state()
        self.state.node["settings"]["segment_entry_count"] = settings.segment_entry_count
        super().__init__(storage, None, settings=settings)

    def emit(self, transition: Transition) -> None:
        """Take a transition and fold it."""
        super().emit(transition)
        fold(self.state, transition)

    def step_done(self) -> None:
        """End a step of a program."""

    @property
    def of_v1(self) -> VariableQueue:
        """The queue with its state."""
        assert isinstance(self.queue, VariableQueue)
        return self.queue

    def check(self) -> None:
        """Compare the queue, its index and its stores with the fold of all transitions, and with their files."""
        q, folded = self.of_v1.state, self.state.queues[QUEUE]
        lanes = {place: list(folded.lane(place)) for place in LANES + PENDING}
        assert lanes == q.lanes_snapshot()
        assert folded.own.to_json()[q.index.shown_as] == q.index.snapshot()
        for name, store in self.host.stores.items():
            assert self.state.stores[name].to_json() == store.snapshot()
            store.verify()
        q.index.verify()


def steps(seed: int) -> list[Step]:
    """Return a random program: bursts with a size and a mode of each message, and what consumers do."""
    draw = random.Random(seed)
    found: list[Step] = []
    for _ in range(draw.randint(6, 14)):
        sizes = [round(draw.lognormvariate(6, 1)) for _ in range(draw.randint(1, 120))]
        confirms = draw.random() < 0.3
        found.append(("publish", (sizes, [(draw.random() < 0.5, confirms) for _ in sizes])))
        for _ in range(draw.randint(0, 3)):
            what = draw.choice(("fetch", "get", "ack", "requeue", "target", "drop", "flush", "drop_all"))
            most = draw.choice((3, 30, 300))
            found.append((what, (draw.randint(1, most), draw.random() < 0.5)))
    return [*found, ("get", (100_000, True)), ("ack", (100_000, True))]


class ToldQueue(OneQueue):
    """Such a queue, which keeps what it told, step by step."""

    def __init__(self, storage: Storage, seed: int) -> None:
        self.told: list[Transition] = []
        self.steps: list[dict[str, Any]] = []
        super().__init__(storage, seed)
        entries: Any = self.state.node["settings"]["segment_entry_count"]
        self.emit(NodeChanged("Q1", "settings", {"segment_entry_count": entries}))

    def emit(self, transition: Transition) -> None:
        """Take a transition, and keep it."""
        self.told.append(transition)
        super().emit(transition)

    def step_done(self) -> None:
        """End a step, as the page's twin reads it."""
        told, self.told = self.told, []
        self.steps.append(
            {
                "rows": told,
                "named": [named(t) for t in told],
                "concerns": [[t.about.group, getattr(t, "queue", None)] for t in told],
                "permitted": {},
                "state": to_json(self.state),
            }
        )


def play(test: OneQueue, program: list[Step], together: bool) -> None:
    """Carry out a program, with each burst whole or one by one."""
    queue, pending, msg_no = test.queue, [], 0
    for what, (one, two) in program:
        if what == "publish":
            publish_all(test, msg_no, one, two, together)
            msg_no += len(one)
        elif what in ("fetch", "get"):
            taken = queue.fetch(one, what == "get")
            if what == "get":
                pending += [seq for each in taken for seq in range(each.extent.start, each.extent.end)]
        elif what in ("ack", "requeue"):
            some, pending = sorted(pending[:one]), pending[one:]
            tags = [Range(seq, 1) for seq in some] if not two else _runs(some)
            (queue.ack if what == "ack" else queue.requeue)(tags, two)
        elif what == "target":
            queue.set_target(one % 40)
        elif what == "flush":
            queue.pre_hibernate()
        elif what == "drop":
            queue.drop(one, False)
        elif not pending:
            queue.purge()
        queue.drain_mailbox()
        test.step_done()


def _runs(seqs: list[int]) -> list[Range]:
    found: list[Range] = []
    for seq in seqs:
        if found and found[-1].end == seq:
            found[-1] = found[-1].merged(found[-1].count + 1)
        else:
            found.append(Range(seq, 1))
    return found


def publish_all(
    test: OneQueue, msg_no: int, sizes: list[int], modes: list[tuple[bool, bool]], together: bool
) -> None:
    """Publish a burst: as one with a column of sizes, or each message by itself."""
    queue = test.of_v1
    if not together:
        for at_no, (size, (mode, confirm)) in enumerate(zip(sizes, modes, strict=True), msg_no):
            queue.publish([Arrival(1, at_no, size, mode, mode and confirm)])
        return
    column = test.codec.column(msg_no, sizes)
    test.emit(NodeChanged("Q1", "bodies", {str(column.number): [msg_no, column.sizes]}))  # type: ignore[dict-item]
    burst: list[Arrival] = []
    for (mode, confirm), same in groupby(modes):
        count = len(list(same))
        burst.append(Arrival(count, msg_no, column, mode, mode and confirm))
        msg_no += count
    queue.publish(burst)


def left_by(test: OneQueue) -> dict[str, Any]:
    """Return everything of a queue and its stores, message by message."""
    q = test.of_v1.state
    found: dict[str, Any] = {}
    for place, extents in q.lanes_snapshot().items():
        found[place] = [
            (e.start + skip, e.msg_no + skip, at(e.size_bytes, e.msg_no + skip), e.flags, e.template)
            for e in extents
            for skip in range(e.count)
        ]
    found["delta"], found["counters"] = q.delta, q.counters()
    found["rates"] = q.rates.all, q.rates.counters
    index = dict(q.index.snapshot())
    found["index"] = index | {"entries": _single(index["entries"])}
    for side, store in test.host.stores.items():
        shown: dict[str, Any] = dict(store.snapshot())
        found[side] = shown | {"rows": [one for row in shown["rows"] for one in _rows(*row)]}
    return found


def _single(entries: Any) -> list[tuple[int, int]]:
    return [(start + skip, code) for start, count, code in entries for skip in range(count)]


def _rows(
    start: int, count: int, refs: int, file: int, offset: int, each: Any, step: int
) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []
    for msg_no in range(start, start + count):
        found.append((msg_no, refs, file, offset, at(each, msg_no)))
        if msg_no + 1 < start + count:
            offset += at(each, msg_no) if step > 0 else -at(each, msg_no + 1)
    return found


def bytes_below(root: Path) -> dict[str, bytes]:
    """Return all files with what is in them."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.name != "clean_stop.json"
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_as_one_by_one(seed: int) -> None:
    program = steps(seed)
    program = program[: len(program) // 2 if seed % 2 else len(program)]
    many, singles = OneQueue(LedgerStorage(), seed), OneQueue(LedgerStorage(), seed)
    play(many, program, together=True)
    play(singles, program, together=False)
    assert left_by(many) == left_by(singles)
    many.check()


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_files_have_the_bytes_that_they_have_one_by_one(seed: int, tmp_path: Path) -> None:
    program = steps(seed)[:-2]
    roots = [tmp_path / "many", tmp_path / "singles"]
    for root, together in zip(roots, (True, False), strict=True):
        root.mkdir()
        test = OneQueue(DirectoryStorage(str(root), fsync=False), seed)
        play(test, program, together)
        test.queue.terminate()
        for store in test.host.stores.values():
            store.terminate()
    assert bytes_below(roots[0]) == bytes_below(roots[1])


def test_the_page_folds_what_is_told_of_many_runs(twin: Twin) -> None:
    """After each step its state is the one that is folded here; every kind that tells of many has come up."""
    cases: list[list[dict[str, Any]]] = []
    for seed in SEEDS:
        test = ToldQueue(LedgerStorage(), seed)
        play(test, steps(seed), together=True)
        cases.append(test.steps)
    assert {each["kind"] for steps_ in cases for step in steps_ for each in step["named"]} >= OF_MANY
    twin.agrees("twin.mjs", cases)
