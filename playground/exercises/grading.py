"""Grading by replay: pure, deterministic, and without a written-down answer where the engine can compute it."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Generic, TypeVar

import msgspec

from engine.replay import PlayedPiece, RunPlayer, RunWatcher, WatchedRun, WatchedState, on_ledger
from engine.replay.player import MOST_MESSAGES, MOST_TRANSITIONS, Timed
from engine.report.transitions.base import Transition
from engine.transitions import all_kinds, fields_of
from engine.values.errors import RunTooLong, ValueRefused
from playground.exercises.schema import MADE
from playground.jobs import RUN, BoundedJob, job
from playground.limits import work_places


class BadAnswer(Exception):
    """An answer does not have the form of the exercise."""


class TooLong(Exception):
    """The run is too long to be graded."""


class VerdictLine(msgspec.Struct, frozen=True):
    """A line of a verdict: a prediction, goal or step beside what happened. `about`: the id of the option, goal,
    item or message. `yours`: what the learner answered or reached. `right`: whether the two agree; None if nothing
    was answered.
    """

    about: str
    yours: Any
    engine: Any
    right: bool | None


class GradedVerdict(msgspec.Struct, frozen=True):
    """The result of one attempt. `passed`: whether the exercise is solved. `feedback`: ids of feedback texts; those
    that begin with `_` are common to all exercises. `lines`: what to show side by side. `tally`: the answer as one
    short text, to count equal ones. `step`: how many steps of a "be the broker" are right. `moves`: what the engine
    moved in the step that was judged: rule, kind, from, to, first, last.
    """

    passed: bool
    feedback: tuple[str, ...] = ()
    lines: tuple[VerdictLine, ...] = ()
    tally: str = ""
    step: int = 0
    moves: tuple[tuple[str, str, str, str, int, int], ...] = ()

    @property
    def wrong(self) -> bool:
        """Whether something was wrong; a right step on the way to the end is not."""
        return not self.passed and bool(self.feedback)


class RunEvent(msgspec.Struct, frozen=True):
    """A transition and when it happened; `number` counts them all."""

    number: int
    at_us: int
    transition: Transition

    @property
    def kind(self) -> str:
        return type(self.transition).__name__


class GradedRun(WatchedRun):
    """A scenario with commands given later, played on a ledger as a live session plays it on files. `scenario`: as
    `engine.broker.commands.scenario.parse` reads it. `commands`: what was given besides, ascending by time.
    `watchers`: conditions about the past are asked at every moment at which something happened. `give_up`: asked
    now and then; when it returns true, `TooLong` is raised.
    """

    def __init__(
        self,
        scenario: dict[str, Any],
        commands: Sequence[Timed] = (),
        watchers: Iterable[RunWatcher] = (),
        give_up: Callable[[], bool] = lambda: False,
    ) -> None:
        node = on_ledger(scenario)
        # A session that took a command had another engine: what this one refuses is passed over.
        player = RunPlayer(node, commands, lenient=True, most=MOST_TRANSITIONS, whole=True, give_up=give_up)
        super().__init__(node, player, watchers)
        self.events: list[RunEvent] = []

    def go(self, until_us: int) -> WatchedState:
        """Go on to `until_us` and return the moment there. Raises TooLong."""
        try:
            return super().go(until_us)
        except RunTooLong as error:
            raise TooLong(str(error)) from None

    def take(self, piece: PlayedPiece) -> None:
        """Keep the transitions that are new, and show the moment. Raises TooLong."""
        super().take(piece)
        for at_us, transition in zip(piece.at_us, piece.rows, strict=True):
            self.events.append(RunEvent(len(self.events), at_us, transition))
        if self.tally.moved["Published"] > MOST_MESSAGES:
            raise TooLong("the run has more messages than grading takes")


KINDS = {kind.__name__: kind for kind in all_kinds()}


class EventForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of transition; fields that are given must be equal. `nth` is 1 for the first such event."""

    kind: str
    where: dict[str, Any] = {}
    nth: int = 1

    def __post_init__(self) -> None:
        if self.kind not in KINDS or not set(self.where) <= set(fields_of(KINDS[self.kind])):
            raise ValueRefused("no_event_kind", name=self.kind, fields=", ".join(sorted(self.where)))

    def first_in(self, events: Sequence[RunEvent]) -> RunEvent | None:
        """Return the event that is meant, or None when the run has none."""
        left = self.nth
        for event in events:
            if event.kind != self.kind:
                continue
            if all(getattr(event.transition, name) == value for name, value in self.where.items()):
                left -= 1
                if left == 0:
                    return event
        return None


T = TypeVar("T")

MOST: Final = 500
"""Exercises whose answers are kept: as many variants as the catalogue keeps."""


class KnownAnswers(Generic[T]):
    """A question to the engine about an exercise, whose answers are kept. Exercises are distinguished by identity:
    the catalogue hands out the same one each time, and another after a change. `ask`: runs the engine; gets the
    exercise and what else `answer` was given.
    """

    def __init__(self, ask: Callable[..., T]) -> None:
        self._ask = ask
        self._kept: dict[int, tuple[Any, T]] = {}
        self._lock = threading.Lock()

    def answer(self, exercise: Any, *more: Any) -> T:
        """Return what the engine finds, for which only who asks first needs a place. Raises what the question
        raises, and keeps nothing then.
        """
        known = self._known(exercise)
        if known:
            return known[0]
        with work_places.for_present():
            known = self._known(exercise)  # others may have asked the same meanwhile
            found = known[0] if known else self._asked(exercise, *more)
        with self._lock:
            self._kept[id(exercise)] = exercise, found
            while len(self._kept) > MOST:
                del self._kept[next(iter(self._kept))]
        return found

    def _asked(self, exercise: Any, *more: Any) -> T:
        """Ask here; as a job where that plays what somebody made."""
        if BoundedJob.carrier is None or exercise.unit != MADE:
            return self._ask(exercise, *more)
        found: T = ask_apart(self._ask.__module__, self._ask.__name__, exercise)
        return found

    def _known(self, exercise: Any) -> tuple[T] | None:
        kept = self._kept.get(id(exercise))
        return kept[1:] if kept is not None and kept[0] is exercise else None


@job(RUN)
def ask_apart(module: str, name: str, exercise: Any) -> Any:
    """Return the answer of a question of a module, which the job's own bounds end."""
    return getattr(importlib.import_module(module), name)(exercise, lambda: False)
