"""Reach a state: the learner's own session, replayed from its command log, against conditions and limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from engine.replay.player import Timed
from playground.exercises.grading.language import Condition
from playground.exercises.grading.playback import Playback
from playground.exercises.grading.verdict import BadAnswer, Line, Verdict

if TYPE_CHECKING:
    from playground.exercises.schema import Exercise, Limits, Reach

MAX_COMMANDS = 500
TAIL_US = 10_000_000
"""A written solution is looked at this long after its last command, unless it says when."""


def grade(exercise: Exercise, answer: Any, give_up: Callable[[], bool]) -> Verdict:
    """Judge a session: {"commands": [{"at_us": ..., "do": ...}, ...], "until_us": ...}."""
    asked = _asked(exercise)
    commands, until_us = _read(answer)
    over = _limits_broken([command for _at_us, command in commands], asked.limits)
    conditions = {goal.id: Condition(goal.test) for goal in asked.goals}
    playback = Playback(_open(exercise), commands, conditions.values(), give_up)
    facts = playback.play(until_us)
    lines = [
        Line(name, condition.found(facts), True, condition.now(facts))
        for name, condition in conditions.items()
    ]
    missed = tuple(line.about for line in lines if not line.right)
    feedback = (over,) if over else missed
    verbs = " ".join(str(command.get("do", "")) for _at_us, command in commands[:8])
    return Verdict(not feedback, feedback, tuple(lines), verbs or "-")


def written_solution(exercise: Exercise) -> dict[str, Any]:
    """Return the answer that the file holds."""
    return as_answer(list(exercise.solution))


def as_answer(commands: list[dict[str, Any]]) -> dict[str, Any]:
    """Return commands, of which the last may be {"until_us": ...}, as an answer."""
    last = commands[-1] if commands else {}
    if set(last) == {"until_us"}:
        return {"commands": commands[:-1], "until_us": last["until_us"]}
    return {"commands": commands, "until_us": last.get("at_us", 0) + TAIL_US}


def _asked(exercise: Exercise) -> Reach:
    assert exercise.reach is not None  # noqa: S101 - the schema's test sees to it
    return exercise.reach


def _open(exercise: Exercise) -> dict[str, Any]:
    """Return the scenario that the session began with; the session's own time decides where it ends."""
    return exercise.scenario


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


def _limits_broken(commands: list[dict[str, Any]], limits: Limits) -> str | None:
    """Return the id of the first limit that the commands break."""
    if len(commands) > limits.commands:
        return "_too-many-commands"
    if limits.verbs and any(command.get("do") not in limits.verbs for command in commands):
        return "_verb-not-allowed"
    settings = {command.get("name") for command in commands if command.get("do") == "set"}
    if settings & set(limits.forbidden_settings):
        return "_setting-not-allowed"
    published = sum(
        count
        for command in commands
        if command.get("do") == "publish" and isinstance(count := command.get("count", 0), int)
    )
    return "_too-many-messages" if published > limits.messages else None
