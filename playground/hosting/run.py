"""One run of a node, as a host drives it: built from its record or a checkpoint, played in bounded slices, and sent
as frames and snapshots, of which what is equal for all readers is encoded once. All calls come one at a time in a
worker thread. Like the player and the pacer it needs neither Django nor asyncio, so that it also runs in a browser.
"""

from __future__ import annotations

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from engine.broker.cluster import Cluster
from engine.replay import RunPlayer
from engine.replay.player import ROWS_IN_A_FRAME, PlayedFrame, encode, frame_message, snapshot_message
from engine.storage.directory import DirectoryStorage
from playground.hosting import pacer
from playground.hosting.pacer import PageClock
from playground.hosting.real_engine import EngineDoor
from playground.hosting.session_files import CheckpointStore, SessionFiles
from playground.hosting.session_record import RecordedSession
from playground.limits.session_bounds import RECORD_BYTES, SessionBounds, number_of


class SessionUsage(msgspec.Struct, frozen=True):
    """A session's current use of resources."""

    messages: int = 0
    disk_bytes: int = 0
    ram_bytes: int = 0
    transitions: int = 0
    commands: int = 0


class BurstBeyond(Exception):
    """A command needs more than is available. `values`: its numbers."""

    def __init__(self, code: str, **values: int) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


def check_burst(
    command: dict[str, Any], bounds: SessionBounds, usage: SessionUsage, most_messages: int
) -> None:
    """Raise `BurstBeyond` if a publish would exceed a bound of messages or bytes; its `room` keeps all of them.
    `most_messages`: that the node may hold.
    """
    if command.get("do") != "publish":
        return
    count, size_bytes = number_of(command, "count"), number_of(command, "size_bytes")
    most = min(bounds.max_messages, most_messages)
    each = int(size_bytes) + RECORD_BYTES
    # What is only in RAM yet may be paged out at any time: it has a promise of room.
    used = usage.disk_bytes + usage.ram_bytes
    most_bytes = bounds.max_disk_bytes * 9 // 10
    room = max(0, min(most - usage.messages, (most_bytes - used) // each))
    if usage.messages + count > most:
        raise BurstBeyond("too_many_messages", held=usage.messages, most=most, room=room)
    if used + count * each > most_bytes:
        raise BurstBeyond("too_many_bytes", wanted=int(count) * each, used=used, most=most_bytes, room=room)


__all__ = ["ROWS_IN_A_FRAME", "PlayedFrame", "RunReplay", "SessionRun"]


class SessionRun:
    """A node, and the transitions that its host has not sent yet."""

    def __init__(
        self,
        node: Cluster,
        files: DirectoryStorage,
        disk_bytes: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.node = node
        self.files = files
        self.player = RunPlayer(node, first=node.log.number)
        self._disk_bytes = disk_bytes
        self.clock = clock
        self.frame = PlayedFrame(node.log.number)

    @property
    def good_us(self) -> int:
        """The last instant at which everything has been done."""
        return self.player.settled_us

    def moment(self) -> dict[str, Any]:
        return {"at_us": self.node.now_us, "digest": self.node.log.digest}

    # --- what the engine does ---

    def turn(self, until_us: int, budget_s: float) -> bool:
        """Advance for at most `budget_s` of real time; return whether `until_us` was reached."""
        deadline = self.clock() + budget_s
        for piece in self.player.play(until_us):
            self.frame.add(piece)
            if not piece.last and (self.clock() >= deadline or self.disk_is_full()):
                return False
        return True

    def finish_instant(self) -> None:
        """Do everything that is due at the current instant, so that the order can be repeated."""
        for piece in self.player.play(self.node.now_us):
            self.frame.add(piece)

    def submit(self, command: dict[str, Any]) -> int:
        """Apply a command between two instants; return when it was."""
        self.finish_instant()
        at_us = self.node.now_us
        self.frame.add(self.player.give(command))
        return at_us

    def step(self) -> None:
        self.frame.add(self.player.step())

    # --- what the host sends of it ---

    def take_frame(self) -> PlayedFrame:
        """Return the collected frame, and start a new one."""
        taken, self.frame = self.frame, PlayedFrame(self.node.log.number)
        return taken

    def encode_frame(self, frame: PlayedFrame, clock: PageClock, asks: bool = True) -> bytes:
        """Write a frame as it goes over the wire. `asks`: whether the page must acknowledge it."""
        more: dict[str, Any] = {} if asks else {"ack": False}
        if clock.to_us > clock.now_us:
            more["to_us"] = clock.to_us
        if clock.pace != clock.speed:
            more["pace"] = round(clock.pace, 3)
        pace = {"play": clock.play, "speed": clock.speed, **more}
        return encode(frame_message(frame, clock.now_us, digest=self.node.log.digest, **pace))

    def encode_state(self) -> msgspec.Raw:
        """Write the whole state once, for all the snapshots that carry it."""
        return msgspec.Raw(encode(self.node.snapshot()))

    def encode_snapshot(
        self, state: msgspec.Raw, why: str, skipped: dict[str, int], clock: PageClock
    ) -> bytes:
        log = self.node.log
        message = snapshot_message(log.number, clock.now_us, state, why, skipped, log.digest)
        if clock.to_us > clock.now_us:
            message |= {"to_us": clock.to_us, "pace": round(clock.pace, 3)}
        return encode(message)

    def rows_since(self, number: int) -> PlayedFrame | None:
        """Return the frame from `number` to now, if it is small and still available."""
        if not 0 <= self.node.log.number - number <= ROWS_IN_A_FRAME:
            return None
        rows = self.node.log.since(number)
        if rows is None:
            return None
        return PlayedFrame(number, rows.at_us, rows.rows, Counter(type(row).__name__ for row in rows.rows))

    def close(self) -> None:
        self.files.close()

    # --- what it takes ---

    def disk_is_full(self) -> bool:
        """Whether nine tenths of the allowed disk are used; the rest is for an orderly stop."""
        return self.files.used_bytes() > self._disk_bytes * 0.9

    def usage(self, commands: int) -> SessionUsage:
        node = self.node
        return SessionUsage(
            node.held_messages(), self.files.used_bytes(), node.ram_bytes(), node.log.number, commands
        )


class RunReplay:
    """Replays a run to the recorded moment, in slices."""

    def __init__(
        self, run: SessionRun, commands: Sequence[tuple[int, dict[str, Any]]], until_us: int
    ) -> None:
        self._run = run
        run.player.commands = list(commands)
        self._pieces = run.player.play_all(until_us)

    def go_on(self, budget_s: float) -> bool:
        """Work for about `budget_s`; return whether it is finished."""
        run = self._run
        deadline = run.clock() + budget_s
        for piece in self._pieces:
            run.frame = PlayedFrame(piece.first + piece.count)
            if not piece.last and (run.clock() >= deadline or run.disk_is_full()):
                return False
        return True


logger = logging.getLogger(__name__)


class RunStorage(NamedTuple):
    """Where the runs of a process are kept. `files`: makes and removes the directory of each. `checkpoints`: keeps
    whole runs; None for none.
    """

    files: SessionFiles
    checkpoints: CheckpointStore | None = None


class RunBuilder:
    """Builds one session's runs.

    Args:
        storage: for its files and checkpoints.
        clock: real seconds.
        breathe: lets others have their turn; called between two transitions.
        report: hears how many percent are repeated, where that takes long.
    """

    def __init__(
        self,
        session_id: str,
        *,
        door: EngineDoor,
        storage: RunStorage,
        bounds: SessionBounds,
        clock: Callable[[], float],
        breathe: Callable[[], None],
        report: Callable[[int], None],
    ) -> None:
        self._session_id = session_id
        self._door = door
        self._files, self._checkpoints = storage
        self._bounds = bounds
        self._clock = clock
        self._breathe = breathe
        self._report = report
        self._kept_number = 0
        """Transitions of the run when it was kept last."""

    def build(self, record: RecordedSession, until_us: int) -> SessionRun:
        """Bring the newest checkpoint back and go on from there; without one that works, from the beginning.
        `until_us`: the virtual time to come to, in microseconds.
        """
        if self._checkpoints is not None:
            try:
                path = self._files.fresh(self._session_id)
                found = self._checkpoints.restore(self._session_id, record, until_us, path, self._breathe)
                if found is not None:
                    return self._repeat(record, until_us, *found)
            except (OSError, MemoryError, *self._door.full):  # type: ignore[misc]  # mypy cannot unpack a tuple here
                logger.exception("session %s: its checkpoint cannot be used now", self._session_id)
            except Exception:
                logger.exception("session %s: its checkpoints are of no use", self._session_id)
                self._checkpoints.forget(self._session_id)
        path = self._files.fresh(self._session_id)
        node, files = self._door.open(record.scenario, str(path), self._bounds.room_bytes)
        return self._repeat(record, until_us, node, files, given=0)

    def _repeat(
        self, record: RecordedSession, until_us: int, node: Cluster, files: DirectoryStorage, given: int
    ) -> SessionRun:
        """Repeat what comes after the first `given` commands."""
        run = SessionRun(node, files, self._bounds.max_disk_bytes, self._clock)
        run.node.log.pause = self._breathe
        replay = RunReplay(run, record.commands[given:], until_us)
        self._kept_number = run.node.log.number if given else 0
        reported_s = self._clock()
        try:
            while not replay.go_on(pacer.SLICE_S):
                self._breathe()
                if self._clock() - reported_s >= pacer.NOTICE_S:
                    reported_s = self._clock()
                    self._report(min(99, run.node.now_us * 100 // max(1, until_us)))
        except BaseException:
            run.close()
            raise
        return run

    def keep(self, run: SessionRun, record: RecordedSession, after: int) -> None:
        """Keep the run as it is if so many transitions came since the last time."""
        number = run.node.log.number
        if self._checkpoints is None or number - self._kept_number < after:
            return
        self._kept_number = number
        path = self._files.of(self._session_id)
        run.node.log.pause = None  # a way back into this process is no part of a run
        try:
            self._checkpoints.save(self._session_id, run.node, run.files, path, record, self._breathe)
        except OSError:
            logger.exception("session %s: no checkpoint could be written", self._session_id)
        finally:
            run.node.log.pause = self._breathe


FRAMES_IN_FLIGHT = 10
ASKED = 4
"""Every fourth unacknowledged frame asks for an acknowledgement, which also covers the frames before it."""

Answer = Literal["frame", "snapshot", "nothing"]


class FrameWindow:
    """The bookkeeping of one reader. A reader is *in step* (it expects the newest row next) or *behind*,
    because it has just joined or its acknowledgements stopped. A reader that is behind gets a snapshot as
    soon as there is room, and no row before it; so its rows have no gaps.
    """

    def __init__(self) -> None:
        self.behind: str | None = "join"
        self.joined = False
        self.pace_owed = False
        """Whether the reader does not know the current pace yet."""
        self.hidden = False
        self.missed: Counter[str] = Counter()
        self._in_flight: deque[int] = deque()

    @property
    def unacknowledged(self) -> int:
        return len(self._in_flight)

    @property
    def asks(self) -> bool:
        """Whether the reader must acknowledge the last frame."""
        return not len(self._in_flight) % ASKED

    @property
    def waits(self) -> bool:
        """Whether a snapshot or the pace is owed, and there is room for it."""
        owed = self.behind is not None or self.pace_owed
        return self.joined and not self.hidden and owed and len(self._in_flight) < FRAMES_IN_FLIGHT

    def join(self, in_step: bool) -> None:
        """Start or restart the reader, either in step or in need of a snapshot."""
        self.joined = True
        self.behind = None if in_step else "join"
        self.pace_owed = False
        self.missed.clear()
        self._in_flight.clear()

    def show(self, seen: bool) -> None:
        """Note whether the reader's page is visible; a hidden page gets nothing, and a snapshot afterwards."""
        self.hidden = not seen

    def restart(self) -> None:
        """Forget the reader's rows, because the run was rebuilt."""
        self.behind = "join"
        self.missed.clear()

    def owe_pace(self) -> None:
        """Note that the pace changed since the reader was last told."""
        self.pace_owed = True

    def answer(self, counts: Counter[str], fast: bool) -> Answer:
        """Decide what to send of the new rows. `counts`: numbers of new rows by kind; empty if only the clock moved.
        `fast`: there are too many to send one by one.
        """
        if not self.joined:
            return "nothing"
        if self.hidden or len(self._in_flight) >= FRAMES_IN_FLIGHT:
            if counts and self.behind is None:
                self.behind = "hidden" if self.hidden else "lag"
            self._miss(counts)
            return "nothing"
        if self.behind is not None:
            self._miss(counts)
            return "snapshot"
        if fast:
            self.behind = "fast"
            self._miss(counts)
            return "snapshot"
        return "frame"

    def _miss(self, counts: Counter[str]) -> None:
        if self.behind != "join":
            self.missed.update(counts)

    def sent(self, through: int, has_pace: bool = True) -> None:
        """Note a sent message. `through`: number of the first row that the reader still lacks. `has_pace`: whether
        the message states the pace, as a frame does and a snapshot does not.
        """
        self._in_flight.append(through)
        self.pace_owed = self.pace_owed and not has_pace

    def caught_up(self) -> tuple[str, dict[str, int]]:
        """Note that a snapshot is sent now; return its reason and the numbers of left-out rows by kind."""
        why, missed = self.behind or "join", dict(self.missed)
        self.behind = None
        self.missed.clear()
        return why, missed

    def acknowledge(self, through: int) -> None:
        """Note that the reader has applied everything up to row `through`."""
        while self._in_flight and self._in_flight[0] <= through:
            self._in_flight.popleft()


Send = Callable[[list[int], bytes], None]


class FrameSender:
    """Sends each reader what its window allows. `send`: hands bytes to readers, by their numbers."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.last_s = 0.0
        """Time of the last frame."""
        self.windows: dict[int, FrameWindow] = {}
        self._announced: PageClock | None = None

    @property
    def seen(self) -> bool:
        return any(window.joined and not window.hidden for window in self.windows.values())

    @property
    def watched(self) -> bool:
        return any(window.joined for window in self.windows.values())

    def beat(self) -> None:
        """Send everybody a frame as soon as there is room, because the pace changed."""
        for window in self.windows.values():
            window.owe_pace()

    def restart(self) -> None:
        """Forget all readers' rows, because the run was rebuilt."""
        for window in self.windows.values():
            window.restart()
        self.beat()

    def owes(self, run: SessionRun) -> bool:
        """Whether some reader should get something soon."""
        return bool(run.frame.counts) or any(each.waits for each in self.windows.values())

    def flush(self, run: SessionRun, clock: PageClock, now_s: float, beat_s: float | None) -> None:
        """Send the collected rows. `now_s`: real seconds. `beat_s`: also send an empty frame if the last one is this
        old, or if pages show a wrong time.
        """
        if not (self._is_beat_due(clock, now_s, beat_s) or self.owes(run)):
            return
        self.last_s, self._announced = now_s, clock
        frame = run.take_frame()
        answers = {reader: window.answer(frame.counts, frame.fast) for reader, window in self.windows.items()}
        in_step = [reader for reader, answer in answers.items() if answer == "frame"]
        behind = [reader for reader, answer in answers.items() if answer == "snapshot"]
        through = frame.first + frame.counts.total()
        if in_step:
            self._send_frame(in_step, frame, run, clock)
        if behind:
            state = run.encode_state()
            for reader in behind:
                window = self.windows[reader]
                why, skipped = window.caught_up()
                window.sent(through, has_pace=False)
                self._send([reader], run.encode_snapshot(state, why, skipped, clock))
                if window.pace_owed or why != "fast":
                    self._send_frame([reader], PlayedFrame(through), run, clock)

    def _is_beat_due(self, clock: PageClock, now_s: float, beat_s: float | None) -> bool:
        if beat_s is None:
            return False
        strays = self._announced is not None and self._announced.strays_from(clock)
        return strays or now_s - self.last_s >= beat_s

    def join(self, reader: int, rows: PlayedFrame | None, run: SessionRun, clock: PageClock) -> None:
        """Start or restart a reader: in step with these rows, else it needs a snapshot."""
        self.windows[reader].join(in_step=rows is not None)
        if rows is not None:
            self._send_frame([reader], rows, run, clock)

    def _send_frame(self, readers: list[int], frame: PlayedFrame, run: SessionRun, clock: PageClock) -> None:
        for reader in readers:
            self.windows[reader].sent(frame.first + frame.counts.total())
        asks = any(self.windows[reader].asks for reader in readers)
        self._send(readers, run.encode_frame(frame, clock, asks))
