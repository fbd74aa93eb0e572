"""What came of a lesson: who was there, what was answered, what was hard, how the votes went."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.utils import timezone

from playground.classroom import selectors, voting
from playground.classroom.models import Ballot, Classroom, Vote
from playground.exercises import catalog
from playground.exercises import selectors as exercises
from playground.exercises.kinds import kind_of
from playground.exercises.models import Attempt, Work

RIGHT_PERCENT = 70
"""A vote that so many in a hundred got right needs no other."""


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
    votes = list(classroom.votes.filter(opened__gte=began, opened__lte=ended).order_by("opened"))
    voted = set(Ballot.objects.filter(vote__in=votes).values_list("student__learner_id", flat=True))
    worked = {learner for works in tried.values() for learner in works} | voted
    lines = [
        _line(each, tried[each.slug], language)
        for each in selectors.assigned(classroom)
        if each.slug in tried
    ]
    return {
        "next_vote": next_vote(lines) or _of_votes(votes, language),
        "began": began,
        "ended": classroom.lesson_ended,
        "students": len(students),
        "worked": len(worked),
        "absent": [each.nickname for each in students if each.learner_id not in worked],
        "exercises": lines,
        "votes": [
            {
                "title": voting.title(vote, language),
                "voters": voting.counts(vote),
                "first": voting.right_percent(vote),
                "second": voting.right_percent(vote, second=True),
            }
            for vote in votes
        ],
    }


def next_vote(lines: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the hard exercise on which the next lesson should begin with a vote: fewest had it right at once.

    Args:
        lines: of the report, one for each exercise that was tried.
    """
    hard = [each for each in lines if each["hard"] and each["votable"]]
    return max(hard, key=lambda each: (each["tried"] - each["first"], each["open"]), default=None)


def _of_votes(votes: list[Vote], language: str) -> dict[str, Any] | None:
    """Return the exercise of the vote that fewest got right in its last round, None where most did."""
    shares = {vote: voting.right_percent(vote, second=bool(voting.counts(vote)["second"])) for vote in votes}
    wrong = [
        (share, vote.pk, vote)
        for vote, share in shares.items()
        if share is not None and share < RIGHT_PERCENT
    ]
    found = catalog.find(min(wrong)[2].exercise) if wrong else None
    if found is None:
        return None
    texts = found.texts(language)
    return {"slug": found.slug, "title": texts.title, "misconception": texts.misconception}


def _line(exercise: Any, works: dict[int, Work], language: str) -> dict[str, Any]:
    states = [exercises.state_of(work) for work in works.values()]
    return {
        "slug": exercise.slug,
        "votable": kind_of(exercise).votable,
        "title": exercise.texts(language).title,
        "misconception": exercise.texts(language).misconception,
        "tried": len(states),
        "first": states.count("first"),
        "later": states.count("later"),
        "open": len(states) - states.count("first") - states.count("later"),
        "hard": 2 * states.count("first") < len(states),
    }
