"""The stage of an exercise as a small drawing, for pages that ask before there is a session: begin, and a vote."""

from __future__ import annotations

from typing import Any

from playground.exercises.grading import GradedRun, TooLong
from playground.exercises.kinds import GiveUp, never
from playground.exercises.known_answers import KnownAnswers
from playground.exercises.schema import Exercise
from playground.limits.work_places import GateBusy
from playground.storybook.stage_picture import StagePicture, picture_of
from playground.texts.page_message import RequestRefused


def stage_of(exercise: Exercise) -> StagePicture | None:
    """Return the stage where the learner stands; None without messages, or where it cannot be played now."""
    try:
        found = _pictures.answer(exercise, never)
    except (RequestRefused, GateBusy, TooLong):
        return None
    return found if found and found.held else None


def state_where_it_stands(exercise: Exercise, give_up: GiveUp) -> dict[str, Any]:
    """Play an exercise to where the learner stands; return the node's snapshot. Raises TooLong."""
    run = GradedRun(exercise.scenario, give_up=give_up)
    run.go(exercise.scenario["until_us"])
    return run.node.snapshot()


def _drawn(exercise: Exercise, give_up: GiveUp) -> StagePicture | None:
    return picture_of(state_where_it_stands(exercise, give_up))


_pictures = KnownAnswers(_drawn)
