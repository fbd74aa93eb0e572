"""Scores go to the platform once, when an exercise is done: right first time 1, later 0.6; a store gets statements.

What is sent once is not sent again unless it is more; before that the gradebook is read, where the platform lets us,
and a grade that the teacher has changed there stands. A statement names nobody.
"""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.db import close_old_connections, transaction
from django.urls import reverse
from django.utils import timezone
from pylti1p3.assignments_grades import AssignmentsGradesService
from pylti1p3.exception import LtiException
from pylti1p3.grade import Grade
from pylti1p3.service_connector import ServiceConnector
from requests import RequestException

from playground.exercises import catalog, learners, selectors
from playground.exercises.models import Learner, Work
from playground.lti import launches
from playground.lti.launches import RESULT, SCORE, BoundedSession
from playground.lti.models import Placement

VERSION = "1.0.3"
PASSED = "http://adlnet.gov/expapi/verbs/passed"


def configured() -> bool:
    return bool(settings.WATERLINE_XAPI_URL)


def of_work(work: Work) -> dict[str, Any]:
    """Return the statement that an exercise was done: a number for the person, and the score."""
    home = settings.WATERLINE_XAPI_HOME
    exercise = catalog.exercise(work.exercise)
    address = reverse("exercise", args=[exercise.unit, exercise.slug])
    return {
        "actor": {"objectType": "Agent", "account": {"homePage": home, "name": f"learner-{work.learner_id}"}},
        "verb": {"id": PASSED, "display": {"en": "passed"}},
        "object": {
            "objectType": "Activity",
            "id": f"{home.rstrip('/')}{address}",
            "definition": {"name": {"en": exercise.en.title}},
        },
        "result": {
            "success": True,
            "completion": True,
            "score": {"scaled": selectors.score(work)},
            "extensions": {f"{home.rstrip('/')}/xapi/attempts": work.attempts},
        },
        "timestamp": work.done_at.isoformat() if work.done_at else None,
    }


def send(statement: dict[str, Any]) -> bool:
    """Send a statement to the store; return whether it was taken."""
    user, _colon, password = settings.WATERLINE_XAPI_AUTH.partition(":")
    try:
        answer = BoundedSession().post(
            f"{settings.WATERLINE_XAPI_URL.rstrip('/')}/statements",
            json=statement,
            headers={"X-Experience-API-Version": VERSION},
            auth=(user, password) if user else None,
        )
        answer.raise_for_status()
    except RequestException as error:
        logger.warning("the xAPI store took no statement: %s", error)
        return False
    return True


logger = logging.getLogger(__name__)

ROUNDED = 0.01
"""By how much a platform may round a score."""

_senders = ThreadPoolExecutor(1, thread_name_prefix="scores")


def listen() -> None:
    learners.worked.connect(_worked, dispatch_uid="lti")


def _worked(sender: Any, learner: Learner, work: Any = None, **more: Any) -> None:
    if work is None or work.done_at is None:
        return
    if learner.seats.exists():
        transaction.on_commit(lambda: _senders.submit(_send_and_close, learner.pk))
    if configured() and not work.statement_sent:
        type(work).objects.filter(pk=work.pk).update(statement_sent=True)
        statement = of_work(work)
        transaction.on_commit(lambda: _senders.submit(send, statement))


def _send_and_close(learner_id: int) -> None:
    try:
        send_due(learner_id)
    finally:
        close_old_connections()


def send_due(learner_id: int | None = None) -> int:
    """Send every score that is more than what the platform has; return how many it took.

    Args:
        learner_id: whose; None for everybody, for those that failed before.
    """
    due = Placement.objects.select_related("seat__registration", "seat__learner")
    due = due.exclude(sent=1.0) if learner_id is None else due.filter(seat__learner=learner_id)
    taken = 0
    for placement in due:
        score = score_of(placement)
        if score is None or (placement.sent is not None and score <= placement.sent):
            continue
        try:
            if _changed_by_teacher(placement):
                continue
            _send(placement, score)
        except (LtiException, RequestException, ValueError) as error:
            logger.warning("a score was not taken and is sent again later: %s", error)
            continue
        Placement.objects.filter(pk=placement.pk).update(sent=score)
        taken += 1
    return taken


def score_of(placement: Placement) -> float | None:
    """Return what somebody's work on a target counts so far, 0 to 1; None before anything is done."""
    works = selectors.works_of(placement.seat.learner)
    slugs = launches.slugs_of(placement.target)
    done = [works[slug] for slug in slugs if slug in works and works[slug].done_at is not None]
    if not done:
        return None
    return round(sum(selectors.score(work) or 0.0 for work in done) / len(slugs), 4)


def _service(placement: Placement, scope: Any, line_item: str) -> AssignmentsGradesService:
    registration = placement.seat.registration.to_registration()
    connector = ServiceConnector(registration, requests_session=BoundedSession())
    return AssignmentsGradesService(connector, {"scope": [scope], "lineitem": line_item})


def _changed_by_teacher(placement: Placement) -> bool:
    if placement.sent is None or not placement.readable:
        return False
    subject = placement.seat.subject
    line_item = placement.line_item
    asked = f"{line_item}{'&' if '?' in line_item else '?'}{urlencode({'user_id': subject})}"
    for result in _service(placement, RESULT, asked).get_grades():
        if str(result.get("userId")) == subject and result.get("resultScore") is not None:
            share = float(result["resultScore"]) / float(result.get("resultMaximum") or 1)
            return abs(share - placement.sent) > ROUNDED
    return False


def _send(placement: Placement, score: float) -> None:
    service = _service(placement, SCORE, placement.line_item)
    grade = (
        Grade()
        .set_score_given(score)
        .set_score_maximum(1)
        .set_timestamp(timezone.now().isoformat())
        .set_activity_progress("Completed")
        .set_grading_progress("FullyGraded")
        .set_user_id(placement.seat.subject)
    )
    service.put_grade(grade)
