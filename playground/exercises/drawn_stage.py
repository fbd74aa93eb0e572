"""The stage of an exercise as a drawing, where there is no session: the page that begins it, a vote, and slides."""

from __future__ import annotations

from typing import NamedTuple

from engine.broker.commands.settings import release_of
from playground.exercises.grading import GradedRun, TooLong
from playground.exercises.kinds import GiveUp, never
from playground.exercises.known_answers import KnownAnswers
from playground.exercises.schema import Exercise
from playground.limits.work_places import GateBusy
from playground.storybook.stage_picture import MemoryLevel, StagePicture, memory_of, picture_of
from playground.texts.page_message import RequestRefused


class DrawnStage(NamedTuple):
    """The stage where the learner stands, how full the node's memory is, and the name of its release."""

    picture: StagePicture
    memory: MemoryLevel
    release: str


def stage_of(exercise: Exercise) -> DrawnStage:
    """Return the stage where the learner stands. Raises TooLong, and what a run of somebody's own making raises."""
    return _stages.answer(exercise, never)


def stage_with_messages(exercise: Exercise) -> DrawnStage | None:
    """Return the same; None without messages, or where it cannot be played now."""
    try:
        found = stage_of(exercise)
    except (RequestRefused, GateBusy, TooLong):
        return None
    return found if found.picture.held else None


def _drawn(exercise: Exercise, give_up: GiveUp) -> DrawnStage:
    run = GradedRun(exercise.scenario, give_up=give_up)
    run.go(exercise.scenario["until_us"])
    state = run.node.snapshot()
    release = release_of(exercise.scenario["profile"], state["node"]["settings"]).name
    return DrawnStage(picture_of(state) or StagePicture([]), memory_of(state), release)


_stages = KnownAnswers(_drawn)
