"""Votes of a class: two rounds, what is shown to whom, and what is kept."""

from __future__ import annotations

import csv
import io
import re

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from playground.classroom import asking, selectors
from playground.classroom.models import Ballot, Classroom, Student, Vote
from playground.exercises import catalog
from playground.exercises.kinds import solution_of
from tests.web.classroom.people import address, answer, join

pytestmark = pytest.mark.django_db


def lead(teacher: Client, classroom: Classroom, act: str, stage: str, **more: str) -> None:
    """Do something with the vote that is on."""
    assert teacher.post(address(classroom, "vote"), {"act": act, "stage": stage, **more}).status_code == 302


def vote_on(classroom: Classroom, teacher: Client, slug: str = "where-next", **more: str) -> Vote:
    """Open a vote."""
    teacher.post(address(classroom, "vote"), {"exercise": slug, **more})
    return Vote.objects.latest("pk")


def test_a_vote_has_two_rounds(classroom: Classroom, teacher: Client) -> None:
    owl, fox = join(classroom, "owl"), join(classroom, "fox")
    vote = vote_on(classroom, teacher)
    for client, value in ((owl, "delta"), (fox, "q4"), (owl, "q1")):
        assert client.post("/class/me/vote/", {"answer": value}).status_code == 302
    assert asking.counts(vote) == {"first": 2, "second": 0}
    explain = catalog.exercise("where-next").en.explain
    lead(teacher, classroom, "discuss", "first")
    assert "Talk with your neighbour" in owl.get("/class/me/vote/").content.decode()
    assert owl.post("/class/me/vote/", {"answer": "q1"}).status_code == 409
    lead(teacher, classroom, "again", "discuss")
    page = fox.get("/class/me/vote/").content.decode()
    assert 'value="q4" required checked' in page
    assert escape(explain) not in page
    for client in (owl, fox):
        client.post("/class/me/vote/", {"answer": "q1"})
    picture = selectors.for_teacher(classroom, {})["vote"]
    assert (picture["votes"], picture["missing"]) == (2, []), "the second round is counted as the second"
    lead(teacher, classroom, "reveal", "second")
    vote.refresh_from_db()
    assert selectors.for_teacher(classroom, {})["vote"]["votes"] == 2
    results = {row["text"]: (row["first"], row["second"], row["right"]) for row in asking.results(vote, "en")}
    assert results["in q1, complete in RAM"] == (1, 2, True)
    assert results["in q4, since there is memory again"] == (1, 0, False)
    shown = owl.get("/class/me/vote/").content.decode()
    assert escape(explain) in shown
    assert shown.count('data-round="second"') == len(results), "students see both rounds"
    assert escape(explain) in teacher.get(address(classroom, "projector/")).content.decode()
    lead(teacher, classroom, "end", "revealed")
    assert asking.current(classroom) is None
    assert owl.get("/class/me/vote/").status_code == 302


def letters(page: str) -> list[tuple[str, str]]:
    """Return the lettered options of a page, in their order."""
    return re.findall(
        r'<b class="letter">([A-F])</b>\s*(?:<span role="img"[^>]*>✓</span> )?(?:<span>)?([^<]+)', page
    )


def test_options_keep_their_letters_on_every_screen_in_every_stage(
    classroom: Classroom, teacher: Client
) -> None:
    owl, fox = join(classroom, "owl"), join(classroom, "fox")
    vote = vote_on(classroom, teacher, "tail-or-head")
    wanted = [(letter, text) for _id, letter, text in asking.options(vote, "en")]
    assert [letter for letter, _text in wanted] == ["A", "B", "C", "D"]
    for act in ("discuss", "again", "reveal", ""):
        screens = {
            "owl": owl.get("/class/me/vote/"),
            "fox": fox.get("/class/me/vote/"),
            "projector": teacher.get(address(classroom, "projector/")),
            "teacher": teacher.get(address(classroom)),
        }
        for screen, reply in screens.items():
            shown = [(letter, text.strip()) for letter, text in letters(reply.content.decode())]
            assert shown == wanted, (act, screen)
        if act:
            vote.refresh_from_db()
            lead(teacher, classroom, act, vote.stage)


def test_the_teacher_alone_sees_the_first_round_before_it_is_revealed(
    classroom: Classroom, teacher: Client
) -> None:
    owl = join(classroom, "owl")
    vote_on(classroom, teacher)
    owl.post("/class/me/vote/", {"answer": "q4"})
    for act, stage in (("", "first"), ("discuss", "first"), ("again", "discuss")):
        if act:
            lead(teacher, classroom, act, stage)
        assert "data-results" in teacher.get(address(classroom)).content.decode()
        assert "data-results" not in teacher.get(address(classroom, "projector/")).content.decode()
        assert "data-results" not in owl.get("/class/me/vote/").content.decode()
        assert selectors.for_students(classroom)["vote"].keys() == {"id", "stage"}


@pytest.mark.parametrize(
    ("right", "wrong", "advice"),
    [
        (0, 3, "explain"),
        (1, 3, "explain"),
        (1, 2, "discuss"),
        (2, 1, "discuss"),
        (3, 1, "move-on"),
        (0, 0, ""),
    ],
)
def test_what_to_do_after_the_first_round(
    classroom: Classroom, teacher: Client, right: int, wrong: int, advice: str
) -> None:
    vote = vote_on(classroom, teacher)
    for number in range(right + wrong):
        client = join(classroom, f"s{number}")
        client.post("/class/me/vote/", {"answer": "q1" if number < right else "q4"})
    assert asking.recommended(vote) == advice
    assert f'data-advice="{advice}"' in teacher.get(address(classroom)).content.decode()


def test_the_teacher_sees_who_has_not_voted(classroom: Classroom, teacher: Client) -> None:
    owl = join(classroom, "owl")
    join(classroom, "fox")
    vote_on(classroom, teacher)
    owl.post("/class/me/vote/", {"answer": "q4"})
    assert selectors.for_teacher(classroom, {})["vote"]["missing"] == ["fox"]
    lead(teacher, classroom, "discuss", "first")
    lead(teacher, classroom, "again", "discuss")
    assert selectors.for_teacher(classroom, {})["vote"]["missing"] == ["fox", "owl"]


@pytest.mark.parametrize("stage", ["first", "discuss"])
def test_a_vote_can_be_revealed_or_cancelled_at_once(
    classroom: Classroom, teacher: Client, stage: str
) -> None:
    for act, left in (("reveal", "revealed"), ("cancel", "cancelled")):
        vote = vote_on(classroom, teacher)
        if stage == "discuss":
            lead(teacher, classroom, "discuss", "first")
        lead(teacher, classroom, act, stage)
        vote.refresh_from_db()
        assert vote.stage == left
    assert asking.current(classroom) is None


def test_an_exercise_is_locked_while_it_is_voted_on(classroom: Classroom, teacher: Client) -> None:
    """A second tab would reveal the answer: the page, an answer, a hint, the solution and a new beginning."""
    owl = join(classroom, "owl")
    answer(owl, "where-next", "q4")
    vote_on(classroom, teacher)
    base = "/learn/sub-queues/where-next/"
    page = owl.get(base)
    assert page.status_code == 423
    assert escape(catalog.exercise("where-next").en.explain) not in page.content.decode()
    for act in ("answer", "again", "hint", "solution", "begin"):
        assert owl.post(base + act, {"answer": "q1"}).status_code in {409, 423}, act
    assert owl.get("/learn/sub-queues/read-back/").status_code == 200
    assert Client().get(base).status_code == 200, "somebody else is not in this class"
    lead(teacher, classroom, "reveal", "first")
    assert owl.get(base).status_code == 200


def test_opening_a_vote_releases_a_freeze(classroom: Classroom, teacher: Client) -> None:
    owl = join(classroom, "owl")
    teacher.post(address(classroom, "freeze"), {"frozen": "yes"})
    vote_on(classroom, teacher)
    classroom.refresh_from_db()
    assert not classroom.frozen
    assert owl.post("/class/me/vote/", {"answer": "q1"}).status_code == 302


def test_a_round_may_end_by_itself(classroom: Classroom, teacher: Client) -> None:
    owl = join(classroom, "owl")
    vote = vote_on(classroom, teacher, seconds="60")
    assert asking.left_s(vote) in {59, 60}
    assert 'data-left="' in owl.get("/class/me/vote/").content.decode()
    Vote.objects.update(ends_at=timezone.now())
    assert owl.post("/class/me/vote/", {"answer": "q1"}).status_code == 409
    assert "Time is over" in owl.get("/class/me/vote/").content.decode()
    lead(teacher, classroom, "discuss", "first")
    lead(teacher, classroom, "again", "discuss")
    assert owl.post("/class/me/vote/", {"answer": "q1"}).status_code == 302
    vote_on(classroom, teacher, seconds="77")
    assert asking.current(classroom).ends_at is None, "only times that are offered"


def test_the_join_code_stays_on_the_wall(classroom: Classroom, teacher: Client) -> None:
    vote_on(classroom, teacher)
    assert classroom.join_code in teacher.get(address(classroom, "projector/")).content.decode()


def test_votes_are_kept_and_exported(classroom: Classroom, teacher: Client) -> None:
    owl = join(classroom, "owl")
    vote_on(classroom, teacher)
    owl.post("/class/me/vote/", {"answer": "q4"})
    for act, stage in (("discuss", "first"), ("again", "discuss")):
        lead(teacher, classroom, act, stage)
    owl.post("/class/me/vote/", {"answer": "q1"})
    for act, stage in (("reveal", "second"), ("end", "revealed")):
        lead(teacher, classroom, act, stage)
    reply = teacher.get(address(classroom, "votes.csv"))
    (row,) = csv.DictReader(io.StringIO(reply.content.decode("utf-8-sig")))
    assert (row["exercise"], row["student"], row["stage"]) == ("where-next", "owl", "over")
    assert [row[name] for name in ("first", "first_right", "second", "second_right")] == [
        "q4",
        "no",
        "q1",
        "yes",
    ]
    assert Client().get(address(classroom, "votes.csv")).status_code == 302


def test_a_double_click_skips_no_stage(classroom: Classroom, teacher: Client) -> None:
    vote_on(classroom, teacher)
    for _click in range(2):
        lead(teacher, classroom, "discuss", "first")
    lead(teacher, classroom, "end", "discuss")
    lead(teacher, classroom, "dance", "discuss")
    assert Vote.objects.get().stage == "discuss"


@pytest.mark.parametrize("slug", ["first-paging", "reach-delta", "confirm-path", "nothing"])
def test_only_predictions_are_voted_on(classroom: Classroom, teacher: Client, slug: str) -> None:
    assert teacher.post(address(classroom, "vote"), {"exercise": slug}).status_code == 409


@pytest.mark.parametrize("slug", [each.slug for each in asking.votable()])
def test_every_vote_marks_the_right_answer(classroom: Classroom, slug: str) -> None:
    vote = asking.open_vote(classroom, slug)
    join(classroom, "owl")
    student = Student.objects.get()
    asking.cast(vote, student, solution_of(catalog.exercise(slug)))
    assert Ballot.objects.get().right
    shown = asking.results(vote, "en")
    assert not any(row["right"] for row in shown), "the class may see the teacher's own screen"
    asking.lead(vote, "reveal", "first")
    assert {row["first"] for row in asking.results(vote, "en") if row["right"]} == {1}
    assert {row["first"] for row in asking.results(vote, "en") if not row["right"]} <= {0}


def test_a_ballot_must_be_an_answer(classroom: Classroom) -> None:
    vote = asking.open_vote(classroom, "where-next")
    student = join(classroom, "owl")
    for value in ("", "moon", "x" * 999):
        assert student.post("/class/me/vote/", {"answer": value}).status_code == 409
    assert vote.ballots.count() == 0
    assert Client().post("/class/me/vote/", {"answer": "q1"}).status_code == 302
