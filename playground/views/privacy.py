"""What is kept of visitors, and for how long."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from playground import limits
from playground.classroom.limits import LEARNERS_KEEP_DAYS


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """Say it with the numbers that this server obeys."""
    current = limits.current()
    context = {
        "sessions_days": current.keep_days,
        "links_days": current.links_days,
        "learners_days": LEARNERS_KEEP_DAYS,
    }
    return render(request, "playground/privacy.html", context)
