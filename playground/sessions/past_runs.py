"""The past of a run, by repetition: rows that a page missed, and files of past moments."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal, get_args

import msgspec

from engine.replay import RunPlayer
from engine.replay.player import KEEP_EVENTS, SLICE, PlayedPiece, encode
from engine.replay.survival import foresee
from engine.values.byte_cache import ByteCache
from playground.hosting.file_records import NotThere
from playground.hosting.real_engine import door
from playground.hosting.session_files import ProcessDirectory
from playground.hosting.session_record import RecordedSession
from playground.jobs import RUN, job
from playground.limits import session_limits

COMMAND_BYTES: Final = 400
"""Approximate bytes of each command that a cached answer depends on."""


class PendingAnswers:
    """For threads."""

    def __init__(self, most_bytes: int) -> None:
        self._kept: ByteCache[Hashable, tuple[Sequence[Any], bytes]] = ByteCache(most_bytes, _size)
        self._guard = threading.Lock()

    def find(self, key: Hashable, commands: Sequence[Any] = ()) -> bytes | None:
        """Return a cached answer that is still valid. `commands`: the run's commands now; they must begin with those
        that the answer depends on.
        """
        with self._guard:
            used, answer = self._kept.find(key) or ((), None)
            return answer if commands[: len(used)] == used else None

    def keep(self, key: Hashable, answer: bytes, used: Sequence[Any] = ()) -> bytes:
        """Cache an answer with the commands that it depends on, and return it."""
        with self._guard:
            self._kept.keep(key, (used, answer))
        return answer

    def clear(self) -> None:
        with self._guard:
            self._kept.clear()


def _size(_key: Hashable, kept: tuple[Sequence[Any], bytes]) -> int:
    used, answer = kept
    return len(answer) + COMMAND_BYTES * len(used)


WHOLE: Final = 6000
"""Most rows of a past that is sent completely."""
NEAR: Final = 2000
"""For a longer past: rows just before the page's own to send."""
MOMENTS: Final = 32
"""For a longer past: approximate number of states to send for the earlier rows."""
STATES_BYTES: Final = 4 * 1024 * 1024
"""Most bytes of all states of an answer, since the states of a queue with many small extents are large."""
LOG: Final = 4096
"""Most rows of one event; a larger event is a gap, as it was for live pages."""


class MissedStretch(msgspec.Struct, omit_defaults=True):
    """A state, and the rows that follow it without a gap. `first`: number of the first row. `state`: of the node;
    None before the very first row.
    """

    first: int
    us: int
    state: msgspec.Raw | None = None
    rows: list[Any] = []
    at_us: list[int] = []


class PastRows(msgspec.Struct):
    """An answer: stretches in order, and the number of the row after the last one."""

    stretches: list[MissedStretch]
    through: int


NOTHING: Final = encode(PastRows([], 0))
"""The answer where nothing can be sent."""


@job(RUN)
def rows_of(first: int, last: int, record: RecordedSession) -> tuple[bytes, int]:
    """Return the rows from number `first` up to but not including `last` as JSON, see `PastRows`, as far as they can
    be repeated in time, and the number of commands that they depend on. `record`: of the session, with the time that
    the run has reached; no later row is sent. Raises NotThere: "future" when the run has not come that far.
    """
    player = RunPlayer(door().rehearse(record.scenario, LOG), record.commands)
    chosen = ChosenRows(player, first, last)
    deadline_s = time.monotonic() + session_limits.current().past_s
    for piece in player.play(record.reached_us):
        chosen.take(piece)
        if chosen.done or (not piece.last and time.monotonic() > deadline_s):
            break
    else:
        if player.next < last:
            raise NotThere("future")
    return encode(PastRows(chosen.stretches, min(player.next, last))), player.given


class ChosenRows:
    """Chooses the stretches of a run to send, piece by piece. `player`: ready to play the run. `first`: number of the
    first requested row. `last`: number of the row after the last.
    """

    def __init__(self, player: RunPlayer, first: int, last: int) -> None:
        self.stretches: list[MissedStretch] = []
        self._player = player
        self._last = last
        self._near = first if last - first <= WHOLE else last - NEAR
        self._every = max(SLICE, (self._near - first) // MOMENTS)
        self._next_state = first
        self._states_bytes = 0
        self._open = False
        if first == 0:
            self.stretches.append(MissedStretch(0, 0))
            self._open = self._near == 0
            self._next_state = self._every

    @property
    def done(self) -> bool:
        """Whether the run has reached the last requested row."""
        return self._player.next >= self._last

    def take(self, piece: PlayedPiece) -> None:
        """Choose the rows of a piece, the state after it, or neither."""
        if piece.lost:
            self._open = False
        elif self._open:
            room = max(0, self._last - piece.first)
            self.stretches[-1].rows += piece.rows[:room]
            self.stretches[-1].at_us += piece.at_us[:room]
        number = self._player.next
        if number >= self._last or self._open:
            return
        near = number >= self._near - SLICE
        if near or number >= self._next_state:
            self._open = self._begin(number) and near
            self._next_state = number + self._every

    def _begin(self, number: int) -> bool:
        """Start a stretch at the current state; return whether there was room."""
        state = encode(self._player.node.snapshot())  # type: ignore[attr-defined]  # a door's node has one
        if self._states_bytes + len(state) > STATES_BYTES:
            return False
        self._states_bytes += len(state)
        self.stretches.append(MissedStretch(number, self._player.node.now_us, msgspec.Raw(state)))
        return True


KEPT: Final = 4
"""Most moments to keep at a time; each may take as much disk as a session."""
FULL: Final = 0.9
"""Fraction of the allowed disk that may be used."""


class PastFiles(msgspec.Struct, eq=False):
    """The files after a number of transitions."""

    path: Path
    used: list[tuple[int, dict[str, Any]]]
    """The repeated commands; the files are valid while the record begins with them."""
    readers: int = 0


@job(RUN)
def files_of(root: str, number: int, record: RecordedSession) -> int:
    """Repeat a run on real files up to a transition; return how many commands it used. `root`: an empty directory.
    Raises NotThere: see `PastReader.at`.
    """
    limits = session_limits.current()
    node, files = door().open(record.scenario, root, limits.max_disk_bytes)
    player = RunPlayer(node, record.commands)
    deadline_s = time.monotonic() + limits.past_s
    try:
        for piece in player.play_to(number, limits.max_virtual_s * 1_000_000):
            if piece.last:
                break
            if time.monotonic() > deadline_s or files.used_bytes() > limits.max_disk_bytes * FULL:
                raise NotThere("too_long")
    except door().full as error:
        raise NotThere("too_long") from error
    finally:
        files.close()
    if node.log.number < number:
        raise NotThere("future")
    return player.given


class PastReader:
    """Repeats runs, one at a time. `directory`: of this process; the files of moments lie beside those of live
    sessions. `patience_s`: longest wait for another caller's repetition.
    """

    def __init__(self, directory: ProcessDirectory, patience_s: float) -> None:
        self._directory = directory
        self._patience_s = patience_s
        self._kept: OrderedDict[tuple[str, int], PastFiles] = OrderedDict()
        self._guard = threading.Lock()
        self._turn = threading.Lock()
        self.repeated = 0
        """How many runs were repeated so far."""

    def has(self, session_id: str, number: int, record: RecordedSession) -> bool:
        with self._guard:
            return self._find((session_id, number), record) is not None

    @contextlib.contextmanager
    def at(self, session_id: str, number: int, record: RecordedSession) -> Iterator[Path]:
        """Lend the directory of the files after `number` transitions. Raises NotThere: "future" when the run has not
        come that far, "too_long" when repeating it takes too long or too much disk, "busy" when others are repeated
        meanwhile.
        """
        moment = self._take((session_id, number), record)
        try:
            yield moment.path
        finally:
            with self._guard:
                moment.readers -= 1
                self._trim()

    def _take(self, key: tuple[str, int], record: RecordedSession) -> PastFiles:
        with self._guard:
            moment = self._find(key, record)
            if moment is not None:
                return self._lend(key, moment)
        if not self._turn.acquire(timeout=self._patience_s):
            raise NotThere("busy")
        try:
            with self._guard:
                moment = self._find(key, record)  # who waited for the same moment finds it made
            if moment is None:
                moment = self._repeat(key, record)
            with self._guard:
                self._kept[key] = moment
                return self._lend(key, moment)
        finally:
            self._turn.release()

    def _find(self, key: tuple[str, int], record: RecordedSession) -> PastFiles | None:
        moment = self._kept.get(key)
        if moment is None or record.commands[: len(moment.used)] != moment.used:
            return None
        return moment

    def _lend(self, key: tuple[str, int], moment: PastFiles) -> PastFiles:
        moment.readers += 1
        self._kept.move_to_end(key)
        self._trim()
        return moment

    def _trim(self) -> None:
        """Forget the least recently used moments, except those that somebody reads."""
        for key in [key for key, moment in self._kept.items() if not moment.readers]:
            if len(self._kept) <= KEPT:
                return
            self._directory.forget(self._kept.pop(key).path.name)

    def _repeat(self, key: tuple[str, int], record: RecordedSession) -> PastFiles:
        session_id, number = key
        self.repeated += 1
        path = self._directory.fresh(f"{session_id}.{number}.{self.repeated}")
        try:
            used = files_of(str(path), number, record)
        except BaseException:
            self._directory.forget(path.name)
            raise
        return PastFiles(path, record.commands[:used])


Kind = Literal["clean", "kill", "power"]
KINDS: Final = get_args(Kind)


@job(RUN)
def fates_of(kind: Kind, record: RecordedSession) -> tuple[bytes, int]:
    """Return the fate of each queue's messages as JSON, see `engine.replay.survival.Fate`, and of how many commands.
    `record`: of the session, with the time that the run has reached. Raises NotThere: "too_long" when repeating the
    run takes too long.
    """
    player = RunPlayer(door().rehearse(record.scenario, KEEP_EVENTS), record.commands)
    deadline_s = time.monotonic() + session_limits.current().past_s
    for piece in player.play(record.reached_us):
        if not piece.last and time.monotonic() > deadline_s:
            raise NotThere("too_long")
    return encode(foresee(player, kind)), player.given
