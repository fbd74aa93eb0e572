"""The interface of an exercise kind. Grading is pure; pages, the database and sockets stay outside."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from engine.reading.conditions import Condition
from engine.replay import RunWatcher
from playground.exercises import authors
from playground.exercises.grading import GradedRun, GradedVerdict, VerdictLine
from playground.texts import RequestRefused

if TYPE_CHECKING:
    from playground.exercises.authors import AuthoredRun, PostedForm
    from playground.exercises.schema import Exercise, ExerciseTexts, NumberedExample, SchemaPart

VerdictLines = Sequence[dict[str, Any]]
"""Lines of a verdict as they are kept."""
BesideRun = tuple[str, str] | None
"""A locked answer and what the engine did, in words."""
GiveUp = Callable[[], bool]
"""Called from time to time while a run is graded; if it returns true, TooLong is raised."""
Log = Callable[[Sequence[Condition]], dict[str, Any]]
"""Returns the record of the learner's own session, and its engine's values of some conditions.

That is {"commands": [{"at_us": ..., "do": ...}, ...], "until_us": ..., "found": [[value, holds], ...]}. Found is None
where the run is too long to be repeated, and left out where no engine has the session awake.
"""

MOST_PARTS = 64
"""Most parts of a sent answer to read."""


def never() -> bool:
    """Let grading take as long as it needs."""
    return False


class KindProgress(NamedTuple):
    """Somebody's progress on an exercise. `steps`: right answers to single steps, for kinds that have steps.
    `locked`: whether the answer was given, so that the run may go on. `seed`: of the learner or vote; the same seed
    shows options in the same order.
    """

    steps: tuple[Any, ...] = ()
    locked: bool = False
    seed: str = ""


class ExampleState(NamedTuple):
    """One step of a faded example: what happened, the engine's state after it, and the rules of its moves."""

    what: str
    state: list[str]
    rules: tuple[str, ...] = ()


class ExerciseKind(ABC):
    """One kind of exercise. The kind's own table in an exercise's file has the kind's name and the form `form`;
    pages show `template`.
    """

    name: ClassVar[str]
    """As files, addresses and exports call it."""
    label: ClassVar[Any]
    """As learners read it."""
    author_label: ClassVar[Any]
    """The label for authors, who must distinguish kinds that learners see under the same label."""
    form: ClassVar[type[SchemaPart]]
    """The form of the kind's table in a file."""
    feedback: ClassVar[dict[str, Any]] = {}
    """Sentences about a wrong answer, for exercises without sentences of their own; the ids begin with `_`."""
    button: ClassVar[Any]
    """The text of the button that sends the answer."""
    help: ClassVar[Any] = ""
    """A sentence below it."""
    between: ClassVar[str] = " "
    """Separator of the parts of a counted answer."""
    is_played: ClassVar[bool] = False
    """Whether an answer is a run, that is, the commands given in a session."""
    votable: ClassVar[bool] = False
    """Whether a whole class can vote on it: one short answer."""
    on_paper: ClassVar[bool] = True
    """Whether it can be asked in a test: without a session to work in."""
    lines_shown: ClassVar[int] = 1000
    """How many lines of a verdict are shown."""
    author_rows: ClassVar[range] = range(1, 7)
    """Options, messages or goals that an author can ask for."""

    @property
    def template(self) -> str:
        """The template of the form in which one answers."""
        return f"exercises/kinds/{self.name}.html"

    @property
    def author_template(self) -> str:
        """The template of the fields in which an author says what is asked."""
        return f"exercises/kinds/author/{self.name}.html"

    @abstractmethod
    def read(self, posted: PostedForm) -> Any:
        """Return the sent answer, bounded. Raises `RequestRefused`, which says what is missing."""

    @abstractmethod
    def draft(self, posted: PostedForm, run: AuthoredRun, texts: dict[str, Any]) -> dict[str, Any]:
        """Return the kind's table of an exercise that an author made from a run, with `go_on` where the run goes
        on. `run`: of the author's session, cut in two where the learner stands. `texts`: of the exercise; the
        words, feedback and steps of what is asked are added to them. Raises Refused saying what is missing.
        """

    def offers(self, run: AuthoredRun) -> dict[str, Any]:
        """Return what the author's form of this kind offers for a run: usually rows, and what is on the stage."""
        return {"rows": list(self.author_rows), "scene": authors.scene_of(run)}

    def prove(self, made: Exercise, give_up: GiveUp) -> None:
        """Refuse what an author made if nobody can solve it, or if it is solved by doing nothing."""
        if not self.grade(made, self.solution(made), give_up).passed:
            raise RequestRefused(authors.NOT_PASSED)

    @abstractmethod
    def grade(self, exercise: Exercise, answer: Any, give_up: GiveUp) -> GradedVerdict:
        """Judge an answer by running the engine; raise BadAnswer or TooLong."""

    @abstractmethod
    def solution(self, exercise: Exercise) -> Any:
        """Return the right answer, in the form that `grade` takes."""

    def solution_lines(self, exercise: Exercise, texts: ExerciseTexts) -> list[str]:
        """Return the solution in words."""
        return [self.tally_text(texts, str(self.solution(exercise)))]

    def page(self, exercise: Exercise, texts: ExerciseTexts, progress: KindProgress) -> dict[str, Any]:
        """Return what the template needs besides the exercise and its texts."""
        return {}

    def is_over(self, exercise: Exercise, progress: KindProgress) -> bool:
        """Return whether nothing is left to answer until a restart."""
        return progress.locked

    def whole_answer(self, exercise: Exercise, given: Any, progress: KindProgress, log: Log) -> Any:
        """Return what to grade for this answer; `log` returns the record of the learner's own session."""
        return given

    def repeats(self, answer: Any) -> bool:
        """Return whether this answer's own run must be repeated, apart from the exercise's known run."""
        return False

    def after(self, given: Any, verdict: GradedVerdict, progress: KindProgress) -> KindProgress:
        """Return the progress after an answer."""
        return progress

    def shows_engine(self, passed: bool, *, told: bool) -> bool:
        """Return whether a verdict shows what the engine did: only where the answer cannot be given again with
        that. `passed`: whether the answer was right. `told`: whether the learner has had a second try, or was right
        before.
        """
        return True

    def prediction_beside(self, texts: ExerciseTexts, lines: VerdictLines) -> BesideRun:
        """Return a locked answer and what the engine did, to be beside the run; None if there is no such pair."""
        return None

    def predicted_lanes(self, exercise: Exercise, lines: VerdictLines) -> dict[str, int]:
        """Return how many messages a locked answer puts in each lane, without lanes that it does not mention."""
        return {}

    def standing(self, exercise: Exercise, answer: Any, give_up: GiveUp) -> dict[str, Any] | None:
        """Return the progress of the current answer without grading it; None if that would reveal the right one."""
        return None

    def is_held(self, progress: KindProgress) -> bool:
        """Return whether the run is stopped, so that its session can only be watched."""
        return not progress.locked

    def stage(self, exercise: Exercise, progress: KindProgress) -> tuple[dict[str, Any], int]:
        """Return the scenario of the session beside the task, and the virtual time up to which it is already played."""
        if progress.locked:
            return exercise.full_scenario(), exercise.scenario["until_us"]
        return exercise.scenario, 0

    def about(self, texts: ExerciseTexts, name: str) -> str:
        """Return the subject of a verdict's line in words."""
        return texts.words.get(name, name)

    def value_text(self, texts: ExerciseTexts, value: Any) -> str:
        """Return a value of a verdict in words."""
        if value is None:
            return "–"
        if isinstance(value, bool):
            return _("yes") if value else _("no")
        return texts.words.get(value, value) if isinstance(value, str) else str(value)

    def listed(
        self, exercise: Exercise, texts: ExerciseTexts, progress: KindProgress
    ) -> list[tuple[str, str, str]]:
        """Return the answers to choose from, each as id, letter and words; none where one writes the answer."""
        return []

    def parts(self, tally: str) -> list[str]:
        """Return the single answers that a counted answer consists of."""
        return [tally]

    def tally_text(self, texts: ExerciseTexts, tally: str) -> str:
        """Return a counted answer in words."""
        return self.between.join(texts.words.get(part, part) for part in tally.split(" "))


class FadedKind(ExerciseKind):
    """A kind with several steps, before whose exercises a faded worked example stands."""

    example_template: ClassVar[str]
    """The template of the last step of an example."""
    example_missing: ClassVar[Any]
    """What to do where that step is not complete."""

    @abstractmethod
    def example_steps(self, example: NumberedExample, language: str) -> list[ExampleState]:
        """Return what is done in each step of an example, and what the engine finds after it."""

    @abstractmethod
    def example_page(
        self, example: NumberedExample, language: str, given: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return what the template of the last step needs; `given` are the fields as they were sent."""

    @abstractmethod
    def example_verdict(self, example: NumberedExample, posted: PostedForm) -> GradedVerdict:
        """Judge the last step that a learner did. Raises BadAnswer."""


YOURS = gettext_lazy("your prediction")


class PredictionKind(ExerciseKind):
    """A question about a stopped run; the answer is final, and then the run shows what happens."""

    label = gettext_lazy("predict")
    button = gettext_lazy("Lock my prediction, and run on")
    help = gettext_lazy("The run waits until then.")
    votable = True

    def after(self, given: Any, verdict: GradedVerdict, progress: KindProgress) -> KindProgress:
        return progress._replace(locked=True)

    def shows_engine(self, passed: bool, *, told: bool) -> bool:
        """Show what the engine did after a second try: the first time the run itself shows it."""
        return passed or told

    def prediction_beside(self, texts: ExerciseTexts, lines: VerdictLines) -> BesideRun:
        (line,) = lines
        return self.value_text(texts, line["yours"]), self.value_text(texts, line["engine"])

    def about(self, texts: ExerciseTexts, name: str) -> str:
        return str(YOURS) if name == self.name else super().about(texts, name)


def only_line(kind: ExerciseKind, answer: Any, right: Any) -> tuple[VerdictLine, ...]:
    return (VerdictLine(kind.name, answer, right, answer == right),)


def play(exercise: Exercise, watchers: Iterable[RunWatcher] = (), give_up: GiveUp = never) -> GradedRun:
    scenario = exercise.full_scenario()
    playback = GradedRun(scenario, (), watchers, give_up)
    playback.go(scenario["until_us"])
    return playback
