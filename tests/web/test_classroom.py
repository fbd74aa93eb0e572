"""Classes: accounts, joining, who may see what, freezing, pushing, voting, exporting, deleting."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from playground import ownership
from playground import services as sessions
from playground.classroom import leaving, limits, names, selectors, services, voting
from playground.classroom.models import Ballot, Classroom, Farewell, Student, Vote
from playground.exercises import catalog, learners
from playground.exercises import limits as exercise_limits
from playground.exercises.kinds import solution_of
from playground.exercises.models import Attempt, Learner, Work
from playground.messages import Refused
from playground.models import Scenario, Session

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def _fresh(settings: Any) -> Iterator[None]:
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.MD5PasswordHasher"
    ]  # these passwords guard nothing
    limits.forget()
    exercise_limits.forget()
    yield
    limits.forget()
    exercise_limits.forget()


@pytest.fixture
def teacher() -> Client:
    client = Client()
    client.force_login(get_user_model().objects.create_user("frau-lehrer", password=PASSWORD))
    return client


@pytest.fixture
def classroom(teacher: Client) -> Classroom:
    form = {"name": "Brokers 1", "unit": ["waterline", "sub-queues"], "keep_days": "30"}
    assert teacher.post("/class/new", form).status_code == 302
    return Classroom.objects.get()


def join(classroom: Classroom, nickname: str) -> Client:
    client = Client()
    assert client.post("/class/join/", {"code": classroom.join_code, "nickname": nickname}).status_code == 302
    return client


def address(classroom: Classroom, action: str = "") -> str:
    return f"/class/{classroom.public_id}/{action}"


def answer(client: Client, slug: str, value: str) -> None:
    base = f"/learn/{catalog.exercise(slug).unit}/{slug}/"
    client.post(base + "begin")
    client.post(base + "answer", {"answer": value})


# --- accounts ---


def test_a_teacher_signs_up_and_in_and_out(client: Client) -> None:
    form = {"username": "frau-lehrer", "password1": PASSWORD, "password2": PASSWORD}
    assert client.post("/class/sign-up", form).status_code == 302
    assert client.get("/class/").status_code == 200
    client.post("/class/log-out")
    assert client.get("/class/").status_code == 302
    login = {"username": "frau-lehrer", "password": PASSWORD}
    assert client.post("/class/log-in", login).status_code == 302
    assert client.get("/class/").status_code == 200


@pytest.mark.parametrize("password", ["short", "12345678901234", "password123", "frau-lehrer"])
def test_a_weak_password_is_refused(client: Client, password: str) -> None:
    form = {"username": "frau-lehrer", "password1": password, "password2": password}
    assert client.post("/class/sign-up", form).status_code == 422
    assert get_user_model().objects.count() == 0


def test_logging_in_is_rate_limited(client: Client, teacher: Client) -> None:
    form = {"username": "frau-lehrer", "password": "wrong"}
    codes = [client.post("/class/log-in", form).status_code for _try in range(limits.PER_MINUTE["login"] + 2)]
    assert codes[0] == 200
    assert codes[-1] == 429


def test_one_name_is_rate_limited_from_one_address_and_the_teacher_is_not_locked_out(
    client: Client, teacher: Client
) -> None:
    def log_in(password: str, address: str) -> int:
        form = {"username": "FRAU-lehrer" if password == "wrong" else "frau-lehrer", "password": password}
        return client.post("/class/log-in", form, REMOTE_ADDR=address).status_code

    strangers = [f"10.0.0.{number}" for number in range(4)]
    for address in strangers:
        codes = [log_in("wrong", address) for _try in range(limits.PER_MINUTE["login-name"] + 1)]
        assert codes[-1] == 429
    assert log_in(PASSWORD, "10.0.9.9") == 302


def test_signing_up_is_rate_limited(client: Client) -> None:
    codes = [client.post("/class/sign-up", {}).status_code for _try in range(limits.PER_MINUTE["signup"] + 1)]
    assert codes[-1] == 429


@pytest.mark.parametrize("next_address", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_logging_in_leads_nowhere_else(teacher: Client, client: Client, next_address: str) -> None:
    form = {"username": "frau-lehrer", "password": PASSWORD, "next": next_address}
    assert client.post("/class/log-in", form)["Location"] == "/class/"


# --- strangers ---

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


# --- joining ---


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
    monkeypatch.setitem(limits.PER_MINUTE, "join", 5)
    form = {"code": "2222-2222", "nickname": "owl"}
    codes = [client.post("/class/join/", form).status_code for _try in range(limits.PER_MINUTE["join"] + 1)]
    assert codes[-1] == 429


def test_join_codes_are_long_enough() -> None:
    codes = {services.new_join_code() for _each in range(200)}
    assert len(codes) == 200
    assert all(re.fullmatch(r"[2-9a-z]{4}-[2-9a-z]{4}", code) for code in codes)


@pytest.mark.parametrize("name", ["Anna", "小明", "Ünal 3", "a-b_c", "О́ля"])
def test_a_nickname_may_be_in_any_script(name: str) -> None:
    assert names.cleaned(f"  {name} ") == __import__("unicodedata").normalize("NFKC", name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "x",
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
    suggested = {names.suggestion({names.folded("quiet-otter")}) for _each in range(300)}
    assert "quiet-otter" not in suggested


def test_a_class_is_full_at_some_point(classroom: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STUDENTS", 1)
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


# --- what the teacher sees ---


def cells(classroom: Classroom) -> dict[str, dict[str, Any]]:
    """Return the grid as the teacher sees it, by nickname."""
    return {row["name"]: row["cells"] for row in selectors.for_teacher(classroom, {})["students"]}


def minutes_ago(minutes: int, nickname: str, *fields: str) -> None:
    """Let times of a student's work lie back."""
    then = timezone.now() - timedelta(minutes=minutes)
    Work.objects.filter(learner__student__nickname=nickname).update(**dict.fromkeys(fields, then))


def test_the_grid_tells_right_first_time_right_later_wrong_and_working(classroom: Classroom) -> None:
    owl, fox, yak = join(classroom, "owl"), join(classroom, "fox"), join(classroom, "yak")
    answer(owl, "first-in", "q4")
    answer(fox, "first-in", "q1")
    assert cells(classroom)["fox"]["first-in"][:2] == ["wrong", 1]
    fox.post("/learn/waterline/first-in/again")
    answer(fox, "first-in", "q4")
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
        answer(owl, "small-body", "store")
        owl.post("/learn/waterline/small-body/again")
    answer(fox, "small-body", solution_of(catalog.exercise("small-body")))
    for student in (owl, fox):
        answer(student, "first-in", "q1")
    hardest = selectors.for_teacher(classroom, {})["hardest"]
    assert (hardest["exercise"], hardest["tried"], hardest["failed"]) == ("first-in", 2, 2)
    assert hardest["answers"] == [["q1", 2, False]]


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
    assert len(rows) == 12
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
    sessions.record_command(session.public_id, 0, 1_000_000, {"do": "publish", "count": 3, "size_bytes": 100})
    sessions.note_progress(session.public_id, 2_000_000, "")
    reply = teacher.post(address(classroom, f"students/{Student.objects.get().pk}/fork"))
    forked = Session.objects.get(public_id=reply["Location"].strip("/").split("/")[-1])
    assert forked.pk != session.pk
    assert forked.scenario["commands"][0]["count"] == 3
    assert forked.public_id in ownership.owned(teacher.session)
    assert session.public_id not in ownership.owned(teacher.session)


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


# --- for everyone ---


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
    kept = sessions.keep_scenario({**sessions.blank_scenario("classroom"), "title": "x"}, "1")
    for link in (kept.short_id, f"https://testserver/r/{kept.short_id}/", f"/r/{kept.short_id}/"):
        assert teacher.post(address(classroom, "push"), {"link": link}).status_code == 302
    classroom.refresh_from_db()
    assert classroom.pushed == kept
    assert selectors.for_students(classroom)["push"]["id"] == kept.short_id


@pytest.mark.parametrize(
    "link", ["", "nothing", "https://evil.example/", "javascript:alert(1)", "x" * 600, "/s/abc/"]
)
def test_what_is_no_state_is_not_pushed(classroom: Classroom, teacher: Client, link: str) -> None:
    assert teacher.post(address(classroom, "push"), {"link": link}).status_code == 409
    classroom.refresh_from_db()
    assert classroom.pushed is None


# --- voting ---


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
    assert voting.counts(vote) == {"first": 2, "second": 0}
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
    results = {row["text"]: (row["first"], row["second"], row["right"]) for row in voting.results(vote, "en")}
    assert results["in q1, complete in RAM"] == (1, 2, True)
    assert results["in q4, since there is memory again"] == (1, 0, False)
    shown = owl.get("/class/me/vote/").content.decode()
    assert escape(explain) in shown
    assert shown.count('data-round="second"') == len(results), "students see both rounds"
    assert escape(explain) in teacher.get(address(classroom, "projector/")).content.decode()
    lead(teacher, classroom, "end", "revealed")
    assert voting.current(classroom) is None
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
    wanted = [(letter, text) for _id, letter, text in voting.options(vote, "en")]
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
    assert voting.recommended(vote) == advice
    assert f'data-advice="{advice}"' in teacher.get(address(classroom)).content.decode()


def test_who_has_not_voted_is_told_to_the_teacher(classroom: Classroom, teacher: Client) -> None:
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
    assert voting.current(classroom) is None


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
    assert voting.left_s(vote) in {59, 60}
    assert 'data-left="' in owl.get("/class/me/vote/").content.decode()
    Vote.objects.update(ends_at=timezone.now())
    assert owl.post("/class/me/vote/", {"answer": "q1"}).status_code == 409
    assert "Time is over" in owl.get("/class/me/vote/").content.decode()
    lead(teacher, classroom, "discuss", "first")
    lead(teacher, classroom, "again", "discuss")
    assert owl.post("/class/me/vote/", {"answer": "q1"}).status_code == 302
    vote_on(classroom, teacher, seconds="77")
    assert voting.current(classroom).ends_at is None, "only times that are offered"


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


@pytest.mark.parametrize("slug", [each.slug for each in voting.votable()])
def test_every_vote_marks_the_right_answer(classroom: Classroom, slug: str) -> None:
    vote = voting.open_vote(classroom, slug)
    join(classroom, "owl")
    student = Student.objects.get()
    voting.cast(vote, student, solution_of(catalog.exercise(slug)))
    assert Ballot.objects.get().right
    assert {row["first"] for row in voting.results(vote, "en") if row["right"]} == {1}
    assert {row["first"] for row in voting.results(vote, "en") if not row["right"]} <= {0}


def test_a_ballot_must_be_an_answer(classroom: Classroom) -> None:
    vote = voting.open_vote(classroom, "where-next")
    student = join(classroom, "owl")
    for value in ("", "moon", "x" * 999):
        assert student.post("/class/me/vote/", {"answer": value}).status_code == 409
    assert vote.ballots.count() == 0
    assert Client().post("/class/me/vote/", {"answer": "q1"}).status_code == 302


# --- keeping and deleting ---


def later() -> None:
    """Let the time go by in which something deleted can be brought back, and carry deletions out."""
    then = timezone.now() - timedelta(minutes=leaving.UNDO_MINUTES + 1)
    Learner.objects.exclude(leaving_at=None).update(leaving_at=then)
    Classroom.everyone.exclude(leaving_at=None).update(leaving_at=then)
    Farewell.objects.update(at=then)
    leaving.carry_out()


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
    assert teacher.get("/class/").status_code == 302
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
    assert kept.days == limits.KEEP_DAYS_USUALLY


@pytest.mark.parametrize("name", ["", "   ", "x" * 81])
def test_a_class_has_a_name(teacher: Client, name: str) -> None:
    assert teacher.post("/class/new", {"name": name}).status_code == 422


def test_names_are_escaped(teacher: Client) -> None:
    teacher.post("/class/new", {"name": "<img src=x onerror=alert(1)>", "unit": "waterline"})
    found = Classroom.objects.get()
    for path in ("/class/", address(found), address(found, "projector/")):
        assert "<img src=x" not in teacher.get(path).content.decode()


def test_there_are_only_so_many_classes(teacher: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CLASSES", 1)
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
    with pytest.raises(Refused):
        services.push(Classroom(), "nothing")
    assert Scenario.objects.count() == 0


@pytest.mark.parametrize("language", ["en", "zh-hans", "zh-hant"])
def test_the_privacy_page_names_the_days_that_are_kept(client: Client, language: str, settings: Any) -> None:
    page = client.get("/privacy/", headers={"accept-language": language}).content.decode()
    assert str(settings.WATERLINE["keep_days"]) in page
    assert str(limits.LEARNERS_KEEP_DAYS) in page
    assert "/privacy/" in client.get("/class/join/").content.decode()
