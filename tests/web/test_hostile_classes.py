"""A class may have any name: it is text on every page that shows it, and in what is saved of the class."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from playground.classroom.models import Classroom

pytestmark = pytest.mark.django_db
HOSTILE = (
    "<img src=x onerror=window.broken=1>",
    "</script><script>window.broken=1</script>",
    "\"'><svg onload=window.broken=1>",
)


@pytest.mark.parametrize("name", HOSTILE)
def test_the_name_of_a_class_is_text_for_teacher_and_student(name: str) -> None:
    teacher, student = Client(), Client()
    teacher.force_login(get_user_model().objects.create_user("teacher", password="x"))
    teacher.post("/class/new", {"name": name, "unit": ["waterline"], "keep_days": "30"})
    classroom = Classroom.objects.get()
    student.post("/class/join/", {"code": classroom.join_code, "nickname": "owl"})
    pages = [
        teacher.get("/class/"),
        teacher.get(f"/class/{classroom.public_id}/"),
        student.get("/class/me/", follow=True),
    ]
    shown = 0
    for page in pages:
        text = page.content.decode()
        assert page.status_code == 200, page.request["PATH_INFO"]
        assert name not in text
        shown += "window.broken=1" in text
    assert shown >= 2, "the name stands there as text"
