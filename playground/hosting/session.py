"""One session as it is played: its run, its pace and its readers, worked on in turns of bounded length.

Whoever owns it hands it messages, gives it turns, and carries what it sends. Nothing here waits.
"""

from __future__ import annotations

import logging
import math
import secrets
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from engine.reading.conditions import Condition, ConditionWatch, needs_whole_run
from engine.reading.message_places import LETTERS, held_messages, letters_of
from engine.replay import RunPlayer, WatchedRun
from engine.replay.player import MOST_MESSAGES, MOST_TRANSITIONS, Timed
from engine.values.errors import RunTooLong
from playground.hosting import pacer, protocol, session_record
from playground.hosting.pacer import (
    CATCH_UP_S,
    FrameThrottle,
    PageClock,
    RunPacer,
    RunProgress,
    StoryStops,
)
from playground.hosting.real_engine import EngineDoor
from playground.hosting.run import (
    BurstBeyond,
    FrameSender,
    FrameWindow,
    RunBuilder,
    RunStorage,
    SessionRun,
    check_burst,
)
from playground.hosting.session_files import BETWEEN, WORTH_KEEPING
from playground.hosting.session_record import RecordedSession
from playground.limits.session_bounds import SessionBounds

PATIENCE_S: Final = 10.0
"""How long a repetition may run at once; the next call continues it."""

Found = list[tuple[Any, bool]]
"""For each condition the first value that it compares, and whether it holds."""


class ReachedGoals:
    """Checks conditions of one run. A condition on the current moment reads the run's own state. A condition that
    counts events, or looks at every moment, needs the run from its beginning: the run is repeated on a ledger, and the
    repetition is kept. So the first check costs the whole run, and each later one only what happened since.

    Args:
        door: makes the repetition's node.
        breathe: called often, so that others have their turns.
        clock: real seconds.
    """

    def __init__(
        self,
        conditions: list[Condition],
        door: EngineDoor,
        scenario: dict[str, Any],
        breathe: Callable[[], None],
        clock: Callable[[], float],
    ) -> None:
        self.conditions = conditions
        self._watches = [ConditionWatch(each) for each in conditions]
        self._breathe = breathe
        self._clock = clock
        self._ends_s = 0.0
        self._repetition: WatchedRun | None = None
        if any(map(needs_whole_run, conditions)):
            node: Any = door.rehearse(scenario)
            node.log.pause = breathe
            self._player = RunPlayer(
                node, lenient=True, most=MOST_TRANSITIONS, whole=True, give_up=self._is_over
            )
            self._repetition = WatchedRun(node, self._player, self._watches)

    def found(self, state: Callable[[], dict[str, Any]], commands: list[Timed], at_us: int) -> Found | None:
        """Return the values at the current moment; None if the run is too long to be repeated. `commands`: all of the
        session's record. `at_us`: the run's time, with everything of that instant done.
        """
        moment = state() if self._repetition is None else self._repeated(self._repetition, commands, at_us)
        if moment is None:
            return None
        return [(watch.found(moment), watch.holds(moment)) for watch in self._watches]

    def _repeated(self, repetition: WatchedRun, commands: list[Timed], at_us: int) -> dict[str, Any] | None:
        self._player.commands = list(commands)
        self._ends_s = self._clock() + PATIENCE_S
        try:
            moment = repetition.go(at_us)
        except RunTooLong:
            return None
        return moment if repetition.tally.moved["Published"] <= MOST_MESSAGES else None

    def _is_over(self) -> bool:
        self._breathe()
        return self._clock() > self._ends_s


class SessionWork:
    """One piece of a session's work, done in one go; `SessionJob` lets others have their turns. Arguments as there."""

    def __init__(self, work: Callable[[], Any], clock: Callable[[], float]) -> None:
        self._work = work

    def go_on(self, budget_s: float) -> bool:
        """Work for about so long; return whether it is done. Raises what the work raises."""
        self._work()
        return True

    def breathe(self) -> None:
        """Let others have their turn; called by the work itself."""

    def abandon(self) -> None:
        """Leave the work as it is, for good."""


def of(state: dict[str, Any]) -> list[int]:
    """Return [alpha, beta, gamma, delta, all that is held] over all queues of a snapshot (Q3)."""
    found = [letters_of(queue) for queue in state["queues"].values()]
    counts = [sum(letters[name] for letters in found) for name in LETTERS]
    return [*counts, held_messages(state)]


logger = logging.getLogger(__name__)


class EngineSession:
    """See the module.

    Args:
        storage: for the files and checkpoints of its runs.
        send: carries a message to the server.
        clock: real seconds.
        work: makes pieces of work; `SessionJob` where others wait for their turn.
        ease: spaces its frames out.
    """

    def __init__(
        self,
        session_id: str,
        *,
        door: EngineDoor,
        storage: RunStorage,
        bounds: SessionBounds,
        send: Callable[[Any], None],
        clock: Callable[[], float],
        work: type[SessionWork] = SessionWork,
        ease: FrameThrottle | None = None,
    ) -> None:
        self.session_id = session_id
        self.run: SessionRun | None = None
        self.pacer = RunPacer()
        self.frames = FrameSender(lambda readers, text: send(protocol.PageText(session_id, readers, text)))
        self.life = ""
        self._door = door
        self._files = storage.files
        self._bounds = bounds
        self._send = send
        self._clock = clock
        self._builder = RunBuilder(
            session_id,
            door=door,
            storage=storage,
            bounds=bounds,
            clock=clock,
            breathe=self._breathe,
            report=lambda percent: send(
                protocol.RunNotice(session_id, "info", "waking", {"percent": percent})
            ),
        )
        self._ease = ease or FrameThrottle()
        self._record = RecordedSession({}, [])
        self._inbox: deque[Any] = deque()
        self._goals: ReachedGoals | None = None
        """Those that were asked for last; forgotten with the run."""
        self._new_work = work
        self._job: SessionWork | None = None
        self._stops = StoryStops(bounds.max_virtual_s * 1_000_000)
        self._full = self._over = False  # over: time stands still only because the scenario is
        self._keeps_up = True
        """Whether the engine came as far as it should have in its last turn."""
        self._progress = RunProgress()
        self._noted_us = 0
        self._next_tick_s = self._next_check_s = self._next_note_s = self._tick_s = 0.0
        self._stirred_s = self._asked_s = 0.0

    # --- from the owner ---

    def receive(self, message: Any) -> None:
        """Take a message: at once what needs no engine, the rest in its turn."""
        windows = self.frames.windows
        match message:
            case protocol.PageSaid(message=protocol.FrameAck(through=through), reader=reader):
                if reader in windows:
                    windows[reader].acknowledge(through)
            case protocol.PageLeft(reader=reader) if not self.plays:
                windows.pop(reader, None)
            case protocol.PageSaid(message=protocol.ShowFile(seen=seen), reader=reader):
                if reader in windows:
                    windows[reader].show(seen)
                    self.frames.beat()
                    self._soon()
            case _:
                if isinstance(message, protocol.PageSaid) and isinstance(message.message, protocol.PageHello):
                    windows.setdefault(message.reader, FrameWindow())
                self._inbox.append(message)

    def due_s(self) -> float:
        """Return when it wants its next turn. Minus infinity where somebody waits for it, zero where a turn was left
        in the middle, infinity where nothing is to be done.
        """
        if self._job is not None:
            return 0.0
        if self._inbox:
            return -math.inf
        if self.run is None:
            return math.inf
        if self.frames.owes(self.run):
            return self._next_tick_s
        if not self.plays:
            return math.inf
        next_us, stop_us = self.run.node.next_us(), self._stops.next_us()
        at_s = self.pacer.real_s(stop_us if next_us is None else min(next_us, stop_us))
        return max(self._next_tick_s, min(at_s, self.frames.last_s + pacer.BEAT_S))

    def early_s(self, due_s: float) -> float:
        """Return by how much a turn may come before `due_s`, with others': nothing where something happens then. Nor
        where turns follow each other faster than that: each would come at once.
        """
        waits = due_s == self._next_tick_s and self._tick_s > pacer.EARLY_S
        return pacer.EARLY_S if waits else 0.0

    def turn(self, budget_s: float) -> None:
        if self._job is None:
            message = self._inbox.popleft() if self._inbox else None
            self._job = self._new_work(partial(self._handle, message), self._clock)
        if self._job.go_on(budget_s):
            self._job = None

    def close(self) -> None:
        """Leave everything as it is, for good."""
        if self._job is not None:
            self._job.abandon()
            self._job = None
        self._inbox.clear()
        self._close_run()
        self._files.forget(self.session_id)

    @property
    def is_busy(self) -> bool:
        return self._job is not None

    @property
    def plays(self) -> bool:
        """Whether time passes: it stands still while nobody watches."""
        return self.pacer.play and self.run is not None and self.frames.watched

    # --- one piece of work ---

    def _handle(self, message: Any) -> None:
        """Do what a message wants, or the next tick."""
        call = getattr(message, "call", None)
        try:
            if isinstance(message, protocol.OpenRun):
                self._open(message)
            elif self.run is not None:
                self._come_up(self.run, message)
                self._do(self.run, message)
            elif call is not None:
                self._send(protocol.CommandRefused(call, code="asleep"))
        except self._door.refusals as refusal:
            code, values = getattr(refusal, "code", ""), getattr(refusal, "values", {})
            self._send(protocol.CommandRefused(call or 0, str(refusal), code, values, by_engine=bool(code)))
        except BurstBeyond as beyond:
            self._send(protocol.CommandRefused(call or 0, code=beyond.code, values=beyond.values))
        except Exception as error:
            logger.exception("session %s failed", self.session_id)
            self._fall(error, call)
        finally:
            if isinstance(message, protocol.PageLeft):
                self.frames.windows.pop(message.reader, None)

    def _do(self, run: SessionRun, message: Any) -> None:
        match message:
            case None:
                self._tick(run)
            case protocol.PageSaid(message=protocol.PageHello() as hello):
                self._hello(run, message.reader, hello)
            case protocol.SubmitCommand():
                self._submit(run, message)
            case protocol.PageSaid(message=protocol.ControlRun() as control):
                self._control(run, control)
            case protocol.ReleaseHold():
                self._stops.answer_us = None
            case protocol.PageSaid(message=protocol.StepRun()):
                self._step(run, message)
            case protocol.PageSaid(message=protocol.AskConsole(line=line)):
                run.finish_instant()
                reply = self._door.ask(run.node, line)
                self._answer(message, text=reply.text, changes=reply.changes)
            case protocol.Locate():
                run.finish_instant()
                found = self._found(run, message.goals)
                self._answer(message, **run.moment(), number=len(self._record.commands), found=found)
            case protocol.CountByState():
                self._answer(message, mix=of(run.node.snapshot()))
            case protocol.Suspend():
                self._rest(run, message)
            case protocol.PageLeft():
                pass  # the time until now has passed: that was all
            case _:
                raise TypeError(f"no session takes {message!r:.80}")

    def _answer(self, request: Any, **value: Any) -> None:
        self._send(protocol.CallAnswer(request.call, value))

    def _fall(self, error: Exception, call: int | None) -> None:
        """Say that the run failed, and how; it is gone."""
        good_us = self.run.good_us if self.run is not None else 0
        self._close_run()
        failure = protocol.of(error, self._door)
        self._send(protocol.RunFailed(self.session_id, self.life, call, failure, good_us, self.pacer.play))

    def _breathe(self) -> None:
        if self._job is not None:
            self._job.breathe()

    def _found(self, run: SessionRun, conditions: list[Condition]) -> Found | None:
        """Return what of some conditions is found in the run as it is; none cost nothing, and forget nothing."""
        if not conditions:
            return []
        if self._goals is None or self._goals.conditions != conditions:
            self._goals = ReachedGoals(
                conditions, self._door, self._record.scenario, self._breathe, self._clock
            )
        return self._goals.found(run.node.snapshot, self._record.commands, run.node.now_us)

    # --- the run's life ---

    def _open(self, message: protocol.OpenRun) -> None:
        self._close_run()
        self._record = RecordedSession(message.scenario, list(message.commands))
        run = self._builder.build(self._record, message.until_us)
        self.run, self.life, self._full, self._over = run, secrets.token_hex(4), False, False
        self._keeps_up = True
        ends_us = message.scenario.get("until_us") or 0
        self._stops.end_us = ends_us if not message.commands and run.node.now_us < ends_us else None
        self._noted_us = message.until_us
        self._stops.answer_us = message.holds_us
        self._pace(message.play)
        self.frames.restart()
        self._answer(message, life=self.life, **run.moment())

    def _rest(self, run: SessionRun, message: protocol.Suspend) -> None:
        run.finish_instant()
        self._pace(False)
        self.frames.flush(run, self._page_clock(run), self._clock(), None)
        self._builder.keep(run, self._record, WORTH_KEEPING)
        came = run.moment()
        self._close_run()
        self._files.forget(self.session_id)
        self._answer(message, **came)

    def _close_run(self) -> None:
        run, self.run, self._goals = self.run, None, None
        if run is not None:
            run.close()

    # --- time ---

    def _come_up(self, run: SessionRun, message: Any) -> None:
        """Let time pass up to now, as pages show it, before a message is looked at."""
        if message is not None and self.plays:
            stops = isinstance(getattr(message, "message", None), protocol.Pacing)
            self._play(run, self._clock(), pacer.TURN_S if stops else pacer.COMES_UP_S)

    def _pace(self, play: bool, speed: float | None = None) -> None:
        self._stops.asked_us = self._stops.asked_us if play else None
        now_us = self.run.node.now_us if self.run is not None else 0
        self.pacer.set(self._clock(), now_us, play, speed)
        self.frames.beat()
        self._soon()
        self._send(protocol.SetPace(self.session_id, play))

    def _tick(self, run: SessionRun) -> None:
        now_s = self._clock()
        usual_s = pacer.tick_s(self.plays, self.frames.seen, now_s - self._stirred_s, now_s - self._asked_s)
        self._tick_s = usual_s * self._ease.factor
        self._next_tick_s = now_s + self._tick_s
        if self.plays:
            self._play(run, now_s)
        self._progress.tick(now_s, run.node.now_us)
        if run.frame.counts:
            self._stirred_s = now_s
        self.frames.flush(run, self._page_clock(run), self._clock(), pacer.BEAT_S if self.plays else None)

    def _soon(self) -> None:
        """Send a frame about what somebody has just done, as soon as the next frame may go out."""
        self._stirred_s = self._asked_s = self._clock()
        self._next_tick_s = min(self._next_tick_s, self.frames.last_s + pacer.TICK_S * self._ease.factor)

    def _page_clock(self, run: SessionRun) -> PageClock:
        until_us, next_us = self._stops.next_us(), run.node.next_us()
        is_quiet = self._clock() - self._stirred_s > pacer.QUIET_S
        if next_us is not None and not is_quiet:
            until_us = min(until_us, next_us)  # no page shows a moment whose picture it does not have
        clock = self.pacer.page_clock(run.node.now_us, until_us)
        return clock if self._keeps_up else clock.slower(self._progress.pace, self._tick_s)

    def _play(self, run: SessionRun, now_s: float, budget_s: float = pacer.TURN_S) -> None:
        # Frames that come seldom do not slow time down.
        owes_s = max(CATCH_UP_S, pacer.LATE_BY * self._tick_s)
        due_us = self.pacer.due_us(now_s, run.node.now_us, owes_s, run.node.next_us())
        due_us = min(due_us, self._stops.next_us())
        reached = self._keeps_up = run.turn(max(due_us, run.node.now_us), budget_s)
        if reached and self._stops.end_us is not None and due_us >= self._stops.end_us:
            self._stops.end_us, self._over = None, True
            self._pace(False)
            if not self._stops.holds_at(run.node.now_us):
                self._send(protocol.RunEnded(self.session_id, self.life, run.node.log.digest))
        if reached and self._stops.asked_us is not None and due_us >= self._stops.asked_us:
            self._pace(False)
        if reached and self._stops.holds_at(run.node.now_us):
            self._pace(False)
            self._notify_held()
        if self._is_worn_out(run):
            self._pace(False)
            self._notify_worn_out()
        if now_s >= self._next_note_s:
            self._next_note_s = now_s + pacer.NOTE_S
            if run.good_us > self._noted_us:
                self._noted_us = run.good_us
                self._send(protocol.TimeReached(self.session_id, self.life, run.good_us))
            self._builder.keep(run, self._record, BETWEEN)
        if now_s >= self._next_check_s or (run.disk_is_full() and not self._full):
            self._next_check_s = now_s + pacer.CHECK_S
            self._check_usage(run)

    def _control(self, run: SessionRun, message: protocol.ControlRun) -> None:
        play, stops_us = message.play, None
        if play is not None:
            until_us = message.until_us
            stops_us = until_us if play and until_us is not None and until_us > run.node.now_us else None
            play = play and (until_us is None or stops_us is not None)
        if play and self._is_worn_out(run):
            play = False
            self._notify_worn_out()
        if play and self._stops.holds_at(run.node.now_us):
            play = False
            self._notify_held("limit")  # somebody asks for more
        self._pace(self.pacer.play if play is None else play, message.speed)
        if play is not None:
            self._stops.asked_us, self._over = stops_us, False

    def _step(self, run: SessionRun, message: protocol.PageSaid) -> None:
        self._pace(False)
        self._over = False
        self._refuse_worn_out(run)
        if self._stops.holds_at(run.node.now_us):
            raise BurstBeyond("asked")
        number, next_us = run.node.log.number, run.node.next_us()
        if self._stops.answer_us is not None and (next_us is None or next_us > self._stops.answer_us):
            run.turn(self._stops.answer_us, pacer.TURN_S)
        else:
            run.step()
        self._soon()
        self._answer(message, came=run.node.log.number - number)

    # --- readers and commands ---

    def _hello(self, run: SessionRun, reader: int, message: protocol.PageHello) -> None:
        window = self.frames.windows.get(reader)
        if window is None:  # it left meanwhile
            return
        if not self.plays:  # nobody watched until now: the time since then does not count
            self.pacer.anchor(self._clock(), run.node.now_us)
        self.frames.flush(run, self._page_clock(run), self._clock(), None)
        self._send(protocol.PageWelcome(self.session_id, reader, self.life, self._stops.end_us))
        known = message.have is not None and message.life in {None, self.life}
        rows = run.rows_since(message.have) if known and message.have is not None else None
        self.frames.join(reader, rows, run, self._page_clock(run))
        self._next_tick_s = self._clock()

    def _submit(self, run: SessionRun, message: protocol.SubmitCommand) -> None:
        self._refuse_worn_out(run)
        usage = run.usage(len(self._record.commands))
        check_burst(message.command, self._bounds, usage, run.node.most_messages)
        at_us = run.submit(message.command)
        self._record.commands.append((at_us, message.command))
        self._soon()
        self._stops.end_us = None
        if self._over and not self.pacer.play:  # nobody stopped it: what is done now is to be seen
            self._pace(True)
        self._answer(message, at_us=at_us, number=len(self._record.commands) - 1)

    def _notify_held(self, level: str = "info") -> None:
        self._send(protocol.RunNotice(self.session_id, level, "asked"))

    # --- what it takes ---

    def _is_worn_out(self, run: SessionRun) -> bool:
        too_many = run.node.log.number >= self._bounds.max_transitions
        return too_many or run.node.now_us >= self._bounds.max_virtual_s * 1_000_000

    def _refuse_worn_out(self, run: SessionRun) -> None:
        if self._is_worn_out(run):
            raise BurstBeyond("worn_out", **self._bounds.of_a_run)

    def _notify_worn_out(self) -> None:
        self._send(protocol.RunNotice(self.session_id, "limit", "worn_out", self._bounds.of_a_run))

    def _check_usage(self, run: SessionRun) -> None:
        usage = run.usage(len(self._record.commands))
        full = run.disk_is_full() or usage.messages >= self._bounds.max_messages
        if full and not self._full:
            logger.info("session %s is full: %s", self.session_id, usage)
            self._stops.end_us = None
            self._stop_publishers(run)
            values = {"messages": usage.messages, "bytes": usage.disk_bytes}
            values |= {"most": self._bounds.max_messages, "most_bytes": self._bounds.max_disk_bytes}
            self._send(protocol.RunNotice(self.session_id, "limit", "full", values))
        self._full = full

    def _stop_publishers(self, run: SessionRun) -> None:
        """Stop what fills the session, by commands like anybody's: a replay stops them at the same moment."""
        commands = self._record.commands
        for setting in session_record.running_publishers(self._record.scenario, commands, run.node.now_us):
            stop = {**setting, "running": False}
            at_us = run.submit(stop)
            self._send(protocol.SelfCommand(self.session_id, self.life, len(commands), at_us, stop))
            commands.append((at_us, stop))
