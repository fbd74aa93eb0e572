"""The page that stands for an exercise, its example or its reading while the learner may not see them."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language

from playground.exercises import gates, learners
from playground.exercises.schema import Exercise


def closed_page(request: HttpRequest, *exercises: Exercise) -> HttpResponse | None:
    """Return the page that says why one of these exercises may not be seen now; None where all may."""
    learner = learners.current(request.session)
    for each in exercises:
        reason = learner and gates.closed(learner, each.slug, hidden=True)
        if reason is not None:
            context = {"texts": each.texts(get_language() or "en"), "reason": reason}
            return render(request, "exercises/locked.html", context, status=423)
    return None
