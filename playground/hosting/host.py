"""The host of one session: the only one who touches its engine, and who everybody that watches it listens to."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from typing import Any, TypeVar

from playground.hosting import answers, faults, wording
from playground.hosting.answers import Moment
from playground.hosting.book import Book
from playground.hosting.broadcast import Broadcast
from playground.hosting.checkpoints import Checkpoints
from playground.hosting.clients import Client
from playground.hosting.directories import ProcessDirectory
from playground.hosting.door import Door
from playground.hosting.faults import Setbacks, Stopped
from playground.hosting.keeper import Keeper
from playground.hosting.pacer import Pacer
from playground.limits import Limits
from playground.messages import Message, Refused

logger = logging.getLogger(__name__)

TICK_S = 0.05
"""Between two frames: at most twenty a second."""
TURN_S = 0.04
"""Real time that the engine may work before others have their turn."""
HEARTBEAT_S = 0.25
"""An empty frame this often while time passes and nothing happens."""
LOOK_S = 0.5
"""Between two counts of what the session takes."""
NOTE_S = 1.0
"""Between two notes of how far the run has come."""
INBOX = 64

Work = Callable[[], Awaitable[None]]
T = TypeVar("T")


class Host:
    """One owner task; everything else only leaves work in its inbox."""

    def __init__(
        self,
        session_id: str,
        *,
        book: Book,
        door: Door,
        directory: ProcessDirectory,
        limits: Limits,
        executor: Executor,
        checkpoints: Checkpoints | None = None,
        clock: Callable[[], float] = time.monotonic,
        on_closed: Callable[[Host], None] = lambda host: None,
    ) -> None:
        self.session_id = session_id
        self.clients: set[Client] = set()
        self.closed = False
        self.limits = limits
        self.clock = clock
        self.pacer = Pacer()
        self.broadcast = Broadcast(self.clients)
        self.keeper = Keeper(
            session_id,
            book=book,
            door=door,
            directory=directory,
            limits=limits,
            executor=executor,
            notice=self.broadcast.notice,
            checkpoints=checkpoints,
        )
        self.last_watched_s = self._last_input_s = clock()
        self._next_tick_s = self._next_look_s = self._next_note_s = self._last_input_s
        self._on_closed = on_closed
        self._inbox: deque[Work] = deque()
        self._poke = asyncio.Event()
        self._started = False
        self._setbacks = Setbacks()
        self._unwelcomed: set[Client] = set()
        self._full = False
        self._ends_us: int | None = None
        self._stops_us: int | None = None
        self.loop = asyncio.get_running_loop()
        self.task = self.loop.create_task(self._live(), name=f"host {session_id}")

    # --- from the sockets: nothing here waits ---

    def join(self, client: Client) -> None:
        """A socket watches from now on."""
        self.clients.add(client)

    def leave(self, client: Client) -> None:
        """A socket is gone."""
        self.clients.discard(client)
        self._unwelcomed.discard(client)
        self.last_watched_s = self.clock()
        self._poke.set()

    def hello(self, client: Client, have: int | None, life: str | None) -> None:
        """A reader begins, or begins again with `have` rows."""
        self._post(lambda: self._hello(client, have, life))

    def command(self, client: Client, number: int | str, command: dict[str, Any]) -> None:
        """Somebody wants something of the engine."""
        if not self._post(lambda: self._command(client, number, command)):
            client.refused(number, wording.BUSY)

    def ask(self, client: Client, number: int | str, line: str) -> None:
        """Somebody wrote a line in the console."""
        if not self._post(lambda: self._ask(client, number, line)):
            client.tell("answer", id=number, text="", error=wording.BUSY)

    def undo(self, client: Client, number: int | str) -> None:
        """Somebody wants the last command back."""
        if not self._post(lambda: self._undo(client, number)):
            client.refused(number, wording.BUSY)

    def control(self, play: bool | None, speed: float | None, until_us: int | None = None) -> None:
        """Let time pass, or not, at some speed, up to a time if one is given."""
        self._post(lambda: self._control(play, speed, until_us))

    def step(self) -> None:
        """Go on by one transition."""
        self._post(self._step)

    def acknowledge(self, client: Client, through: int) -> None:
        """A reader has applied everything before row `through`."""
        client.window.acknowledge(through)
        if client.window.waits:
            self._poke.set()

    async def moment(self) -> Moment:
        """Return where the run is, between two instants. Give it a time limit: the session may be ending."""
        answer: asyncio.Future[Moment] = self.loop.create_future()
        self._inbox.append(lambda: answers.moment(answer, self.keeper, self._wake))
        self._poke.set()
        return await answer

    async def look(self, see: Callable[[dict[str, Any]], T]) -> T | None:
        """Return what `see` makes of the state between two instants; None when the session sleeps."""
        if self.keeper.awake is None or self.closed or len(self._inbox) >= INBOX:
            return None
        answer: asyncio.Future[T | None] = self.loop.create_future()
        self._inbox.append(lambda: answers.look(answer, self.keeper, see))
        self._poke.set()
        return await answer

    def _post(self, work: Work) -> bool:
        self._last_input_s = self.clock()
        if len(self._inbox) >= INBOX:
            return False
        self._inbox.append(work)
        self._poke.set()
        return True

    # --- the owner task ---

    async def _live(self) -> None:
        try:
            while not self.closed:
                await self._wait()
                while self._inbox and not self.closed:
                    await self._guarded(self._inbox.popleft())
                now_s = self.clock()
                if self._setbacks.message is not None and self.clients and now_s >= self._setbacks.due_s:
                    await self._guarded(self._try_again)
                if self.keeper.awake and now_s >= self._next_tick_s:
                    self._next_tick_s = now_s + TICK_S
                    await self._guarded(self._tick)
                await self._rest_if_idle()
        except Exception:
            logger.exception("the host of session %s failed", self.session_id)
            self.broadcast.notice("error", wording.STOPPED if self._started else wording.UNREPEATABLE)
        finally:
            self._close()
            for client in tuple(self.clients):
                client.close(not self._started)
            await self.keeper.rest()

    async def _wait(self) -> None:
        now_s = self.clock()
        if self._plays() or self.broadcast.owes(self.keeper.awake):
            timeout = self._next_tick_s - now_s
        elif self._setbacks.message is not None and self.clients:
            timeout = self._setbacks.due_s - now_s
        else:
            timeout = self._seconds_until_rest(now_s)
        if timeout > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._poke.wait(), timeout)
        self._poke.clear()

    async def _guarded(self, work: Work) -> None:
        """Do a piece of work; if the engine fails in it, go back to where everything was well and stand there."""
        life = self.keeper.life
        try:
            await work()
        except Stopped as stopped:
            self._stand_still(stopped.message)
        except Refused as refused:
            self.broadcast.notice("error", refused.message)
            self._follow_new_life(life)
        except Exception as error:
            if self.keeper.awake is None:
                raise
            await self._recover(error, self.keeper.run.good_us)

    async def _recover(self, error: Exception, good_us: int) -> None:
        """Go back to where everything was well; at once, unless files or memory fail."""
        door = self.keeper.door
        logger.error("session %s failed after %s us", self.session_id, good_us, exc_info=error)
        bound = faults.is_bound(error, door)
        if isinstance(error, door.outside) and not bound:
            await self.keeper.drop(good_us)
            self._stand_still(faults.told(error, door))
            return
        try:
            await self.keeper.rebuild(good_us)
        except Stopped as stopped:
            self._stand_still(stopped.message)
        else:
            self._begin_anew(play=False)
        self.broadcast.notice("limit" if bound else "error", wording.FULL_DISK if bound else wording.FAULT)

    def _stand_still(self, message: Message) -> None:
        """Say what is wrong, and try again in a while."""
        play = self.pacer.play if self._started else not self.keeper.record.waits
        if self._setbacks.failed(message, play, self.clock()):
            self.broadcast.notice("error", message)

    async def _try_again(self) -> None:
        """Go on if what stopped the session is mended; who came meanwhile is welcomed."""
        await self._awaken()
        self._setbacks.mended(self.clock())
        self.broadcast.notice("info", wording.RESUMED)
        for client in tuple(self._unwelcomed):
            await self._hello(client, None, None)

    def _follow_new_life(self, life: str) -> None:
        """Begin anew with everybody if the run is another one than it was."""
        if self.keeper.awake is not None and self.keeper.life != life:
            self._begin_anew(play=self.pacer.play)

    def _plays(self) -> bool:
        return (
            self.pacer.play and self.keeper.awake is not None and any(c.window.joined for c in self.clients)
        )

    async def _tick(self) -> None:
        if self._plays():
            await self._play()
        beat_s = HEARTBEAT_S if self._plays() else None
        await self.broadcast.flush(self.keeper, self.pacer, self.clock(), beat_s)

    async def _play(self) -> None:
        run, now_s = self.keeper.run, self.clock()
        due_us = min(self.pacer.due_us(now_s, run.node.now_us), self.limits.max_virtual_s * 1_000_000)
        for stop_us in (self._ends_us, self._stops_us):
            due_us = due_us if stop_us is None else min(due_us, stop_us)
        reached = await self.keeper.in_worker(run.turn, max(due_us, run.node.now_us), TURN_S)
        if reached and self._ends_us is not None and due_us >= self._ends_us:
            self._finish_script()
        if reached and self._stops_us is not None and due_us >= self._stops_us:
            self._pause()
        if self.keeper.is_worn_out():
            self._pause()
            self.broadcast.notice("limit", wording.worn_out(self.limits))
        if now_s >= self._next_note_s:
            self._next_note_s = now_s + NOTE_S
            await self.keeper.note_progress()
            await self.keeper.keep_checkpoint()
        if now_s >= self._next_look_s or (run.disk_is_full() and not self._full):
            self._next_look_s = now_s + LOOK_S
            await self._check_usage()

    def _finish_script(self) -> None:
        """The scenario's end: stand still, and say whether this was the recorded run."""
        self._ends_us = None
        self._pause()
        level, message = self.keeper.verdict()
        if level == "error":
            logger.error("session %s: %s", self.session_id, message)
        self.broadcast.notice(level, message)

    async def _check_usage(self) -> None:
        usage = await self.keeper.usage()
        full = self.keeper.run.disk_is_full() or usage.messages >= self.limits.max_messages
        if full and not self._full:
            logger.info("session %s is full: %s", self.session_id, usage)
            self._ends_us = None
            await self.keeper.stop_publishers()
            self.broadcast.notice("limit", wording.full(usage, self.limits))
        self._full = full

    # --- what the inbox holds ---

    async def _wake(self) -> None:
        if self._setbacks.message is not None and self.keeper.awake is None:
            raise Stopped(self._setbacks.message)
        await self._awaken()

    async def _awaken(self) -> None:
        if not await self.keeper.wake():
            return
        record, now_us = self.keeper.record, self.keeper.run.node.now_us
        ends_us = record.scenario.get("until_us") or 0
        self._ends_us = ends_us if not record.commands and now_us < ends_us else None
        begins = not self._started and now_us == 0 and not record.waits
        resumes = self._started and self._setbacks.message is not None and self._setbacks.play
        self._begin_anew(play=begins or resumes)
        if not self._started and now_us == ends_us and not record.commands and record.scenario.get("digest"):
            self._finish_script()  # a link to the end of a run
        self._started = True

    def _begin_anew(self, play: bool) -> None:
        for client in self.clients:
            client.window.restart()
        self.pacer.set(self.clock(), self.keeper.run.node.now_us, play=play)
        self.broadcast.beat()

    def _pause(self) -> None:
        self._stops_us = None
        self.pacer.set(self.clock(), self.keeper.run.node.now_us, play=False)
        self.broadcast.beat()

    async def _hello(self, client: Client, have: int | None, life: str | None) -> None:
        try:
            await self._wake()
        except Stopped as stopped:
            self._stand_still(stopped.message)
            client.notice("error", stopped.message)
            self._unwelcomed.add(client)
            return
        self._unwelcomed.discard(client)
        if client not in self.clients:
            return
        run = self.keeper.run
        if not self._plays():  # nobody watched until now: the time since then does not count
            self.pacer.anchor(self.clock(), run.node.now_us)
        await self.broadcast.flush(self.keeper, self.pacer, self.clock(), None)
        client.tell("welcome", **self._welcome(client))
        known = have is not None and life in {None, self.keeper.life}
        rows = run.rows_since(have) if known and have is not None else None
        client.window.join(in_step=rows is not None)
        if rows is not None:
            self.broadcast.send_frame(client, rows, run, self.pacer)
        self._next_tick_s = self.clock()

    def _welcome(self, client: Client) -> dict[str, Any]:
        return {
            "session": self.session_id,
            "limits": self.limits.public(),
            "engine": self.keeper.door.version,
            "scenario": self.keeper.record.scenario,
            "life": self.keeper.life,
            "owner": client.owner,
            "lasts_us": self._ends_us,
        }

    async def _command(self, client: Client, number: int | str, command: dict[str, Any]) -> None:
        try:
            await self._wake()
        except Stopped as stopped:
            client.refused(number, stopped.message)
            raise
        await self._take(
            command,
            accepted=lambda: client.tell("accepted", id=number),
            refused=lambda message: client.refused(number, message),
        )

    async def _take(
        self, command: dict[str, Any], accepted: Callable[[], None], refused: Callable[[Message], None]
    ) -> None:
        life = self.keeper.life
        try:
            await self.keeper.take(command)
        except Refused as error:
            logger.info("session %s refused %.80r: %s", self.session_id, command, error)
            refused(error.message)
            if isinstance(error, Stopped):
                raise
            self._follow_new_life(life)
        except Exception as error:
            door = self.keeper.door
            outside = isinstance(error, door.outside)
            refused(faults.told(error, door) if outside else wording.BROKE)
            raise
        else:
            self._ends_us = None
            accepted()
            self._follow_new_life(life)

    async def _ask(self, client: Client, number: int | str, line: str) -> None:
        """Answer a line; one that changes something is the command of whoever may command."""
        try:
            await self._wake()
        except Stopped as stopped:
            client.tell("answer", id=number, text="", error=stopped.message)
            raise
        run = self.keeper.run
        await self.keeper.in_worker(run.finish_instant)
        said = await self.keeper.in_worker(self.keeper.door.ask, run.node, line)

        def answer(error: Message | None = None) -> None:
            client.tell("answer", id=number, text=said.text if error is None else "", error=error)

        if not said.changes:
            answer()
        elif not client.owner:
            answer(wording.ONLY_LOOK)
        else:
            await self._take({"do": "ctl", "line": line}, accepted=answer, refused=answer)

    async def _undo(self, client: Client, number: int | str) -> None:
        try:
            if self._setbacks.message is None:
                await self._wake()
            at_us = await self.keeper.undo()
        except Refused as refused:
            client.refused(number, refused.message)
            if isinstance(refused, Stopped):
                raise
            return
        self._full = self._setbacks.play = self.pacer.play = False
        said = wording.STRUCK_OUT
        try:
            if self._setbacks.message is None:
                await self.keeper.rebuild(at_us)
                self._begin_anew(play=False)
                said = wording.TAKEN_BACK
        finally:  # it is on record, whatever becomes of the run
            client.tell("accepted", id=number)
            self.broadcast.notice("info", said)

    async def _control(self, play: bool | None, speed: float | None, until_us: int | None) -> None:
        await self._wake()
        if play is not None:
            now_us = self.keeper.run.node.now_us
            self._stops_us = until_us if play and until_us is not None and until_us > now_us else None
            play = play and (until_us is None or self._stops_us is not None)
        if play and self.keeper.is_worn_out():
            play = False
            self.broadcast.notice("limit", wording.worn_out(self.limits))
        self.pacer.set(self.clock(), self.keeper.run.node.now_us, play, speed)
        self.broadcast.beat()

    async def _step(self) -> None:
        await self._wake()
        self._pause()
        if self.keeper.is_worn_out():
            raise Refused(wording.worn_out(self.limits))
        log = self.keeper.run.node.log
        number = log.number
        await self.keeper.in_worker(self.keeper.run.step)
        if log.number == number:
            self.broadcast.notice("info", wording.NOTHING_LEFT)

    # --- going to sleep ---

    def _seconds_until_rest(self, now_s: float) -> float:
        if not self.clients:
            return self.last_watched_s + self.limits.unwatched_s - now_s
        if self.keeper.awake is None:
            return 60.0
        return self._last_input_s + self.limits.idle_s - now_s

    async def _rest_if_idle(self) -> None:
        now_s = self.clock()
        if not self.clients and now_s >= self.last_watched_s + self.limits.unwatched_s:
            self._close()
        elif self.keeper.awake and now_s >= self._last_input_s + self.limits.idle_s:
            self._pause()
            await self.broadcast.flush(self.keeper, self.pacer, now_s, None)
            await self.keeper.rest()
            self.broadcast.notice("info", wording.SLEEPS)

    def _close(self) -> None:
        if not self.closed:
            self.closed = True
            self._on_closed(self)

    def close(self) -> None:
        """Put the session to rest soon."""
        self._close()
        self._poke.set()

    async def end(self) -> None:
        """Put the session to rest now."""
        self.close()
        await asyncio.gather(self.task, return_exceptions=True)
