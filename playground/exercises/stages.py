"""The live session beside an exercise: which scenario it runs, from where to where, and who may command it."""

from __future__ import annotations

from typing import Any

from playground import live, services
from playground.doors import door
from playground.exercises.models import Work
from playground.exercises.schema import Exercise
from playground.models import Session


def held(exercise: Exercise, work: Work) -> bool:
    """Tell whether the run stands still until there is an answer: then its session can only be watched."""
    return exercise.kind != "reach" and not work.locked


def scenario_now(exercise: Exercise, work: Work) -> tuple[dict[str, Any], int]:
    """Return the scenario for the state of the work, and the virtual time up to which it is past."""
    if exercise.kind == "reach":
        return exercise.scenario, 0
    if exercise.broker:
        ends = [exercise.scenario["until_us"], *(step.until_us for step in exercise.broker.steps)]
        done = len(work.steps)
        until_us = ends[done]
        commands = [each for each in exercise.full_scenario()["commands"] if each["at_us"] <= until_us]
        scenario = {**exercise.scenario, "commands": commands, "until_us": until_us}
        return scenario, ends[done - 1] if done else 0
    if work.locked:
        return exercise.full_scenario(), exercise.scenario["until_us"]
    return exercise.scenario, 0


def open_stage(exercise: Exercise, work: Work) -> Session:
    """Begin the session that belongs to the state of the work; the one before goes."""
    scenario, past_us = scenario_now(exercise, work)
    titled = {**scenario, "title": exercise.en.title}
    session = services.start_session(door().check(titled))
    if past_us:
        session.reached_us = past_us
        session.save(update_fields=["reached_us"])
    before, work.session = work.session, session
    work.save(update_fields=["session"])
    if before is not None:
        before.delete()
    return session


def log_of(session: Session) -> dict[str, Any]:
    """Return the command log of a session up to now, as an answer to "reach a state".

    Raises TimeoutError when the session is too busy to say where it is.
    """
    moment = live.registry().moment(session.public_id)
    if moment is not None:
        commands, until_us = moment.commands, moment.at_us
    else:
        kept = session.commands.order_by("sequence").values_list("at_us", "command")
        commands, until_us = list(kept), Session.objects.get(pk=session.pk).reached_us
    return {"commands": [{**command, "at_us": at_us} for at_us, command in commands], "until_us": until_us}
