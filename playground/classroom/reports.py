"""What came of a lesson: who was there, what was answered, what was hard, how the votes went."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.utils import timezone

from playground.classroom import selectors, voting
from playground.classroom.models import Classroom
from playground.exercises import selectors as exercises
from playground.exercises.models import Attempt, Work


def of_lesson(classroom: Classroom, language: str) -> dict[str, Any]:
    """Return the report of the lesson that is on, or that ended last.

    Args:
        classroom: whose lesson it is.
        language: in which exercises are called by their titles.
    """
    began, ended = classroom.lesson_began, classroom.lesson_ended or timezone.now()
    answers = Attempt.objects.filter(
        work__learner__student__classroom=classroom, at__gte=began, at__lte=ended
    ).select_related("work")
    tried: dict[str, dict[int, Work]] = defaultdict(dict)
    for each in answers:
        tried[each.work.exercise][each.work.learner_id] = each.work
    students = list(classroom.students.all())
    worked = {learner for works in tried.values() for learner in works}
    return {
        "began": began,
        "ended": classroom.lesson_ended,
        "students": len(students),
        "worked": len(worked),
        "absent": [each.nickname for each in students if each.learner_id not in worked],
        "exercises": [
            _line(each, tried[each.slug], language)
            for each in selectors.assigned(classroom)
            if each.slug in tried
        ],
        "votes": [
            {
                "title": voting.title(vote, language),
                "first": voting.right_percent(vote),
                "second": voting.right_percent(vote, second=True),
            }
            for vote in classroom.votes.filter(opened__gte=began, opened__lte=ended).order_by("opened")
        ],
    }


def _line(exercise: Any, works: dict[int, Work], language: str) -> dict[str, Any]:
    states = [exercises.state_of(work) for work in works.values()]
    return {
        "title": exercise.texts(language).title,
        "misconception": exercise.texts(language).misconception,
        "tried": len(states),
        "first": states.count("first"),
        "later": states.count("later"),
        "open": len(states) - states.count("first") - states.count("later"),
        "hard": 2 * states.count("first") < len(states),
    }
