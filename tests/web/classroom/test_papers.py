"""Tests of a class: the inventory before and after, and an exam."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from playground.classroom import asking, selectors
from playground.classroom.models import ClassPaper, Classroom, PaperAnswer, Student
from playground.exercises import catalog
from playground.exercises.kinds import kind_of, solution_of
from tests.web.classroom.people import address, join

pytestmark = pytest.mark.django_db
PAGE = "/class/me/test/"


def begin(classroom: Classroom, teacher: Client, kind: str, minutes: str = "0") -> ClassPaper:
    """Let the teacher begin a test."""
    assert teacher.post(address(classroom, "test"), {"kind": kind, "minutes": minutes}).status_code == 302
    return ClassPaper.objects.latest("pk")


def form_of(exercise: Any, answer: Any) -> dict[str, Any]:
    """Return an answer as the page's form sends it."""
    if exercise.kind == "order":
        return {f"position-{name}": place for place, name in enumerate(answer, 1)}
    return {"answer": answer}


def hand_in(client: Client, paper: ClassPaper, nickname: str, count: int, wrong: str = "") -> None:
    """Answer the first questions right, but the wrong one with the first wrong option."""
    student = Student.objects.get(nickname=nickname)
    for slug in paper.exercises[:count]:
        found = asking.question(paper, student, slug)
        right = solution_of(found)
        answer = next(each.id for each in found.form.options if each.id != right) if slug == wrong else right
        assert client.post(PAGE, form_of(found, answer)).status_code == 302, slug


def test_a_student_has_one_try_and_no_solution_until_the_end(classroom: Classroom, teacher: Client) -> None:
    owl = join(classroom, "owl")
    paper = begin(classroom, teacher, "exam", "20")
    assert {catalog.exercise(each).kind for each in paper.exercises} == {"choice", "number", "order"}
    first = paper.exercises[0]
    found = asking.question(paper, Student.objects.get(), first)
    page = owl.get(PAGE).content.decode()
    assert escape(found.en.title) in page
    assert escape(found.en.explain) not in page
    assert found.en.hints[0] not in page
    assert "data-left=" in page
    assert "Go to the test" in owl.get("/class/me/").content.decode()
    hidden = owl.get(f"/learn/{found.unit}/{first}/")
    assert hidden.status_code == 423, "the exercise itself would show the answer"
    for help_page in ("read/", "read/run.json"):
        assert owl.get(f"/learn/{found.unit}/{first}/{help_page}").status_code == 423, "no hints"
    hand_in(owl, paper, "owl", 1)
    more = len(paper.exercises) - 1
    told = owl.get(PAGE).content.decode()
    assert f"Question 1: your answer is kept. {more} questions are left." in told
    for sent_twice in (form_of(found, solution_of(found)), {"unknown": "1"}):
        owl.post(f"{PAGE}?q=1", sent_twice)
        assert [each.exercise for each in PaperAnswer.objects.all()] == [first], (
            "it answers no other question"
        )
    with pytest.raises(Exception, match="one try"):
        asking.take(paper, Student.objects.get(), first, None)
    assert teacher.post(address(classroom, "test")).status_code == 302
    end = owl.get(PAGE).content.decode()
    assert escape(found.en.explain) in end
    assert f"Right answers: 1 of {len(paper.exercises)}" in end
    assert owl.get(f"/learn/{found.unit}/{first}/").status_code == 200
    with pytest.raises(Exception, match="ended"):
        asking.take(paper, Student.objects.get(), paper.exercises[1], None)  # as it was read before the end


def test_the_teacher_sees_how_many_have_finished(classroom: Classroom, teacher: Client) -> None:
    owl, yak = join(classroom, "owl"), join(classroom, "yak")
    assert selectors.for_teacher(classroom, {})["finished_test"] is None
    paper = begin(classroom, teacher, "exam")
    assert "data-finished-test" in teacher.get(address(classroom)).content.decode()
    hand_in(owl, paper, "owl", len(paper.exercises))
    hand_in(yak, paper, "yak", len(paper.exercises) - 1)
    assert selectors.for_teacher(classroom, {})["finished_test"] == 1


def test_time_ends_a_test(classroom: Classroom, teacher: Client) -> None:
    owl = join(classroom, "owl")
    paper = begin(classroom, teacher, "exam", "10")
    ClassPaper.objects.update(ends_at=timezone.now() - timedelta(seconds=1))
    assert asking.current_paper(classroom) is None
    late = owl.post(PAGE, {"answer": "q4"})
    assert late.status_code == 409
    assert "The test ended before this answer came. It is not kept." in late.content.decode()
    assert not PaperAnswer.objects.exists()
    assert "The test has ended." in owl.get(PAGE).content.decode()
    assert paper.kind == "exam"


def test_only_the_teacher_begins_a_test_and_sees_its_marks(classroom: Classroom, teacher: Client) -> None:
    owl = join(classroom, "owl")
    for client in (owl, Client()):
        assert client.post(address(classroom, "test"), {"kind": "exam"}).status_code == 302
        assert client.get(address(classroom, "exam.csv")).status_code == 302
        assert client.get(address(classroom, "inventory.csv")).status_code == 302
    assert not ClassPaper.objects.exists()
    assert teacher.post(address(classroom, "test"), {"kind": "no-such"}).status_code == 409
    paper = begin(classroom, teacher, "exam")
    hand_in(owl, paper, "owl", 2)
    owl.post(PAGE, {"unknown": "1"})
    rows = list(
        csv.DictReader(io.StringIO(teacher.get(address(classroom, "exam.csv")).content.decode("utf-8-sig")))
    )
    assert [(row["student"], row["right"]) for row in rows] == [("owl", "yes"), ("owl", "yes"), ("owl", "no")]
    assert asking.marks(paper) == [("owl", 3, 2)]
    assert "The last exam" in teacher.get(address(classroom, "report/")).content.decode()
    assert Client().get(PAGE).status_code == 302


def test_students_of_an_exam_get_different_variants(classroom: Classroom, teacher: Client) -> None:
    for name in ("owl", "fox", "crab", "newt", "toad"):
        join(classroom, name)
    paper = begin(classroom, teacher, "exam")
    asked = {asking.question(paper, each, "first-in").case for each in Student.objects.all()}
    assert len(asked) > 1


def test_the_report_shows_the_gain_of_who_took_both_forms(classroom: Classroom, teacher: Client) -> None:
    people = {name: join(classroom, name) for name in ("owl", "fox", "crab")}
    before = begin(classroom, teacher, "before")
    for name, client in people.items():
        hand_in(client, before, name, 3, wrong="persistent-copy")
    after = begin(classroom, teacher, "after")
    for name in ("owl", "fox"):
        hand_in(people[name], after, name, 3)
    found = asking.gain(classroom, "en")
    assert found is not None
    assert found["students"] == 2, "who took one form only does not count"
    assert (found["before"], found["after"]) == ("7", "10")
    first = found["items"][0]
    assert (first["title"], first["before"], first["after"], first["change"]) == (
        "When a message goes to disk",
        0,
        2,
        "+100",
    )
    page = teacher.get(address(classroom, "report/")).content.decode()
    assert "Students who took both forms: 2." in page
    reply = teacher.get(address(classroom, "inventory.csv")).content.decode("utf-8-sig")
    assert not any(name in reply for name in people)
    rows = list(csv.DictReader(io.StringIO(reply)))
    assert {row["student"] for row in rows} == {"1", "2", "3"}
    assert {row["subject"] for row in rows} == {"1", "2", "3"}


def test_a_wrong_answer_keeps_what_it_shows(classroom: Classroom, teacher: Client) -> None:
    owl = join(classroom, "owl")
    paper = begin(classroom, teacher, "before")
    student = Student.objects.get()
    asking.take(paper, student, "first-in", "q1")
    assert PaperAnswer.objects.get().shown == ["first-in"]
    assert owl.get(f"{PAGE}?q=11").status_code == 200, "the next one without an answer"
    assert owl.get("/class/my-data.json").json()["tests"][0]["said"] == "q1"


@pytest.mark.parametrize("form", catalog.FORMS)
def test_every_item_has_one_right_answer_in_both_forms(form: catalog.Form) -> None:
    assert [each.subject for each in catalog.items()] == list(range(1, 31))
    assert len({each.exercise for each in catalog.items()}) == 30
    for each in catalog.items():
        found = catalog.variant(each.exercise, each.seed(form))
        assert kind_of(found).on_paper
        own, other = (catalog.variant(each.exercise, each.seed(name)) for name in catalog.FORMS)
        assert own.scenario != other.scenario or own.go_on != other.go_on or own.en.task != other.en.task, (
            each
        )
        if each.other is not None:
            assert {own.case, other.case} == {"", each.other}
            assert solution_of(own) != solution_of(other), each
