"""Pages on a unit that only teachers see, as they have its key."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from playground.exercises import catalog
from playground.exercises.schema import LessonUnit
from playground.texts.page_message import PageMessage
from playground.web.errors import PageGone

UnitView = Callable[[HttpRequest, LessonUnit], HttpResponse]


def for_teachers(view: UnitView) -> Callable[[HttpRequest, str], HttpResponse]:
    """Let a page have the unit that the address names; others than teachers log in first.

    Args:
        view: shows the unit.

    Returns:
        The view of the address. It raises PageGone where there is no such unit.
    """

    @require_safe
    @never_cache
    @wraps(view)
    def shown(request: HttpRequest, unit: str) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect(f"{reverse('login')}?next={request.path}")
        try:
            found = catalog.unit(unit)
        except catalog.NoExercise:
            raise PageGone(
                _("There is no such unit"), PageMessage(_("Choose one from the list of units."))
            ) from None
        return view(request, found)

    return shown
