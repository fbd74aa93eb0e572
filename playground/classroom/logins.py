"""Which log-ins of teachers are in force: one row for each, so that a copied cookie ends with the log-out."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from playground.classroom import rooms
from playground.classroom.models import Classroom, Login

KEY: Final = "login"


def listen() -> None:
    """Write log-ins down, and strike them out again."""
    user_logged_in.connect(_begun, dispatch_uid="logins")
    user_logged_out.connect(_ended, dispatch_uid="logins")


def trace_of(browser: Mapping[str, Any]) -> str:
    """Return what is kept of the log-in of a browser, or nothing."""
    number = browser.get(KEY)
    return hashlib.sha256(number.encode()).hexdigest() if isinstance(number, str) else ""


def _begun(sender: Any, request: HttpRequest, user: Any, **more: Any) -> None:
    Login.objects.filter(begun__lt=timezone.now() - timedelta(seconds=settings.SESSION_COOKIE_AGE)).delete()
    request.session[KEY] = secrets.token_hex(16)
    Login.objects.create(teacher=user, trace=trace_of(request.session))


def _ended(sender: Any, request: HttpRequest, user: Any, **more: Any) -> None:
    Login.objects.filter(trace=trace_of(request.session)).delete()
    for classroom in classes_of(user) if user else ():
        rooms.announce_change(classroom)  # whoever still watches it with a copied cookie


def classes_of(user: Any) -> list[int]:
    """Return the classes that somebody leads."""
    led = Q(teacher=user) | Q(co_teachers=user)
    return list(Classroom.objects.filter(led).distinct().values_list("pk", flat=True))


def known(browser: Mapping[str, Any], user: Any) -> Any:
    """Return the user if the log-in of this browser is in force, else nobody."""
    trace = trace_of(browser)
    if user.is_authenticated and trace and Login.objects.filter(teacher=user, trace=trace).exists():
        return user
    return AnonymousUser()


class LoginsInForce:
    """Lets a request have the user of its cookie only while that log-in is in force. For after Django's own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Hand on."""
        user = request.user
        request.user = SimpleLazyObject(lambda: known(request.session, user))
        return self._get_response(request)
