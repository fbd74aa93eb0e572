"""What a teacher filled in, as the content of an exercise: the same form as the files have."""

from __future__ import annotations

from typing import Any

from playground.exercises.authors import words
from playground.exercises.authors.fields import SHORT, TEXT, text_of
from playground.exercises.authors.runs import AuthoredRun
from playground.exercises.builder import numbers
from playground.exercises.kinds import KINDS
from playground.exercises.posted import PostedForm
from playground.jobs.job import RUN, job
from playground.texts.page_message import RequestRefused


@job(RUN)
def content(kind: str, posted: PostedForm, run: AuthoredRun) -> dict[str, Any]:
    """Return the plain content of an exercise of a kind, or raise `RequestRefused` saying what is missing."""
    texts = _texts(posted)
    plain: dict[str, Any] = {
        "kind": kind,
        "minutes": 5,
        "rules": [],
        "wrong": [],
        "scenario": run.before(),
        **KINDS[kind].draft(posted, run, texts),
    }
    plain = {**plain, "en": texts, "zh_hans": texts, "zh_hant": texts}
    return numbers.drawn(numbers.of_run(run), posted, plain)


def _texts(posted: PostedForm) -> dict[str, Any]:
    title, task, explain = (
        text_of(posted, "title", 120),
        text_of(posted, "task", TEXT),
        text_of(posted, "explain", TEXT),
    )
    for text, missing in ((title, words.NO_TITLE), (task, words.NO_TASK), (explain, words.NO_EXPLANATION)):
        if not text:
            raise RequestRefused(missing)
    hints = [line.strip()[:SHORT] for line in text_of(posted, "hints", TEXT).splitlines() if line.strip()]
    return {
        "title": title,
        "task": task,
        "explain": explain,
        "misconception": text_of(posted, "misconception", TEXT) or "–",
        "hints": hints[:4],
        "words": {},
        "feedback": {},
        "steps": [],
    }
