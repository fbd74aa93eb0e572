"""Words that all exercises share."""

from __future__ import annotations

from playground.exercises.kinds import kind_of
from playground.exercises.schema import Exercise, ExerciseTexts


def feedback(exercise: Exercise, texts: ExerciseTexts, name: str) -> str:
    """Return the text of a feedback id: the exercise's own, or its kind's for such a mistake."""
    return texts.feedback.get(name) or str(kind_of(exercise).feedback.get(name, name))


def kind(exercise: Exercise) -> str:
    """Return the name of a kind of exercise."""
    return str(kind_of(exercise).label)
