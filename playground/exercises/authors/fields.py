"""Fields that the forms of several kinds have: short texts, conditions, and how the run goes on."""

from __future__ import annotations

from typing import Any

from playground.exercises.authors import observables
from playground.exercises.authors.runs import AuthoredRun
from playground.exercises.posted import PostedForm

TEXT, SHORT = 3000, 300
"""Most characters of a long and of a short text."""


def text_of(posted: PostedForm, name: str, most: int = SHORT) -> str:
    """Return what a field holds, without blanks around it, cut to `most` characters."""
    return posted.get(name, "").strip()[:most]


def condition(posted: PostedForm, row: int, run: AuthoredRun) -> dict[str, Any]:
    """Return the condition of a row about a run. Raises `Refused`, which says what is missing."""
    return observables.condition(
        run,
        posted.get(f"observable-{row}", ""),
        posted.get(f"op-{row}", "=="),
        posted.get(f"value-{row}", "").strip(),
        posted.get(f"message-{row}", "").strip(),
    )


def go_on(run: AuthoredRun) -> dict[str, Any]:
    """Return how the run continues after the learner's answer."""
    return {"commands": run.after(), "until_us": run.end_us}
