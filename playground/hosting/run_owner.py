"""The life of one session's run: woken by replaying the record, suspended, repaired or stopped when something fails.
The run itself is in a worker; here are its record and the requests to the worker.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import deque
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import msgspec

from playground.hosting import protocol, refusals
from playground.hosting.audience import SessionAudience, SessionClient
from playground.hosting.pool import (
    CommandDeclined,
    LinkListener,
    WorkerEnd,
    WorkerFailed,
    WorkerLost,
    WorkerPool,
)
from playground.hosting.real_engine import EngineDoor
from playground.hosting.session_files import ProcessDirectory
from playground.hosting.session_record import (
    OwnedElsewhere,
    RecordedSession,
    RecordUnreachable,
    SessionRecord,
    judge,
)
from playground.limits import session_limits as checks
from playground.limits.session_limits import SessionLimits
from playground.texts import PageMessage, RequestRefused

FIRST_WAIT_S: Final = 0.25
LONGEST_WAIT_S: Final = 1.0
"""Longest wait before a retry, so that a session is back within two seconds after its problem ends."""
LONGEST_REST_S: Final = 15.0
"""Longest pause after a slow try; the pause is as long as the try, so that trying takes at most half of the time."""
CALM_S: Final = 60.0
"""After this long without failure, delays start again with the shortest."""


class RunStopped(RequestRefused):
    """The run is not available now, through no fault of a command. Everything acknowledged is on record."""

    again = True
    """Whether an automatic retry is useful."""


class RetryDelay:
    """The wait before a failed action is tried again: longer after each try, until one succeeds. Only a
    failed try changes the time of the next. Requests in between are refused and change nothing.
    """

    def __init__(self) -> None:
        self.message: PageMessage | None = None
        """The current problem; None if there is none."""
        self.play = False
        """Whether time passed before the problem, and should pass again afterwards."""
        self.due_s = 0.0
        self._wait_s = FIRST_WAIT_S
        self._mended_s = -math.inf
        self._tried_s: float | None = None
        """Start of the current try."""

    def tries(self, now_s: float) -> None:
        self._tried_s = now_s

    def failed(self, message: PageMessage, play: bool, now_s: float, *, again: bool = True) -> bool:
        """Note a failure; return whether the watchers do not know it yet. `play`: whether time passed before.
        `now_s`: real time. `again`: whether an automatic retry is useful.
        """
        news = self.message is None or str(self.message) != str(message)
        if not news and math.isinf(self.due_s):
            return False  # who asks once more does not make trying of use
        begins = self.message is None
        if begins:
            self.play = play
            if now_s - self._mended_s >= CALM_S:
                self._wait_s = FIRST_WAIT_S
        self.message = message
        if not again:
            self.due_s = math.inf
        elif begins or self._tried_s is not None:
            took_s = 0.0 if self._tried_s is None else now_s - self._tried_s
            self.due_s = now_s + max(self._wait_s, min(LONGEST_REST_S, took_s))
            self._wait_s = min(LONGEST_WAIT_S, 2 * self._wait_s)
        self._tried_s = None
        return news

    def try_now(self) -> None:
        """Allow the next try at once, because something changed."""
        self.due_s = 0.0

    def mended(self, now_s: float) -> None:
        self.message = self._tried_s = None
        self._mended_s = now_s


logger = logging.getLogger(__name__)

Notice = Callable[[str, PageMessage], None]


class HostResources(NamedTuple):
    """What all sessions of a process share. `door`: the way to the engine. `pool`: gives a session a worker."""

    door: EngineDoor
    pool: WorkerPool
    directory: ProcessDirectory


class RunOwner:
    """Owns the record of a session and its run. `listener`: takes messages that the worker sends unasked. `notice`:
    sends a sentence to all watchers. `superseded`: called when another process becomes the owner.
    """

    def __init__(
        self,
        session_id: str,
        *,
        book: SessionRecord,
        resources: HostResources,
        limits: SessionLimits,
        listener: LinkListener,
        notice: Notice,
        superseded: Callable[[], None],
    ) -> None:
        self.session_id = session_id
        self.life = ""
        """Names the run; empty while there is none."""
        self.record = RecordedSession({}, [])
        self.digest = ""
        """Digest of the run when it was made."""
        self._book = book
        self._door, self._pool, self._directory = resources
        self._limits = limits
        self._listener = listener
        self._notice = notice
        self._superseded = superseded
        self._worker: WorkerEnd | None = None
        self._resume_us = 0
        self._own: deque[protocol.SelfCommand] = deque()
        """Commands that the full run gave itself and that are not on record yet."""

    @property
    def awake(self) -> bool:
        return bool(self.life)

    @property
    def resume_us(self) -> int:
        return max(self._resume_us, self.record.reached_us)

    # --- to the worker ---

    async def call(self, request: Callable[..., Any], **fields: Any) -> dict[str, Any]:
        """Call the worker. Raises `RequestRefused` where it refused, and nothing changed; and see `WorkerEnd.call`."""
        if self._worker is None:
            raise WorkerLost
        try:
            return await self._worker.call(request, self.session_id, **fields)
        except CommandDeclined as declined:
            raise RequestRefused(refusals.of(declined.refusal)) from declined
        except WorkerFailed as fallen:
            self.fell(fallen.good_us)
            raise
        except WorkerLost:
            self.lost()
            raise

    def send(self, kind: Callable[..., Any], **fields: Any) -> None:
        if self._worker is not None:
            self._worker.send(kind(session=self.session_id, **fields))

    def send_with_next(self, kind: Callable[..., Any], **fields: Any) -> None:
        """Send the worker a message together with the next one, within a fifth of a second."""
        if self._worker is not None:
            self._worker.send_with_next(kind(session=self.session_id, **fields))

    def fell(self, good_us: int) -> None:
        """Drop the failed run; the next one goes to `good_us`, or further if the record does."""
        if self.life:
            self.life, self._resume_us = "", good_us
        self._own.clear()

    def lost(self) -> None:
        """Note that the worker is gone, unless there is already another one."""
        if self._worker is None or self._worker.gone:
            self.fell(self.record.reached_us)
            self._worker = None

    def forget(self) -> None:
        """Let the worker forget the session, and remove what a lost worker left behind."""
        self.send(protocol.DropSession)
        if self._worker is not None:
            self._worker.listeners.pop(self.session_id, None)
        if self._worker is None or self._worker.gone:
            self._directory.forget(self.session_id)
        self._worker, self.life = None, ""

    def abandon(self) -> None:
        """Abandon a run that is being made; the next one goes to the same time."""
        until_us = self.resume_us
        self.forget()
        self._resume_us = until_us

    # --- waking and resting ---

    async def wake(self, *, resumes: bool, begins: bool = False, quiet: bool = False) -> None:
        """Build the run from the record.

        Args:
            resumes: whether time passes afterwards.
            begins: whether time passes if nothing has happened yet and there is nothing to read first.
            quiet: send no notices.

        Raises:
            RunStopped: files, memory or the record fail; the record is unchanged.
            OwnedElsewhere: another process owns the session.
        """
        try:
            await self._book.take(self._superseded)
            self.record = await self._book.load()
        except RecordUnreachable as error:
            logger.exception("session %s: its record cannot be read", self.session_id)
            raise RunStopped(refusals.NO_RECORD) from error
        if (self.resume_us or self.record.commands) and not quiet:
            self._notice("info", refusals.WAKES)
        begins = begins and not self.resume_us and not self.record.waits
        await self.rebuild(self.resume_us, resumes or begins)
        self._compare_with_record()

    async def rebuild(self, until_us: int, play: bool = False) -> None:
        """Repeat the record up to `until_us` with a new engine that replaces the current one. A command that breaks
        the engine would always break it, so the last command is removed if the record can be repeated without it. At
        most one command is removed, and none if files or memory failed. Raises RunStopped: files, memory or the
        record fail; the record is unchanged.
        """
        self.fell(until_us)
        try:
            await self._open(self.record, until_us, play)
        except WorkerFailed as fallen:
            if fallen.failure.kind != "engine":
                raise RunStopped(refusals.failure(fallen.failure)) from fallen
            if not self.record.commands:
                raise
            logger.warning("session %s cannot be repeated with its last command", self.session_id)
            await self._strike_out_last(fallen)

    async def _strike_out_last(self, first: WorkerFailed) -> None:
        """Continue without the last command if that avoids the error; else raise it and keep the record."""
        *commands, (at_us, _command) = self.record.commands
        shorter = msgspec.structs.replace(
            self.record, commands=commands, rows=self.record.rows + 1, reached_us=at_us, digest=""
        )
        try:
            await self._open(shorter, at_us, play=False)
        except WorkerFailed as fallen:
            if fallen.failure.kind != "engine":
                raise RunStopped(refusals.failure(fallen.failure)) from fallen
            logger.warning("session %s cannot be repeated without it either", self.session_id)
            raise first from None
        try:
            await self._book.undo_command(self.record.rows, at_us)
        except OwnedElsewhere:
            raise
        except Exception as failure:
            self.fell(at_us)
            raise RunStopped(refusals.NO_RECORD) from failure
        self.record = shorter
        self._notice("error", refusals.UNDONE)

    async def _open(self, record: RecordedSession, until_us: int, play: bool) -> None:
        if self._worker is None or self._worker.gone:
            self._worker = await self._pool.place(self.session_id, self._listener)
        try:
            self._directory.renew()
        except OSError as error:
            failed = protocol.of(error, self._door)
            raise WorkerFailed(failed, until_us, play) from error
        fields = {"scenario": record.scenario, "commands": record.commands}
        opened = await self.call(
            protocol.OpenRun, **fields, until_us=until_us, play=play, holds_us=record.holds_us
        )
        self.life, self.digest = opened["life"], opened["digest"]
        self._resume_us = opened["at_us"]

    def _compare_with_record(self) -> None:
        """Send a notice if the woken run differs from the suspended one."""
        record = self.record
        known = record.digest and self._resume_us == record.reached_us
        if not known or record.digest == self.digest:
            return
        logger.warning("session %s woke to another digest", self.session_id)
        if record.engine_version != self._door.version:
            then, now = record.engine_version, self._door.version
            self._notice("info", PageMessage(refusals.WOKE_IN_OTHER_VERSION, then=then, now=now))
        else:
            self._notice("error", refusals.WOKE_DIFFERENT)

    def note(self, good_us: int) -> None:
        """Record the run's progress soon. If that fails, the run continues, since only commands must be on record."""
        if self.awake and good_us > self.record.reached_us:
            self.record.reached_us, self.record.digest = good_us, ""
            self._book.note(good_us)

    def verdict(self, digest: str) -> tuple[str, PageMessage]:
        """Return level and text that say whether the run at the scenario's end is the recorded one."""
        record = self.record
        expected = record.scenario.get("digest")
        level, code, values = judge(expected, digest, record.recorded_by, self._door.version)
        return level, refusals.coded(code, values)

    async def rest(self) -> None:
        """Forget the run; the record can repeat it."""
        try:
            if self.awake:
                came = await self.call(protocol.Suspend)
                while (own := self._next_own()) is not None:
                    await self._add(own.at_us, own.command)
                self.fell(came["at_us"])
                await self._book.reached(came["at_us"], came["digest"])
        except OwnedElsewhere:
            logger.info("session %s: another process has it by now", self.session_id)
        except Exception:  # what is on record is enough to repeat the run, up to a little earlier
            logger.exception("session %s: it is not on record how far it came", self.session_id)
        finally:
            self.forget()
            await self._book.give_back()

    # --- commands ---

    async def take(self, command: dict[str, Any]) -> None:
        """Give the engine a command and record it, or raise `RequestRefused` with nothing changed. Raises RunStopped:
        the command could not be recorded, and the run is not available without it now. Raises OwnedElsewhere: the
        command was not recorded.
        """
        checks.check_command(command, self._limits, self.record.rows)
        await self._book.make_room(command)
        done = await self.call(protocol.SubmitCommand, command=command)
        if not await self.write_down_own(done["number"]):
            raise RequestRefused(refusals.NOT_WRITTEN)
        await self._write_down(done["at_us"], command)

    def gave_itself(self, own: protocol.SelfCommand) -> None:
        """Keep a command that the run gave itself until it is recorded. It may arrive before the run is known
        here; its turn decides its run.
        """
        self._own.append(own)

    async def write_down_own(self, before: int | None = None) -> bool:
        """Record commands that the run gave itself, before others, because its state already shows them. `before`:
        record only commands up to this number; later ones follow later, since an answer and later commands may arrive
        together. None: all up to now. Returns whether the run is still the same; it is not if something could not be
        recorded.
        """
        life = self.life
        while (own := self._next_own(before)) is not None:
            await self._write_down(own.at_us, own.command)
        return self.life == life

    def _next_own(self, before: int | None = None) -> protocol.SelfCommand | None:
        """Take the next command that this run gave itself, if it is among its first `before`."""
        while self._own and self._own[0].life != self.life:
            self._own.popleft()  # of a run that is gone
        if not self._own or (before is not None and self._own[0].number >= before):
            return None
        return self._own.popleft()

    async def _add(self, at_us: int, command: dict[str, Any]) -> None:
        await self._book.add_command(self.record.rows, at_us, command)
        self.record.commands.append((at_us, command))
        self.record.rows += 1

    async def _write_down(self, at_us: int, command: dict[str, Any]) -> None:
        """Record a command that the engine accepted; undo it if that fails."""
        try:
            await self._add(at_us, command)
        except OwnedElsewhere:
            raise
        except Exception as error:
            logger.exception("session %s: a command could not be written down", self.session_id)
            sequence = len(self.record.commands)
            self.fell(at_us)
            await self.wake(
                resumes=self._listener.plays
            )  # reads the record anew: another process may have written one
            if self.record.commands[sequence : sequence + 1] != [(at_us, command)]:
                raise RequestRefused(refusals.NOT_WRITTEN) from error

    async def answer(self, option: int | None) -> None:
        """Record an answer to the run's question, and let the run go on. Raises RequestRefused: the answer cannot be
        recorded; the run waits.
        """
        if self.record.holds_us is None:
            return
        try:
            await self._book.answer(option)
        except Exception as error:
            logger.exception("session %s: an answer could not be written down", self.session_id)
            raise RequestRefused(refusals.NOT_WRITTEN) from error
        self.record.holds_us = None
        self.send(protocol.ReleaseHold)

    async def undo(self) -> int:
        """Remove the last command; `rebuild` up to the returned time makes the run without it. Raises RequestRefused:
        there is none, or the record cannot be written; nothing changed.
        """
        if not self.record.commands:
            raise RequestRefused(refusals.NOTHING_TO_UNDO)
        *commands, (at_us, _command) = self.record.commands
        try:
            await self._book.undo_command(self.record.rows, at_us)
        except OwnedElsewhere:
            raise
        except Exception as error:
            logger.exception("session %s: an undo could not be written down", self.session_id)
            raise RequestRefused(refusals.NOT_STRUCK_OUT) from error
        self.record.commands = commands
        self.record.rows += 1
        self.record.reached_us, self.record.digest = at_us, ""
        self._resume_us = at_us
        return at_us


DESERTED_S: Final = 5.0
"""Seconds without any page after which a session counts as deserted; a page that reloads is back sooner."""


class StartTooLong(RunStopped):
    """Building the run takes longer than this server allows."""

    again = False


class RunRecovery:
    """Keeps one run going. `audience`: gets notices about the session. `wake_s`: real seconds that building the run
    may take. `clock`: real seconds.
    """

    def __init__(
        self, keeper: RunOwner, audience: SessionAudience, wake_s: float, clock: Callable[[], float]
    ) -> None:
        self.keeper = keeper
        self.audience = audience
        self._wake_s = wake_s
        self._waking: asyncio.Task[None] | None = None
        """The current attempt to build the run."""
        self.started = False
        """Whether the run was built at least once."""
        self.plays = False
        """Whether time passes."""
        self._clock = clock
        self._setbacks = RetryDelay()
        self._goes_on = False
        """Whether time passes again when a page comes to the foreground."""
        self._took_memory = False
        """Whether it took too much memory, and was not built again since."""

    @property
    def stands(self) -> bool:
        """Whether the run has stopped because something failed."""
        return self._setbacks.message is not None

    @property
    def due_s(self) -> float:
        """Time of the next retry; infinite if a retry is useless."""
        return self._setbacks.due_s

    # --- waking ---

    async def wake(self) -> None:
        """Build the run if there is none. Raises RunStopped: it has stopped, or cannot be built now. Raises WorkerLost:
        the worker is gone.
        """
        if self.keeper.awake:
            return
        if self._setbacks.message is not None:
            raise RunStopped(self._setbacks.message)
        await self._awaken()

    async def _awaken(self) -> None:
        if self.keeper.awake:
            return
        resumes = self.started and (self._setbacks.play if self.stands else self._goes_on)
        self._goes_on = False
        await self._build(resumes=resumes, begins=not self.started, quiet=self.stands)
        record = self.keeper.record
        ends = not record.commands and self.keeper.resume_us == record.scenario.get("until_us")
        if not self.started and ends and record.scenario.get("digest"):
            self.send_verdict(self.keeper.digest)  # a link to the end of a run
        self.started = True
        for client, (have, life) in self.audience.waited():
            self.greet(client, have, life)

    async def _build(self, **how: bool) -> None:
        """Call `RunOwner.wake`; its errors pass through. Raises RunStopped: everybody has left; the next visitor starts
        again. Raises StartTooLong: it exceeded its bound.
        """
        task = self._waking = asyncio.ensure_future(self.keeper.wake(**how))
        try:
            done, _pending = await asyncio.wait([task], timeout=self._wake_s)
            if done and not task.cancelled():
                task.result()
                return
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            self.keeper.abandon()
            raise RunStopped(refusals.WAKES) if done else StartTooLong(refusals.TOO_LONG)
        finally:
            self._waking = None

    def stop_waking(self) -> None:
        """Stop building the run, because nobody waits for it any more."""
        if self._waking is not None:
            self._waking.cancel()

    def greet(self, client: SessionClient, have: int | None, life: str | None) -> None:
        """Let the worker send rows to a reader that has `have` rows of `life`."""
        number = self.audience.number(client)
        if number is not None:
            client.joined = True
            self.keeper.send(protocol.PageSaid, reader=number, message=protocol.PageHello(have, life))
            self.keeper.send(protocol.PageSaid, reader=number, message=protocol.ShowFile(client.seen))

    def send_verdict(self, digest: str) -> None:
        """Report at the scenario's end whether this was the recorded run."""
        level, message = self.keeper.verdict(digest)
        if level == "error":
            logger.error("session %s: %s", self.keeper.session_id, message)
        self.audience.notice(level, message)

    # --- when something fails ---

    async def recover(self, fallen: WorkerFailed) -> None:
        """Go back to the last good moment; at once, unless files or memory fail."""
        failure = fallen.failure
        if failure.kind == "outside":
            self.stand_still(refusals.failure(failure), fallen.play)
            return
        try:
            await self.keeper.rebuild(fallen.good_us)
        except (RunStopped, WorkerLost) as stopped:
            self.stand_still(why(stopped), play=False)
        bound = failure.kind == "bound"
        self.audience.notice("limit" if bound else "error", refusals.FULL_DISK if bound else refusals.FAULT)

    def lost(self, excess: protocol.Excess | None) -> None:
        """Handle a lost worker; see `LinkListener.lost`."""
        self.keeper.lost()
        self.audience.wait_again()
        if excess == "time":
            self.stand_still(refusals.ENDLESS, again=False)
        elif excess == "memory":
            needs, self._took_memory = self._took_memory, True
            self.stand_still(refusals.NEEDS_MEMORY if needs else refusals.TOOK_MEMORY, again=not needs)
            self._setbacks.play = False
        elif self.started:
            self.stand_still(refusals.WORKER_LOST)

    def stand_still(self, message: PageMessage, play: bool | None = None, *, again: bool = True) -> None:
        """Stop the run, report the problem, and try again later. `play`: whether time passes afterwards; None: as
        now. `again`: whether an automatic retry is useful.
        """
        play = self.plays if play is None else play
        if self._setbacks.failed(message, play, self._clock(), again=again):
            self.audience.notice("error", message)

    async def try_again(self) -> None:
        """Continue if the session's problem is solved, and welcome readers who came meanwhile."""
        self._setbacks.tries(self._clock())
        await self._awaken()
        self._setbacks.mended(self._clock())
        self._took_memory = False
        self.audience.notice("info", refusals.RESUMED)

    async def take_back(self, at_us: int) -> bool:
        """Continue from `at_us` without a command that was removed from the record; return whether that worked."""
        self._setbacks.play = self.plays = False
        if self.stands:
            self._setbacks.try_now()
            return False
        await self.keeper.rebuild(at_us)
        return True

    async def watch_again(self) -> None:
        """Let time pass again when a page returns to the foreground, if it passed before the page left."""
        if self._goes_on and not self.stands:
            await self._awaken()

    async def rest(self, *, resumes: bool) -> None:
        """Suspend the run; watchers are welcomed again when it wakes. `resumes`: whether time that passes now passes
        again when a page is in the foreground.
        """
        self.audience.wait_again()
        self._goes_on = resumes and self.plays
        await self.keeper.rest()
        self.plays = False
        self.audience.notice("info", refusals.SLEEPS)


def why(stopped: RunStopped | WorkerFailed | WorkerLost) -> PageMessage:
    if isinstance(stopped, WorkerFailed):
        return refusals.failure(stopped.failure)
    return stopped.message if isinstance(stopped, RunStopped) else refusals.LOST[stopped.excess]
