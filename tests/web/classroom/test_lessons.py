"""What a teacher does with a class: hands out, shares, ends the lesson, renames and blocks."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from playground.classroom import asking, selectors, services
from playground.classroom.models import Classroom, Student
from playground.exercises import catalog
from playground.exercises.kinds import kind_of
from playground.exercises.models import Learner
from playground.records import kept_runs
from playground.web import access
from tests.web.classroom.people import PASSWORD, address, answer, join

pytestmark = pytest.mark.django_db


def handed(classroom: Classroom) -> list[str]:
    classroom.refresh_from_db()
    return [each.slug for each in selectors.assigned(classroom)]


# --- handing out ---


def test_single_exercises_and_units_are_handed_out_in_any_order(
    classroom: Classroom, teacher: Client
) -> None:
    form = {
        "unit": ["waterline", "requeue-place", "durability", "no-such"],
        "order-durability": "1",
        "order-waterline": "2",
        "joining": "on",
    }
    teacher.post(address(classroom, "change"), form)
    slugs = handed(classroom)
    assert slugs[0] == catalog.unit("durability").exercises[0]
    assert slugs.index("which-survive") < slugs.index("first-in") < slugs.index("requeue-place")
    assert slugs[-1] == "requeue-place"
    assert "blocking-or-blocked" not in slugs, "only one exercise of that unit"
    page = join(classroom, "owl").get("/class/me/").content.decode()
    assert "Be the broker: requeue" in page
    assert "Blocking or blocked?" not in page
    assert page.index("What survives kill -9?") < page.index("The first messages")
    assert 'data-unit="*"' in teacher.get(address(classroom)).content.decode(), "all units in one view"


# --- colleagues ---


def test_a_colleague_leads_a_class_as_well_and_only_the_owner_gives_it_away(
    classroom: Classroom, teacher: Client
) -> None:
    colleague = Client()
    colleague.force_login(get_user_model().objects.create_user("herr-lehrer", password=PASSWORD))
    assert colleague.get(address(classroom)).status_code == 404
    assert teacher.post(address(classroom, "teachers"), {"username": "nobody"}).status_code == 409
    assert teacher.post(address(classroom, "teachers"), {"username": "herr-lehrer"}).status_code == 302
    assert colleague.get(address(classroom)).status_code == 200
    assert classroom.name in colleague.get("/class/").content.decode()
    assert colleague.post(address(classroom, "freeze"), {"frozen": "yes"}).status_code == 302
    assert colleague.post(address(classroom, "teachers"), {"username": "frau-lehrer"}).status_code == 409
    assert colleague.post(address(classroom, "delete"), {"name": classroom.name}).status_code == 403
    teacher.post(address(classroom, "teachers"), {"remove": "herr-lehrer"})
    assert colleague.get(address(classroom)).status_code == 404


# --- the end ---


def test_a_lesson_ends_with_a_report(classroom: Classroom, teacher: Client) -> None:
    owl, fox = join(classroom, "owl"), join(classroom, "fox")
    join(classroom, "late-crab")
    answer(owl, "first-in", "q4")
    answer(fox, "first-in", "q1")
    vote = asking.open_vote(classroom, "tail-or-head")
    asking.cast(vote, Student.objects.get(nickname="owl"), "newest")
    join(classroom, "only-votes")
    asking.cast(vote, Student.objects.get(nickname="only-votes"), "oldest")
    services.freeze(classroom, True)
    reply = teacher.post(address(classroom, "lesson"), {"act": "end"})
    page = teacher.get(reply["Location"]).content.decode()
    assert "Students who answered something: 3 of 4" in page, "a vote is an answer"
    row = re.search(r"The first messages.*?</tr>", page, re.DOTALL)[0]
    assert re.findall(r"<td>(\d+)</td>", row) == ["2", "1", "0", "1"]
    assert "2 of 4 voted, 50 % of them right in the first round" in page
    assert "late-crab" in page
    assert "only-votes" not in page
    proposed = page[page.index("first vote</h2>") :]
    assert "Who leaves RAM first?" in proposed
    assert "Misconception" in proposed
    classroom.refresh_from_db()
    assert not classroom.frozen
    assert asking.current(classroom) is None
    assert selectors.for_students(classroom)["ended"]
    teacher.post(address(classroom, "lesson"), {"act": "begin", "vote": "tail-or-head"})
    current = asking.current(classroom)
    assert current is not None
    assert current.exercise == "tail-or-head"
    page = teacher.get(address(classroom, "report/")).content.decode()
    assert "answered something: 0 of 4" in page, "the next report begins anew"


def test_the_hard_exercise_that_fewest_had_right_is_the_next_vote() -> None:
    lines = [
        {"slug": "a", "hard": True, "votable": True, "tried": 9, "first": 4, "open": 1},
        {"slug": "b", "hard": True, "votable": True, "tried": 9, "first": 2, "open": 1},
        {"slug": "c", "hard": True, "votable": False, "tried": 9, "first": 0, "open": 9},
        {"slug": "d", "hard": False, "votable": True, "tried": 9, "first": 8, "open": 1},
    ]
    chosen = selectors.next_vote(lines)
    assert chosen is not None
    assert chosen["slug"] == "b"
    assert selectors.next_vote(lines[2:]) is None


def test_the_ready_lesson_is_of_exercises_that_exist_and_takes_45_minutes(
    classroom: Classroom, teacher: Client
) -> None:
    found = services.steps("en")
    assert sum(each["minutes"] for each in found) + services.REPORT_MINUTES == 45
    assert [each["votes"] for each in found] == [True, False, True]
    assert all(kind_of(catalog.exercise(each["exercise"])).votable for each in found if each["votes"])
    assert catalog.exercise(found[1]["exercise"]).unit == "waterline", "the unit that a new class has"
    page = teacher.get(address(classroom)).content.decode()
    for each in found:
        assert each["title"].replace("'", "&#x27;") in page
    teacher.post(address(classroom, "vote"), {"exercise": found[0]["exercise"]})
    assert asking.current(classroom) is not None


# --- nicknames ---


def test_a_nickname_is_changed_by_the_teacher(classroom: Classroom, teacher: Client) -> None:
    owl = join(classroom, "bad word")
    join(classroom, "fox")
    place = address(classroom, f"students/{Student.objects.get(nickname='bad word').pk}/rename")
    assert teacher.post(place, {"nickname": "F-ox"}).status_code == 422
    assert teacher.post(place, {"nickname": "owl"}).status_code == 302
    assert "owl" in owl.get("/class/me/").content.decode()


def test_who_is_blocked_joins_neither_by_name_nor_from_the_same_browser(
    classroom: Classroom, teacher: Client
) -> None:
    browser = join(classroom, "bad word")
    place = address(classroom, f"students/{Student.objects.get().pk}/block")
    assert "Block bad word?" in teacher.get(place).content.decode()
    assert teacher.post(place).status_code == 302
    form = {"code": classroom.join_code, "nickname": "another"}
    assert browser.post("/class/join/", form).status_code == 422
    again = Client().post("/class/join/", form | {"nickname": "Bad-Word"})
    assert again.status_code == 422
    teacher.post(address(classroom, "unblock"))
    assert browser.post("/class/join/", form).status_code == 302


# --- coming in ---


def test_scanning_the_code_again_makes_no_second_student(classroom: Classroom) -> None:
    owl = join(classroom, "owl")
    assert owl.get(f"/class/join/{classroom.join_code}/")["Location"] == "/class/me/"
    owl.post("/class/join/", {"code": classroom.join_code, "nickname": "second"})
    assert [each.nickname for each in Student.objects.all()] == ["owl"]
    assert Learner.objects.count() == 1
    owl.post("/class/me/leave")  # "I am somebody else"
    owl.post("/class/join/", {"code": classroom.join_code, "nickname": "second"})
    assert Student.objects.count() == 2


def test_a_new_personal_code_keeps_the_student_in(classroom: Classroom, teacher: Client) -> None:
    owl = join(classroom, "owl")
    teacher.post(address(classroom, f"students/{Student.objects.get().pk}/code"))
    page = owl.get("/class/me/")
    assert page.status_code == 200
    assert "made a new code for you" in page.content.decode()


def test_everybody_finds_their_own_door(classroom: Classroom, teacher: Client, client: Client) -> None:
    assert "Join a class" in client.get("/class/").content.decode()
    assert join(classroom, "owl").get("/class/")["Location"] == "/class/me/"
    assert "Your classes" in teacher.get("/class/").content.decode()


@pytest.mark.parametrize(("asked", "most"), [(300, 300), (2, 2), (5000, 300), (0, 1)])
def test_the_size_of_a_class_is_a_setting(settings: Any, asked: int, most: int, teacher: Client) -> None:
    settings.WATERLINE_CLASS_SIZE = asked
    assert f"Up to {most} students" in teacher.get("/class/").content.decode()


# --- the wall ---


def test_an_address_that_only_this_computer_knows_is_not_shown_without_a_warning(
    classroom: Classroom, teacher: Client, settings: Any
) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    for host in ("127.0.0.1:8000", "localhost", "[::1]:8000"):
        page = teacher.get(address(classroom, "projector/"), headers={"host": host}).content.decode()
        assert "HOST=0.0.0.0" in page, host
        assert f"http://{access.own_address()}" in page
    page = teacher.get(address(classroom, "projector/"), headers={"host": "school.example"}).content.decode()
    assert "HOST=0.0.0.0" not in page


def test_the_wall_of_a_class_that_takes_nobody_more_says_so(classroom: Classroom, teacher: Client) -> None:
    notice = '<p class="card pad" role="status" data-closed{}>This class takes no more students.</p>'
    for joining, hidden in ((True, " hidden"), (False, "")):
        services.change_class(classroom, ["waterline"], None, joining)
        assert notice.format(hidden) in teacher.get(address(classroom, "projector/")).content.decode()


def test_a_pushed_state_says_who_sent_it_and_stays_for_those_who_come_late(
    classroom: Classroom, teacher: Client
) -> None:
    owl = join(classroom, "owl")
    join(classroom, "fox")
    kept = kept_runs.keep_scenario({**kept_runs.blank_scenario("classroom"), "title": "x"}, "1")
    teacher.post(address(classroom, "push"), {"link": kept.short_id})
    classroom.refresh_from_db()
    assert selectors.for_students(classroom)["push"]["by"] == "frau-lehrer"
    assert owl.get("/r/" + selectors.for_students(classroom)["push"]["id"] + "/").status_code == 302
    owl_row, fox_row = (
        next(row for row in selectors.for_teacher(classroom, {})["students"] if row["name"] == name)
        for name in ("owl", "fox")
    )
    assert (owl_row["pushed"], fox_row["pushed"]) == (True, False)
