"""The form of an exercise's file. What is graded stands once; texts stand once for each language."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from playground.exercises.grading.events import EventForm

LANGUAGES = ("en", "zh_hans", "zh_hant")
Kind = Literal["predict", "reach", "broker", "order"]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=3000)]
Id = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,40}\Z")]


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Anything in the file."""


class GoOn(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the run goes on once the prediction is locked: commands with absolute times, and the end."""

    until_us: int
    commands: tuple[dict[str, Any], ...] = ()


class Option(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One of several answers; right is the one whose condition holds."""

    id: Id
    when: Any


class Slip(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A wrong number that a known misunderstanding leads to, computed from the run as well."""

    id: Id
    measure: Any


class Item(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Something to put in order. Without an event it never happens: a distractor."""

    id: Id
    event: EventForm | None = None


class Predict(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A question to answer before the run goes on."""

    ask: Literal["choice", "number", "set", "order"]
    options: tuple[Option, ...] = ()
    measure: Any = None
    most: int = 1_000_000
    slips: tuple[Slip, ...] = ()
    items: tuple[Item, ...] = ()


class Goal(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One condition of a state to be reached."""

    id: Id
    test: Any


class Limits(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the learner may use: commands in all, which verbs, and messages."""

    commands: int = 12
    verbs: tuple[str, ...] = ()
    messages: int = 2000
    forbidden_settings: tuple[str, ...] = ()


class Reach(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A state that the learner has to bring about in a live session."""

    goals: tuple[Goal, ...]
    limits: Limits = Limits()


class Step(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One step of the broker's work: the run up to here."""

    until_us: int


class Broker(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The learner moves messages; each step is compared with what the engine's transitions do."""

    steps: tuple[Step, ...]


class Order(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Events to be put in the order of the run, with distractors among them."""

    items: tuple[Item, ...]


class Wrong(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A wrong answer that the tests give, and the feedback that it must get."""

    feedback: str
    answer: Any = None
    off: int | None = None
    of: Any = None
    step: int = 0
    moves: tuple[tuple[int, str], ...] = ()


class Texts(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is said in one language."""

    title: Text
    task: Text
    misconception: Text
    explain: Text
    hints: Annotated[tuple[Text, ...], msgspec.Meta(min_length=2, max_length=4)]
    words: dict[str, Text] = {}
    feedback: dict[str, Text] = {}
    steps: tuple[Text, ...] = ()


class Exercise(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One exercise.

    Args:
        scenario: what the live session begins with; its `until_us` is where the learner stands.
        go_on: how the run goes on after a prediction, and through the steps of "be the broker".
        solution: only where the engine cannot compute it: the commands that reach the state.
        wrong: three answers that must fail.
        claims: conditions that the task's text speaks of; they hold where the learner stands.
    """

    kind: Kind
    minutes: Annotated[int, msgspec.Meta(ge=1, le=20)]
    rules: tuple[str, ...]
    scenario: dict[str, Any]
    go_on: GoOn | None = None
    predict: Predict | None = None
    reach: Reach | None = None
    broker: Broker | None = None
    order: Order | None = None
    solution: tuple[dict[str, Any], ...] = ()
    wrong: Annotated[tuple[Wrong, ...], msgspec.Meta(min_length=3)]
    claims: tuple[Any, ...] = ()
    en: Texts
    zh_hans: Texts
    zh_hant: Texts
    slug: str = ""
    unit: str = ""

    def full_scenario(self) -> dict[str, Any]:
        """Return the scenario with everything that comes after the prediction."""
        if self.go_on is None:
            return self.scenario
        commands = [*self.scenario.get("commands", ()), *self.go_on.commands]
        return {**self.scenario, "commands": commands, "until_us": self.go_on.until_us}

    def texts(self, language: str) -> Texts:
        """Return the texts in a language of the site, English for any other."""
        return {"zh-hans": self.zh_hans, "zh-hant": self.zh_hant}.get(language.lower(), self.en)


class UnitTexts(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A unit in one language: what learners read, and the notes for the teacher."""

    title: Text
    goal: Text
    before: Text
    timing: tuple[Text, ...]
    discussion: tuple[Text, ...]


class Unit(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Forty-five minutes: exercises in order, and notes for the teacher."""

    slug: Id
    exercises: tuple[Id, ...]
    en: UnitTexts
    zh_hans: UnitTexts
    zh_hant: UnitTexts

    def texts(self, language: str) -> UnitTexts:
        """Return the texts in a language of the site, English for any other."""
        return {"zh-hans": self.zh_hans, "zh-hant": self.zh_hant}.get(language.lower(), self.en)
