"""Pages of a course: its plans, and the slides of a unit."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from playground.exercises import catalog, course
from playground.texts.page_message import PageMessage
from playground.web.errors import PageGone


@require_safe
def plans(request: HttpRequest) -> HttpResponse:
    """Show the plans of a lesson, a double lesson and a semester."""
    return render(request, "exercises/plans.html", {"plans": course.plan_rows(get_language() or "en")})


@require_safe
@never_cache
def slides(request: HttpRequest, unit: str) -> HttpResponse:
    """Show the slides and sheets of a unit. For teachers only, as their notes have the key."""
    if not request.user.is_authenticated:
        return redirect(f"{reverse('login')}?next={request.path}")
    try:
        context = course.slides(unit, get_language() or "en")
    except catalog.NoExercise:
        raise PageGone(
            _("There is no such unit"), PageMessage(_("Choose one from the list of units."))
        ) from None
    return render(request, "exercises/slides.html", context)
