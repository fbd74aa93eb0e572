"""What a whole class is asked: votes, led by a teacher who sees the first round before the second; and tests.

Tests are the concept inventory before and after, and exams: one try, no hints, solutions only at the end.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final, NamedTuple
from zlib import crc32

from django.db import IntegrityError, transaction
from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from playground.classroom import rooms
from playground.classroom.models import Ballot, ClassPaper, Classroom, PaperAnswer, Student, Vote
from playground.exercises import catalog, task
from playground.exercises.kinds import KindProgress, grade, kind_of
from playground.exercises.schema import Exercise
from playground.storybook.cards import SUBJECTS
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


def _seconds_to(ends_at: datetime | None) -> int | None:
    return None if ends_at is None else max(0, round((ends_at - timezone.now()).total_seconds()))


def left_s(vote: Vote) -> int | None:
    """Return how many seconds the round is still open, None if it does not end by itself."""
    return _seconds_to(vote.ends_at) if vote.stage in OPEN else None


def is_open(vote: Vote) -> bool:
    return vote.stage in OPEN and left_s(vote) != 0


def is_second(vote: Vote) -> bool:
    """Return whether the round that is open, or was the last one, is the second."""
    return vote.stage == "second" or (vote.stage == "revealed" and vote.ballots.filter(second=True).exists())


def cast(vote: Vote, student: Student, answer: Any) -> None:
    """Take a student's prediction in the round that is open; within a round it can be changed. Raises
    RequestRefused: the vote is closed, or the answer is not complete.
    """
    if not is_open(vote):
        raise RequestRefused(_("The vote is closed."))
    verdict = task.graded(catalog.exercise(vote.exercise), answer)
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
    """Return each answer with its votes in both rounds, in the vote's own order. The right ones are marked once the
    result is revealed: until then a teacher's screen may be seen by the class.
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


Z: Final = 1.96
RESAMPLES: Final = 2000
FEWEST: Final = 2
"""Students below whom nothing is said of a class."""


class ShareChange(NamedTuple):
    """How a share of the students changed, as parts of one. `before`, `after`: how many of them, in each form.
    `change`: of the share. `low`, `high`: its interval of 95 %.
    """

    before: int
    after: int
    change: float
    low: float
    high: float


class ClassGain(NamedTuple):
    """The normalised gain of a class; None where nothing was missing before, or nobody took both forms."""

    students: int
    before: float
    after: float
    gain: float | None
    low: float | None
    high: float | None


def change(pairs: Sequence[tuple[bool, bool]]) -> ShareChange:
    """Return how a share changed; each pair says of one student whether it was so before, and after."""
    up = sum(after and not before for before, after in pairs)
    down = sum(before and not after for before, after in pairs)
    n = len(pairs)
    n_, up_, down_ = n + 2, up + 0.5, down + 0.5
    middle = (up_ - down_) / n_
    half = Z * math.sqrt(max(0.0, up_ + down_ - (up_ - down_) ** 2 / n_)) / n_
    return ShareChange(
        sum(before for before, _after in pairs),
        sum(after for _before, after in pairs),
        (up - down) / n if n else 0.0,
        max(-1.0, middle - half),
        min(1.0, middle + half),
    )


def normalised(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return the normalised gain of shares before and after; None where nothing was missing."""
    before, after = (sum(each) / len(pairs) for each in zip(*pairs, strict=True))
    return None if before >= 1 else (after - before) / (1 - before)


def of_class(shares: Mapping[int, tuple[float, float]]) -> ClassGain:
    """Return the gain of a class. `shares`: of right answers before and after, by the number of the student."""
    pairs = [shares[each] for each in sorted(shares)]
    if len(pairs) < FEWEST:
        return ClassGain(len(pairs), 0.0, 0.0, None, None, None)
    chance = random.Random(len(pairs))  # the same report twice has the same interval
    drawn = (normalised(chance.choices(pairs, k=len(pairs))) for _each in range(RESAMPLES))
    found = sorted(each for each in drawn if each is not None)
    before, after = (sum(each) / len(pairs) for each in zip(*pairs, strict=True))
    gain = normalised(pairs)
    if gain is None or not found:
        return ClassGain(len(pairs), before, after, None, None, None)
    low, high = found[round(0.025 * (len(found) - 1))], found[round(0.975 * (len(found) - 1))]
    return ClassGain(len(pairs), before, after, gain, low, high)


EXAM: Final = "exam"
KINDS: Final = {
    "before": _("Before: a question on each subject"),
    "after": _("After: the same subjects, other questions"),
    EXAM: _("Exam on the exercises that are handed out"),
}
MINUTES: Final = (0, 10, 20, 30, 45, 60, 90)
"""How long a test may be open; 0 is until the teacher ends it."""
VARIANTS: Final = 12
"""So many variants of an exercise are dealt out in an exam: each costs a run of the engine, once for the class."""


def current_paper(classroom: Classroom) -> ClassPaper | None:
    return classroom.papers.filter(_open()).first()


def _open() -> Q:
    return Q(closed=False) & (Q(ends_at=None) | Q(ends_at__gt=timezone.now()))


def is_paper_open(paper: ClassPaper) -> bool:
    return not paper.closed and paper_left_s(paper) != 0


def paper_left_s(paper: ClassPaper) -> int | None:
    """Return how many seconds a test is still open, None if it does not end by itself."""
    return _seconds_to(paper.ends_at)


def open_paper(classroom: Classroom, kind: str, minutes: int, handed: Iterable[Exercise]) -> ClassPaper:
    """Begin a test, after one that is on; raise `RequestRefused` where there is nothing to ask. `kind`: one of
    `KINDS`. `minutes`: one of `MINUTES`. `handed`: the exercises that are handed out, for an exam.
    """
    if kind not in KINDS:
        raise RequestRefused(_("There is no such test."))
    asked = [each.exercise for each in catalog.items()]
    if kind == EXAM:
        asked = [each.slug for each in handed if kind_of(each).on_paper]
    if not asked:
        raise RequestRefused(_("None of the exercises that are handed out can be asked in a test."))
    ends_at = timezone.now() + timedelta(minutes=minutes) if minutes in MINUTES and minutes else None
    close(classroom)
    paper = ClassPaper.objects.create(classroom=classroom, kind=kind, exercises=asked, ends_at=ends_at)
    rooms.announce_change(classroom.pk)
    return paper


def close(classroom: Classroom) -> None:
    """End the test that is on: nobody answers any more, and students see the solutions."""
    classroom.papers.filter(_open()).update(closed=True)
    rooms.announce_change(classroom.pk)


def _seed(paper: ClassPaper, student: Student, slug: str) -> int:
    """Return the variant that a student is asked: in the inventory the form's, in an exam one of their own."""
    if paper.kind in catalog.FORMS:
        return next(each for each in catalog.items() if each.exercise == slug).seed(paper.kind)
    return crc32(f"{paper.pk} {student.pk} {slug}".encode()) % VARIANTS + 1


def question(paper: ClassPaper, student: Student, slug: str) -> Exercise:
    return catalog.variant(slug, _seed(paper, student, slug))


def take(paper: ClassPaper, student: Student, slug: str, given: Any) -> None:
    """Keep a student's answer to a question, the first one only, or raise `RequestRefused`. `slug`: one of the
    test's exercises. `given`: the answer as its kind reads it; None for "I do not know".
    """
    if not ClassPaper.objects.filter(_open(), pk=paper.pk).exists():  # it may have ended since it was read
        raise RequestRefused(_("The test has ended."))
    if student.classroom.frozen:
        raise RequestRefused(_("Your teacher has paused the class. Look up; it continues soon."))
    found = question(paper, student, slug)
    tally, right, shown = "-", False, []
    if given is not None:
        verdict = task.graded(found, given)
        tally, right = verdict.tally[:255], verdict.passed
        shown = catalog.shown(found, verdict.feedback)
    try:
        with transaction.atomic():
            PaperAnswer.objects.create(
                paper=paper,
                student=student,
                exercise=slug,
                variant=_seed(paper, student, slug),
                tally=tally,
                right=right,
                shown=shown,
            )
    except IntegrityError:
        raise RequestRefused(_("You have answered this question. Each has one try.")) from None
    rooms.announce_change(paper.classroom_id)


def finished(paper: ClassPaper) -> int:
    """Return how many students have answered each question of a test."""
    answered = paper.answers.order_by().values("student").annotate(given=Count("pk"))
    return answered.filter(given__gte=len(paper.exercises)).count()


def latest(classroom: Classroom, kind: str) -> ClassPaper | None:
    return classroom.papers.filter(kind=kind).first()


def marks(paper: ClassPaper) -> list[tuple[str, int, int]]:
    """Return of each student the nickname, how many questions were answered, and how many right."""
    found: dict[int, list[bool]] = {}
    for student, right in paper.answers.values_list("student_id", "right"):
        found.setdefault(student, []).append(right)
    return [
        (each.nickname, len(answers), sum(answers))
        for each in paper.classroom.students.all()
        for answers in [found.get(each.pk, [])]
    ]


def marks_rows(classroom: Classroom) -> Iterator[list[str]]:
    """Yield the table of the last exam, if there was one: one row for each student and question."""
    paper = latest(classroom, EXAM)
    if paper is None:
        return
    yield ["student", "exercise", "variant", "answer", "right", "at"]
    for each in paper.answers.select_related("student"):
        right = "yes" if each.right else "no"
        at = each.at.isoformat(timespec="seconds")
        yield [each.student.nickname, each.exercise, str(each.variant), each.tally, right, at]


def inventory_rows(classroom: Classroom) -> Iterator[list[str]]:
    """Yield the answers to the inventory without names: students are numbered, in no order of theirs."""
    yield ["student", "form", "subject", "exercise", "answer", "right", "misconceptions"]
    subjects = {each.exercise: each.subject for each in catalog.items()}
    papers = [paper for form in catalog.FORMS if (paper := latest(classroom, form))]
    answers = list(PaperAnswer.objects.filter(paper__in=papers).select_related("paper"))
    people = sorted(
        {each.student_id for each in answers}, key=lambda pk: crc32(f"{classroom.public_id} {pk}".encode())
    )
    numbers = {pk: number for number, pk in enumerate(people, 1)}
    for each in sorted(answers, key=lambda each: (numbers[each.student_id], each.paper_id, each.pk)):
        yield [
            str(numbers[each.student_id]),
            each.paper.kind,
            str(subjects.get(each.exercise, "")),
            each.exercise,
            each.tally,
            "yes" if each.right else "no",
            " ".join(each.shown),
        ]


def gain(classroom: Classroom, language: str) -> dict[str, Any] | None:
    """Return what the class gained from the last form before to the last after; None where nobody took both.
    `language`: in which items and misconceptions are called.
    """
    before, after = (latest(classroom, form) for form in catalog.FORMS)
    if before is None or after is None:
        return None
    answers = {form: _by_student(form) for form in (before, after)}
    both = sorted(answers[before].keys() & answers[after].keys())
    if not both:
        return None
    items = catalog.items()

    def right(paper: ClassPaper, student: int, slug: str) -> bool:
        return slug in answers[paper][student] and answers[paper][student][slug].right

    def shows(paper: ClassPaper, student: int, name: str) -> bool:
        return any(name in each.shown for each in answers[paper][student].values())

    def share(paper: ClassPaper, student: int) -> float:
        return sum(right(paper, student, each.exercise) for each in items) / len(items)

    whole = of_class({student: (share(before, student), share(after, student)) for student in both})
    asked = {name for each in items for name in catalog.asked_by(each.exercise)}
    return {
        "students": whole.students,
        "before": f"{100 * whole.before:.0f}",
        "after": f"{100 * whole.after:.0f}",
        **{
            name: None if (value := getattr(whole, name)) is None else f"{value:.2f}"
            for name in ("gain", "low", "high")
        },
        "items": [
            _changed(
                str(SUBJECTS[each.subject]),
                [(right(before, one, each.exercise), right(after, one, each.exercise)) for one in both],
            )
            for each in items
        ],
        "misconceptions": [
            _changed(
                catalog.text(name, language),
                [(shows(before, one, name), shows(after, one, name)) for one in both],
            )
            for name in catalog.stated()
            if name in asked
        ],
    }


def _changed(title: str, pairs: list[tuple[bool, bool]]) -> dict[str, Any]:
    """Return a row of the report: how many before and after, and the change in percent with its interval."""
    found = change(pairs)
    percents = {name: round(100 * getattr(found, name)) for name in ("change", "low", "high")}
    percent = {name: f"{value:+}" if value else "0" for name, value in percents.items()}
    return {"title": title, "before": found.before, "after": found.after, **percent}


def _by_student(paper: ClassPaper) -> dict[int, dict[str, PaperAnswer]]:
    found: dict[int, dict[str, PaperAnswer]] = {}
    for each in paper.answers.all():
        found.setdefault(each.student_id, {})[each.exercise] = each
    return found
