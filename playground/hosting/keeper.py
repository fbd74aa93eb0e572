"""The life of one session's run: woken by replaying what is on record, put to rest, built again after a fault."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, TypeVar

import msgspec

from playground import limits as checks
from playground import timeline
from playground.hosting import faults, refusals, wording
from playground.hosting.book import Book, Remembered, Unreachable
from playground.hosting.checkpoints import Checkpoints
from playground.hosting.directories import ProcessDirectory
from playground.hosting.door import Door
from playground.hosting.faults import Stopped
from playground.hosting.run import Replay, Run
from playground.hosting.usage import Usage
from playground.limits import Limits
from playground.messages import Message, Refused

logger = logging.getLogger(__name__)

REPLAY_SLICE_S = 0.1
SLICES_BETWEEN_NOTICES = 20
BETWEEN_CHECKPOINTS = 20_000
"""Transitions; repeating so many takes about a second."""
WORTH_KEEPING = 2_000
"""A run that has fewer is repeated as fast as a checkpoint is read."""
T = TypeVar("T")
Notice = Callable[[str, Message], None]


class Keeper:
    """Holds the run while it is awake, and the record of it.

    Args:
        notice: says something to everybody who watches.
    """

    def __init__(
        self,
        session_id: str,
        *,
        book: Book,
        door: Door,
        directory: ProcessDirectory,
        limits: Limits,
        executor: Executor,
        notice: Notice,
        checkpoints: Checkpoints | None = None,
    ) -> None:
        self.session_id = session_id
        self.door = door
        self.limits = limits
        self.life = ""
        self.record = Remembered({}, [])
        self.awake: Run | None = None
        self._book = book
        self._directory = directory
        self._executor = executor
        self._notice = notice
        self._checkpoints = checkpoints
        self._kept_number = 0
        self._resume_us = 0

    @property
    def run(self) -> Run:
        """The run, which must be awake."""
        if self.awake is None:
            raise RuntimeError(f"session {self.session_id} sleeps")
        return self.awake

    async def in_worker(self, work: Callable[..., T], *arguments: Any) -> T:
        """Do something with the engine off the event loop. The host awaits each before the next."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, work, *arguments)

    # --- waking and resting ---

    async def wake(self) -> bool:
        """Build the run from the record if it is not in memory; tell whether that was so.

        Raises:
            Stopped: files, memory or the record fail; nothing of the record is touched.
        """
        if self.awake:
            return False
        try:
            self.record = await self._book.load()
        except Unreachable as error:
            logger.exception("session %s: its record cannot be read", self.session_id)
            raise Stopped(wording.NO_RECORD) from error
        if (self.record.reached_us or self.record.commands) and not self._resume_us:
            self._notice("info", wording.WAKES)
        await self.rebuild(max(self._resume_us, self.record.reached_us))
        self._compare_with_record()
        return True

    async def rebuild(self, until_us: int) -> None:
        """Repeat the record up to `until_us` with a new engine, in the place of the one there is.

        A command whose consequences break the engine would do so for ever: if the record can be repeated without the
        last one, that one is struck out. Never more than one, and never where files or memory failed.

        Raises:
            Stopped: files, memory or the record fail; nothing of the record is touched.
        """
        await self.drop(until_us)
        try:
            self.awake = await self._build(self.record, until_us)
        except self.door.outside as error:
            logger.exception("session %s cannot be repeated now", self.session_id)
            raise Stopped(faults.told(error, self.door)) from error
        except Exception as error:
            if not self.record.commands:
                raise
            logger.exception("session %s cannot be repeated with its last command", self.session_id)
            await self._strike_out_last(error)
        self.life = secrets.token_hex(4)

    async def _strike_out_last(self, error: Exception) -> None:
        """Go on without the last command if that mends the error; else raise it, and the record stays whole."""
        *commands, (at_us, _command) = self.record.commands
        shorter = msgspec.structs.replace(self.record, commands=commands, reached_us=at_us, digest="")
        try:
            run = await self._build(shorter, at_us)
        except self.door.outside as failure:
            raise Stopped(faults.told(failure, self.door)) from failure
        except Exception:
            logger.exception("session %s cannot be repeated without it either", self.session_id)
            raise error from None
        try:
            await self._book.undo_command(len(commands), at_us)
        except Exception as failure:
            await self.in_worker(run.close)
            raise Stopped(wording.NO_RECORD) from failure
        self.record, self.awake = shorter, run
        self._notice("error", wording.UNDONE)

    async def drop(self, resume_us: int) -> None:
        """Forget the run; the next one goes up to `resume_us`, as far as the record does not say more."""
        run, self.awake, self._resume_us = self.awake, None, resume_us
        if run is not None:
            await self.in_worker(run.close)

    async def _build(self, record: Remembered, until_us: int) -> Run:
        """Bring the newest checkpoint back and go on from there; without one that works, from the beginning."""
        if self._checkpoints is not None:
            try:
                found = await self.in_worker(self._restore, self._checkpoints, record, until_us)
                if found is not None:
                    return await self._repeat(record, until_us, *found)
            except (OSError, MemoryError, *self.door.full):
                logger.exception("session %s: its checkpoint cannot be used now", self.session_id)
            except Exception:
                logger.exception("session %s: its checkpoints are of no use", self.session_id)
                await self.in_worker(self._checkpoints.forget, self.session_id)
        return await self._repeat(record, until_us, await self.in_worker(self._open, record), 0)

    async def _repeat(self, record: Remembered, until_us: int, run: Run, given: int) -> Run:
        """Repeat what comes after the first `given` commands."""
        replay = Replay(run, record.commands[given:], until_us)
        self._kept_number = run.node.log.number if given else 0
        slices = 0
        try:
            while not await self.in_worker(replay.go_on, REPLAY_SLICE_S):
                slices += 1
                if slices % SLICES_BETWEEN_NOTICES == 0:
                    self._notice("info", wording.waking(run.node.now_us, until_us))
        except BaseException:
            run.close()
            raise
        return run

    def _open(self, record: Remembered) -> Run:
        path = self._directory.fresh(self.session_id)
        node, files = self.door.open(record.scenario, str(path), self.limits.max_disk_bytes)
        return Run(node, files, self.limits.max_disk_bytes)

    def _restore(self, checkpoints: Checkpoints, record: Remembered, until_us: int) -> tuple[Run, int] | None:
        """Return the run of the newest checkpoint and how many commands it has had, or None when there is none."""
        path = self._directory.fresh(self.session_id)
        found = checkpoints.restore(self.session_id, record, until_us, path)
        if found is None:
            return None
        node, files, given = found
        return Run(node, files, self.limits.max_disk_bytes), given

    async def keep_checkpoint(self, after: int = BETWEEN_CHECKPOINTS) -> None:
        """Keep the run as it stands if so many transitions came since the last time."""
        number = self.run.node.log.number
        if self._checkpoints is None or number - self._kept_number < after:
            return
        self._kept_number = number
        path = self._directory.of(self.session_id)
        try:
            await self.in_worker(
                self._checkpoints.save, self.session_id, self.run.node, self.run.files, path, self.record
            )
        except OSError:
            logger.exception("session %s: no checkpoint could be written", self.session_id)

    def _compare_with_record(self) -> None:
        """Say so if the run that was woken is not the one that went to sleep."""
        record, node = self.record, self.run.node
        known = record.digest and node.now_us == record.reached_us
        if not known or record.digest == node.log.digest:
            return
        logger.warning("session %s woke to another digest", self.session_id)
        if record.engine_version != self.door.version:
            self._notice("info", wording.woke_in_other_version(record.engine_version, self.door.version))
        else:
            self._notice("error", wording.WOKE_DIFFERENT)

    async def note_progress(self) -> None:
        """Write down how far the run has come. If that fails the run goes on: only commands must be on record."""
        if self.run.good_us <= self.record.reached_us:
            return
        try:
            await self._book.reached(self.run.good_us, "")
        except Exception:
            logger.exception("session %s: how far it has come could not be written down", self.session_id)
        else:
            self.record.reached_us, self.record.digest = self.run.good_us, ""

    def verdict(self) -> tuple[str, Message]:
        """Say, with its level, whether the run at the scenario's end is the recorded one."""
        record, digest = self.record, self.run.node.log.digest
        return wording.verdict(record.scenario.get("digest"), digest, record.recorded_by, self.door.version)

    async def rest(self) -> None:
        """Forget the run, knowing how to repeat it."""
        run = self.awake
        if run is None:
            return
        try:
            await self.in_worker(run.finish_instant)
            await self._book.reached(run.node.now_us, run.node.log.digest)
            await self.keep_checkpoint(WORTH_KEEPING)
        except Exception:  # what is on record is enough to repeat the run, up to a little earlier
            logger.exception("session %s: it is not on record how far it came", self.session_id)
        finally:
            await self.drop(run.good_us)
            await self.in_worker(self._directory.forget, self.session_id)

    # --- commands ---

    def is_worn_out(self) -> bool:
        """Whether the run has come as far as a session may."""
        node = self.run.node
        return (
            node.log.number >= self.limits.max_transitions
            or node.now_us >= self.limits.max_virtual_s * 1_000_000
        )

    async def usage(self) -> Usage:
        """Count what the session takes."""
        return await self.in_worker(self.run.usage, len(self.record.commands))

    async def take(self, command: dict[str, Any]) -> None:
        """Give the engine a command and write it down, or raise `Refused` with everything as it was.

        Raises:
            Stopped: it could not be written down, and the run cannot be had without it for now.
        """
        if self.is_worn_out():
            raise Refused(wording.worn_out(self.limits))
        checks.check_command(command, self.limits, await self.usage())
        try:
            at_us = await self.in_worker(self.run.submit, command)
        except self.door.refusals as error:
            raise Refused(refusals.told(error)) from error
        await self._write_down(at_us, command)

    async def _write_down(self, at_us: int, command: dict[str, Any]) -> None:
        try:
            await self._book.add_command(len(self.record.commands), at_us, command)
        except Exception as error:
            logger.exception("session %s: a command could not be written down", self.session_id)
            sequence = len(self.record.commands)
            await self.drop(at_us)
            await self.wake()  # reads the record anew: another process may have written one
            if self.record.commands[sequence : sequence + 1] != [(at_us, command)]:
                raise Refused(wording.NOT_WRITTEN) from error
        else:
            self.record.commands.append((at_us, command))

    async def undo(self) -> int:
        """Strike out the last command; `rebuild` up to the time that is returned makes the run without it.

        Raises:
            Refused: there is none, or the record cannot be written; then nothing changed.
        """
        if not self.record.commands:
            raise Refused(wording.NOTHING_TO_UNDO)
        *commands, (at_us, _command) = self.record.commands
        try:
            await self._book.undo_command(len(commands), at_us)
        except Exception as error:
            logger.exception("session %s: an undo could not be written down", self.session_id)
            raise Refused(wording.NOT_STRUCK_OUT) from error
        self.record.commands = commands
        self.record.reached_us, self.record.digest = at_us, ""
        self._resume_us = at_us
        return at_us

    async def stop_publishers(self) -> None:
        """Stop what fills the session, by commands like anybody's: a replay stops them at the same moment."""
        now_us = self.run.node.now_us
        for setting in timeline.running_publishers(self.record.scenario, self.record.commands, now_us):
            stop = {**setting, "running": False}
            await self._write_down(await self.in_worker(self.run.submit, stop), stop)
