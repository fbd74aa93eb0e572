"""Requests to a session, carried out one after the other: commands, console lines, undo, time, links."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from engine.reading.conditions import Condition
from playground.hosting import wording
from playground.hosting.audience import SessionAudience, SessionClient
from playground.hosting.run_owner import RunOwner, RunStopped, StartTooLong
from playground.hosting.run_recovery import RunRecovery, why
from playground.hosting.session import page_messages, protocol
from playground.hosting.workers.worker_client import WorkerFailed, WorkerLost
from playground.texts.page_message import PageMessage, RequestRefused

logger = logging.getLogger(__name__)


class RunSoFar(msgspec.Struct):
    """The moment of a run that a link must repeat.

    Args:
        found: for each requested condition, the compared value and whether it holds; None if the run is too long to be
            repeated.
    """

    at_us: int
    digest: str
    scenario: dict[str, Any]
    commands: list[tuple[int, dict[str, Any]]]
    found: list[tuple[Any, bool]] | None = None


class CommandQueue:
    """Runs commands in order; exceptions go to whatever recovers the run.

    Args:
        audience: the watching sockets.
    """

    def __init__(self, keeper: RunOwner, upkeep: RunRecovery, audience: SessionAudience) -> None:
        self._keeper = keeper
        self._upkeep = upkeep
        self._audience = audience

    async def hello(self, client: SessionClient, have: int | None, life: str | None) -> None:
        """Welcome a reader that has `have` rows of `life`, or let it wait until the run is available."""
        try:
            await self._upkeep.wake()
        except (RunStopped, WorkerLost) as stopped:
            message = why(stopped)
            self._upkeep.stand_still(message, again=not isinstance(stopped, StartTooLong))
            client.notice("error", message)
            self._audience.wait(client, (have, life))
            return
        self._upkeep.greet(client, have, life)

    async def command(self, client: SessionClient, number: int | str, command: dict[str, Any]) -> None:
        """Give the engine a command, and send its sender the outcome."""
        await self._take(
            command,
            accepted=lambda: client.send_message("accepted", id=number),
            refused=lambda message: client.refused(number, message),
        )

    async def _take(
        self, command: dict[str, Any], accepted: Callable[[], None], refused: Callable[[PageMessage], None]
    ) -> None:
        try:
            await self._upkeep.wake()
            await self._keeper.take(command)
        except RequestRefused as error:
            logger.info("session %s refused %.80r: %s", self._keeper.session_id, command, error)
            refused(error.message)
            if isinstance(error, RunStopped):
                raise
        except WorkerFailed as fallen:
            outside = fallen.failure.kind != "engine"
            refused(wording.failure(fallen.failure) if outside else wording.BROKE)
            raise
        except WorkerLost as lost:
            refused(why(lost))
            raise
        else:
            accepted()

    async def ask(self, client: SessionClient, number: int | str, line: str) -> None:
        """Answer a console line; a line that changes something is a command, and needs the right to give commands."""

        def answer(error: PageMessage | None = None, text: str = "") -> None:
            client.send_message("answer", id=number, text=text, error=error)

        try:
            await self._upkeep.wake()
            reply = await self._keeper.call(protocol.PageSaid, message=page_messages.AskConsole(number, line))
        except RequestRefused as refused:
            answer(refused.message)
            if isinstance(refused, RunStopped):
                raise
            return
        except (WorkerFailed, WorkerLost):
            answer(wording.BROKE)
            raise
        if not reply["changes"]:
            answer(text=reply["text"])
        elif not client.owner:
            answer(wording.WATCHING_ONLY)
        else:
            await self._take(
                {"do": "ctl", "line": line}, accepted=lambda: answer(text=reply["text"]), refused=answer
            )

    async def undo(self, client: SessionClient, number: int | str) -> None:
        """Take the last command back."""
        try:
            if not self._upkeep.stands:
                await self._upkeep.wake()
            at_us = await self._keeper.undo()
        except RequestRefused as refused:
            client.refused(number, refused.message)
            if isinstance(refused, RunStopped):
                raise
            return
        outcome = wording.STRUCK_OUT
        try:
            if await self._upkeep.take_back(at_us):
                outcome = wording.TAKEN_BACK
        finally:  # it is on record, whatever becomes of the run
            client.send_message("accepted", id=number)
            self._audience.notice("info", outcome)

    async def predict(self, client: SessionClient, number: int | str, option: int) -> None:
        """Lock an answer, and let the run go on."""
        try:
            await self._upkeep.wake()
            await self._keeper.answer(option)
        except RequestRefused as refused:
            client.refused(number, refused.message)
            if isinstance(refused, RunStopped):
                raise
        else:
            client.send_message("accepted", id=number)

    async def say(self, message: page_messages.Message) -> None:
        await self._upkeep.wake()
        self._keeper.send(protocol.PageSaid, message=message)

    async def step(self) -> None:
        await self._upkeep.wake()
        if not (await self._keeper.call(protocol.PageSaid, message=page_messages.StepRun()))["came"]:
            self._audience.notice("info", wording.NOTHING_LEFT)

    async def moment(self, answer: asyncio.Future[RunSoFar], goals: Sequence[Condition]) -> None:
        """Return where the run is, and which goals hold there. Raises RequestRefused."""
        try:
            await self._upkeep.wake()
            found = await self._keeper.call(protocol.Locate, goals=list(goals))
            if not await self._keeper.write_down_own(found["number"]):
                raise RequestRefused(wording.NOT_WRITTEN)
        except Exception as error:
            if not answer.done():
                # A page refuses what stands still; it has no words for runs and workers.
                answer.set_exception(
                    RunStopped(why(error)) if isinstance(error, WorkerFailed | WorkerLost) else error
                )
            raise
        if not answer.done():  # who asked may have stopped waiting
            record = self._keeper.record
            answer.set_result(
                RunSoFar(
                    found["at_us"], found["digest"], record.scenario, list(record.commands), found["found"]
                )
            )
