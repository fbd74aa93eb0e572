"""Reads: the grid of a class, what a student should see now, the hardest exercise, tables, and a lesson's report."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from playground.classroom import asking
from playground.classroom.models import Ballot, Classroom, Login, Student, Vote
from playground.exercises import catalog
from playground.exercises.kinds import kind_of
from playground.exercises.models import Attempt, Learner, Work
from playground.exercises.schema import Exercise
from playground.models import Session

FORGOTTEN_AFTER_MINUTES = 45
"""Work that was not touched for so long does not count as needing help: the student has gone home."""


def led_by(teacher: Any) -> QuerySet[Classroom]:
    """Return the classes of a teacher, and those that are shared with the teacher."""
    return Classroom.objects.filter(Q(teacher=teacher) | Q(co_teachers=teacher)).distinct()


def of_teacher(teacher: Any, public_id: str) -> Classroom | None:
    return led_by(teacher).filter(public_id=public_id).first() if teacher.is_authenticated else None


def student_of(learner: Learner | None) -> Student | None:
    if learner is None:
        return None
    present = Student.objects.filter(learner=learner, classroom__leaving_at=None)
    return present.select_related("classroom", "learner").first()


def assigned(classroom: Classroom) -> list[Exercise]:
    """Return the exercises that are handed out, in the teacher's order, each once."""
    found: dict[str, Exercise] = {}
    for slug in classroom.units:
        try:
            each_of = catalog.of_unit(slug)
        except catalog.NoExercise:
            each_of = [one] if (one := catalog.find(slug)) else []
        found.update((each.slug, each) for each in each_of)
    return list(found.values())


def units_of(classroom: Classroom) -> list[str]:
    return list(dict.fromkeys(each.unit for each in assigned(classroom)))


def overview(classroom_id: int, online: dict[int, int], grid: bool = True) -> dict[str, Any] | None:
    """Return what the sockets of a class show; None when there is no such class any more. `online`: how many
    sockets each student has. `grid`: whether the teacher's grid is read, too: it costs much more than everything
    else.
    """
    classroom = Classroom.objects.select_related("pushed").filter(pk=classroom_id).first()
    if classroom is None:
        return None
    leading = Q(teacher=classroom.teacher_id) | Q(teacher__shared_classes=classroom)
    logins = Login.objects.filter(leading).values_list("trace", flat=True)
    return {
        "frozen": classroom.frozen,
        "members": set(classroom.students.values_list("pk", flat=True)),
        "student": for_students(classroom),
        "teacher": for_teacher(classroom, online) if grid else None,
        "logins": set(logins),
        "held": sessions_of(classroom) if classroom.frozen else [],
    }


def sessions_of(classroom: Classroom) -> list[str]:
    """Return the students' sessions: those of their exercises, and all others that their browsers began."""
    learners = Learner.objects.filter(student__classroom=classroom)
    browsers = classroom.students.exclude(visitor="").values("visitor")
    working = Work.objects.filter(learner__in=learners).values("session")
    found = Session.objects.filter(Q(pk__in=working) | Q(visitor__in=browsers))
    return list(found.values_list("public_id", flat=True))


def for_students(classroom: Classroom) -> dict[str, Any]:
    """Return what every student of a class should see now."""
    vote, paper = asking.current(classroom), asking.current_paper(classroom)
    pushed = classroom.pushed
    return {
        "t": "class",
        "frozen": classroom.frozen,
        "ended": classroom.lesson_ended is not None,
        "handed": [*classroom.units, *([f"test-{paper.pk}"] if paper else [])],
        "push": {
            "at": classroom.pushed_at.isoformat(),
            "id": pushed.short_id,
            "by": classroom.pushed_by,
            "at_us": None if pushed.story else json.loads(pushed.text.body)["until_us"],
        }
        if pushed and classroom.pushed_at
        else None,
        "vote": {"id": vote.pk, "stage": vote.stage} if vote else None,
    }


def for_teacher(classroom: Classroom, online: dict[int, int]) -> dict[str, Any]:
    """Return the grid: students, what each has done, and who needs help."""
    now = timezone.now()
    slugs = {each.slug: each for each in assigned(classroom)}
    works: dict[int, list[Work]] = defaultdict(list)
    present = Work.objects.filter(learner__student__classroom=classroom, learner__leaving_at=None)
    for work in present.select_related("session"):
        works[work.learner_id].append(work)
    followed = followers(classroom)
    rows = [
        row(student, works[student.learner_id], slugs, now, online) | {"pushed": student.visitor in followed}
        for student in classroom.students.all()
    ]
    vote, paper = asking.current(classroom), asking.current_paper(classroom)
    return {
        "t": "grid",
        "frozen": classroom.frozen,
        "ended": classroom.lesson_ended is not None,
        "joining": classroom.joining,
        "code": classroom.join_code,
        "students": rows,
        "vote": vote_for_teacher(vote) if vote else None,
        "finished_test": asking.finished(paper) if paper else None,
        "hardest": hardest([work for each in works.values() for work in each if work.exercise in slugs]),
    }


def followers(classroom: Classroom) -> set[str]:
    """Return the browsers of students who have opened the pushed state."""
    if classroom.pushed is None or classroom.pushed_at is None:
        return set()
    visitors = classroom.students.exclude(visitor="").values("visitor")
    opened = Session.objects.filter(
        origin=classroom.pushed, created__gte=classroom.pushed_at, visitor__in=visitors
    )
    return set(opened.values_list("visitor", flat=True))


def vote_for_teacher(vote: Vote) -> dict[str, Any]:
    """Return how a vote stands: how many voted in the present round, who did not, and the answers of both rounds."""
    counts = asking.counts(vote)
    return {
        "id": vote.pk,
        "stage": vote.stage,
        "votes": counts["second" if asking.is_second(vote) else "first"],
        "missing": asking.missing(vote),
        "results": {
            each["id"]: [each["first"], each["first_share"], each["second"], each["second_share"]]
            for each in asking.results(vote, "en")
        },
        "right": asking.right_percent(vote),
        "recommended": asking.recommended(vote),
    }


def row(
    student: Student, works: list[Work], slugs: dict[str, Exercise], now: datetime, online: dict[int, int]
) -> dict[str, Any]:
    """Return one student's row; cells are [state, attempts, minutes]."""
    latest = current_of(works)
    cells = {
        work.exercise: [
            state(work, slugs[work.exercise], now, current=work is latest),
            work.attempts,
            minutes_without_right(work, now),
        ]
        for work in works
        if work.exercise in slugs
    }
    return {
        "id": student.pk,
        "name": student.nickname,
        "online": student.pk in online,
        "cells": cells,
        "now": latest.exercise if latest else None,
        "session": latest.session.public_id if latest and latest.session else None,
    }


def state(work: Work, exercise: Exercise, now: datetime, *, current: bool) -> str:
    """Return how far a student is; help is needed on the current exercise, by time without a right step.
    `exercise`: what it is about; its minutes are what a right step may take. `current`: whether it is what the
    student works on at the moment.
    """
    found = catalog.state_of(work)
    if found in catalog.DONE or not current:
        return found
    untouched = (now - work.touched).total_seconds() / 60
    overdue = minutes_without_right(work, now) > exercise.minutes and untouched < FORGOTTEN_AFTER_MINUTES
    return "help" if overdue else found


def minutes_without_right(work: Work, now: datetime) -> int:
    """Return for how many minutes there was no right step; of finished work how long it took."""
    if work.done_at:
        return int((work.done_at - work.begun).total_seconds() // 60)
    return int((now - (work.right_at or work.begun)).total_seconds() // 60)


def current_of(works: Iterable[Work]) -> Work | None:
    """Return what somebody works on at the moment: what was touched last."""
    return max(works, key=lambda work: work.touched, default=None)


def hardest(works: Iterable[Work]) -> dict[str, Any] | None:
    """Return the exercise that fewest got right at the first try, and its answers as they were first given.
    `works`: as the rows of the grid show them, so that both show the same moment.
    """
    tried: dict[str, set[int]] = defaultdict(set)
    failed: dict[str, set[int]] = defaultdict(set)
    firsts: dict[str, Counter[tuple[str, bool]]] = defaultdict(Counter)
    answered = {work.pk: work for work in works if work.attempts}
    answers = Attempt.objects.filter(work__in=answered, number=1).order_by("work_id")
    for pk, passed, tally in answers.values_list("work_id", "passed", "tally"):
        work = answered[pk]
        tried[work.exercise].add(work.learner_id)
        if work.failures:
            failed[work.exercise].add(work.learner_id)
        firsts[work.exercise][(tally, passed)] += 1
    if not failed:
        return None
    slug = max(failed, key=lambda each: (len(failed[each]) / len(tried[each]), len(tried[each]), each))
    return {
        "exercise": slug,
        "tried": len(tried[slug]),
        "failed": len(failed[slug]),
        "answers": [[tally, count, passed] for (tally, passed), count in firsts[slug].most_common(5)],
    }


def student_detail(student: Student, language: str) -> list[dict[str, Any]]:
    """Return what a student did, exercise by exercise, the latest first."""
    found = []
    now = timezone.now()
    works = Work.objects.filter(learner=student.learner).select_related("session").prefetch_related("answers")
    latest = works.order_by("-touched").first()
    for work in works.order_by("-touched"):
        try:
            exercise = catalog.exercise(work.exercise)
        except catalog.NoExercise:
            continue
        texts = exercise.texts(language)
        found.append(
            {
                "title": texts.title,
                "state": state(work, exercise, now, current=work == latest),
                "attempts": work.attempts,
                "hints": work.hints,
                "session": work.session.public_id if work.session else None,
                "answers": [
                    {
                        "passed": each.passed,
                        "at": each.at,
                        "text": kind_of(exercise).tally_text(texts, each.tally),
                    }
                    for each in list(work.answers.all())[-6:]
                ],
            }
        )
    return found


COLUMNS = (
    "student unit exercise state right_first_time score attempts wrong_answers hints solution_shown begun done "
    "first_answer last_answer"
).split()
STATE_WORDS = {
    "working": "working",
    "wrong": "answered wrong",
    "first": "right first time",
    "later": "right later",
}


def csv_rows(classroom: Classroom) -> Iterator[list[str]]:
    """Yield the table of a class: one row for each student and exercise."""
    yield COLUMNS
    works: dict[tuple[int, str], Work] = {
        (work.learner_id, work.exercise): work
        for work in Work.objects.filter(learner__student__classroom=classroom).prefetch_related("answers")
    }
    for student in classroom.students.all():
        for exercise in assigned(classroom):
            work = works.get((student.learner_id, exercise.slug))
            begin = [student.nickname, exercise.unit, exercise.slug]
            if work is None:
                yield [*begin, "not begun", "no", "", "0", "0", "0", "no", "", "", "", ""]
                continue
            answers = list(work.answers.all())
            yield [
                *begin,
                STATE_WORDS[catalog.state_of(work)],
                "yes" if work.right_first else "no",
                "" if (counts := catalog.score(work)) is None else f"{counts:g}",
                str(work.attempts),
                str(work.failures),
                str(work.hints),
                "yes" if work.solution_shown else "no",
                work.begun.isoformat(timespec="seconds"),
                work.done_at.isoformat(timespec="seconds") if work.done_at else "",
                answers[0].tally if answers else "",
                answers[-1].tally if answers else "",
            ]


def harmless(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text


def csv_text(rows: Iterable[list[str]]) -> str:
    """Return a table as CSV in which no cell is a formula."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows([harmless(cell) for cell in row] for row in rows)
    return buffer.getvalue()


RIGHT_PERCENT = 70
"""A vote that so many in a hundred got right needs no other."""


def of_lesson(classroom: Classroom, language: str) -> dict[str, Any]:
    """Return the report of the lesson that is on, or that ended last. `language`: in which exercises are called by
    their titles.
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
    lines = [_line(each, tried[each.slug], language) for each in assigned(classroom) if each.slug in tried]
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
                "title": asking.title(vote, language),
                "voters": asking.counts(vote),
                "first": asking.right_percent(vote),
                "second": asking.right_percent(vote, second=True),
            }
            for vote in votes
        ],
    }


def next_vote(lines: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the hard exercise on which the next lesson should begin with a vote: fewest had it right at once.
    `lines`: of the report, one for each exercise that was tried.
    """
    hard = [each for each in lines if each["hard"] and each["votable"]]
    return max(hard, key=lambda each: (each["tried"] - each["first"], each["open"]), default=None)


def _of_votes(votes: list[Vote], language: str) -> dict[str, Any] | None:
    """Return the exercise of the vote that fewest got right in its last round, None where most did."""
    shares = {vote: asking.right_percent(vote, second=bool(asking.counts(vote)["second"])) for vote in votes}
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
    states = [catalog.state_of(work) for work in works.values()]
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
