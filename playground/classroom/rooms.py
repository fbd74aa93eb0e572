"""The sockets of a class in this process: a plain set, sent changes a few times a second at most. Others have theirs.

Views run in threads; they only say that something in a class changed. The room's own task, in the event loop, reads
the database once for everybody and sends each socket what is new for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import math
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final, Protocol

from playground.hosting import protocol
from playground.records import paused_sessions
from playground.sessions import cluster_control, live_hosts

logger = logging.getLogger(__name__)

GATHER_S = 0.4
"""Changes within this time are sent together."""
CHECK_S = 2.0
"""Time between two checks of the sessions, the clock, and what another process may have changed."""

FRESH_S = 4 * CHECK_S
"""What other processes reported holds for so long: they report it again at each check."""

GRID_RESTS: Final = 10
"""After a grid was read, the next one waits for so many times as long as that took: what students do comes first."""
MOST_REST_S: Final = 3.0

Read = Callable[[int, dict[int, int], bool], Awaitable[dict[str, Any] | None]]


class RoomMember(Protocol):
    """A socket in a room."""

    student: int | None
    """The student's id, None for the teacher."""

    def show(self, picture: dict[str, Any] | None) -> None:
        """Send what is new; None when the class is gone. Must not block."""


class ClassRoom:
    """Everybody of one class who is connected here."""

    def __init__(self, classroom: int, read: Read) -> None:
        self.classroom = classroom
        self.members: set[RoomMember] = set()
        self._read = read
        self._changed = asyncio.Event()
        self._numbers = itertools.count(1)
        """Of the readings, by when they began."""
        self._shown = 0
        """The reading that was shown last."""
        self._telling: set[asyncio.Task[None]] = set()
        self._grid_due_s = 0.0
        """When the teacher's grid may be read again."""
        self._grid_waits: asyncio.TimerHandle | None = None
        self._elsewhere: dict[str, tuple[float, list[tuple[int, int]]]] = {}
        """When other processes reported who is connected there, and who."""
        self.loop = asyncio.get_running_loop()
        self._task = self.loop.create_task(self._live(), name=f"class {classroom}")

    def online(self) -> dict[int, int]:
        """Return how many sockets each student has, in all processes."""
        found = self._here()
        for at_s, online in self._elsewhere.values():
            if time.monotonic() - at_s < FRESH_S:
                found.update(dict(online))
        return dict(found)

    def _here(self) -> Counter[int]:
        return Counter(member.student for member in self.members if member.student is not None)

    def note_others(self, sender: str, online: list[tuple[int, int]]) -> None:
        """Another process says who is connected there."""
        _at_s, before = self._elsewhere.get(sender, (0.0, []))
        self._elsewhere[sender] = time.monotonic(), online
        if sorted(before) != sorted(online):
            self.changed()

    def changed(self, at_once: bool = False) -> None:
        """Something differs; with `at_once` it is shown before the grid is read. Call it in the event loop."""
        self._changed.set()
        if at_once:
            task = self.loop.create_task(self._show_logged(grid=False))
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)

    def grid_changed(self) -> None:
        """Something differs that only the teacher's grid shows; it waits for its time. Call it in the event loop."""
        if self._grid_waits is None and any(member.student is None for member in self.members):
            due_s = min(self._grid_due_s, self.loop.time() + MOST_REST_S)
            self._grid_waits = self.loop.call_at(due_s, self._grid_due)

    def _grid_due(self) -> None:
        self._grid_waits = None
        self.changed()

    def show_grid_soon(self) -> None:
        """Read the grid next, as somebody has none yet."""
        self._grid_due_s = 0.0

    async def _show_logged(self, *, grid: bool) -> None:
        try:
            await self._read_and_show(grid)
        except Exception:
            logger.exception("class %s could not be read", self.classroom)

    async def _read_and_show(self, grid: bool) -> None:
        """Show everybody what is new, and hold the students' sessions while the class is frozen. `grid`: whether it
        may be read, which is done only where a teacher is, and seldom while that is slow.
        """
        begun_s, number = self.loop.time(), next(self._numbers)
        has_teacher = any(member.student is None for member in self.members)
        grid = grid and has_teacher and begun_s >= self._grid_due_s
        if grid:
            self._grid_due_s = math.inf
        try:
            picture = await self._read(self.classroom, self.online(), grid)
        finally:
            if grid and self._grid_due_s == math.inf:  # else a teacher has come meanwhile
                now_s = self.loop.time()
                self._grid_due_s = now_s + min(MOST_REST_S, GRID_RESTS * (now_s - begun_s))
        if number < self._shown:  # what was read later is shown already
            self.show_grid_soon()
            return
        self._shown = number
        if picture is None:
            paused_sessions.release(_key(self.classroom))
        else:
            hold(self.classroom, picture["held"], picture["frozen"])
        for member in tuple(self.members):
            member.show(picture)

    async def _live(self) -> None:
        while self.members:
            self._changed.clear()
            await self._show_logged(grid=True)
            cluster_control.broadcast("present", classroom=self.classroom, online=list(self._here().items()))
            await asyncio.sleep(GATHER_S)
            try:
                async with asyncio.timeout(CHECK_S):
                    await self._changed.wait()
            except TimeoutError:
                continue
        cluster_control.broadcast("present", classroom=self.classroom, online=[])
        if _rooms.get(self.classroom) is self:
            del _rooms[self.classroom]


_rooms: dict[int, ClassRoom] = {}
_lock = threading.Lock()


def enter(classroom: int, member: RoomMember, read: Read) -> ClassRoom:
    room = _rooms.get(classroom)
    if room is None or not room.members:  # one that is just closing is not joined any more
        room = _rooms[classroom] = ClassRoom(classroom, read)
    room.members.add(member)
    if member.student is None:
        room.show_grid_soon()
    room.changed()
    return room


def leave(room: ClassRoom, member: RoomMember) -> None:
    room.members.discard(member)
    room.changed()


def announce_change(classroom: int, *, at_once: bool = False) -> None:
    """Say that something of a class differs, in all processes. May be called in any thread. `at_once`: whether
    students wait for it, as when their teacher freezes the class.
    """
    _tell(classroom, "at_once" if at_once else "soon")


def announce_work(classroom: int) -> None:
    """Say that students of a class did something, which only its teacher's grid shows. May be called in any thread."""
    _tell(classroom, "grid")


def _tell(classroom: int, when: str) -> None:
    _tell_here(classroom, when)
    cluster_control.broadcast("class", classroom=classroom, when=when)


def _tell_here(classroom: int, when: str = "soon") -> None:
    room = _rooms.get(classroom)
    if room is None:
        return
    if when == "grid":
        room.loop.call_soon_threadsafe(room.grid_changed)
    else:
        room.loop.call_soon_threadsafe(room.changed, when == "at_once")


def elsewhere(classroom: int, sender: str, online: list[tuple[int, int]]) -> None:
    """Note who is connected in another process, as it reported. Call it in the event loop."""
    room = _rooms.get(classroom)
    if room is not None:
        room.note_others(sender, [(student, count) for student, count in online])


def of(classroom: int) -> ClassRoom | None:
    return _rooms.get(classroom)


MIX_TIMEOUT_S: Final = 0.3

Mix = list[int] | None

_holding: set[int] = set()
_mixes: dict[str, tuple[float, Mix]] = {}
"""What other processes reported of their sessions, and when."""
_answering: set[asyncio.Task[None]] = set()


def begin() -> None:
    cluster_control.on("class", lambda sender, classroom, when="soon": _tell_here(classroom, when))
    cluster_control.on("present", lambda sender, classroom, online: elsewhere(classroom, sender, online))
    cluster_control.on("hold", _hold)
    cluster_control.on("ask_mixes", _answer_mixes)
    cluster_control.on("mixes", _take_mixes)


# --- holding ---


def hold(classroom: int, sessions: list[str], frozen: bool) -> None:
    """Hold the students' sessions wherever they are while the class is frozen: no commands, and no time passes."""
    if frozen:
        _hold_here(classroom, sessions)
        _holding.add(classroom)
        cluster_control.broadcast("hold", classroom=classroom, sessions=sessions)
    else:
        paused_sessions.release(_key(classroom))
        if classroom in _holding:
            _holding.discard(classroom)
            cluster_control.broadcast("hold", classroom=classroom, sessions=[])


def _key(classroom: int) -> str:
    return f"class {classroom}"


def _hold_here(classroom: int, sessions: Iterable[str], **lasts: float) -> None:
    for public_id in paused_sessions.hold(_key(classroom), sessions, **lasts):
        host = live_hosts.registry().host(public_id)
        if host is not None:
            host.say(protocol.ControlRun(False))


def _hold(sender: str, classroom: int, sessions: list[str]) -> None:
    """Do what a room elsewhere asks for, unless there is one here, which reads the class itself."""
    if of(classroom) is None:
        _hold_here(classroom, sessions, lasts_s=FRESH_S)


# --- mixes ---


async def mixes_of(sessions: list[str]) -> dict[str, Mix]:
    """Return how many alphas, betas, gammas and deltas sessions hold: now, or, for those elsewhere, a moment ago."""
    here = [public_id for public_id in sessions if live_hosts.registry().host(public_id) is not None]
    away = sorted(set(sessions) - set(here))
    if away:
        cluster_control.broadcast("ask_mixes", sessions=away)
    now_s = time.monotonic()
    for public_id in [each for each, (at_s, _mix) in _mixes.items() if now_s - at_s > FRESH_S]:
        del _mixes[public_id]
    found = {public_id: _mixes[public_id][1] for public_id in away if public_id in _mixes}
    return found | dict(zip(here, await asyncio.gather(*map(_mix, here)), strict=True))


async def _mix(public_id: str) -> Mix:
    host = live_hosts.registry().host(public_id)
    if host is None:
        return None
    with contextlib.suppress(TimeoutError):
        return await asyncio.wait_for(host.mix(), MIX_TIMEOUT_S)
    return None


def _answer_mixes(sender: str, sessions: list[str]) -> None:
    here = [public_id for public_id in sessions if live_hosts.registry().host(public_id) is not None]

    async def answer() -> None:
        mixes = await asyncio.gather(*map(_mix, here))
        cluster_control.broadcast("mixes", mixes=dict(zip(here, mixes, strict=True)))

    if here:
        task = asyncio.get_running_loop().create_task(answer())
        _answering.add(task)
        task.add_done_callback(_answering.discard)


def _take_mixes(sender: str, mixes: dict[str, Mix]) -> None:
    now_s = time.monotonic()
    _mixes.update({public_id: (now_s, mix) for public_id, mix in mixes.items()})
