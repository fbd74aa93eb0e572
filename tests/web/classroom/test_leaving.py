"""Deleting and purging, limits of classes, other languages, and the privacy page."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from playground.classroom import selectors, services
from playground.classroom.models import Classroom, Farewell, Student
from playground.exercises.models import Attempt, Learner, Work
from playground.models import Scenario, Session
from playground.texts import RequestRefused
from tests.web.classroom.people import address, answer, cells, join

pytestmark = pytest.mark.django_db


def later() -> None:
    """Let the time go by in which something deleted can be brought back, and carry deletions out."""
    then = timezone.now() - timedelta(minutes=services.UNDO_MINUTES + 1)
    Learner.objects.exclude(leaving_at=None).update(leaving_at=then)
    Classroom.everyone.exclude(leaving_at=None).update(leaving_at=then)
    Farewell.objects.update(at=then)
    services.carry_out()


def test_a_student_deletes_everything_after_being_asked(classroom: Classroom) -> None:
    student = join(classroom, "owl")
    answer(student, "first-in", "q1")
    assert 'action="/class/me/delete"' not in student.get("/class/me/").content.decode(), (
        "one tap is too little"
    )
    assert "Yes, delete" in student.get("/class/me/delete").content.decode()
    assert Student.objects.count() == 1
    student.post("/class/me/delete")
    assert Student.objects.count() == 0
    assert selectors.for_teacher(classroom, {})["students"] == []
    assert student.get("/class/me/").status_code == 302
    later()
    for model in (Student, Learner, Work, Attempt, Session):
        assert model.objects.count() == 0


def test_a_student_undoes_a_deletion_for_some_minutes(classroom: Classroom) -> None:
    student = join(classroom, "owl")
    answer(student, "first-in", "q4")
    student.post("/class/me/delete")
    assert 'action="/class/undo"' in student.get("/class/join/").content.decode()
    assert student.post("/class/undo")["Location"] == "/class/me/"
    assert "is-first" in student.get("/class/me/").content.decode()
    assert cells(classroom)["owl"]["first-in"][0] == "first"
    student.post("/class/me/delete")
    later()
    assert student.post("/class/undo").status_code == 404
    assert Work.objects.count() == 0


def test_nobody_else_undoes_a_deletion(classroom: Classroom) -> None:
    join(classroom, "owl").post("/class/me/delete")
    assert Client().post("/class/undo").status_code == 404
    assert Student.objects.count() == 0


def test_a_visitor_without_a_class_is_asked_as_well(client: Client) -> None:
    answer(client, "first-in", "q4")
    assert "Yes, delete" in client.get("/class/me/delete-work").content.decode()
    client.post("/class/me/delete-work")
    assert "is-first" not in client.get("/learn/").content.decode()
    assert client.post("/class/undo")["Location"] == "/learn/"
    assert "is-first" in client.get("/learn/").content.decode()


def test_a_teacher_deletes_a_student_after_being_asked(classroom: Classroom, teacher: Client) -> None:
    answer(join(classroom, "owl"), "first-in", "q1")
    place = address(classroom, f"students/{Student.objects.get().pk}/delete")
    assert "Delete owl and all work?" in teacher.get(place).content.decode()
    teacher.post(place)
    assert Student.objects.count() == 0
    assert teacher.post("/class/undo").status_code == 302
    assert Student.objects.get().nickname == "owl"
    teacher.post(place)
    later()
    assert (Student.everyone.count(), Work.objects.count()) == (0, 0)


def test_a_teacher_deletes_a_class_and_the_account_and_brings_them_back(
    classroom: Classroom, teacher: Client
) -> None:
    answer(join(classroom, "fox"), "first-in", "q1")
    assert teacher.post(address(classroom, "delete"), {"name": "wrong"}).status_code == 422
    assert teacher.post(address(classroom, "delete"), {"name": classroom.name}).status_code == 302
    assert Classroom.objects.count() == 0
    assert teacher.get(address(classroom)).status_code == 404
    teacher.post("/class/undo")
    assert teacher.get(address(classroom)).status_code == 200
    assert teacher.post("/class/delete-account", {"name": "wrong"}).status_code == 422
    assert teacher.post("/class/delete-account", {"name": "frau-lehrer"}).status_code == 302
    assert "I learn" in teacher.get("/class/").content.decode()
    teacher.post("/class/undo")
    assert teacher.get(address(classroom)).status_code == 200
    teacher.post("/class/delete-account", {"name": "frau-lehrer"})
    later()
    assert [m.objects.count() for m in (Classroom, Student, Learner, Work, Session)] == [0, 0, 0, 0, 0]
    assert get_user_model().objects.count() == 0


def test_classes_are_purged_after_their_date(
    classroom: Classroom, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(join(classroom, "owl"), "first-in", "q1")
    outside = Learner.objects.create(code_trace="x")
    call_command("purge_classes")
    assert Classroom.objects.count() == 1
    Classroom.objects.update(keep_until=timezone.now().date() - timedelta(days=1))
    Learner.objects.filter(pk=outside.pk).update(last_seen=timezone.now() - timedelta(days=400))
    call_command("purge_classes")
    assert [m.objects.count() for m in (Classroom, Student, Learner, Work, Session)] == [0, 0, 0, 0, 0]
    assert "1 classes and 1 learners deleted" in capsys.readouterr().out


@pytest.mark.parametrize("days", ["", "1", "99999", "-5", "٣٠", "x" * 50])
def test_only_known_times_to_keep(teacher: Client, days: str) -> None:
    teacher.post("/class/new", {"name": "x", "keep_days": days})
    kept = Classroom.objects.get().keep_until - timezone.now().date()
    assert kept.days == services.KEEP_DAYS_USUALLY


@pytest.mark.parametrize("name", ["", "   ", "x" * 81])
def test_a_class_has_a_name(teacher: Client, name: str) -> None:
    assert teacher.post("/class/new", {"name": name}).status_code == 422


def test_names_are_escaped(teacher: Client) -> None:
    teacher.post("/class/new", {"name": "<img src=x onerror=alert(1)>", "unit": "waterline"})
    found = Classroom.objects.get()
    for path in ("/class/", address(found), address(found, "projector/")):
        assert "<img src=x" not in teacher.get(path).content.decode()


def test_there_are_only_so_many_classes(teacher: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "CLASSES", 1)
    assert teacher.post("/class/new", {"name": "a"}).status_code == 302
    assert teacher.post("/class/new", {"name": "b"}).status_code == 422


@pytest.mark.parametrize("language", ["zh-hans", "zh-hant"])
def test_the_pages_speak_chinese(classroom: Classroom, teacher: Client, language: str) -> None:
    student = join(classroom, "owl")
    for client, path in (
        (teacher, "/class/"),
        (teacher, address(classroom)),
        (student, "/class/me/"),
        (student, "/class/join/"),
    ):
        page = client.get(path, headers={"accept-language": language}).content.decode()
        assert re.search(r"<h1[^>]*>", page)
        assert f'lang="{language}"' in page


def test_unknown_classes_cannot_be_opened(teacher: Client) -> None:
    assert teacher.get("/class/2222222222222222/").status_code == 404
    with pytest.raises(RequestRefused):
        services.push(Classroom(), "nothing")
    assert Scenario.objects.count() == 0


@pytest.mark.parametrize("language", ["en", "zh-hans", "zh-hant"])
def test_the_privacy_page_names_the_days_that_are_kept(client: Client, language: str, settings: Any) -> None:
    page = client.get("/privacy/", headers={"accept-language": language}).content.decode()
    assert str(settings.WATERLINE["keep_days"]) in page
    assert str(services.LEARNERS_KEEP_DAYS) in page
    assert "/privacy/" in client.get("/class/join/").content.decode()
