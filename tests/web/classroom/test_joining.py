"""Students join with a code and a nickname, and come back with a personal code."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from playground.classroom import services
from playground.classroom.models import Classroom, Student
from playground.exercises import learners
from playground.exercises.models import Learner, Work
from playground.limits import rate_limits
from tests.web.classroom.people import answer, join

pytestmark = pytest.mark.django_db


def test_a_student_joins_with_a_nickname_and_nothing_else(classroom: Classroom) -> None:
    student = join(classroom, "quiet otter")
    page = student.get("/class/me/").content.decode()
    assert "quiet otter" in page
    assert learners.code_of(student.session) in page
    assert "Above and below the waterline" in page
    assert "Under pressure" not in page, "that unit is not assigned"
    assert str(classroom.keep_until.year) in page


def test_a_code_may_be_typed_anyhow(classroom: Classroom, client: Client) -> None:
    typed = f" {classroom.join_code.upper().replace('-', ' ')} "
    assert client.post("/class/join/", {"code": typed, "nickname": "owl"}).status_code == 302


def test_wrong_codes_are_all_answered_alike(classroom: Classroom) -> None:
    closed = services.make_class(classroom.teacher, "Closed", [], 30)
    services.change_class(closed, [], None, joining=False)
    texts = set()
    for code in ("", "2222-2222", closed.join_code, "x" * 64, "'; drop", "\u202e"):
        reply = Client().post("/class/join/", {"code": code, "nickname": "owl"})
        assert reply.status_code == 422
        texts.add(re.search(r'role="alert"[^>]*>([^<]+)<', reply.content.decode())[1])
    assert texts == {str(services.NO_CLASS)}
    assert Learner.objects.count() == 0


def test_guessing_is_rate_limited(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(rate_limits.PER_MINUTE, "join", 5)
    form = {"code": "2222-2222", "nickname": "owl"}
    codes = [
        client.post("/class/join/", form).status_code for _try in range(rate_limits.PER_MINUTE["join"] + 1)
    ]
    assert codes[-1] == 429


def test_join_codes_are_long_enough() -> None:
    codes = {services.new_join_code() for _each in range(200)}
    assert len(codes) == 200
    assert all(re.fullmatch(r"[2-9a-z]{4}-[2-9a-z]{4}", code) for code in codes)


@pytest.mark.parametrize("name", ["Anna", "x", "小明", "Ünal 3", "a-b_c", "О́ля"])
def test_a_nickname_may_be_in_any_script(name: str) -> None:
    assert services.cleaned(f"  {name} ") == __import__("unicodedata").normalize("NFKC", name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "y" * 25,
        "<script>alert(1)</script>",
        "=1+1",
        "-x",
        "a\u202eb",
        "a\nb\x00",
        "😀😀",
        "a" + "\u0301" * 20,
        "z" * 999,
    ],
)
def test_what_is_no_nickname_is_refused(classroom: Classroom, name: str) -> None:
    reply = Client().post("/class/join/", {"code": classroom.join_code, "nickname": name})
    if names_ok := re.fullmatch(r"a b", " ".join(name.split())):
        assert names_ok
    assert reply.status_code == 422
    assert "<script>alert" not in reply.content.decode()
    assert (Student.objects.count(), Learner.objects.count()) == (0, 0)


def test_a_nickname_is_taken_once(classroom: Classroom) -> None:
    join(classroom, "Quiet Otter")
    reply = Client().post("/class/join/", {"code": classroom.join_code, "nickname": "quiet-otter"})
    assert reply.status_code == 422
    assert Learner.objects.count() == 1
    suggested = {services.suggestion({services.folded("quiet-otter")}) for _each in range(300)}
    assert "quiet-otter" not in suggested


def test_a_class_is_full_at_some_point(classroom: Classroom, settings: Any) -> None:
    settings.WATERLINE_CLASS_SIZE = 1
    join(classroom, "owl")
    assert Client().post("/class/join/", {"code": classroom.join_code, "nickname": "fox"}).status_code == 422


def test_a_student_comes_back_with_the_code(classroom: Classroom) -> None:
    student = join(classroom, "owl")
    answer(student, "first-in", "q4")
    other = Client()
    assert other.post("/class/back", {"personal": learners.code_of(student.session)}).status_code == 302
    page = other.get("/class/me/").content.decode()
    assert "owl" in page
    assert "is-first" in page
    assert Client().post("/class/back", {"personal": "2222-2222-2222"}).status_code == 422


def test_who_used_the_browser_before_is_not_mixed_up(classroom: Classroom, client: Client) -> None:
    answer(client, "first-in", "q4")
    before = learners.code_of(client.session)
    client.post("/class/join/", {"code": classroom.join_code, "nickname": "owl"})
    assert learners.code_of(client.session) != before
    assert Work.objects.get().learner.code_trace == learners.trace_of(before)
