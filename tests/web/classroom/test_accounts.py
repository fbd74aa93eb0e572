"""Accounts of teachers, and strangers: who may see and change a class."""

from __future__ import annotations

from http.cookies import SimpleCookie

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from playground.classroom import services
from playground.classroom.models import Classroom, Student, Vote
from playground.exercises import learners
from playground.limits import rate_limits
from tests.web.classroom.people import PASSWORD, address, join

pytestmark = pytest.mark.django_db


def test_a_teacher_signs_up_and_in_and_out(client: Client) -> None:
    form = {"username": "frau-lehrer", "password1": PASSWORD, "password2": PASSWORD}
    assert client.post("/class/sign-up", form | {"invitation": services.new_invitation()}).status_code == 302
    assert "Your classes" in client.get("/class/").content.decode()
    client.post("/class/log-out")
    assert "I learn" in client.get("/class/").content.decode()
    login = {"username": "frau-lehrer", "password": PASSWORD}
    assert client.post("/class/log-in", login).status_code == 302
    assert "Your classes" in client.get("/class/").content.decode()


def test_a_copied_cookie_ends_with_the_log_out_and_no_other_log_in_does(client: Client) -> None:
    get_user_model().objects.create_user("frau-lehrer", password=PASSWORD)
    login = {"username": "frau-lehrer", "password": PASSWORD}
    projector, thief = Client(), Client()
    client.post("/class/log-in", login)
    projector.post("/class/log-in", login)
    thief.cookies = SimpleCookie({name: each.value for name, each in client.cookies.items()})
    assert "Your classes" in thief.get("/class/").content.decode()
    client.post("/class/log-out")
    assert "Your classes" not in thief.get("/class/").content.decode()
    assert thief.post("/class/new", {"name": "mine"}).status_code == 302
    assert Classroom.objects.count() == 0
    assert "Your classes" in projector.get("/class/").content.decode()


@pytest.mark.parametrize("password", ["short", "12345678901234", "password123", "frau-lehrer"])
def test_a_weak_password_is_refused(client: Client, password: str) -> None:
    form = {"username": "frau-lehrer", "password1": password, "password2": password}
    assert client.post("/class/sign-up", form).status_code == 422
    assert get_user_model().objects.count() == 0


def test_logging_in_is_rate_limited(client: Client, teacher: Client) -> None:
    form = {"username": "frau-lehrer", "password": "wrong"}
    codes = [
        client.post("/class/log-in", form).status_code for _try in range(rate_limits.PER_MINUTE["login"] + 2)
    ]
    assert codes[0] == 200
    assert codes[-1] == 429


def test_one_name_is_rate_limited_from_one_address_and_the_teacher_is_not_locked_out(
    client: Client, teacher: Client
) -> None:
    def log_in(password: str, address: str) -> int:
        form = {"username": "FRAU-lehrer" if password == "wrong" else "frau-lehrer", "password": password}
        return client.post("/class/log-in", form, REMOTE_ADDR=address).status_code

    strangers = [f"10.0.0.{number}" for number in range(4)]
    for origin in strangers:
        codes = [log_in("wrong", origin) for _try in range(rate_limits.PER_MINUTE["login-name"] + 1)]
        assert codes[-1] == 429
    assert log_in(PASSWORD, "10.0.9.9") == 302


def test_signing_up_is_rate_limited(client: Client) -> None:
    codes = [
        client.post("/class/sign-up", {}).status_code for _try in range(rate_limits.PER_MINUTE["signup"] + 1)
    ]
    assert codes[-1] == 429


@pytest.mark.parametrize("next_address", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_logging_in_leads_nowhere_else(teacher: Client, client: Client, next_address: str) -> None:
    form = {"username": "frau-lehrer", "password": PASSWORD, "next": next_address}
    assert client.post("/class/log-in", form)["Location"] == "/class/"


TEACHERS_PAGES = ("", "table.csv", "qr.svg", "projector/", "students/1/")
TEACHERS_ACTS = (
    "change",
    "renew-code",
    "freeze",
    "push",
    "vote",
    "delete",
    "students/1/fork",
    "students/1/code",
    "students/1/delete",
)


@pytest.mark.parametrize("page", TEACHERS_PAGES)
def test_a_stranger_sees_no_class(classroom: Classroom, client: Client, page: str) -> None:
    assert client.get(address(classroom, page)).status_code == 302
    client.force_login(get_user_model().objects.create_user("other", password=PASSWORD))
    assert client.get(address(classroom, page)).status_code == 404


@pytest.mark.parametrize("act", TEACHERS_ACTS)
def test_a_stranger_changes_no_class(classroom: Classroom, client: Client, act: str) -> None:
    student = Student.objects.create(
        pk=1, classroom=classroom, learner=learners.begin({}), nickname="owl", folded="owl"
    )
    before = Classroom.objects.values().get()
    form = {"name": classroom.name, "frozen": "yes", "exercise": "first-in"}
    assert client.post(address(classroom, act), form).status_code == 302
    client.force_login(get_user_model().objects.create_user("other", password=PASSWORD))
    assert client.post(address(classroom, act), form).status_code == 404
    assert join(classroom, "fox").post(address(classroom, act), form).status_code == 302
    assert Classroom.objects.values().get() == before
    assert Student.objects.filter(pk=student.pk).exists()
    assert Vote.objects.count() == 0


@pytest.mark.parametrize("act", [act for act in TEACHERS_ACTS if act != "students/1/delete"])
def test_acts_need_a_post(classroom: Classroom, teacher: Client, act: str) -> None:
    assert teacher.get(address(classroom, act)).status_code == 405


def test_a_teacher_reaches_only_students_of_the_class(classroom: Classroom, teacher: Client) -> None:
    other = services.make_class(get_user_model().objects.create_user("other"), "Other", [], 30)
    join(other, "owl")
    student = Student.objects.get()
    assert teacher.get(address(classroom, f"students/{student.pk}/")).status_code == 404
    assert teacher.post(address(classroom, f"students/{student.pk}/delete")).status_code == 404
    assert Student.objects.count() == 1


def test_forms_need_their_token(classroom: Classroom) -> None:
    strict = Client(enforce_csrf_checks=True)
    for path in (
        "/class/join/",
        "/class/log-in",
        "/class/sign-up",
        "/class/me/delete",
        address(classroom, "freeze"),
    ):
        assert strict.post(path, {"code": classroom.join_code}).status_code == 403
