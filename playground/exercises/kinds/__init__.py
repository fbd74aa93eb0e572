"""The kinds of exercises: each is one class, with all that differs from one kind to the next.

To add one: a subclass of `ExerciseKind`, its template below templates/exercises/kinds, its texts in the three
languages, and its line in KINDS. Pages, grading, classes, votes and exports find kinds here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground.exercises.kinds.acting import BrokerKind, ReachKind
from playground.exercises.kinds.kind import ExerciseKind, GiveUp, KindProgress, never
from playground.exercises.kinds.predictions import ChoiceKind, MatchKind, NumberKind, OrderKind, SeveralKind

if TYPE_CHECKING:
    from playground.exercises.grading import GradedVerdict
    from playground.exercises.schema import Exercise

__all__ = ["KINDS", "ExerciseKind", "GiveUp", "KindProgress", "grade", "kind_of", "never", "solution_of"]

KINDS: dict[str, ExerciseKind] = {
    kind.name: kind
    for kind in (
        ChoiceKind(),
        SeveralKind(),
        NumberKind(),
        MatchKind(),
        OrderKind(),
        ReachKind(),
        BrokerKind(),
    )
}
"""Every kind by the name that files give it."""


def kind_of(exercise: Exercise) -> ExerciseKind:
    return KINDS[exercise.kind]


def grade(exercise: Exercise, answer: Any, give_up: GiveUp = never) -> GradedVerdict:
    """Judge an answer by running the engine. Raises BadAnswer when it has not the form that the kind asks for,
    TooLong when the run is too long to be graded.
    """
    return kind_of(exercise).grade(exercise, answer, give_up)


def solution_of(exercise: Exercise) -> Any:
    """Return the right answer: computed from the engine's run, or written where no engine can compute it."""
    return kind_of(exercise).solution(exercise)
