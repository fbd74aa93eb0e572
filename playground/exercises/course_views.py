"""Pages of a course: its plans, and the slides of a unit."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from playground.exercises import course
from playground.exercises.schema import LessonUnit
from playground.exercises.teacher_pages import for_teachers


@require_safe
def plans(request: HttpRequest) -> HttpResponse:
    """Show the plans of a lesson, a double lesson and a semester."""
    return render(request, "exercises/plans.html", {"plans": course.plan_rows(get_language() or "en")})


@for_teachers
def slides(request: HttpRequest, unit: LessonUnit) -> HttpResponse:
    """Show the slides and sheets of a unit. For teachers only, as their notes have the key."""
    return render(request, "exercises/slides.html", course.slides(unit.slug, get_language() or "en"))
