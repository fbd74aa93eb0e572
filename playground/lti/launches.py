"""A launch: the log-in before it, what can be placed in a course, and the learner that it makes of its person."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Any, Final

from django.core import signing
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from lti_tool.models import LtiRegistration

from playground.exercises import catalog, learners
from playground.exercises.models import Learner
from playground.lti.models import LogIn, Placement, Seat
from playground.lti.tokens import LaunchClaims, ScoreEndpoint


def slugs_of(target: str) -> list[str]:
    """Return the exercises that a target consists of; none where there is no such target."""
    try:
        return [each.slug for each in catalog.of_unit(target)]
    except catalog.NoExercise:
        return [target] if catalog.find(target) else []


def address_of(target: str) -> str:
    found = catalog.find(target)
    if found is not None:
        return reverse("exercise", args=[found.unit, found.slug])
    return reverse("units") + (f"#unit-{target}" if slugs_of(target) else "")


def titled(language: str) -> list[tuple[str, str, bool]]:
    """Return every target with its title, and whether it is a unit."""
    found: list[tuple[str, str, bool]] = []
    for unit in catalog.units():
        found.append((unit.slug, unit.texts(language).title, True))
        found += [(each.slug, each.texts(language).title, False) for each in catalog.of_unit(unit.slug)]
    return found


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
    if line_item and SCORE in scopes and slugs_of(target):
        about = {"target": target, "readable": RESULT in scopes}
        Placement.objects.update_or_create(seat=seat, line_item=line_item, defaults=about)
    return address_of(target)


LASTS: Final = timedelta(hours=1)
"""Somebody may have to log in to the platform first."""
COOKIE: Final = "waterline_lti"
SALT: Final = "the browser that began a launch"


def begin_log_in(request: HttpRequest, registration: LtiRegistration) -> tuple[str, str, str]:
    """Begin a log-in; return its state, its nonce, and the secret of the browser."""
    LogIn.objects.filter(at__lt=timezone.now() - LASTS).delete()  # those that led to no launch
    state, nonce = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    secret = _of_cookie(request) or secrets.token_urlsafe(32)
    LogIn.objects.create(
        registration=registration, state=_trace(state), nonce=_trace(nonce), browser=_trace(secret)
    )
    return state, nonce, secret


def remember(request: HttpRequest, response: HttpResponse, secret: str) -> None:
    """Give the browser its secret. From a platform's page a cookie comes back only by HTTPS."""
    secure = request.is_secure()
    response.set_signed_cookie(
        COOKIE,
        secret,
        salt=SALT,
        max_age=int(LASTS.total_seconds()),
        path=reverse("lti-launch").rpartition("/")[0] + "/",
        secure=secure,
        httponly=True,
        samesite="None" if secure else "Lax",
    )


def find(state: str) -> LogIn | None:
    """Return the log-in of a state; None if there is none, or it is used up or too old."""
    since = timezone.now() - LASTS
    return LogIn.objects.select_related("registration").filter(state=_trace(state), at__gte=since).first()


def began_in(request: HttpRequest, log_in: LogIn, kept: str) -> bool:
    """Return whether it was this browser that began.

    Args:
        kept: what the platform's window kept for the browser, if anything.
    """
    shown = (_of_cookie(request), kept)
    return any(secrets.compare_digest(_trace(each), log_in.browser) for each in shown if each)


def is_nonce_of(log_in: LogIn, nonce: str) -> bool:
    return secrets.compare_digest(_trace(nonce), log_in.nonce)


def use_up(log_in: LogIn) -> bool:
    """Let it be used no more; return whether it could be used until now."""
    count, _kinds = LogIn.objects.filter(pk=log_in.pk).delete()
    return count > 0


def _of_cookie(request: Any) -> str:
    try:
        found: str = request.get_signed_cookie(COOKIE, "", salt=SALT, max_age=LASTS)
    except signing.BadSignature:
        return ""
    return found


def _trace(secret: str) -> str:
    """Return what is kept of a secret: whoever reads the database cannot use it."""
    return hashlib.sha256(secret.encode()).hexdigest()
