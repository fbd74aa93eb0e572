"""A launch makes its person a learner here, and remembers where the score goes."""

from __future__ import annotations

from typing import Any, Final

from django.db import transaction

from playground.exercises import learners
from playground.exercises.models import Learner
from playground.lti import targets
from playground.lti.models import Placement, Seat
from playground.lti.tokens import LaunchClaims, ScoreEndpoint

TARGET = "waterline"
"""The custom parameter that names an exercise or a unit."""
SCORE: Final = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
RESULT: Final = "https://purl.imsglobal.org/spec/lti-ags/scope/result.readonly"


def seat_of(registration: Any, subject: str) -> Seat:
    """Return the seat of a person of a platform, with a new learner at the first launch."""
    with transaction.atomic():
        found = (
            Seat.objects.select_related("learner").filter(registration=registration, subject=subject).first()
        )
        if found is not None and found.learner.leaving_at is None:
            return found
        learner = Learner.objects.create(code_trace=learners.trace_of(learners.new_code()))
        if found is None:
            return Seat.objects.create(registration=registration, subject=subject, learner=learner)
        found.learner = learner  # whoever deleted their work begins anew
        found.save(update_fields=["learner"])
        return found


def begin(browser: Any, registration: Any, claims: LaunchClaims) -> str:
    """Let the browser be the learner of a launch; return the address to go to.

    Args:
        browser: the session of the request.
        registration: the platform's row.
        claims: of the launch, which are signed by the platform.
    """
    seat = seat_of(registration, claims.sub)
    learners.be(browser, seat.learner)
    endpoint = claims.endpoint or ScoreEndpoint()
    target = str((claims.custom or {}).get(TARGET, ""))[:60]
    line_item = (endpoint.lineitem or "")[:1000]
    scopes = endpoint.scope or ()
    if line_item and SCORE in scopes and targets.slugs_of(target):
        about = {"target": target, "readable": RESULT in scopes}
        Placement.objects.update_or_create(seat=seat, line_item=line_item, defaults=about)
    return targets.address_of(target)
