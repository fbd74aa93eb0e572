"""What the teacher sees of a class and does for everyone: the grid, exports, freezing, pushing."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from playground.classroom import selectors
from playground.classroom.models import Classroom, Student
from playground.exercises import catalog, learners
from playground.exercises.kinds import solution_of
from playground.exercises.models import Work
from playground.models import Session
from playground.records import kept_runs
from playground.sessions import session_sharing
from tests.web import record
from tests.web.classroom.people import address, answer, cells, join

pytestmark = pytest.mark.django_db


def minutes_ago(minutes: int, nickname: str, *fields: str) -> None:
    """Let times of a student's work lie back."""
    then = timezone.now() - timedelta(minutes=minutes)
    Work.objects.filter(learner__student__nickname=nickname).update(**dict.fromkeys(fields, then))


def test_the_grid_shows_right_first_time_right_later_wrong_and_working(classroom: Classroom) -> None:
    owl, fox, yak = join(classroom, "owl"), join(classroom, "fox"), join(classroom, "yak")
    answer(owl, "first-in", "q4")
    answer(fox, "first-in", "q1")
    assert cells(classroom)["fox"]["first-in"][:2] == ["wrong", 1]
    fox.post("/learn/waterline/first-in/again")
    variant = Work.objects.get(learner__student__nickname="fox", exercise="first-in").variant
    answer(fox, "first-in", solution_of(catalog.variant("first-in", variant)))
    yak.post("/learn/waterline/first-in/begin")
    join(classroom, "newt")
    grid = cells(classroom)
    assert grid["owl"]["first-in"][:2] == ["first", 1]
    assert grid["fox"]["first-in"][:2] == ["later", 2]
    assert grid["yak"]["first-in"][:2] == ["working", 0]
    assert grid["newt"] == {}


def test_a_right_step_is_no_failure(classroom: Classroom) -> None:
    """Each right step of "be the broker" is an answer, and none of them is wrong."""
    owl = join(classroom, "owl")
    owl.post("/learn/waterline/first-paging/begin")
    for placement in solution_of(catalog.exercise("first-paging")):
        assert cells(classroom)["owl"]["first-paging"][0] == "working"
        owl.post(
            "/learn/waterline/first-paging/answer", {f"place-{seq}": at for seq, at in placement.items()}
        )
    assert cells(classroom)["owl"]["first-paging"][:2] == ["first", 3]
    assert selectors.for_teacher(classroom, {})["hardest"] is None


def test_help_is_needed_on_the_current_exercise_after_some_time_without_a_right_step(
    classroom: Classroom,
) -> None:
    owl = join(classroom, "owl")
    answer(owl, "first-in", "q1")
    minutes_ago(30, "owl", "begun")
    assert cells(classroom)["owl"]["first-in"] == ["help", 1, 30]
    owl.post("/learn/waterline/small-body/begin")
    grid = cells(classroom)["owl"]
    assert grid["first-in"][0] == "wrong", "a wrong prediction that was left behind needs nobody"
    assert grid["small-body"][0] == "working"


def test_a_right_step_takes_the_call_for_help_back(classroom: Classroom) -> None:
    owl = join(classroom, "owl")
    owl.post("/learn/waterline/first-paging/begin")
    minutes_ago(30, "owl", "begun")
    assert cells(classroom)["owl"]["first-paging"][0] == "help"
    first, *_rest = solution_of(catalog.exercise("first-paging"))
    owl.post("/learn/waterline/first-paging/answer", {f"place-{seq}": at for seq, at in first.items()})
    assert cells(classroom)["owl"]["first-paging"][0] == "working"


def test_who_went_home_needs_nobody(classroom: Classroom) -> None:
    owl = join(classroom, "owl")
    answer(owl, "first-in", "q1")
    minutes_ago(90, "owl", "begun", "touched")
    assert cells(classroom)["owl"]["first-in"][0] == "wrong"


def test_the_hardest_exercise_is_wrong_most_often_at_the_first_try(classroom: Classroom) -> None:
    """Many tries of one student do not make an exercise hard."""
    owl, fox = join(classroom, "owl"), join(classroom, "fox")
    for _try in range(4):
        answer(owl, "small-body", "twice")
        owl.post("/learn/waterline/small-body/again")
    answer(fox, "small-body", solution_of(catalog.exercise("small-body")))
    for student in (owl, fox):
        answer(student, "first-in", "q1")
    hardest = selectors.for_teacher(classroom, {})["hardest"]
    assert (hardest["exercise"], hardest["tried"], hardest["failed"]) == ("first-in", 2, 2)
    assert hardest["answers"] == [["q1", 2, False]]


def test_an_answer_that_comes_while_the_grid_is_read_is_in_all_of_it_or_in_none(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    owl = join(classroom, "owl")
    read = selectors.row

    def slowly(*given: Any) -> dict[str, Any]:
        """Read a row, and be overtaken by the student's answer."""
        found = read(*given)
        answer(owl, "first-in", "q1")
        return found

    monkeypatch.setattr(selectors, "row", slowly)
    before = selectors.for_teacher(classroom, {})
    assert (before["students"][0]["cells"], before["hardest"]) == ({}, None)
    monkeypatch.setattr(selectors, "row", read)
    after = selectors.for_teacher(classroom, {})
    assert after["students"][0]["cells"]["first-in"][:2] == ["wrong", 1]
    assert after["hardest"]["answers"] == [["q1", 1, False]]


def test_the_page_of_a_class_and_of_a_student(classroom: Classroom, teacher: Client) -> None:
    answer(join(classroom, "owl"), "first-in", "q1")
    page = teacher.get(address(classroom)).content.decode()
    assert classroom.join_code in page
    student = Student.objects.get()
    detail = teacher.get(address(classroom, f"students/{student.pk}/")).content.decode()
    assert "in q1, where every message begins" in detail
    for path in ("projector/", "qr.svg"):
        assert teacher.get(address(classroom, path)).status_code == 200


def test_the_qr_code_is_a_plain_picture(classroom: Classroom, teacher: Client) -> None:
    picture = teacher.get(address(classroom, "qr.svg"))
    assert picture["Content-Type"] == "image/svg+xml"
    assert picture.content.startswith(b"<svg")
    assert b"style=" not in picture.content
    assert b"<script" not in picture.content


def test_the_table_is_safe_for_spreadsheets(classroom: Classroom, teacher: Client) -> None:
    answer(join(classroom, "owl"), "first-in", "q1")
    Student.objects.update(nickname="=cmd()")  # no nickname can be that; the table would still be safe
    reply = teacher.get(address(classroom, "table.csv"))
    rows = list(csv.DictReader(io.StringIO(reply.content.decode("utf-8-sig"))))
    assert len(rows) == len(selectors.assigned(classroom))
    assert rows[0]["student"] == "'=cmd()"
    assert (rows[0]["exercise"], rows[0]["state"], rows[0]["first_answer"]) == (
        "first-in",
        "answered wrong",
        "q1",
    )
    assert (rows[0]["right_first_time"], rows[0]["score"], rows[0]["wrong_answers"]) == ("no", "0", "1")
    assert rows[1]["state"] == "not begun"


def test_a_fork_is_the_teachers_own(classroom: Classroom, teacher: Client) -> None:
    student = join(classroom, "owl")
    student.post("/learn/waterline/reach-delta/begin")
    session = Work.objects.get().session
    assert session is not None
    record.record_command(session.public_id, 0, 1_000_000, {"do": "publish", "count": 3, "size_bytes": 100})
    record.note_progress(session.public_id, 2_000_000, "")
    reply = teacher.post(address(classroom, f"students/{Student.objects.get().pk}/fork"))
    forked = Session.objects.get(public_id=reply["Location"].strip("/").split("/")[-1])
    assert forked.pk != session.pk
    assert forked.scenario["commands"][0]["count"] == 3
    assert forked.public_id in kept_runs.owned(teacher.session)
    assert session.public_id not in kept_runs.owned(teacher.session)


def test_a_lost_code_is_replaced(classroom: Classroom, teacher: Client) -> None:
    student = join(classroom, "owl")
    before = learners.code_of(student.session)
    place = address(classroom, f"students/{Student.objects.get().pk}/")
    teacher.post(place + "code")
    page = teacher.get(place).content.decode()
    code = re.search(r"[2-9a-z]{4}-[2-9a-z]{4}-[2-9a-z]{4}", page)[0]
    assert learners.by_code(before) is None
    assert Client().post("/class/back", {"personal": code}).status_code == 302
    assert code not in teacher.get(place).content.decode(), "it is shown once"


def test_a_frozen_class_answers_nothing(classroom: Classroom, teacher: Client) -> None:
    student = join(classroom, "owl")
    student.post("/learn/waterline/first-in/begin")
    teacher.post(address(classroom, "freeze"), {"frozen": "yes"})
    reply = student.post("/learn/waterline/first-in/answer", {"answer": "q4"})
    assert reply.status_code == 409
    assert "paused the class" in reply.content.decode()
    assert student.post("/learn/waterline/small-body/begin").status_code == 409
    teacher.post(address(classroom, "freeze"), {"frozen": "no"})
    assert student.post("/learn/waterline/first-in/answer", {"answer": "q4"}).status_code == 302


def test_a_state_is_pushed_by_its_link(classroom: Classroom, teacher: Client) -> None:
    kept = kept_runs.keep_scenario({**kept_runs.blank_scenario("classroom"), "title": "x"}, "1")
    for link in (kept.short_id, f"https://testserver/r/{kept.short_id}/", f"/r/{kept.short_id}/"):
        assert teacher.post(address(classroom, "push"), {"link": link}).status_code == 302
    classroom.refresh_from_db()
    assert classroom.pushed == kept
    assert selectors.for_students(classroom)["push"]["id"] == kept.short_id


def test_a_teacher_pushes_what_is_on_the_own_screen(
    classroom: Classroom, teacher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session of this browser is kept as it is, and opens for all at its moment; a stranger's is not."""
    run = {**kept_runs.blank_scenario("classroom"), "title": "mine", "until_us": 2_000_000}
    kept = kept_runs.keep_scenario(run, "1")
    monkeypatch.setattr(session_sharing, "share", lambda session: kept)
    teacher.post("/s/new", {"profile": "classroom"})
    own = Session.objects.latest("pk")
    assert f'value="{own.public_id}"' in teacher.get(address(classroom)).content.decode()
    assert teacher.post(address(classroom, "push"), {"session": own.public_id, "link": ""}).status_code == 302
    classroom.refresh_from_db()
    pushed = selectors.for_students(classroom)["push"]
    assert (pushed["id"], pushed["at_us"]) == (kept.short_id, 2_000_000)
    strange = kept_runs.start_session(kept_runs.blank_scenario("classroom"))
    assert teacher.post(address(classroom, "push"), {"session": strange.public_id}).status_code == 409


@pytest.mark.parametrize(
    "link", ["", "nothing", "https://evil.example/", "javascript:alert(1)", "x" * 600, "/s/abc/"]
)
def test_what_is_no_state_is_not_pushed(classroom: Classroom, teacher: Client, link: str) -> None:
    assert teacher.post(address(classroom, "push"), {"link": link}).status_code == 409
    classroom.refresh_from_db()
    assert classroom.pushed is None


def test_controls_stand_before_what_grows_with_what_is_heard(teacher: Client, classroom: Classroom) -> None:
    """A control that moves between press and release of a pointer is not pressed."""
    text = teacher.get(address(classroom)).content.decode()
    side = text[text.index('class="class-side"') :]
    assert side.index("Settings of the class") < side.index("data-hardest") < side.index("data-who")
