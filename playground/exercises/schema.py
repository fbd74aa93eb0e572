"""The form of an exercise's file. What is graded stands once; texts stand once for each language."""

from __future__ import annotations

from typing import Annotated, Any, Generic, TypeVar

import msgspec

from engine.reading.conditions import Condition
from playground.exercises.variants import DrawnVariant

MADE = "made"
"""The unit of exercises that teachers made."""

T = TypeVar("T")

LANGUAGES = ("en", "zh_hans", "zh_hant")
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=3000)]
Id = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,40}\Z")]


class SchemaPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Anything in the file."""


class TranslatedPart(SchemaPart, Generic[T], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What has its texts once for each language of the site."""

    en: T
    zh_hans: T
    zh_hant: T

    def texts(self, language: str) -> T:
        """Return the texts in a language of the site, English for any other."""
        return {"zh-hans": self.zh_hans, "zh-hant": self.zh_hant}.get(language.lower(), self.en)


class GoOn(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the run goes on once the prediction is locked: commands with absolute times, and the end."""

    until_us: int
    commands: tuple[dict[str, Any], ...] = ()


class WrongAnswer(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A wrong answer that the tests give, and the feedback that it must get."""

    feedback: str
    answer: Any = None
    off: int | None = None
    of: Any = None
    step: int = 0
    moves: tuple[tuple[int, str], ...] = ()


class ExerciseTexts(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The texts in one language."""

    title: Text
    task: Text
    misconception: Text
    explain: Text
    hints: Annotated[tuple[Text, ...], msgspec.Meta(max_length=4)] = ()
    words: dict[str, Text] = {}
    feedback: dict[str, Text] = {}
    steps: tuple[Text, ...] = ()


class Exercise(TranslatedPart[ExerciseTexts], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One exercise.

    Args:
        kind: a name of `playground.exercises.kinds.KINDS`; the file's table of that name is what the kind asks.
        scenario: what the live session begins with; its `until_us` is where the learner stands.
        go_on: how the run goes on after a prediction, and through the steps of "be the broker".
        wrong: answers that must fail; three in the catalogue, fewer only if there are no more.
        claims: conditions that the task's text speaks of; they hold where the learner stands.
        form: what the kind asks, in the kind's own form.
        variants: the numbers that a second try draws again; none where the numbers must be as they are.
        cases: the names of the other cases; empty where there is one.
        case: the one that this is; empty for the file's own.
    """

    kind: str
    minutes: Annotated[int, msgspec.Meta(ge=1, le=20)]
    rules: tuple[str, ...]
    scenario: dict[str, Any]
    go_on: GoOn | None = None
    wrong: tuple[WrongAnswer, ...] = ()
    claims: tuple[Condition, ...] = ()
    form: Any = None
    variants: dict[str, DrawnVariant] = {}
    cases: tuple[Id, ...] = ()
    case: str = ""
    slug: str = ""
    unit: str = ""

    def full_scenario(self) -> dict[str, Any]:
        """Return the scenario with everything that comes after the prediction."""
        if self.go_on is None:
            return self.scenario
        commands = [*self.scenario.get("commands", ()), *self.go_on.commands]
        return {**self.scenario, "commands": commands, "until_us": self.go_on.until_us}


class UnitTexts(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A unit in one language: what learners read, and the notes for the teacher."""

    title: Text
    goal: Text
    before: Text
    timing: tuple[Text, ...]
    discussion: tuple[Text, ...]


class LessonUnit(TranslatedPart[UnitTexts], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Exercises for one lesson, in order, with notes and a timetable for the teacher."""

    slug: Id
    exercises: tuple[Id, ...]


class ExampleStep(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One step towards a state: what is done until when, and what holds then."""

    commands: tuple[dict[str, Any], ...] = ()
    until_us: int
    reached: Condition


class ExampleTexts(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An example in one language: its task, where that is not the exercise's, and for each step its name and reason."""

    task: Text | None = None
    steps: tuple[Text, ...]
    reasons: tuple[Text, ...]


class FadedExample(TranslatedPart[ExampleTexts], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An example before one exercise.

    Args:
        exercise: before which it is read.
        numbers: each for the example that is done, and for the one with a step left.
        steps: towards a state that is not the exercise's own; none where the exercise has steps.
        others: commands in the place of the last step's that do not bring what it brings.
    """

    exercise: Id
    numbers: dict[str, tuple[int, int]]
    steps: tuple[ExampleStep, ...] = ()
    others: Annotated[tuple[tuple[dict[str, Any], ...], ...], msgspec.Meta(max_length=3)] = ()


class NumberedExample(msgspec.Struct, frozen=True):
    """An example with one row of its numbers, and the exercise with the same."""

    faded: FadedExample
    exercise: Exercise
