"""Vote, discuss, vote again: a prediction of the whole class in two rounds."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from playground.classroom import rooms
from playground.classroom.models import Ballot, Classroom, Student, Vote
from playground.exercises import catalog
from playground.exercises.grading import BadAnswer
from playground.exercises.kinds import grade, kind_of
from playground.exercises.schema import Exercise
from playground.messages import Refused

NEXT = {"first": "discuss", "discuss": "second", "second": "revealed", "revealed": "over"}
OPEN = ("first", "second")


def votable() -> list[Exercise]:
    """Return the exercises on which a class can vote: predictions with one short answer."""
    return [each for each in catalog.exercises().values() if kind_of(each).votable]


def seed(vote: Vote) -> str:
    """Return what fixes the order of the options: one order on all screens of a vote."""
    return f"vote {vote.pk}"


def current(classroom: Classroom) -> Vote | None:
    """Return the vote that is on."""
    return classroom.votes.exclude(stage="over").order_by("-opened", "-pk").first()


def open_vote(classroom: Classroom, slug: str) -> Vote:
    """Begin a vote; one that is on ends."""
    if slug not in {each.slug for each in votable()}:
        raise Refused(_("A class can vote on predictions only."))
    with transaction.atomic():
        classroom.votes.exclude(stage="over").update(stage="over")
        vote = Vote.objects.create(classroom=classroom, exercise=slug)
    rooms.tell(classroom.pk)
    return vote


def move_on(vote: Vote, seen: str) -> None:
    """Go to the next stage, if the teacher saw the present one: a double click does not skip one."""
    if seen == vote.stage and vote.stage in NEXT:
        vote.stage = NEXT[vote.stage]
        vote.save(update_fields=["stage"])
        rooms.tell(vote.classroom_id)


def cast(vote: Vote, student: Student, answer: Any) -> None:
    """Take a student's prediction in the round that is open; within a round it can be changed."""
    if vote.stage not in OPEN:
        raise Refused(_("The vote is closed."))
    try:
        verdict = grade(catalog.exercise(vote.exercise), answer)
    except BadAnswer:
        raise Refused(
            _("The answer is not complete. Fill in everything that is asked, and send it again.")
        ) from None
    values = {"answer": answer, "tally": verdict.tally[:255], "right": verdict.passed}
    Ballot.objects.update_or_create(
        vote=vote, student=student, second=vote.stage == "second", defaults=values
    )
    rooms.tell(vote.classroom_id)


def ballot_of(vote: Vote, student: Student, second: bool) -> Ballot | None:
    """Return what a student said in a round."""
    return vote.ballots.filter(student=student, second=second).first()


def counts(vote: Vote) -> dict[str, int]:
    """Return how many have voted in each round."""
    ballots = Counter(vote.ballots.values_list("second", flat=True))
    return {"first": ballots[False], "second": ballots[True]}


def results(vote: Vote, language: str) -> list[dict[str, Any]]:
    """Return each answer with its votes in both rounds, the right one marked, the most frequent first."""
    exercise = catalog.exercise(vote.exercise)
    texts = exercise.texts(language)
    tallies: dict[str, list[int]] = {}
    for tally, second in vote.ballots.values_list("tally", "second"):
        tallies.setdefault(tally, [0, 0])[second] += 1
    kind = kind_of(exercise)
    right = grade(exercise, kind.solution(exercise)).tally
    for tally in kind.tallies(exercise):
        tallies.setdefault(tally, [0, 0])
    tallies.setdefault(right, [0, 0])
    most = max([1, *(count for pair in tallies.values() for count in pair)])
    rows = [
        {
            "text": kind.tally_text(texts, tally),
            "first": first,
            "second": second,
            "first_share": round(100 * first / most),
            "second_share": round(100 * second / most),
            "right": tally == right,
        }
        for tally, (first, second) in tallies.items()
    ]
    return sorted(rows, key=lambda row: (-row["first"] - row["second"], row["text"]))
