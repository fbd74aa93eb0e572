"""Keeps a session's run going: wakes it for visitors, and repairs or stops it when something fails."""

from __future__ import annotations

import logging
from collections.abc import Callable

from playground.hosting import wording
from playground.hosting.audience import SessionAudience, SessionClient
from playground.hosting.run_owner import RetryDelay, RunOwner, RunStarter, RunStopped
from playground.hosting.session import page_messages, protocol
from playground.hosting.workers.worker_client import WorkerFailed, WorkerLost
from playground.texts.page_message import PageMessage

logger = logging.getLogger(__name__)


class RunRecovery:
    """Keeps one run going.

    Args:
        audience: gets notices about the session.
        wake_s: real seconds that building the run may take.
        clock: real seconds.
    """

    def __init__(
        self, keeper: RunOwner, audience: SessionAudience, wake_s: float, clock: Callable[[], float]
    ) -> None:
        self.keeper = keeper
        self.audience = audience
        self.waking = RunStarter(keeper, wake_s)
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
        """Build the run if there is none.

        Raises:
            Stopped: it has stopped, or cannot be built now.
            Lost: the worker is gone.
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
        await self.waking.wake(resumes=resumes, begins=not self.started, quiet=self.stands)
        record = self.keeper.record
        ends = not record.commands and self.keeper.resume_us == record.scenario.get("until_us")
        if not self.started and ends and record.scenario.get("digest"):
            self.send_verdict(self.keeper.digest)  # a link to the end of a run
        self.started = True
        for client, (have, life) in self.audience.waited():
            self.greet(client, have, life)

    def greet(self, client: SessionClient, have: int | None, life: str | None) -> None:
        """Let the worker send rows to a reader that has `have` rows of `life`."""
        number = self.audience.number(client)
        if number is not None:
            client.joined = True
            self.keeper.send(protocol.PageSaid, reader=number, message=page_messages.PageHello(have, life))
            self.keeper.send(protocol.PageSaid, reader=number, message=page_messages.ShowFile(client.seen))

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
            self.stand_still(wording.failure(failure), fallen.play)
            return
        try:
            await self.keeper.rebuild(fallen.good_us)
        except (RunStopped, WorkerLost) as stopped:
            self.stand_still(why(stopped), play=False)
        bound = failure.kind == "bound"
        self.audience.notice("limit" if bound else "error", wording.FULL_DISK if bound else wording.FAULT)

    def lost(self, excess: protocol.Excess | None) -> None:
        """Handle a lost worker.

        Args:
            excess: of what this session took too much; None if the worker ended for another reason.
        """
        self.keeper.lost()
        self.audience.wait_again()
        if excess == "time":
            self.stand_still(wording.ENDLESS, again=False)
        elif excess == "memory":
            needs, self._took_memory = self._took_memory, True
            self.stand_still(wording.NEEDS_MEMORY if needs else wording.TOOK_MEMORY, again=not needs)
            self._setbacks.play = False
        elif self.started:
            self.stand_still(wording.WORKER_LOST)

    def stand_still(self, message: PageMessage, play: bool | None = None, *, again: bool = True) -> None:
        """Stop the run, report the problem, and try again later.

        Args:
            play: whether time passes afterwards; None: as now.
            again: whether an automatic retry is useful.
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
        self.audience.notice("info", wording.RESUMED)

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
        """Suspend the run; watchers are welcomed again when it wakes.

        Args:
            resumes: whether time that passes now passes again when a page is in the foreground.
        """
        self.audience.wait_again()
        self._goes_on = resumes and self.plays
        await self.keeper.rest()
        self.plays = False
        self.audience.notice("info", wording.SLEEPS)


def why(stopped: RunStopped | WorkerFailed | WorkerLost) -> PageMessage:
    if isinstance(stopped, WorkerFailed):
        return wording.failure(stopped.failure)
    return stopped.message if isinstance(stopped, RunStopped) else wording.LOST[stopped.excess]
