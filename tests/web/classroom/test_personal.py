"""What is kept of a person can be taken along, and the privacy page says who answers for it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from playground.classroom import asking
from playground.classroom.models import Classroom, Student
from tests.web.classroom.people import answer, join

pytestmark = pytest.mark.django_db


def test_a_student_takes_along_all_that_is_kept(classroom: Classroom) -> None:
    owl, fox = join(classroom, "owl"), join(classroom, "fox")
    answer(owl, "first-in", "q1")
    answer(fox, "first-in", "q4")
    vote = asking.open_vote(classroom, "tail-or-head")
    asking.cast(vote, Student.objects.get(nickname="owl"), "newest")
    reply = owl.get("/class/my-data.json")
    assert "attachment" in reply["Content-Disposition"]
    found = reply.json()
    assert found["class"]["nickname"] == "owl"
    assert [(each["exercise"], each["right"]) for each in found["votes"]] == [("tail-or-head", True)]
    (work,) = found["exercises"]
    assert [(each["said"], each["passed"]) for each in work["answers"]] == [("q1", False)]
    assert "fox" not in reply.content.decode()
    assert Client().get("/class/my-data.json").status_code == 302


def test_a_teacher_takes_along_no_work_of_students(classroom: Classroom, teacher: Client) -> None:
    join(classroom, "owl")
    reply = teacher.get("/class/my-data.json")
    assert reply.json()["classes"][0]["name"] == classroom.name
    assert "owl" not in reply.content.decode()


def test_the_privacy_page_names_who_is_responsible(client: Client, settings: Any) -> None:
    page = client.get("/privacy/").content.decode()
    assert "not set here" in page
    assert "10 minutes later" in page
    settings.WATERLINE_CONTROLLER, settings.WATERLINE_CONTACT = "School of Brokers <b>", "dpo@school.example"
    settings.WATERLINE_LEGAL_BASIS = "School Act, section 3."
    page = client.get("/privacy/").content.decode()
    assert "School of Brokers &lt;b&gt;" in page
    assert "dpo@school.example" in page
    assert "School Act, section 3." in page
