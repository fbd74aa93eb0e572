"""The life of one session's run: woken by replaying what is on record, put to rest, built again after a fault."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, TypeVar

from playground import limits as checks
from playground import timeline
from playground.hosting import refusals, wording
from playground.hosting.book import Book, Remembered
from playground.hosting.checkpoints import Checkpoints
from playground.hosting.directories import ProcessDirectory
from playground.hosting.door import Door
from playground.hosting.run import Replay, Run
from playground.limits import Limits, Usage
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
        """Build the run from the record if it is not in memory; tell whether that was so."""
        if self.awake:
            return False
        self.record = await self._book.load()
        if self.record.reached_us or self.record.commands:
            self._notice("info", wording.WAKES)
        await self.rebuild(self.record.reached_us)
        self._compare_with_record()
        return True

    async def rebuild(self, until_us: int) -> None:
        """Repeat the record up to `until_us` with a new engine, in the place of the one there is.

        A command whose consequences break the engine would do so for ever: the last ones are undone until it runs.
        """
        self.awake = None
        while self.awake is None:
            try:
                await self._build(until_us)
            except Exception:
                if not self.record.commands:
                    raise
                logger.exception("session %s cannot be repeated: its last command is undone", self.session_id)
                until_us, _command = self.record.commands.pop()
                await self._book.undo_command(len(self.record.commands), until_us)
                self._notice("error", wording.UNDONE)

    async def _build(self, until_us: int) -> None:
        """Bring the newest checkpoint back and go on from there; without one that works, from the beginning."""
        if self._checkpoints is not None:
            try:
                await self._repeat(
                    until_us, *await self.in_worker(self._restore, self._checkpoints, until_us)
                )
                return
            except Exception:
                logger.exception("session %s: its checkpoints are of no use", self.session_id)
                await self.in_worker(self._checkpoints.forget, self.session_id)
        await self._repeat(until_us, await self.in_worker(self._open), 0)

    async def _repeat(self, until_us: int, run: Run, given: int) -> None:
        """Repeat what comes after the first `given` commands."""
        replay = Replay(run, self.record.commands[given:], until_us)
        self._kept_number = run.node.log.number if given else 0
        slices = 0
        while not await self.in_worker(replay.go_on, REPLAY_SLICE_S):
            slices += 1
            if slices % SLICES_BETWEEN_NOTICES == 0:
                self._notice("info", wording.waking(run.node.now_us, until_us))
        self.life = secrets.token_hex(4)
        self.awake = run

    def _open(self) -> Run:
        path = self._directory.fresh(self.session_id)
        node, files = self.door.open(self.record.scenario, str(path), self.limits.max_disk_bytes)
        return Run(node, files, self.limits.max_disk_bytes)

    def _restore(self, checkpoints: Checkpoints, until_us: int) -> tuple[Run, int]:
        """Return the run of the newest checkpoint and how many commands it has had, or a fresh run and 0."""
        path = self._directory.fresh(self.session_id)
        found = checkpoints.restore(self.session_id, self.record, until_us, path)
        if found is None:
            return self._open(), 0
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
        record = self.record
        if not record.digest or record.digest == self.run.node.log.digest:
            return
        logger.warning("session %s woke to another digest", self.session_id)
        if record.engine_version != self.door.version:
            self._notice("info", wording.woke_in_other_version(record.engine_version, self.door.version))
        else:
            self._notice("error", wording.WOKE_DIFFERENT)

    async def note_progress(self) -> None:
        """Write down how far the run has come."""
        if self.run.good_us > self.record.reached_us:
            self.record.reached_us, self.record.digest = self.run.good_us, ""
            await self._book.reached(self.run.good_us, "")

    async def rest(self) -> None:
        """Forget the run, knowing how to repeat it."""
        run = self.awake
        if run is None:
            return
        try:
            await self.in_worker(run.finish_instant)
            await self._book.reached(run.node.now_us, run.node.log.digest)
            await self.keep_checkpoint(WORTH_KEEPING)
        finally:
            self.awake = None
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
        """Give the engine a command and write it down, or raise `Refused` with everything as it was."""
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
            self.awake = None
            self.record = await self._book.load()  # another process may have written one
            await self.rebuild(max(at_us, self.record.reached_us))
            raise Refused(wording.NOT_WRITTEN) from error
        self.record.commands.append((at_us, command))

    async def undo(self) -> None:
        """Run everything again without the last command, up to the moment of it. Raises `Refused` if there is none."""
        if not self.record.commands:
            raise Refused(wording.NOTHING_TO_UNDO)
        at_us, _command = self.record.commands.pop()
        await self._book.undo_command(len(self.record.commands), at_us)
        self.record.reached_us, self.record.digest = at_us, ""
        await self.rebuild(at_us)

    async def stop_publishers(self) -> None:
        """Stop what fills the session, by commands like anybody's: a replay stops them at the same moment."""
        now_us = self.run.node.now_us
        for setting in timeline.running_publishers(self.record.scenario, self.record.commands, now_us):
            stop = {**setting, "running": False}
            await self._write_down(await self.in_worker(self.run.submit, stop), stop)
