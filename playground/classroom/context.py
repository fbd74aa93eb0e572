"""What every page has of a class: who the student is, if the visitor is one."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from playground.classroom import leaving, selectors
from playground.exercises import learners


def student(request: HttpRequest) -> dict[str, Any]:
    """Return the visitor's student, looked up only if the browser has a personal code and a page asks."""
    browser = getattr(request, "session", {})
    undo = {"undo": leaving.undoable(browser)}
    if not learners.code_of(browser):
        return {"student": None, **undo}
    return undo | {
        "student": SimpleLazyObject(lambda: selectors.student_of(learners.current(request.session)))
    }
