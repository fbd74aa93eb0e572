"""Runs a program with crashes, and after each of them compares what came back with what had to, and what could.

A message is *safe* once its confirm went out, and *ended* once a consumer's ack, a drop or a purge was asked for.
After a crash every safe message that was not ended must be back, nothing may be back that was never published, was
transient, or whose end had reached the disk, and what is back stands in its old order. The rest is uncertain. And what
is back is exactly what `reference` reads from the bytes that the crash left.
"""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec

from engine.classic_v1.transitions import CombineStepped
from engine.report.transitions.base import Transition
from engine.report.transitions.queue import RowsMoved
from engine.values.errors import IndexCorrupt, StoreCorrupt
from engine.values.extents import Extent
from tests.crash import reference
from tests.crash.faults import Died, FaultyStorage
from tests.crash.model import Model
from tools.proofs.conformance.door import BackingQueueDoor

QUEUE = "queues/trace"
STORE = "msg_store_persistent"


class Outcome(msgspec.Struct):
    """What happened in a run."""

    runs: int = 1
    crashes: int = 0
    survived: int = 0
    """Messages that were back after a crash, over all crashes."""
    uncertain: int = 0
    """Messages that might have been back or not."""
    lost_in_combining: int = 0
    """Safe messages lost as S191's second row predicts."""
    lost_in_clearing: int = 0
    """Safe messages lost to a journal whose clearing was undone: its old acks meet numbers that were used again."""
    corrupt: str = ""
    """Why the index could not be read any more, as S115 and S119 predict."""
    unreadable: int = 0
    """Runs that ended so."""
    kinds: dict[str, int] = {}
    """Crashes by kind."""

    def add(self, other: Outcome) -> None:
        """Count another run in."""
        self.runs += other.runs
        self.crashes += other.crashes
        self.survived += other.survived
        self.uncertain += other.uncertain
        self.lost_in_combining += other.lost_in_combining
        self.lost_in_clearing += other.lost_in_clearing
        self.unreadable += other.unreadable
        for kind, count in other.kinds.items():
            self.kinds[kind] = self.kinds.get(kind, 0) + count


class CrashDoor(BackingQueueDoor):
    """The backing-queue door on a storage that dies, with stores that may be slow to handle what they are sent."""

    def __init__(self, config: dict[str, Any], storage: FaultyStorage) -> None:
        self.slow = Random(config["slow"]) if config["slow"] is not None else None
        self.moving: set[int] | None = None
        """Messages of which only the temporary file of a combination has a whole copy (S183, S191)."""
        self.copied_away: set[int] = set()
        super().__init__(config, storage, self._follow)

    def _follow(self, transition: Transition) -> None:
        if isinstance(transition, RowsMoved):
            moved = {row[0] + i for row in transition.rows for i in range(row[1])}
            self.copied_away = moved
        elif isinstance(transition, CombineStepped):
            if transition.step == "tmp_written":
                self.moving = self.copied_away
            elif transition.step == "copied_back":
                self.moving = None

    def _make_stores(self) -> None:
        self.settings = msgspec.structs.replace(
            self.settings, write_buffer_bytes=self.config["write_buffer_bytes"]
        )
        super()._make_stores()

    def settle(self) -> None:
        if self.slow is None:
            super().settle()
            return
        for store in (self.persistent, self.transient):
            store.handle_mailbox(self.slow.randint(1, 5))
            if self.slow.random() < 0.3:
                store.sync()
            for _ in range(self.slow.randint(0, 3)):
                store.run_gc_step()

    def run(self, step: dict[str, Any]) -> dict[str, Any]:
        """Execute one step as a queue process would: then its mailbox is handled."""
        result: dict[str, Any] = getattr(self, f"_{step['op']}")(step)
        self.settle()
        self.queue.drain_mailbox()
        return result

    def confirmed(self) -> list[int]:
        """Return the messages whose confirms go out now."""
        return [r.start + i for r in self.queue.drain_confirmed() for i in range(r.count)]

    def start_after_crash(self) -> None:
        """Start with nothing but the files."""
        self.moving = None
        self._start_again(None)

    def live(self) -> list[Extent]:
        """Return all messages that the index holds."""
        index = self.queue.state.index
        return index.read(*index.bounds())


class Run:
    """One program being run.

    Args:
        program: see `programs`.
        storage: empty.
    """

    def __init__(self, program: dict[str, Any], storage: FaultyStorage) -> None:
        self.outcome = Outcome()
        self.storage = storage
        self.door = CrashDoor(program["config"], storage)
        self.model = Model()
        self.steps = program["steps"]
        self.crash: dict[str, Any] | None = None
        self.steps_left = 0
        self.risked: set[int] = set()
        """Messages that S191 lets the crashes since the last start lose."""
        self.revoked: set[int] = set()
        """Messages that have the seq_id of an ack in a journal that came back after it had been cleared."""
        self.undone = False
        """The journal's clearing was undone: ends may be, too."""
        self.unclear = False
        """S115 and S119 may meet damage that looks the same: torn files, a recovery cut short, an old journal."""

    def go(self) -> Outcome:
        """Run the program to its end."""
        for step in self.steps:
            if self.outcome.corrupt:
                return self.outcome
            try:
                self._step(step)
            except Died:
                self._crashed()
        if self.crash is not None:
            self._crashed()
        if not self.outcome.corrupt:
            self._empty()
        return self.outcome

    def _step(self, step: dict[str, Any]) -> None:
        if step["op"] == "crash":
            if self.crash is not None:
                self._crashed()
            self.crash, self.steps_left = step, step["steps"]
            self.storage.left, self.storage.part = step["calls"], step["part"]
        else:
            self._act(step)
            self.steps_left -= 1
        if self.crash is not None and self.steps_left <= 0:
            self._crashed()

    def _act(self, step: dict[str, Any]) -> None:
        model, door = self.model, self.door
        if step["op"] in ("ack", "requeue"):
            tags = model.choose(step["from"], step["every"], step["count"])
            step = {"op": step["op"], "tags": [[tag, tag] for tag in tags], "multiple": step["multiple"]}
        model.begin(step, door.queue.state.next_seq_id, door.next_msg_no)
        model.finish(step, door.run(step))
        model.confirm(door.confirmed())
        if door.queue.needs_timeout() == "no":
            model.ends_are_durable()

    # --- crashes -----------------------------------------------------------------------------------------------------

    def _crashed(self) -> None:
        """Let the crash happen here, start again, and compare."""
        crash = self.crash
        assert crash is not None
        self.crash = None
        self.undone = self.unclear = False
        self.risked, self.revoked = set(), set()
        deaths = [crash, *crash.get("again", [])]
        for number, death in enumerate(deaths):
            self._die(death)
            self.unclear = self.unclear or number > 0
            following = deaths[number + 1] if number + 1 < len(deaths) else None
            if following is not None:
                self.storage.left, self.storage.part = following["calls"], following["part"]
            try:
                self._recover()
            except Died:
                continue
            if following is None or self.outcome.corrupt:
                self.storage.left = None
                return
            # The recovery was over before the next death was due: it strikes the rested queue.

    def _die(self, death: dict[str, Any]) -> None:
        how = death["how"]
        self.storage.left = None
        self.outcome.crashes += 1
        self.outcome.kinds[how] = self.outcome.kinds.get(how, 0) + 1
        self.risked |= self.door.moving or set()
        if how == "kill":
            self.unclear = self.unclear or death["part"] > 0
            self.storage.write_back()
            return
        changed = self.storage.power_cut(Random(death["torn"]) if how == "torn" else None)
        self.unclear = self.unclear or how == "torn"
        if f"{QUEUE}/journal.jif" in changed:
            self.undone = True
            if not self.storage.journaling:
                self.unclear = True
                self.revoked |= self._acked_again()

    def _acked_again(self) -> set[int]:
        """Return the live messages that the old journal ends, meaning others that had the same seq_ids."""
        journal = reference.replay(self.storage.contents(QUEUE).get("journal.jif", b""))
        live = {**self.model.ready, **self.model.pending}
        return {live[seq_id] for seq_id, slot in journal.items() if slot.acked and seq_id in live}

    def _recover(self) -> None:
        door, model = self.door, self.model
        queue, store = self.storage.contents(QUEUE), self.storage.contents(STORE)
        expected: list[reference.Found] | None = None
        why = ""
        try:
            expected = reference.recover(queue, store, door.settings.segment_entry_count)
        except reference.Corrupt as error:
            why = str(error)
        refusal = self._start()
        if refusal:
            assert expected is None, f"the engine refuses ({refusal}) what is {len(expected or ())} messages"
            assert self.unclear or self._lone_deliver(why), f"one crash must leave readable files, but: {why}"
            self.outcome.corrupt = why
            self.outcome.unreadable = 1
            return
        assert expected is not None, f"the engine reads what crashes the broker: {why}"
        seen = [(e.start + i, e.msg_no + i) for e in door.live() for i in range(e.count)]
        assert seen == [(each.seq_id, door.codec.msg_no_of(each.pub.id16)) for each in expected]
        self._check_bytes(expected)
        assert door.queue.state.len == len(seen)
        lost, uncertain = model.compare(seen, self.risked | self.revoked, self.undone or self.unclear)
        self.outcome.lost_in_combining += len(lost & self.risked)
        self.outcome.lost_in_clearing += len(lost - self.risked)
        self.outcome.survived += len(seen)
        self.outcome.uncertain += uncertain
        door.persistent.verify()
        door.queue.state.index.verify()

    def _lone_deliver(self, why: str) -> bool:
        """Return whether a deliver record stood alone in the journal while a flush wrote or deleted its segment.

        The journal may be flushed on a publish, whose deliver record then opens the next generation (S79). If the ack
        was never synced, and a flush is cut short behind that segment, the table of S115 has an error there.
        """
        names = self.storage.names
        synced = max((at for at, name in enumerate(names) if name == "fsync jif"), default=0)
        flushing = {"append idx", "delete idx"}.intersection(names[synced:])
        return bool(flushing) and why.startswith("the journal delivers")

    def _start(self) -> str:
        """Start on the files; return why that cannot be, "" when it can."""
        try:
            self.door.start_after_crash()
        except (IndexCorrupt, StoreCorrupt) as error:
            return str(error)
        return ""

    def _check_bytes(self, expected: list[reference.Found]) -> None:
        """Check that every body that came back is the one that was published."""
        codec = self.door.codec
        rows = {
            row[0] + i: (row[3], row[4] + i * row[6] * row[5], row[5])
            for row in self.door.persistent.snapshot()["rows"]
            for i in range(row[1])
            if row[2]
        }
        for _, pub in expected:
            msg_no = codec.msg_no_of(pub.id16)
            term = pub.term
            if not term:
                file, offset, size = rows[msg_no]
                record = self.storage.read_bytes(f"{STORE}/{file}.rdq", offset, size)
                assert record[:8] == (size - 9).to_bytes(8, "big")
                assert record[8:24] == pub.id16
                assert record[-1] == reference.MARKER
                term = record[24:-1]
            assert term == codec.terms(msg_no, 1, 0, self.model.published[msg_no].size, True).tobytes()

    def _empty(self) -> None:
        """Take everything: the whole content comes in order, and as redelivered when it lived through a crash."""
        ready = self.model.ready_msgs()
        taken = self.door.queue.fetch(len(ready) + 1, ack=True)
        got = [each.extent.msg_no + i for each in taken for i in range(each.extent.count)]
        assert got == ready
        redelivered = [i < each.redelivered for each in taken for i in range(each.extent.count)]
        for msg_no, flag in zip(got, redelivered, strict=True):
            assert flag or not self.model.published[msg_no].crashed, f"message {msg_no} claims to be new"
