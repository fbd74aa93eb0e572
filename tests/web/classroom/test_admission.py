"""Who becomes a teacher, and the way back in when the password is lost."""

from __future__ import annotations

import re
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from playground.classroom import services
from playground.classroom.models import Invitation, Recovery
from tests.web.classroom.people import PASSWORD

pytestmark = pytest.mark.django_db

FORM = {"username": "frau-lehrer", "password1": PASSWORD, "password2": PASSWORD}
LOGIN = {"username": "frau-lehrer", "password": PASSWORD}
CODE = r"(?:[2-9a-z]{4}-){3}[2-9a-z]{4}"


def operator(*what: str) -> str:
    output = StringIO()
    call_command("teachers", *what, stdout=output)
    return output.getvalue()


@pytest.mark.parametrize("invitation", ["", "2222-2222-2222-2222", "x" * 100])
def test_nobody_becomes_a_teacher_alone(client: Client, invitation: str) -> None:
    """A student who signed up as a teacher read the key in the unit notes."""
    page = client.post("/class/sign-up", FORM | {"invitation": invitation}).content.decode()
    assert "waits for the operator" in page
    assert client.post("/class/log-in", LOGIN).status_code == 200
    assert client.get("/learn/waterline/notes/").status_code == 302
    assert operator() == "frau-lehrer\n"
    assert "may log in" in operator("--approve", "frau-lehrer")
    assert client.post("/class/log-in", LOGIN).status_code == 302
    assert client.get("/learn/waterline/notes/").status_code == 200
    with pytest.raises(CommandError):
        operator("--approve", "frau-lehrer")


def test_an_invitation_is_good_once(client: Client) -> None:
    code = re.search(CODE, operator("--invite"))[0]
    assert code.replace("-", "") not in Invitation.objects.get().trace
    assert client.post("/class/sign-up", FORM | {"invitation": code.upper()}).status_code == 302
    assert Invitation.objects.count() == 0
    other = Client().post("/class/sign-up", FORM | {"username": "herr-lehrer", "invitation": code})
    assert "waits for the operator" in other.content.decode()


def test_an_invitation_ends_and_an_account_does_not_wait_for_ever(client: Client) -> None:
    code = services.new_invitation()
    Invitation.objects.update(until=timezone.now() - timedelta(minutes=1))
    client.post("/class/sign-up", FORM | {"invitation": code})
    call_command("purge_classes", stdout=StringIO())
    assert (Invitation.objects.count(), get_user_model().objects.count()) == (0, 1)
    get_user_model().objects.update(date_joined=timezone.now() - timedelta(days=services.WAITING_DAYS + 1))
    call_command("purge_classes", stdout=StringIO())
    assert get_user_model().objects.count() == 0


def test_a_teacher_invites_colleagues_but_not_without_end(
    teacher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "INVITATIONS", 1)
    teacher.post("/class/invite")
    code = re.search(CODE, teacher.get("/class/").content.decode())[0]
    assert code not in teacher.get("/class/").content.decode(), "it is shown once"
    assert teacher.post("/class/invite").status_code == 409
    form = FORM | {"username": "herr-lehrer", "invitation": code}
    assert Client().post("/class/sign-up", form).status_code == 302


def test_an_operator_may_leave_the_door_open(client: Client, settings: Any) -> None:
    settings.WATERLINE_SIGN_UP = "open"
    assert client.post("/class/sign-up", FORM).status_code == 302


def test_a_lost_password_has_a_way_back(client: Client) -> None:
    client.post("/class/sign-up", FORM | {"invitation": services.new_invitation()})
    code = re.search(CODE, client.get("/class/").content.decode())[0]
    assert code not in client.get("/class/").content.decode(), "it is shown once"
    assert code.replace("-", "") not in Recovery.objects.get().trace
    there = Client()
    new = {"new_password1": "another horse battery", "new_password2": "another horse battery"}
    wrong = {"username": "frau-lehrer", "code": "2222-2222-2222-2222"}
    assert there.post("/class/recover", wrong | new).status_code == 422
    assert there.post("/class/recover", {"username": "frau-lehrer", "code": code} | new).status_code == 302
    assert "Your classes" in there.get("/class/").content.decode()
    assert "Your classes" not in client.get("/class/").content.decode(), "who knew the old password is out"
    again = Client().post("/class/recover", {"username": "frau-lehrer", "code": code} | new)
    assert again.status_code == 422, "a code is good once"
    printed = operator("--recover", "frau-lehrer").strip()
    form = {"username": "frau-lehrer", "code": printed} | new
    assert Client().post("/class/recover", form).status_code == 302
    with pytest.raises(CommandError):
        operator("--recover", "nobody")


def test_a_weak_password_is_no_way_back(client: Client, teacher: Client) -> None:
    code = operator("--recover", "frau-lehrer").strip()
    weak = {"username": "frau-lehrer", "code": code, "new_password1": "12345", "new_password2": "12345"}
    assert client.post("/class/recover", weak).status_code == 422
    assert Recovery.objects.count() == 1, "the code is not used up"
