"""A launch: the log-in before it, what the platform signed, what can be placed, the learner of its person; and scores.

Scores go to the platform once, when an exercise is done: right first time 1, later 0.6; a store gets statements. What
is sent once is not sent again unless it is more; before that the gradebook is read, where the platform lets us, and a
grade that the teacher has changed there stands. A statement names nobody.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlencode

import jwt
import msgspec
from django.conf import settings
from django.core import signing
from django.core.cache import cache
from django.db import close_old_connections, transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from lti_tool.models import LtiDeployment, LtiRegistration
from pylti1p3.assignments_grades import AssignmentsGradesService
from pylti1p3.exception import LtiException
from pylti1p3.grade import Grade
from pylti1p3.service_connector import ServiceConnector
from requests import RequestException, Session

from playground.exercises import catalog, learners
from playground.exercises.models import Learner, Work
from playground.lti.models import LogIn, Placement, Seat

CLAIM: Final = "https://purl.imsglobal.org/spec/lti/claim/"
ALGORITHMS: Final = ("RS256", "RS384", "RS512", "ES256")
LEEWAY_S: Final = 60
"""By how much the platform's clock may differ from ours."""
KEYS_S: Final = 3600
"""How long the platform's keys are kept; one that is not among them is asked for at once, but not often."""
AGAIN_S: Final = 30
TIMEOUT_S: Final = 10
KEYS_BYTES: Final = 256 * 1024


class BoundedSession(Session):
    """Requests that do not wait for ever."""

    def request(self, *args: Any, **kwargs: Any) -> Any:
        """Ask, with a time-out."""
        kwargs.setdefault("timeout", TIMEOUT_S)
        return super().request(*args, **kwargs)


class TokenDistrusted(Exception):
    """The launch is not believed: it is not the platform's, not for us, or not for this log-in."""


class TokenMalformed(Exception):
    """The launch is not made of what a launch is made of."""


class ScoreEndpoint(msgspec.Struct):
    """Where scores go."""

    scope: list[str] | None = None
    lineitem: str | None = None


class DeepLinking(msgspec.Struct):
    """What the platform says about the choice that a teacher should make."""

    deep_link_return_url: str = ""
    accept_multiple: bool | str | None = None
    data: Any = None


class LaunchClaims(
    msgspec.Struct,
    rename={
        "version": CLAIM + "version",
        "deployment": CLAIM + "deployment_id",
        "message_type": CLAIM + "message_type",
        "custom": CLAIM + "custom",
        "endpoint": "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint",
        "settings": "https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings",
    }.get,
):
    """The claims that are read of a launch; all others are ignored."""

    aud: str | list[str]
    nonce: str
    version: str
    deployment: str
    message_type: str
    sub: str = ""
    azp: str | None = None
    custom: dict[str, Any] | None = None
    endpoint: ScoreEndpoint | None = None
    settings: DeepLinking | None = None


def claims_of(token: str, registration: LtiRegistration) -> LaunchClaims:
    """Return what a launch says. `registration`: of the platform that must have signed it. Raises Distrusted: the
    platform did not sign it, or not for us, or the time is over. Raises Malformed: it is no launch.
    """
    try:
        header = jwt.get_unverified_header(token)
    except jwt.PyJWTError as error:
        raise TokenMalformed(str(error)) from error
    key = _key(registration, str(header.get("kid", ""))[:200])
    try:
        found = jwt.decode(
            token,
            key,
            algorithms=list(ALGORITHMS),
            audience=registration.client_id,
            issuer=registration.issuer,
            leeway=LEEWAY_S,
            options={"require": ["exp", "iat", "iss", "aud", "nonce"]},
        )
    except jwt.InvalidSignatureError as error:
        raise TokenDistrusted(str(error)) from error
    except (jwt.DecodeError, jwt.MissingRequiredClaimError, jwt.exceptions.InvalidSubjectError) as error:
        raise TokenMalformed(str(error)) from error
    except (jwt.PyJWTError, TypeError, ValueError) as error:
        raise TokenDistrusted(str(error)) from error
    try:
        claims = msgspec.convert(found, LaunchClaims)
    except msgspec.ValidationError as error:
        raise TokenMalformed(str(error)) from error
    # A launch that several tools may use must name us (azp).
    several = isinstance(claims.aud, list) and len(claims.aud) > 1
    if (several or claims.azp is not None) and claims.azp != registration.client_id:
        raise TokenDistrusted("azp does not name this tool")
    name = claims.deployment
    known = LtiDeployment.objects.active().filter(registration=registration, deployment_id=name[:255])
    if not known.exists():
        raise TokenDistrusted(f"deployment {name[:60]!r} is not registered: manage.py lti --deployment")
    if claims.version != "1.3.0":
        raise TokenMalformed(f"version {claims.version[:20]!r} is not 1.3.0")
    if len(claims.sub) > 255:
        raise TokenMalformed("sub is longer than 255 characters")
    return claims


def _key(registration: LtiRegistration, number: str) -> Any:
    place = f"lti-keys-{registration.pk}"
    kept: tuple[float, dict[str, dict[str, Any]]] = cache.get(place) or (0.0, {})
    at_s, keys = kept
    if number not in keys and abs(time.time() - at_s) > AGAIN_S:
        keys = _fetched(registration.keyset_url)
        cache.set(place, (time.time(), keys), KEYS_S)
    if number not in keys:
        raise TokenDistrusted("the platform has no such key")
    try:
        return jwt.PyJWK(keys[number])
    except (jwt.PyJWTError, TypeError, ValueError, KeyError) as error:
        raise TokenDistrusted("the platform's key cannot be read") from error


def _fetched(address: str) -> dict[str, dict[str, Any]]:
    try:
        with BoundedSession().get(address, stream=True) as answer:
            answer.raise_for_status()
            text = answer.raw.read(KEYS_BYTES, decode_content=True)
        found = msgspec.json.decode(text, type=dict[str, Any])["keys"]
        return {str(each["kid"]): each for each in found if isinstance(each, dict) and each.get("kid")}
    except (RequestException, msgspec.DecodeError, KeyError, TypeError, OSError) as error:
        raise TokenDistrusted("the platform's keys cannot be had now") from error


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
    """Let the browser be the learner of a launch; return the address to go to. `browser`: the session of the
    request. `registration`: the platform's row. `claims`: of the launch, which are signed by the platform.
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
    """Return whether it was this browser that began. `kept`: what the platform's window kept for the browser, if
    anything.
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


VERSION = "1.0.3"
PASSED = "http://adlnet.gov/expapi/verbs/passed"


def of_work(work: Work) -> dict[str, Any]:
    """Return the statement that an exercise was done: a number for the person, and the score."""
    home = settings.WATERLINE_XAPI_HOME
    exercise = catalog.exercise(work.exercise)
    return {
        "actor": {"objectType": "Agent", "account": {"homePage": home, "name": f"learner-{work.learner_id}"}},
        "verb": {"id": PASSED, "display": {"en": "passed"}},
        "object": {
            "objectType": "Activity",
            "id": f"{home.rstrip('/')}{address_of(work.exercise)}",
            "definition": {"name": {"en": exercise.en.title}},
        },
        "result": {
            "success": True,
            "completion": True,
            "score": {"scaled": catalog.score(work)},
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
    if settings.WATERLINE_XAPI_URL and not work.statement_sent:
        type(work).objects.filter(pk=work.pk).update(statement_sent=True)
        statement = of_work(work)
        transaction.on_commit(lambda: _senders.submit(send, statement))


def _send_and_close(learner_id: int) -> None:
    try:
        send_due(learner_id)
    finally:
        close_old_connections()


def send_due(learner_id: int | None = None) -> int:
    """Send every score that is more than what the platform has; return how many it took. `learner_id`: whose; None
    for everybody, for those that failed before.
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
    works = catalog.works_of(placement.seat.learner)
    slugs = slugs_of(placement.target)
    done = [works[slug] for slug in slugs if slug in works and works[slug].done_at is not None]
    if not done:
        return None
    return round(sum(catalog.score(work) or 0.0 for work in done) / len(slugs), 4)


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
