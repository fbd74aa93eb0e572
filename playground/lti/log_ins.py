"""Log-ins under way: each is one browser's, and is used up by the launch to which it leads.

A platform sends a browser here to begin, and gets it back with a state and a nonce; the launch returns both. Whoever
brings them must be the browser that began: it shows the secret that it was given, in a signed cookie, or, where a page
in a frame has no cookies, from the platform's own window, which kept it (LTI Client Side postMessages).
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Any, Final

from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from lti_tool.models import LtiRegistration

from playground.lti.models import LogIn

LASTS: Final = timedelta(hours=1)
"""Somebody may have to log in to the platform first."""
COOKIE: Final = "waterline_lti"
SALT: Final = "the browser that began a launch"


def begin(request: HttpRequest, registration: LtiRegistration) -> tuple[str, str, str]:
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
    """Return whether a launch was made for this log-in."""
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
