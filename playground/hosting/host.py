"""The host of one session: only it gives the engine commands, and all watching sockets listen to it. The
engine, its pace and its frames are in a worker (`session.py`). Here are the requests, carried out
one after the other, and the task that does so; `run_owner` keeps the run going. The registry has the hosts of
this process: at most one for each session, with a bound on awake ones.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from django.utils.translation import gettext_lazy as _

from engine.reading.conditions import Condition
from playground.hosting import protocol, refusals, session_record
from playground.hosting.audience import SessionAudience, SessionClient
from playground.hosting.pool import (
    CAN_FORK,
    InThread,
    WorkerFactory,
    WorkerFailed,
    WorkerLost,
    WorkerPool,
    process,
)
from playground.hosting.protocol import BeginWorker
from playground.hosting.real_engine import EngineDoor
from playground.hosting.run_owner import (
    DESERTED_S,
    HostResources,
    RunOwner,
    RunRecovery,
    RunStopped,
    StartTooLong,
    why,
)
from playground.hosting.session_files import ProcessDirectory
from playground.hosting.session_record import OwnedElsewhere, SessionRecord
from playground.limits.session_limits import SessionLimits
from playground.texts import PageMessage, RequestRefused

logger = logging.getLogger(__name__)


class RunSoFar(msgspec.Struct):
    """The moment of a run that a link must repeat. `found`: for each requested condition, the compared value and
    whether it holds; None if the run is too long to be repeated.
    """

    at_us: int
    digest: str
    scenario: dict[str, Any]
    commands: list[tuple[int, dict[str, Any]]]
    found: list[tuple[Any, bool]] | None = None

    def merged(self) -> dict[str, Any]:
        """Return the scenario that repeats the run, with what was commanded in it."""
        return session_record.merged(self.scenario, self.commands, self.at_us, self.digest)


class CommandQueue:
    """Runs commands in order; exceptions go to whatever recovers the run. `audience`: the watching sockets."""

    def __init__(self, keeper: RunOwner, upkeep: RunRecovery, audience: SessionAudience) -> None:
        self._keeper = keeper
        self._upkeep = upkeep
        self._audience = audience

    async def do(self, client: SessionClient, message: protocol.Message) -> None:
        """Carry out what a page asks for."""
        match message:
            case protocol.PageHello(have=have, life=life):
                await self._hello(client, have, life)
            case protocol.CommandMessage(id=number, command=command):
                await self._take(
                    command,
                    accepted=lambda: client.send_message("accepted", id=number),
                    refused=lambda message: client.refused(number, message),
                )
            case protocol.AskConsole(id=number, line=line):
                await self._ask(client, number, line)
            case protocol.UndoCommand(id=number):
                await self._undo(client, number)
            case protocol.PredictStory(id=number, option=option):
                await self._predict(client, number, option)
            case protocol.StepRun():
                await self._upkeep.wake()
                if not (await self._keeper.call(protocol.PageSaid, message=message))["came"]:
                    self._audience.notice("info", refusals.NOTHING_LEFT)
            case _:
                await self.say(message)

    async def say(self, message: protocol.Message) -> None:
        """Let the run have a message that nobody else needs, such as that time may pass."""
        await self._upkeep.wake()
        self._keeper.send(protocol.PageSaid, message=message)

    async def _hello(self, client: SessionClient, have: int | None, life: str | None) -> None:
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
            refused(refusals.failure(fallen.failure) if outside else refusals.BROKE)
            raise
        except WorkerLost as lost:
            refused(why(lost))
            raise
        else:
            accepted()

    async def _ask(self, client: SessionClient, number: int | str, line: str) -> None:
        """Answer a console line; a line that changes something is a command, and needs the right to give commands."""

        def answer(error: PageMessage | None = None, text: str = "") -> None:
            client.send_message("answer", id=number, text=text, error=error)

        try:
            await self._upkeep.wake()
            reply = await self._keeper.call(protocol.PageSaid, message=protocol.AskConsole(number, line))
        except RequestRefused as refused:
            answer(refused.message)
            if isinstance(refused, RunStopped):
                raise
            return
        except (WorkerFailed, WorkerLost):
            answer(refusals.BROKE)
            raise
        if not reply["changes"]:
            answer(text=reply["text"])
        elif not client.owner:
            answer(refusals.WATCHING_ONLY)
        else:
            await self._take(
                {"do": "ctl", "line": line}, accepted=lambda: answer(text=reply["text"]), refused=answer
            )

    async def _undo(self, client: SessionClient, number: int | str) -> None:
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
        outcome = refusals.STRUCK_OUT
        try:
            if await self._upkeep.take_back(at_us):
                outcome = refusals.TAKEN_BACK
        finally:  # it is on record, whatever becomes of the run
            client.send_message("accepted", id=number)
            self._audience.notice("info", outcome)

    async def _predict(self, client: SessionClient, number: int | str, option: int | None) -> None:
        """Lock an answer, or that there is none, and let the run go on."""
        try:
            await self._upkeep.wake()
            await self._keeper.answer(option)
        except RequestRefused as refused:
            client.refused(number, refused.message)
            if isinstance(refused, RunStopped):
                raise
        else:
            client.send_message("accepted", id=number)

    async def moment(self, answer: asyncio.Future[RunSoFar], goals: Sequence[Condition]) -> None:
        """Return where the run is, and which goals hold there. Raises RequestRefused."""
        try:
            await self._upkeep.wake()
            found = await self._keeper.call(protocol.Locate, goals=list(goals))
            if not await self._keeper.write_down_own(found["number"]):
                raise RequestRefused(refusals.NOT_WRITTEN)
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


INBOX = 64

Work = Callable[[], Awaitable[object]]


class SessionHost:
    """The owner task of a session; everything else only puts work into its inbox."""

    def __init__(
        self,
        session_id: str,
        *,
        book: SessionRecord,
        resources: HostResources,
        limits: SessionLimits,
        clock: Callable[[], float] = time.monotonic,
        on_closed: Callable[[SessionHost], None] = lambda host: None,
        group: str = "",
        after: asyncio.Task[None] | None = None,
    ) -> None:
        self.session_id = session_id
        self.audience = SessionAudience()
        self.group = group
        """Address or class that woke it, since the sessions that each keeps awake are bounded."""
        self.closed = False
        self.limits = limits
        self.clock = clock
        self.door = resources.door
        self.keeper = RunOwner(
            session_id,
            book=book,
            resources=resources,
            limits=limits,
            listener=self,
            notice=self.audience.notice,
            superseded=self._superseded,
        )
        self._upkeep = RunRecovery(self.keeper, self.audience, limits.wake_s, clock)
        self._wishes = CommandQueue(self.keeper, self._upkeep, self.audience)
        self.last_watched_s = self._last_input_s = self._last_shown_s = clock()
        self._on_closed = on_closed
        self._after = after
        """The previous host while it still suspends the session; two at once would drop each other's run."""
        self._inbox: deque[Work] = deque()
        self._working = False
        """Whether the owner task is busy."""
        self._poke = asyncio.Event()
        self.loop = asyncio.get_running_loop()
        self.task = self.loop.create_task(self._live(), name=f"host {session_id}")

    @property
    def plays(self) -> bool:
        return self._upkeep.plays

    # --- from the sockets: nothing here waits ---

    def leave(self, client: SessionClient) -> None:
        number = self.audience.leave(client)
        if number is not None:
            self.keeper.send(protocol.PageLeft, reader=number)
        self.last_watched_s = self._last_shown_s = self.clock()
        self._poke.set()
        self.loop.call_later(DESERTED_S, self._deserted)

    def _deserted(self) -> None:
        if not self.audience:
            self._upkeep.stop_waking()

    def request(self, client: SessionClient, message: protocol.Message) -> None:
        """Queue what a page asks for; where too much waits, refuse what it wants an answer to."""
        if self._post(lambda: self._wishes.do(client, message)):
            return
        match message:
            case protocol.AskConsole(id=number):
                client.send_message("answer", id=number, text="", error=refusals.BUSY)
            case protocol.CommandMessage() | protocol.UndoCommand() | protocol.PredictStory():
                client.refused(message.id, refusals.BUSY)

    def say(self, message: protocol.Message) -> None:
        """Queue a message that only the run needs, such as that time may pass."""
        self._post(lambda: self._wishes.say(message))

    def acknowledge(self, client: SessionClient, through: int) -> None:
        """Note that a reader has applied everything before row `through`."""
        number = self.audience.number(client)
        if number is not None:
            self.keeper.send_with_next(protocol.PageSaid, reader=number, message=protocol.FrameAck(through))

    def show(self, client: SessionClient, seen: bool) -> None:
        client.seen = seen
        self._last_shown_s = self.clock()
        self._poke.set()
        if seen and not self.keeper.awake:
            self._put(self._upkeep.watch_again)
        number = self.audience.number(client)
        if number is not None and client.joined:
            self.keeper.send(protocol.PageSaid, reader=number, message=protocol.ShowFile(seen))

    async def moment(self, goals: Sequence[Condition] = ()) -> RunSoFar:
        """Return where the run is, between two instants, and which goals hold there. Call it with a time
        limit, because the session may be ending.
        """
        answer: asyncio.Future[RunSoFar] = self.loop.create_future()
        self._put(lambda: self._wishes.moment(answer, goals))
        return await answer

    async def mix(self) -> list[int] | None:
        """Return how many messages of each state the session has; None if it sleeps or is busy."""
        if not self.keeper.awake or self.closed or len(self._inbox) >= INBOX:
            return None
        with contextlib.suppress(RequestRefused, WorkerFailed, WorkerLost):
            found: list[int] = (await self.keeper.call(protocol.CountByState))["mix"]
            return found
        return None

    def _post(self, work: Work) -> bool:
        self._last_input_s = self.clock()
        if len(self._inbox) >= INBOX:
            return False
        self._put(work)
        return True

    def _put(self, work: Work) -> None:
        self._inbox.append(work)
        self._poke.set()

    # --- from the worker: nothing here waits ---

    def take(self, message: Any) -> None:
        """Take a message of the worker: frames go straight to the sockets, the rest is queued."""
        if isinstance(message, protocol.PageText):
            for number in message.readers:
                client = self.audience.client(number)
                if client is not None:
                    client.send(message.text)
        elif isinstance(message, protocol.PageWelcome):
            client = self.audience.client(message.reader)
            if client is not None:
                client.send_message("welcome", **self._welcome(client, message))
        elif isinstance(message, protocol.SetPace):
            self._upkeep.plays = message.play
        elif isinstance(message, protocol.TimeReached) and not (self._working or self._inbox):
            if message.life == self.keeper.life:  # it comes every second: no reason to wake the owner task
                self.keeper.note(message.good_us)
        elif isinstance(message, protocol.SelfCommand):
            self.keeper.gave_itself(message)
            self._put(self.keeper.write_down_own)
        elif isinstance(message, protocol.RunNotice) and not self.keeper.awake:
            self._send_notice(message)  # how far it is with the very work that everything else waits for
        else:
            self._put(lambda: self._heard(message))

    def lost(self, excess: protocol.Excess | None) -> None:
        async def lost() -> None:
            self._upkeep.lost(excess)

        self._put(lost)

    def _superseded(self) -> None:
        async def superseded() -> None:
            raise OwnedElsewhere

        self._put(superseded)

    def _welcome(self, client: SessionClient, message: protocol.PageWelcome) -> dict[str, Any]:
        return {
            "session": self.session_id,
            "limits": self.limits.public(),
            "engine": self.door.version,
            "scenario": self.keeper.record.scenario,
            "life": message.life,
            "owner": client.owner,
            "lasts_us": message.lasts_us,
        }

    def _send_notice(self, message: protocol.RunNotice) -> None:
        self.audience.notice(message.level, refusals.coded(message.code, message.values))

    async def _heard(self, message: Any) -> None:
        if isinstance(message, protocol.RunNotice):
            self._send_notice(message)
            return
        if message.life != self.keeper.life:
            return  # of a run that is gone
        match message:
            case protocol.RunFailed():
                self.keeper.fell(message.good_us)
                raise WorkerFailed(message.failure, message.good_us, message.play)
            case protocol.TimeReached():
                self.keeper.note(message.good_us)
            case protocol.RunEnded():
                self._upkeep.send_verdict(message.digest)

    # --- the owner task ---

    async def _live(self) -> None:
        try:
            if self._after is not None:
                await asyncio.wait([self._after])
            while not self.closed:
                await self._wait()
                while self._inbox and not self.closed:
                    await self._guarded(self._inbox.popleft())
                if self._upkeep.stands and self.audience and self.clock() >= self._upkeep.due_s:
                    await self._guarded(self._upkeep.try_again)
                await self._rest_if_idle()
        except OwnedElsewhere:
            self._move()
        except Exception:
            logger.exception("the host of session %s failed", self.session_id)
            self.audience.notice("error", refusals.STOPPED if self._upkeep.started else refusals.UNREPEATABLE)
        finally:
            self._close()
            for client in self.audience:
                client.close(not self._upkeep.started)
            await self.keeper.rest()

    def _move(self) -> None:
        """Send everybody to the process that owns the session, and drop this process's run."""
        logger.info("session %s: another process has it", self.session_id)
        self.keeper.forget()
        for client in self.audience:
            client.move()

    async def _wait(self) -> None:
        timeout = self._seconds_until_rest(self.clock())
        if self._upkeep.stands and self.audience:
            timeout = min(timeout, self._upkeep.due_s - self.clock())
        if timeout > 0 and not self._poke.is_set():
            alarm = self.loop.call_later(timeout, self._poke.set)
            try:
                await self._poke.wait()
            finally:
                alarm.cancel()
        self._poke.clear()

    async def _guarded(self, work: Work) -> None:
        """Do a piece of work; if the engine fails, go back to the last good moment and stop there."""
        self._working = True
        try:
            await work()
        except RunStopped as stopped:
            self._upkeep.stand_still(stopped.message, again=stopped.again)
        except RequestRefused as refused:
            self.audience.notice("error", refused.message)
        except WorkerLost as lost:
            self._upkeep.stand_still(why(lost))
        except WorkerFailed as fallen:
            if not self._upkeep.started:
                raise
            await self._upkeep.recover(fallen)
        finally:
            self._working = False

    # --- going to sleep ---

    def _seconds_until_rest(self, now_s: float) -> float:
        if not self.audience:
            return self.last_watched_s + self.limits.unwatched_s - now_s
        if not self.keeper.awake:
            return 60.0
        until_s = self._last_input_s + self.limits.idle_s
        if not self.audience.seen:
            until_s = min(until_s, self._last_shown_s + self.limits.hidden_s)
        return until_s - now_s

    async def _rest_if_idle(self) -> None:
        now_s = self.clock()
        if not self.audience and now_s >= self.last_watched_s + self.limits.unwatched_s:
            self._close()
        elif self.audience and self.keeper.awake and self._seconds_until_rest(now_s) <= 0:
            await self._upkeep.rest(resumes=not self.audience.seen)

    def _close(self) -> None:
        if not self.closed:
            self.closed = True
            self._on_closed(self)

    def close(self) -> None:
        self._close()
        self._poke.set()

    async def end(self) -> None:
        self.close()
        await asyncio.gather(self.task, return_exceptions=True)


FEW: Final = 4
FOR_OTHERS: Final = 12
"""The fraction of all sessions (one in this many) that is reserved for addresses and classes with few."""
MOMENT_S = 20.0
"""Longest wait for a busy session's moment."""


class TooManyWatchers(RequestRefused):
    """The session has as many sockets as it may have."""


class ServerFull(RequestRefused):
    """This process hosts as many sessions as it may, and somebody watches each."""


class HostRegistry:
    """Finds, makes and ends hosts. `join` and `end` belong to the event loop; the rest may be called anywhere."""

    def __init__(
        self,
        *,
        door: EngineDoor,
        book: Callable[[str], SessionRecord],
        limits: SessionLimits,
        root: Path,
        begin: BeginWorker | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.door = door
        self.limits = limits
        self.directory = ProcessDirectory(root)
        self._book = book
        self._clock = clock
        self._hosts: dict[str, SessionHost] = {}
        self._resting: dict[str, asyncio.Task[None]] = {}
        """Work that closed hosts still have to do."""
        begin = begin or BeginWorker(root="", bounds=limits.bounds())
        self._nursery = WorkerFactory() if limits.workers and CAN_FORK else None
        self.pool = WorkerPool(
            max(1, limits.workers),
            self._nursery or (process if limits.workers else InThread(door)),
            msgspec.structs.replace(begin, root=str(self.directory.path), bounds=limits.bounds()),
        )

    def host(self, session_id: str) -> SessionHost | None:
        return self._hosts.get(session_id)

    def join(self, session_id: str, client: SessionClient) -> SessionHost:
        """Let a socket watch a session. Raises `TooManyWatchers` or `ServerFull`. Strangers share the places
        of a session; its owner always gets in.
        """
        host = self._hosts.get(session_id) or self._new(session_id, client.group)
        if not client.owner and host.audience.strangers >= self.limits.sockets_per_session:
            text = _("This session already has %(most)s viewers, which is its limit.")
            raise TooManyWatchers(text, most=self.limits.sockets_per_session)
        host.audience.join(client)
        return host

    def _new(self, session_id: str, group: str) -> SessionHost:
        same = [host for host in self._hosts.values() if group and host.group == group]
        if len(same) >= self.limits.sessions_per_address:
            text = _(
                "%(most)s sessions of your network are open on this server, which is its limit for one address. "
                "Close a page with a session, and try again."
            )
            self._make_room(same, PageMessage(text, most=self.limits.sessions_per_address))
        most = self.limits.sessions_per_process
        if len(same) >= FEW:
            most -= most // FOR_OTHERS
        if len(self._hosts) >= most:
            text = _("This server hosts %(most)s sessions, which is its limit. Try again in a few minutes.")
            self._make_room(self._hosts.values(), PageMessage(text, most=most))
        host = SessionHost(
            session_id,
            book=self._book(session_id),
            resources=HostResources(self.door, self.pool, self.directory),
            limits=self.limits,
            clock=self._clock,
            on_closed=self._closed,
            group=group,
            after=self._resting.get(session_id),
        )
        self._hosts[session_id] = host
        return host

    def _make_room(self, among: Iterable[SessionHost], why_not: PageMessage) -> None:
        """Suspend the session among these that has been unwatched for longest."""
        unwatched = [host for host in among if not host.audience]
        if not unwatched:
            logger.warning("full: %s", why_not)
            raise ServerFull(why_not)
        longest = min(unwatched, key=lambda host: host.last_watched_s)
        longest.close()

    def _closed(self, host: SessionHost) -> None:
        if self._hosts.get(host.session_id) is host:
            del self._hosts[host.session_id]
            self._resting[host.session_id] = host.task
            host.task.add_done_callback(lambda task: self._rested(host.session_id, task))

    def _rested(self, session_id: str, task: asyncio.Task[None]) -> None:
        if self._resting.get(session_id) is task:
            del self._resting[session_id]

    def moment(self, session_id: str, goals: Sequence[Condition] = ()) -> RunSoFar | None:
        """Return where a session is, if it is here, and which goals hold. Do not call in the event loop's thread."""
        host = self._hosts.get(session_id)
        if host is None:
            return None
        return asyncio.run_coroutine_threadsafe(host.moment(goals), host.loop).result(MOMENT_S)

    async def end(self) -> None:
        await asyncio.gather(*(host.end() for host in tuple(self._hosts.values())))
        await asyncio.gather(*self._resting.values(), return_exceptions=True)
        await self.pool.end()
        self._tidy()

    def stop(self) -> None:
        """End everything at once, without a loop."""
        self.pool.stop()
        self._tidy()

    def _tidy(self) -> None:
        if self._nursery is not None:
            self._nursery.end()
        self.directory.remove()
