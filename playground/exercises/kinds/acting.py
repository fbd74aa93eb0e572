"""Kinds in which the learner acts, beside what the engine does: be the broker, and reach a state."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from django.utils.translation import gettext_lazy as _

from engine.backing_queue.message_places import places_of
from engine.reading.conditions import Condition, ConditionWatch
from engine.reading.message_places import count_of, placements, shown_queue
from engine.replay import WatchedState
from engine.replay.player import Timed
from engine.report.transitions.queue import Shift
from playground.exercises import authors, schema
from playground.exercises.authors import command_line
from playground.exercises.grading import (
    BadAnswer,
    GradedRun,
    GradedVerdict,
    KnownAnswers,
    RunEvent,
    TooLong,
    VerdictLine,
)
from playground.exercises.kinds.kind import (
    MOST_PARTS,
    ExampleState,
    FadedKind,
    GiveUp,
    KindProgress,
    Log,
    never,
)
from playground.exercises.schema import Id, SchemaPart
from playground.texts import RequestRefused

if TYPE_CHECKING:
    from playground.exercises.authors import AuthoredRun, PostedForm
    from playground.exercises.schema import Exercise, ExerciseTexts, NumberedExample


PLACE_WORDS = {
    "unacked": _("unacknowledged"),
    "gone": _("gone"),
    "arriving": _("arriving"),
    "outside": _("outside"),
}
"""Sub-queues are called the same in every language."""
MOST_STEPS = 8
"""Steps of an exercise that an author makes."""
MOST_MOVED = 40
"""Messages that somebody moves by hand."""
Placement = dict[str, str]
"""The place of each message, by its number."""


class BrokerStep(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One step of the broker's work: the run up to here."""

    until_us: int


class BrokerForm(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The learner moves messages; each step is compared with what the engine's transitions do."""

    steps: tuple[BrokerStep, ...]


class BrokerStage(msgspec.Struct, frozen=True):
    """One step: where the messages were, where the engine put them, and by which moves."""

    before: Placement
    after: Placement
    moves: tuple[tuple[str, str, str, str, int, int], ...]


class BrokerKind(FadedKind):
    """Step by step, each message to its place."""

    name = "broker"
    label = author_label = _("be the broker")
    form = BrokerForm
    button = _("Check this step")
    example_template = "exercises/kinds/example/broker.html"
    example_missing = _("Say of every message where it is.")
    on_paper = False
    lines_shown = 1  # the first difference is enough to think about; the rest is for the next try
    feedback = {
        "_stayed": _("A message that you left where it was has moved."),
        "_moved": _("A message that you moved has stayed where it was."),
        "_elsewhere": _("A message did move, but to another place."),
    }

    def read(self, posted: PostedForm) -> Placement:
        """Read the place of each message, such as `place-7=gone`."""
        placed = {}
        for name, value in list(posted.items())[:MOST_PARTS]:
            found = re.fullmatch(r"place-([0-9]{1,4})", name)
            if found and schema.is_known(value):
                placed[found[1]] = value
        return placed

    def whole_answer(self, exercise: Exercise, given: Any, progress: KindProgress, log: Log) -> Any:
        if self.is_over(exercise, progress):
            raise RequestRefused(_("All steps are done. Begin again to repeat them."))
        return [*progress.steps, given]

    def after(self, given: Any, verdict: GradedVerdict, progress: KindProgress) -> KindProgress:
        if verdict.step > len(progress.steps):
            return progress._replace(steps=(*progress.steps, given))
        return progress

    def is_over(self, exercise: Exercise, progress: KindProgress) -> bool:
        return len(progress.steps) >= len(exercise.form.steps)

    def stage(self, exercise: Exercise, progress: KindProgress) -> tuple[dict[str, Any], int]:
        ends = [exercise.scenario["until_us"], *(step.until_us for step in exercise.form.steps)]
        done = len(progress.steps)
        until_us = ends[done]
        commands = [each for each in exercise.full_scenario()["commands"] if each["at_us"] <= until_us]
        scenario = {**exercise.scenario, "commands": commands, "until_us": until_us}
        return scenario, ends[done - 1] if done else 0

    def page(self, exercise: Exercise, texts: ExerciseTexts, progress: KindProgress) -> dict[str, Any]:
        number = len(progress.steps)
        return {
            "number": number + 1,
            "text": texts.steps[number],
            "placed": stages(exercise)[number].before,
            "places": [(place, place_word(place)) for place in schema.places_of(exercise.scenario).answers],
        }

    def grade(self, exercise: Exercise, answer: Any, give_up: GiveUp) -> GradedVerdict:
        """Judge the last of the placements given; the ones before it must be right as well."""
        found, places = stages(exercise, give_up), schema.places_of(exercise.scenario).answers
        if not isinstance(answer, list) or not 1 <= len(answer) <= len(found):
            raise BadAnswer("give one placement for each step")
        for number, (placement, stage) in enumerate(zip(answer, found, strict=False)):
            _check(placement, stage, places)
            wrong = [seq for seq, place in stage.after.items() if placement[seq] != place]
            if wrong:
                lines = tuple(VerdictLine(seq, placement[seq], stage.after[seq], False) for seq in wrong)
                return GradedVerdict(
                    False,
                    (_slip(wrong[0], placement, stage),),
                    lines,
                    f"{number + 1}: {' '.join(f'{line.about}→{line.yours}' for line in lines[:4])}",
                    number,
                    stage.moves,
                )
        done = len(answer)
        return GradedVerdict(done == len(found), (), (), f"{done}", done, found[done - 1].moves)

    def solution(self, exercise: Exercise) -> list[Placement]:
        return [stage.after for stage in stages(exercise)]

    def solution_lines(self, exercise: Exercise, texts: ExerciseTexts) -> list[str]:
        return [
            f"{step} → {'; '.join(_members(exercise, placement))}"
            for step, placement in zip(texts.steps, self.solution(exercise), strict=True)
        ]

    def example_steps(self, example: NumberedExample, language: str) -> list[ExampleState]:
        exercise = example.exercise
        return [
            ExampleState(
                step,
                _members(exercise, stage.after),
                tuple(dict.fromkeys(rule for rule, *_rest in stage.moves)),
            )
            for step, stage in zip(exercise.texts(language).steps, stages(exercise), strict=True)
        ]

    def example_page(
        self, example: NumberedExample, language: str, given: Mapping[str, str]
    ) -> dict[str, Any]:
        page = self.page(example.exercise, example.exercise.texts(language), self._all_but_last(example))
        placed = page["placed"].items()
        return {**page, "rows": [(seq, at, given.get(f"place-{seq}", at)) for seq, at in placed]}

    def example_verdict(self, example: NumberedExample, posted: PostedForm) -> GradedVerdict:
        return self.grade(example.exercise, [*self._all_but_last(example).steps, self.read(posted)], never)

    def _all_but_last(self, example: NumberedExample) -> KindProgress:
        return KindProgress(tuple(self.solution(example.exercise)[:-1]))

    def about(self, texts: ExerciseTexts, name: str) -> str:
        return str(MESSAGE % {"number": name})

    def value_text(self, texts: ExerciseTexts, value: Any) -> str:
        return place_word(str(value))

    def draft(self, posted: PostedForm, run: AuthoredRun, texts: dict[str, Any]) -> dict[str, Any]:
        """Make a step of each instant at which commands were given; read what the learner reads of it."""
        after = run.after()
        if not after:
            raise RequestRefused(authors.NOTHING_AFTER)
        starts = sorted({each["at_us"] for each in after})[:MOST_STEPS]
        ends = [*(at_us - 1 for at_us in starts[1:]), run.end_us]
        for number, start in enumerate(starts, 1):
            lines = "; ".join(command_line(each) for each in after if each["at_us"] == start)
            texts["steps"].append(authors.text_of(posted, f"step-{number}") or lines)
        return {"broker": {"steps": [{"until_us": end} for end in ends]}, "go_on": authors.go_on(run)}

    def offers(self, run: AuthoredRun) -> dict[str, Any]:
        return {"steps": [(at, command_line(each)) for at, each in enumerate(run.after()[:MOST_STEPS], 1)]}

    def prove(self, made: Exercise, give_up: GiveUp) -> None:
        """Refuse an exercise with no message to move, or with too many."""
        most = max(len(stage.after) for stage in stages(made, give_up))
        if not 1 <= most <= MOST_MOVED:
            raise RequestRefused(
                _("By hand, at most %(most)s messages can be moved; here there are %(count)s."),
                most=MOST_MOVED,
                count=most,
            )


MESSAGE = _("message %(number)s")


def _members(exercise: Exercise, placement: Placement) -> list[str]:
    found = {place: [seq for seq, at in placement.items() if at == place] for place in placement.values()}
    order = schema.places_of(exercise.scenario).answers
    return [f"{place_word(place)}: {', '.join(found[place])}" for place in order if place in found]


def place_word(name: str) -> str:
    return str(PLACE_WORDS.get(name, name))


def stages(exercise: Exercise, give_up: GiveUp = never) -> list[BrokerStage]:
    """Return all steps as the engine does them. New messages are before their step where they arrive: outside."""
    return _stages.answer(exercise, give_up)


def _played(exercise: Exercise, give_up: GiveUp) -> list[BrokerStage]:
    playback = GradedRun(exercise.full_scenario(), give_up=give_up)
    before = _placed(playback.go(exercise.scenario["until_us"]))
    held = schema.places_of(exercise.scenario).held
    found = []
    for step in exercise.form.steps:
        begin = len(playback.events)
        after = _placed(playback.go(step.until_us))
        start = {seq: before.get(seq, "arriving") for seq in after}
        found.append(BrokerStage(start, after, tuple(_moves(playback.events[begin:], held))))
        before = after
    return found


_stages = KnownAnswers(_played)


def _placed(moment: WatchedState) -> Placement:
    queue = shown_queue(moment)
    return {} if queue is None else placements(queue)


def _moves(events: Sequence[RunEvent], held: tuple[str, ...]) -> list[tuple[str, str, str, str, int, int]]:
    moves = []
    for event in events:
        shift = event.transition
        if isinstance(shift, Shift) and shift.extents:
            first, last = shift.extents[0].start, shift.extents[-1].end - 1
            moves.append(
                (shift.rule, event.kind, _name(shift.source, held), _name(shift.to, held), first, last)
            )
    return moves


def _name(place: str | None, held: tuple[str, ...]) -> str:
    return "unacked" if place in held else place or "outside"


def _check(placement: Any, stage: BrokerStage, places: tuple[str, ...]) -> None:
    if not isinstance(placement, dict) or set(placement) != set(stage.after):
        raise BadAnswer("say of every message where it is")
    if not all(place in places for place in placement.values()):
        raise BadAnswer(f"a message is in one of {', '.join(places)}")


def _slip(seq: str, placement: Placement, stage: BrokerStage) -> str:
    """Return what kind of mistake the first wrong message is."""
    if placement[seq] == stage.before[seq]:
        return "_stayed"
    return "_moved" if stage.after[seq] == stage.before[seq] else "_elsewhere"


MAX_COMMANDS = 500
AFTER = "_after"
"""The line of an example's verdict about the state after the step."""
TAIL_US = 10_000_000
"""A written solution is judged this long after its last command, unless it has a time of its own."""
VERBS = tuple("publish set_publisher get set_consumer ack requeue purge restart set remove".split())
"""Commands that an author can allow besides those of the solution."""


class ReachGoal(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One condition of a state to be reached."""

    id: Id
    test: Condition


class CommandAllowance(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the learner may use: number of commands, verbs, and messages."""

    commands: int = 12
    verbs: tuple[str, ...] = ()
    messages: int = 2000
    forbidden_settings: tuple[str, ...] = ()


class ReachForm(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A state that the learner has to bring about in a live session. `goals`: all must hold at the end. `solution`:
    commands that reach the state, for no engine can compute them; the last may be {"until_us": ...}.
    """

    goals: tuple[ReachGoal, ...]
    limits: CommandAllowance = CommandAllowance()
    solution: tuple[dict[str, Any], ...]


class ReachKind(FadedKind):
    """A kind whose answer is the session itself."""

    name = "reach"
    label = author_label = _("reach a state")
    is_played = True
    on_paper = False
    author_rows = range(1, 5)
    form = ReachForm
    button = _("Check")
    help = _("The engine repeats your session and checks whether the state was reached.")
    example_template = "exercises/kinds/example/reach.html"
    example_missing = _("Choose one of the commands.")
    feedback = {
        "_not-reached": _(
            "The engine played it, and this is not what the step is for. Look at the state below."
        ),
        "_too-many-commands": _(
            "You reached the state, but used more commands than allowed. Begin again with fewer."
        ),
        "_verb-not-allowed": _(
            "One of your commands is not allowed in this exercise. Begin again without it."
        ),
        "_setting-not-allowed": _("You changed a setting that must stay as it is. Begin again without it."),
        "_too-many-messages": _("You published more messages than allowed. Begin again with fewer."),
    }

    def read(self, posted: PostedForm) -> None:
        """Read nothing: what was done in the session is on record."""

    def whole_answer(self, exercise: Exercise, given: Any, progress: KindProgress, log: Log) -> Any:
        return log([goal.test for goal in exercise.form.goals])

    def repeats(self, answer: Any) -> bool:
        """Return whether the session sleeps, so that its engine could not be asked."""
        return "found" not in answer

    def is_over(self, exercise: Exercise, progress: KindProgress) -> bool:
        """A session can be checked again and again."""
        return False

    def shows_engine(self, passed: bool, *, told: bool) -> bool:
        """Return False, because a goal has no value of the engine to compare with."""
        return False

    def is_held(self, progress: KindProgress) -> bool:
        """The learner commands the session from the start."""
        return False

    def stage(self, exercise: Exercise, progress: KindProgress) -> tuple[dict[str, Any], int]:
        return exercise.scenario, 0

    def grade(self, exercise: Exercise, answer: Any, give_up: GiveUp) -> GradedVerdict:
        """Judge a session, see `kind.Log`: by what its engine found, else by repeating the commands on record."""
        commands, until_us = _read(answer)
        form: ReachForm = exercise.form
        over = _limits_broken([command for _at_us, command in commands], form.limits)
        found = answer["found"] if "found" in answer else _repeated(exercise, commands, until_us, give_up)
        if found is None:
            raise TooLong("the run is longer than its engine may repeat")
        lines = [
            VerdictLine(goal.id, value, True, holds)
            for goal, (value, holds) in zip(form.goals, found, strict=True)
        ]
        missed = tuple(line.about for line in lines if not line.right)
        feedback = (over,) if over else missed
        verbs = " ".join(str(command.get("do", "")) for _at_us, command in commands[:8])
        return GradedVerdict(not feedback, feedback, tuple(lines), verbs or "-")

    def standing(self, exercise: Exercise, answer: Any, give_up: GiveUp) -> dict[str, Any]:
        """Return which goals hold now, and what is left of the budget."""
        commands, _until_us = _read(answer)
        verdict = self.grade(exercise, answer, give_up)
        limits: CommandAllowance = exercise.form.limits
        plain = [command for _at_us, command in commands]
        return {
            "goals": {line.about: bool(line.right) for line in verdict.lines},
            "commands_left": limits.commands - len(plain),
            "messages_left": limits.messages - published_by(plain),
        }

    def page(self, exercise: Exercise, texts: ExerciseTexts, progress: KindProgress) -> dict[str, Any]:
        form: ReachForm = exercise.form
        return {
            "goals": [(goal.id, texts.words.get(goal.id, goal.id)) for goal in form.goals],
            "budget": {"commands": form.limits.commands, "messages": form.limits.messages},
            "allowed": {"verbs": form.limits.verbs, "forbidden_settings": form.limits.forbidden_settings},
            "best": len(self.solution(exercise)["commands"]),
        }

    def solution(self, exercise: Exercise) -> dict[str, Any]:
        return as_answer(list(exercise.form.solution))

    def solution_lines(self, exercise: Exercise, texts: ExerciseTexts) -> list[str]:
        return [command_line(command) for command in self.solution(exercise)["commands"]]

    def about(self, texts: ExerciseTexts, name: str) -> str:
        return str(_("afterwards")) if name == AFTER else super().about(texts, name)

    def example_steps(self, example: NumberedExample, language: str) -> list[ExampleState]:
        steps = example.faded.steps
        return [
            ExampleState(_in_lines(step.commands), state)
            for step, (state, _holds) in zip(steps, example_states(example), strict=True)
        ]

    def example_page(
        self, example: NumberedExample, language: str, given: Mapping[str, str]
    ) -> dict[str, Any]:
        rows = [example.faded.steps[-1].commands, *example.faded.others]
        choices = sorted((_in_lines(row), str(number)) for number, row in enumerate(rows))
        return {"choices": choices, "chosen": given.get("choice")}

    def example_verdict(self, example: NumberedExample, posted: PostedForm) -> GradedVerdict:
        rows = [example.faded.steps[-1].commands, *example.faded.others]
        chosen = posted.get("choice", "")
        if chosen not in map(str, range(len(rows))):
            raise BadAnswer("choose one of the commands")
        state, holds = example_states(example, rows[int(chosen)])[-1]
        line = VerdictLine(AFTER, "; ".join(state), None, holds)
        return GradedVerdict(holds, () if holds else ("_not-reached",), (line,), chosen)

    def draft(self, posted: PostedForm, run: AuthoredRun, texts: dict[str, Any]) -> dict[str, Any]:
        """Read the goals and what is allowed; what the author did in the rest of the run is the solution."""
        goals = []
        for row in self.author_rows:
            observable = posted.get(f"observable-{row}", "")
            if not observable:
                continue
            name = f"goal-{row}"
            goals.append({"id": name, "test": authors.condition(posted, row, run)})
            label = authors.observables_of(run)[observable].label
            usual = f"{label} {posted.get(f'op-{row}', '==')} {posted.get(f'value-{row}', '')}"
            texts["words"][name] = authors.text_of(posted, f"text-{row}") or usual
            texts["feedback"][name] = authors.text_of(posted, f"feedback-{row}") or texts["words"][name]
        if not goals:
            raise RequestRefused(_("Pick one to four goals."))
        solution = run.after()
        if not solution:
            raise RequestRefused(authors.NOTHING_AFTER)
        verbs = sorted({each["do"] for each in solution} | set(posted.getlist("verb")))
        most = posted.get("commands", "")
        budget = int(most) if most.isascii() and most.isdigit() and len(most) < 4 else len(solution) + 2
        limits = {"commands": max(len(solution), min(budget, 60)), "verbs": verbs}
        whole = [*solution, {"until_us": run.end_us}]
        return {"reach": {"goals": goals, "limits": limits, "solution": whole}}

    def offers(self, run: AuthoredRun) -> dict[str, Any]:
        return {**super().offers(run), "verbs": VERBS}

    def prove(self, made: Exercise, give_up: GiveUp) -> None:
        """Refuse where the author's own run does not reach the goals, or where doing nothing reaches them."""
        solution = self.solution(made)
        verdict = self.grade(made, solution, give_up)
        if not verdict.passed:
            missed = [made.en.words.get(line.about, line.about) for line in verdict.lines if not line.right]
            goals = ", ".join(missed) or ", ".join(verdict.feedback)
            raise RequestRefused(_("Your own run does not reach all the goals: %(goals)s"), goals=goals)
        if self.grade(made, as_answer([{"until_us": solution["until_us"]}]), give_up).passed:
            raise RequestRefused(
                _(
                    "Doing nothing reaches all the goals already: ask for something that your commands bring about."
                )
            )


def _repeated(
    exercise: Exercise, commands: list[Timed], until_us: int, give_up: GiveUp
) -> list[tuple[Any, bool]]:
    """Return the values of the goals after repeating a session."""
    goals = [ConditionWatch(goal.test) for goal in exercise.form.goals]
    moment = GradedRun(exercise.scenario, commands, goals, give_up).go(until_us)
    return [(goal.found(moment), goal.holds(moment)) for goal in goals]


def example_states(
    example: NumberedExample, last: Sequence[dict[str, Any]] | None = None
) -> list[tuple[list[str], bool]]:
    """Play an example; return the state after each step in lines, and whether what the step is for holds.
    `example`: with its numbers. `last`: commands in the place of those of the last step.
    """
    steps, scenario = example.faded.steps, example.exercise.scenario
    rows = [step.commands for step in steps[:-1]] + [steps[-1].commands if last is None else last]
    commands = [*scenario.get("commands", ()), *(command for row in rows for command in row)]
    goals = [ConditionWatch(step.reached) for step in steps]
    run = GradedRun({**scenario, "commands": commands, "until_us": steps[-1].until_us}, (), goals)
    found = []
    for step, goal in zip(steps, goals, strict=True):
        moment = run.go(step.until_us)
        found.append((state_lines(run.node.snapshot()), goal.holds(moment)))
    return found


def state_lines(state: Mapping[str, Any]) -> list[str]:
    """Return a line for each queue with what is where, then the persistent store, the memory alarm, and how many
    messages were published in all, as those that were lost are in no queue.
    """
    found = [] if state["queues"] else [str(_("no queue"))]
    for name, queue in state["queues"].items():
        counts: Counter[str] = Counter()
        for each in places_of(queue):
            counts["unacked" if each.unacked else each.name] += count_of(queue, each.name)
        held = ", ".join(f"{place_word(place)} {count}" for place, count in counts.items() if count)
        on_node = f"@{queue['node']}" if queue.get("node") and "mirror_of" not in queue else ""
        found.append(f"{name}{on_node}: {held or _('empty')}")
    files = state["stores"].get("persistent", {}).get("files", ())
    if sum(size for _number, size, *_rest in files):
        live = sum(valid for _number, _size, valid, *_rest in files)
        line = _("persistent store: files %(files)s, live bytes %(live)s")
        found.append(str(line % {"files": len(files), "live": live}))
    if state["node"]["alarms"]["memory"]:
        found.append(str(_("the memory alarm is on")))
    if published := sum(each.get("published") or 0 for each in state["node"]["actors"].values() if each):
        found.append(str(_("published in all: %(count)s") % {"count": published}))
    return found


def _in_lines(commands: Sequence[dict[str, Any]]) -> str:
    return "; ".join(map(command_line, commands)) or str(_("Wait."))


def as_answer(commands: list[dict[str, Any]]) -> dict[str, Any]:
    """Return commands, of which the last may be {"until_us": ...}, as an answer."""
    last = commands[-1] if commands else {}
    if set(last) == {"until_us"}:
        return {"commands": commands[:-1], "until_us": last["until_us"]}
    return {"commands": commands, "until_us": last.get("at_us", 0) + TAIL_US}


def _read(answer: Any) -> tuple[list[Timed], int]:
    if not isinstance(answer, dict) or not isinstance(answer.get("commands"), list):
        raise BadAnswer("an answer is the session's command log")
    commands, until_us = answer["commands"], answer.get("until_us")
    if len(commands) > MAX_COMMANDS or not isinstance(until_us, int):
        raise BadAnswer(f"a session of an exercise has at most {MAX_COMMANDS} commands")
    timed: list[Timed] = []
    for each in commands:
        if not isinstance(each, dict) or not isinstance(each.get("at_us"), int):
            raise BadAnswer("each command has a time")
        timed.append((each["at_us"], {name: value for name, value in each.items() if name != "at_us"}))
    return sorted(timed, key=lambda pair: pair[0]), until_us


def _limits_broken(commands: list[dict[str, Any]], limits: CommandAllowance) -> str | None:
    """Return the id of the first limit that the commands break."""
    if len(commands) > limits.commands:
        return "_too-many-commands"
    if limits.verbs and any(command.get("do") not in limits.verbs for command in commands):
        return "_verb-not-allowed"
    settings = {command.get("name") for command in commands if command.get("do") == "set"}
    if settings & set(limits.forbidden_settings):
        return "_setting-not-allowed"
    return "_too-many-messages" if published_by(commands) > limits.messages else None


def published_by(commands: list[dict[str, Any]]) -> int:
    return sum(
        count
        for command in commands
        if command.get("do") == "publish" and isinstance(count := command.get("count", 0), int)
    )
