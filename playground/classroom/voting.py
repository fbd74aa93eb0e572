"""Vote, discuss, vote again: a prediction of the whole class in two rounds, led by a teacher who sees the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from playground.classroom import rooms
from playground.classroom.models import Ballot, Classroom, Student, Vote
from playground.exercises import catalog
from playground.exercises.grading import BadAnswer
from playground.exercises.kinds import KindProgress, grade, kind_of
from playground.exercises.schema import Exercise
from playground.texts import RequestRefused

OPEN = ("first", "second")
ENDED = ("over", "cancelled")
ACTS: dict[str, dict[str, str]] = {
    "discuss": {"first": "discuss"},
    "again": {"discuss": "second"},
    "reveal": dict.fromkeys(("first", "discuss", "second"), "revealed"),
    "cancel": dict.fromkeys(("first", "discuss", "second"), "cancelled"),
    "end": {"revealed": "over"},
}
"""What the teacher can do, and where it leads from each stage."""

SECONDS = (0, 60, 90, 120, 180, 300)
"""How long a round may be open; 0 is until the teacher closes it."""

FEW, MOST = 30, 70
"""Percent of right answers below which talking spreads the mistake, and above which there is little to talk about."""


def votable() -> list[Exercise]:
    """Return the exercises on which a class can vote: predictions with one short answer."""
    return [each for each in catalog.exercises().values() if kind_of(each).votable]


def title(vote: Vote, language: str) -> str:
    """Return the title of a vote's exercise, or its name if the exercise is gone."""
    found = catalog.find(vote.exercise)
    return found.texts(language).title if found else vote.exercise


def seed(vote: Vote) -> str:
    """Return what fixes the order of the options: one order on all screens of a vote."""
    return f"vote {vote.pk}"


def current(classroom: Classroom) -> Vote | None:
    return classroom.votes.exclude(stage__in=ENDED).order_by("-opened", "-pk").first()


def open_vote(classroom: Classroom, slug: str, seconds: int = 0) -> Vote:
    """Begin a vote: end one that is open, and release a frozen class, or nobody could vote. Raises RequestRefused."""
    found = catalog.find(slug)
    if found is None or not kind_of(found).votable:
        raise RequestRefused(_("A class can vote on predictions only."))
    with transaction.atomic():
        classroom.votes.exclude(stage__in=ENDED).update(stage="over")
        vote = Vote.objects.create(classroom=classroom, exercise=slug, ends_at=_end(seconds))
        classroom.frozen = False
        classroom.save(update_fields=["frozen"])
    rooms.announce_change(classroom.pk)
    return vote


def lead(vote: Vote, act: str, seen: str, seconds: int = 0) -> None:
    """Do what the teacher chose, if it is still the stage that was shown: a double click does not skip one."""
    stage = ACTS.get(act, {}).get(vote.stage)
    if stage is None or seen != vote.stage:
        return
    vote.stage = stage
    vote.ends_at = _end(seconds) if stage in OPEN else None
    vote.save(update_fields=["stage", "ends_at"])
    rooms.announce_change(vote.classroom_id)


def _end(seconds: int) -> Any:
    return timezone.now() + timedelta(seconds=seconds) if seconds in SECONDS and seconds else None


def left_s(vote: Vote) -> int | None:
    """Return how many seconds the round is still open, None if it does not end by itself."""
    if vote.ends_at is None or vote.stage not in OPEN:
        return None
    return max(0, round((vote.ends_at - timezone.now()).total_seconds()))


def is_open(vote: Vote) -> bool:
    return vote.stage in OPEN and left_s(vote) != 0


def is_second(vote: Vote) -> bool:
    """Return whether the round that is open, or was the last one, is the second."""
    return vote.stage == "second" or (vote.stage == "revealed" and vote.ballots.filter(second=True).exists())


def cast(vote: Vote, student: Student, answer: Any) -> None:
    """Take a student's prediction in the round that is open; within a round it can be changed.

    Raises:
        RequestRefused: the vote is closed, or the answer is not complete.
    """
    if not is_open(vote):
        raise RequestRefused(_("The vote is closed."))
    try:
        verdict = grade(catalog.exercise(vote.exercise), answer)
    except BadAnswer:
        raise RequestRefused(
            _("The answer is not complete. Fill in everything that is asked, and send it again.")
        ) from None
    values = {"answer": answer, "tally": verdict.tally[:255], "right": verdict.passed}
    Ballot.objects.update_or_create(
        vote=vote, student=student, second=vote.stage == "second", defaults=values
    )
    rooms.announce_change(vote.classroom_id)


def ballot_of(vote: Vote, student: Student, second: bool) -> Ballot | None:
    return vote.ballots.filter(student=student, second=second).first()


def counts(vote: Vote) -> dict[str, int]:
    ballots = Counter(vote.ballots.values_list("second", flat=True))
    return {"first": ballots[False], "second": ballots[True]}


def missing(vote: Vote) -> list[str]:
    """Return the nicknames of those who have not voted in the round that is open."""
    if vote.stage not in OPEN:
        return []
    given = vote.ballots.filter(second=vote.stage == "second").values("student_id")
    return list(vote.classroom.students.exclude(pk__in=given).values_list("nickname", flat=True))


def right_percent(vote: Vote, *, second: bool = False) -> int | None:
    """Return how many in a hundred votes of a round are right, None if there are none."""
    right = Counter(vote.ballots.filter(second=second).values_list("right", flat=True))
    return round(100 * right[True] / right.total()) if right else None


def recommended(vote: Vote) -> str:
    """Return what to do after the first round: explain, discuss, or move on; nothing before there are votes."""
    percent = right_percent(vote)
    if percent is None or vote.stage not in {"first", "discuss"}:
        return ""
    if percent < FEW:
        return "explain"
    return "discuss" if percent <= MOST else "move-on"


def options(vote: Vote, language: str) -> list[tuple[str, str, str]]:
    """Return the answers to choose from (id, letter, words) in the vote's order; none where a number is asked."""
    exercise = catalog.exercise(vote.exercise)
    return kind_of(exercise).listed(exercise, exercise.texts(language), KindProgress(seed=seed(vote)))


def results(vote: Vote, language: str) -> list[dict[str, Any]]:
    """Return each answer with its votes in both rounds, in the vote's own order.

    The right ones are marked once the result is revealed: until then a teacher's screen may be seen by the class.
    """
    exercise = catalog.exercise(vote.exercise)
    kind = kind_of(exercise)
    tallies: dict[str, list[int]] = {}
    voters = [0, 0]
    for tally, second in vote.ballots.values_list("tally", "second"):
        voters[second] += 1
        for part in kind.parts(tally):
            tallies.setdefault(part, [0, 0])[second] += 1
    right = _right(vote.exercise) if vote.stage in {"revealed", "over"} else frozenset()
    rows = options(vote, language) or [
        (part, "", part) for part in sorted({*tallies, *right}, key=lambda each: (len(each), each))
    ]
    return [
        {
            "id": name,
            "letter": letter,
            "text": text,
            "first": first,
            "second": second,
            "first_share": round(100 * first / max(1, voters[0])),
            "second_share": round(100 * second / max(1, voters[1])),
            "right": name in right,
        }
        for name, letter, text in rows
        for first, second in [tallies.get(name, [0, 0])]
    ]


@cache
def _right(slug: str) -> frozenset[str]:
    """Return what is right, computed by the engine once: a class asks several times a second."""
    exercise = catalog.exercise(slug)
    kind = kind_of(exercise)
    return frozenset(kind.parts(grade(exercise, kind.solution(exercise)).tally))


def rows_to_keep(classroom: Classroom) -> Iterator[list[str]]:
    """Yield the votes of a class as a table: one row for each student who voted, with both rounds."""
    yield ["opened", "exercise", "stage", "student", "first", "first_right", "second", "second_right"]
    for vote in classroom.votes.order_by("opened", "pk").prefetch_related("ballots__student"):
        by_student: dict[str, dict[bool, Ballot]] = {}
        for ballot in vote.ballots.all():
            by_student.setdefault(ballot.student.nickname, {})[ballot.second] = ballot
        for nickname, rounds in sorted(by_student.items()):
            line = [vote.opened.isoformat(timespec="seconds"), vote.exercise, vote.stage, nickname]
            for second in (False, True):
                ballot_ = rounds.get(second)
                line += [ballot_.tally, "yes" if ballot_.right else "no"] if ballot_ else ["", ""]
            yield line
