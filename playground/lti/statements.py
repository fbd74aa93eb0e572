"""xAPI statements of exercises that are done, to a store if the operator has configured one. They name nobody."""

from __future__ import annotations

import logging
from typing import Any

from django.conf import settings
from django.urls import reverse
from requests import RequestException, Session

from playground.exercises import catalog, selectors
from playground.exercises.models import Work

logger = logging.getLogger(__name__)

TIMEOUT_S = 10
VERSION = "1.0.3"
PASSED = "http://adlnet.gov/expapi/verbs/passed"


class BoundedSession(Session):
    """Requests that do not wait for ever."""

    def request(self, *args: Any, **kwargs: Any) -> Any:
        """Ask, with a time-out."""
        kwargs.setdefault("timeout", TIMEOUT_S)
        return super().request(*args, **kwargs)


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
