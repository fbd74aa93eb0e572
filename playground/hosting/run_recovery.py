"""What keeps a session's run going: woken for those who come, mended or left standing when something fails."""

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
        keeper: has the run.
        audience: is notified of what happens to the session.
        wake_s: real seconds that making the run may take.
        clock: real seconds.
    """

    def __init__(
        self, keeper: RunOwner, audience: SessionAudience, wake_s: float, clock: Callable[[], float]
    ) -> None:
        self.keeper = keeper
        self.audience = audience
        self.waking = RunStarter(keeper, wake_s)
        self.started = False
        """Whether the run could be made at least once."""
        self.plays = False
        """Whether time passes."""
        self._clock = clock
        self._setbacks = RetryDelay()
        self._goes_on = False
        """Whether time passes again as soon as a page is in the foreground."""

    @property
    def stands(self) -> bool:
        """Whether the run stands still because something failed."""
        return self._setbacks.message is not None

    @property
    def due_s(self) -> float:
        """When what failed is tried again; infinite where trying is of no use."""
        return self._setbacks.due_s

    # --- waking ---

    async def wake(self) -> None:
        """Make the run if there is none.

        Raises:
            Stopped: it stands still, or cannot be made now.
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
        """Say at the scenario's end whether this was the recorded run."""
        level, message = self.keeper.verdict(digest)
        if level == "error":
            logger.error("session %s: %s", self.keeper.session_id, message)
        self.audience.notice(level, message)

    # --- when something fails ---

    async def recover(self, fallen: WorkerFailed) -> None:
        """Go back to where everything was well; at once, unless files or memory fail."""
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

    def lost(self, guilty: bool) -> None:
        """The worker is gone; guilty: because this session's work did not come to an end."""
        self.keeper.lost()
        self.audience.wait_again()
        if guilty:
            self.stand_still(wording.ENDLESS, again=False)
        elif self.started:
            self.stand_still(wording.WORKER_LOST)

    def stand_still(self, message: PageMessage, play: bool | None = None, *, again: bool = True) -> None:
        """Say what is wrong, and try again in a while.

        Args:
            play: whether time passes afterwards; None: as it does now.
            again: whether trying again by itself is of use.
        """
        play = self.plays if play is None else play
        if self._setbacks.failed(message, play, self._clock(), again=again):
            self.audience.notice("error", message)

    async def try_again(self) -> None:
        """Go on if what stopped the session is mended; who came meanwhile is welcomed."""
        self._setbacks.tries(self._clock())
        await self._awaken()
        self._setbacks.mended(self._clock())
        self.audience.notice("info", wording.RESUMED)

    async def take_back(self, at_us: int) -> bool:
        """Go on without a command that was struck out of the record, from `at_us`; return whether that was possible."""
        self._setbacks.play = self.plays = False
        if self.stands:
            self._setbacks.try_now()
            return False
        await self.keeper.rebuild(at_us)
        return True

    async def watch_again(self) -> None:
        """Go on when a page comes back to the foreground, if time passed until it went to the background."""
        if self._goes_on and not self.stands:
            await self._awaken()

    async def rest(self, *, resumes: bool) -> None:
        """Put the run to rest; whoever watches is welcomed again when it is woken.

        Args:
            resumes: whether time, if it passes now, passes again as soon as a page is in the foreground.
        """
        self.audience.wait_again()
        self._goes_on = resumes and self.plays
        await self.keeper.rest()
        self.plays = False
        self.audience.notice("info", wording.SLEEPS)


def why(stopped: RunStopped | WorkerFailed | WorkerLost) -> PageMessage:
    """Return what to say of a run that cannot be had."""
    if isinstance(stopped, WorkerFailed):
        return wording.failure(stopped.failure)
    return stopped.message if isinstance(stopped, RunStopped) else wording.WORKER_LOST
