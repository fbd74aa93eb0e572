"""The page of a faded worked example: it keeps nothing, so its form is a GET and its address can be shared."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from playground.exercises import catalog, examples
from playground.exercises.closed_page import closed_page
from playground.texts.page_message import PageMessage
from playground.web.access import rate_limited_reading
from playground.web.errors import PageGone


@require_safe
@never_cache
@rate_limited_reading
def page(request: HttpRequest, unit: str, slug: str) -> HttpResponse:
    """Show the example before an exercise, and judge its last step where one was sent."""
    language = get_language() or "en"
    if slug not in examples.slugs() or catalog.exercise(slug).unit != unit:
        raise PageGone(_("There is no such page"), PageMessage(_("Choose one from the list of units.")))
    return closed_page(request, catalog.exercise(slug)) or render(
        request, "exercises/example.html", examples.context(slug, language, request.GET or None)
    )
