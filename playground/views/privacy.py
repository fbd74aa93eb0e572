"""What is kept of visitors, and for how long."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from playground.classroom.leaving import UNDO_MINUTES
from playground.classroom.limits import LEARNERS_KEEP_DAYS
from playground.limits import session_limits


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """Say it with the numbers that this server obeys."""
    current = session_limits.current()
    context = {
        "sessions_days": current.keep_days,
        "links_days": current.links_days,
        "learners_days": LEARNERS_KEEP_DAYS,
        "undo_minutes": UNDO_MINUTES,
        "controller": settings.WATERLINE_CONTROLLER,
        "contact": settings.WATERLINE_CONTACT,
        "legal_basis": settings.WATERLINE_LEGAL_BASIS,
    }
    return render(request, "playground/privacy.html", context)
