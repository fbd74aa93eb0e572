"""The pages of the exercises: beginning, answering, hints, coming back, deleting, and what strangers send."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from playground.classroom import services
from playground.exercises import catalog, learners, task
from playground.exercises.grading import GradedVerdict
from playground.exercises.kinds import acting, solution_of
from playground.exercises.models import Attempt, Learner, Work
from playground.hosting.host import RunSoFar
from playground.limits import rate_limits
from playground.models import Scenario, Session
from playground.records import kept_runs
from playground.sessions import live_hosts
from playground.texts import PageMessage
from tests.web import record

pytestmark = pytest.mark.django_db
LANGUAGES = ("en", "zh-hans", "zh-hant")


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    rate_limits.forget()
    yield
    rate_limits.forget()


def address(slug: str, action: str = "") -> str:
    return f"/learn/{catalog.exercise(slug).unit}/{slug}/{action}"


def begin(client: Client, slug: str) -> Work:
    assert client.post(address(slug, "begin")).status_code == 302
    return Work.objects.select_related("session").get(exercise=slug)


def posted(slug: str, answer: Any) -> dict[str, Any]:
    """Return an answer as the page's form sends it."""
    exercise = catalog.exercise(slug)
    if exercise.kind == "broker":
        return {f"place-{seq}": place for seq, place in answer.items()}
    if exercise.kind == "match":
        return {f"match-{item}": chosen for item, chosen in answer.items()}
    if exercise.kind == "order":
        return {f"position-{name}": str(number) for number, name in enumerate(answer, 1)}
    return {"answer": answer}


def test_the_list_of_units_needs_nobody(client: Client) -> None:
    page = client.get("/learn/").content.decode()
    for unit in catalog.units():
        assert escape(unit.en.title) in page
    assert Learner.objects.count() == 0


@pytest.mark.parametrize(
    ("slug", "release"), [("after-the-kill", "4.3.6"), ("a-second-crash", "4.0.5"), ("first-in", "3.10.8")]
)
def test_the_header_says_the_release_also_while_the_run_is_held(
    client: Client, slug: str, release: str
) -> None:
    begin(client, slug)
    header = client.get(address(slug)).content.decode().partition("<main")[0]
    assert f"<b>{release}</b>" in header or f"selected>{release}</option>" in header


def test_a_visit_begins_nothing(client: Client) -> None:
    page = client.get(address("first-in"))
    assert page.status_code == 200
    assert (Work.objects.count(), Session.objects.count()) == (0, 0)


IN_TURN = [
    (slug, LANGUAGES[number % len(LANGUAGES)]) for number, slug in enumerate(sorted(catalog.exercises()))
]
OTHERWISE = [(slug, language) for slug, taken in IN_TURN for language in LANGUAGES if language != taken]


@pytest.mark.parametrize(
    ("slug", "language"), [*IN_TURN, *(pytest.param(*each, marks=pytest.mark.soak) for each in OTHERWISE)]
)
def test_every_exercise_has_its_page(client: Client, slug: str, language: str) -> None:
    """In one of the languages; the long tests see it in the others."""
    begin(client, slug)
    page = client.get(address(slug), headers={"accept-language": language}).content.decode()
    texts = catalog.exercise(slug).texts(language)
    assert texts.title in page
    assert texts.explain not in page, "the explanation gives the answer away"
    for hint in texts.hints:
        assert hint not in page


def test_the_session_is_held_until_the_prediction_is_locked(client: Client) -> None:
    work = begin(client, "read-back")
    assert "is-held" in client.get(address("read-back")).content.decode()
    before = work.session
    assert before is not None
    assert before.public_id not in kept_runs.owned(client.session)
    assert before.scenario["until_us"] == catalog.exercise("read-back").scenario["until_us"]
    client.post(address("read-back", "answer"), {"answer": "4"})
    page = client.get(address("read-back")).content.decode()
    work.refresh_from_db()
    assert work.session is not None
    assert work.session.pk != before.pk
    assert not Session.objects.filter(pk=before.pk).exists()
    assert work.session.public_id in kept_runs.owned(client.session)
    assert work.session.reached_us == before.scenario["until_us"]
    assert "is-held" not in page
    assert "data-run-on" in page


def test_nobody_sees_the_future_in_a_copy_of_a_session_that_waits(client: Client) -> None:
    work = begin(client, "read-back")
    assert work.session is not None
    session = f"/s/{work.session.public_id}"
    count = Session.objects.count()
    asked = [
        client.post(f"{session}/fork"),
        client.post(f"{session}/share"),
        client.get(f"{session}/scenario.json"),
        client.get(f"{session}/run.csv"),
        client.get(f"/compare/?session={work.session.public_id}"),
    ]
    for answer in asked:
        assert answer.status_code == 409, answer.request["PATH_INFO"]
        assert "waits for your answer" in answer.content.decode()
    assert (Session.objects.count(), Scenario.objects.count()) == (count, 0)
    client.post(address("read-back", "answer"), {"answer": "4"})
    work.refresh_from_db()
    assert work.session is not None
    assert client.post(f"/s/{work.session.public_id}/fork").status_code == 302


@pytest.mark.parametrize(
    "slug", [each.slug for each in catalog.exercises().values() if each.kind not in {"reach", "broker"}]
)
def test_the_right_answer_is_right_through_the_form(client: Client, slug: str) -> None:
    work = begin(client, slug)
    client.post(address(slug, "answer"), posted(slug, solution_of(catalog.exercise(slug))))
    work.refresh_from_db()
    assert work.done_at is not None
    page = client.get(address(slug)).content.decode()
    assert 'class="verdict is-right"' in page
    assert "What the engine did" in page


def test_a_wrong_prediction_stands_beside_what_happened(client: Client) -> None:
    work = begin(client, "read-back")
    client.post(address("read-back", "answer"), {"answer": "8"})
    work.refresh_from_db()
    assert (work.done_at, work.locked, work.attempts) == (None, True, 1)
    page = client.get(address("read-back")).content.decode()
    assert "A whole segment has eight entries" in page
    assert "<td>8</td>" in page
    attempt = Attempt.objects.get()
    assert (attempt.passed, attempt.tally) == (False, "8")


def test_a_wrong_answer_is_asked_about_tried_again_and_only_then_explained(client: Client) -> None:
    work = begin(client, "read-back")
    client.post(address("read-back", "answer"), {"answer": "8"})
    page = client.get(address("read-back")).content.decode()
    assert re.search(r'class="said is-wrong"><dt>You said</dt><dd>8</dd>', page)
    assert "Why do you think so?" in page
    assert "A hint about this answer" in page
    assert "Second try" in page
    assert escape(catalog.exercise("read-back").en.explain) not in page, (
        "the explanation waits for the second try"
    )
    assert "<dt>The engine</dt>" not in page
    client.post(address("read-back", "why"), {"why": " all of delta\x07 " + "x" * 300})
    page = client.get(address("read-back")).content.decode()
    assert "You wrote: all of delta x" in page
    assert len(work.answers.get().why) == task.WHY_LETTERS
    client.post(address("read-back", "again"))
    work.refresh_from_db()
    other = catalog.variant("read-back", work.variant)
    client.post(address("read-back", "answer"), {"answer": str(solution_of(other) + 1)})
    page = client.get(address("read-back")).content.decode()
    assert escape(other.en.explain) in page
    assert f"<dt>The engine</dt><dd>{solution_of(other)}</dd>" in page
    assert client.post(address("read-back", "solution")).status_code == 302


def test_the_second_try_is_about_another_case(client: Client) -> None:
    work = begin(client, "until-restart")
    client.post(address("until-restart", "answer"), {"answer": "kept"})
    client.post(address("until-restart", "again"))
    work.refresh_from_db()
    other = catalog.variant("until-restart", work.variant)
    assert other.case
    assert solution_of(other) != solution_of(catalog.exercise("until-restart"))


def test_right_first_time_is_marked_on_its_own(client: Client) -> None:
    work = begin(client, "first-in")
    client.post(address("first-in", "answer"), {"answer": "q4"})
    work.refresh_from_db()
    assert (work.right_first, work.failures) == (True, 0)
    assert "right first time" in client.get("/learn/").content.decode()
    client.post(address("first-in", "again"))
    work.refresh_from_db()
    right = solution_of(catalog.variant("first-in", work.variant))
    client.post(address("first-in", "answer"), {"answer": "q3" if right == "q4" else "q4"})
    work.refresh_from_db()
    assert (work.right_first, work.failures) == (True, 1), "what was right first time stays so"
    later = begin(client, "small-body")
    client.post(address("small-body", "answer"), {"answer": "store"})
    client.post(address("small-body", "again"))
    later.refresh_from_db()
    other = catalog.variant("small-body", later.variant)
    client.post(address("small-body", "answer"), {"answer": solution_of(other)})
    later.refresh_from_db()
    assert later.done_at is not None
    assert not later.right_first


def test_the_second_try_has_other_numbers_and_forgets_the_first_verdict(client: Client) -> None:
    """What was shown after the first answer cannot be copied."""
    work = begin(client, "who-holds-what")
    client.post(address("who-holds-what", "answer"), {"answer": "6"})
    page = client.get(address("who-holds-what")).content.decode()
    assert "12 messages wait" in page
    assert "Second try" in page
    client.post(address("who-holds-what", "again"))
    work.refresh_from_db()
    other = catalog.variant("who-holds-what", work.variant)
    assert work.variant > 0
    page = client.get(address("who-holds-what")).content.decode()
    assert escape(other.en.task.split("\n\n")[0]) in page
    assert "12 messages wait" not in page
    assert 'class="verdict' not in page
    assert work.session is not None
    assert work.session.scenario["commands"][0]["count"] == other.scenario["commands"][0]["count"]
    client.post(address("who-holds-what", "answer"), {"answer": str(solution_of(other))})
    work.refresh_from_db()
    assert work.done_at is not None
    assert not work.right_first


def test_who_saw_the_solution_was_not_right_first_time(client: Client) -> None:
    work = begin(client, "reach-delta")
    Work.objects.update(attempts=2, failures=2)
    client.post(address("reach-delta", "solution"))
    work.refresh_from_db()
    assert work.solution_shown
    task.move_on(work, catalog.exercise("reach-delta"), GradedVerdict(True), None, timezone.now())
    assert not work.right_first


def test_a_wrong_order_does_not_reveal_the_right_one(client: Client) -> None:
    begin(client, "order-of-taking")
    right = solution_of(catalog.exercise("order-of-taking"))
    client.post(address("order-of-taking", "answer"), posted("order-of-taking", right[::-1]))
    page = client.get(address("order-of-taking")).content.decode()
    assert "not in this order" in page
    assert ">engine<" not in page
    client.post(address("order-of-taking", "answer"), posted("order-of-taking", right))
    assert ">engine<" in client.get(address("order-of-taking")).content.decode()


def test_the_broker_goes_step_by_step(client: Client) -> None:
    slug = "first-paging"
    work = begin(client, slug)
    solution = solution_of(catalog.exercise(slug))
    wrong = {**solution[0], "5": "q4"}
    client.post(address(slug, "answer"), posted(slug, wrong))
    work.refresh_from_db()
    assert (work.steps, work.done_at) == ([], None)
    assert "A message that you left where it was has moved." in client.get(address(slug)).content.decode()
    for number, placement in enumerate(solution, 1):
        first = work.session
        client.post(address(slug, "answer"), posted(slug, placement))
        work = Work.objects.select_related("session").get()
        assert len(work.steps) == number
        assert work.session != first, "the run goes on with each right step"
    assert work.done_at is not None
    answer = client.post(address(slug, "answer"), posted(slug, solution[0]))
    assert answer.status_code == 409


def test_a_state_is_looked_for_in_the_session_itself(client: Client) -> None:
    slug = "reach-delta"
    work = begin(client, slug)
    assert work.session is not None
    assert client.get(address(slug)).status_code == 200
    assert work.session.public_id in kept_runs.owned(client.session)
    client.post(address(slug, "answer"))
    work.refresh_from_db()
    assert (work.attempts, work.done_at) == (1, None)
    command = {"do": "publish", "count": 30, "size_bytes": 6000}
    record.record_command(work.session.public_id, 0, 1_000_000, command)
    record.note_progress(work.session.public_id, 3_000_000, "")
    client.post(address(slug, "answer"))
    work.refresh_from_db()
    assert work.done_at is not None


def test_hints_come_one_at_a_time(client: Client) -> None:
    begin(client, "first-in")
    hints = catalog.exercise("first-in").en.hints
    for shown in range(1, len(hints) + 2):
        client.post(address("first-in", "hint"))
        page = client.get(address("first-in")).content.decode()
        assert sum(hint in page for hint in hints) == min(shown, len(hints))


def test_the_solution_comes_after_some_work(client: Client) -> None:
    work = begin(client, "first-paging")
    assert client.post(address("first-paging", "solution")).status_code == 409
    wrong = {**solution_of(catalog.exercise("first-paging"))[0], "5": "q4"}
    for _try in range(task.TRIES_BEFORE_SOLUTION):
        client.post(address("first-paging", "answer"), posted("first-paging", wrong))
    assert client.post(address("first-paging", "solution")).status_code == 302
    work.refresh_from_db()
    assert work.solution_shown
    assert "computed from the run" in client.get(address("first-paging")).content.decode()


def test_beginning_again_keeps_the_count(client: Client) -> None:
    work = begin(client, "read-back")
    client.post(address("read-back", "answer"), {"answer": "8"})
    client.post(address("read-back", "again"))
    work.refresh_from_db()
    assert (work.locked, work.attempts) == (False, 1)
    right = solution_of(catalog.variant("read-back", work.variant))
    client.post(address("read-back", "answer"), {"answer": right})
    work.refresh_from_db()
    assert (work.done_at is not None, work.attempts) == (True, 2)


# --- whose work it is ---


def test_a_code_brings_the_work_back(client: Client) -> None:
    begin(client, "first-in")
    code = learners.code_of(client.session)
    assert code in client.get("/learn/").content.decode()
    other = Client()
    assert other.post("/learn/come-back", {"code": f" {code.upper()} "}).status_code == 302
    assert "is-working" in other.get("/learn/").content.decode()


def test_a_wrong_code_says_nothing(client: Client) -> None:
    begin(client, "first-in")
    answers = [
        Client().post("/learn/come-back", {"code": code})
        for code in ("", "2222-2222-2222", "x" * 500, "\x00")
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({len(answer.content) for answer in answers}) == 1


def test_codes_are_not_kept(client: Client) -> None:
    begin(client, "first-in")
    code = learners.code_of(client.session)
    assert Learner.objects.get().code_trace == learners.trace_of(code)
    assert code.replace("-", "") not in Learner.objects.get().code_trace


def test_a_stranger_cannot_answer_for_somebody(client: Client) -> None:
    begin(client, "first-in")
    stranger = Client()
    for action in ("answer", "hint", "solution", "again"):
        assert stranger.post(address("first-in", action), {"answer": "q4"}).status_code == 302
    work = Work.objects.get()
    assert (work.attempts, work.hints, work.solution_shown) == (0, 0, False)


def test_deleting_leaves_nothing(client: Client) -> None:
    begin(client, "first-in")
    client.post(address("first-in", "answer"), {"answer": "q1"})
    client.post("/class/me/delete-work")
    assert learners.code_of(client.session) == ""
    Learner.objects.update(leaving_at=timezone.now() - timedelta(hours=1))
    services.carry_out()
    counts = [model.objects.count() for model in (Learner, Work, Attempt, Session)]
    assert counts == [0, 0, 0, 0]


# --- what strangers send ---


@pytest.mark.parametrize(
    ("slug", "form"),
    [
        ("first-in", {}),
        ("first-in", {"answer": "nowhere"}),
        ("read-back", {"answer": "many"}),
        ("read-back", {"answer": "999999999"}),
        ("read-back", {"answer": "-1"}),
        ("confirm-path", {}),
        ("confirm-path", {"position-nothing": "1"}),
        ("first-paging", {}),
        ("first-paging", {"place-0": "moon"}),
        ("first-paging", {f"place-{seq}": "q4" for seq in range(3)}),
    ],
)
def test_a_malformed_answer_is_refused_and_not_counted(
    client: Client, slug: str, form: dict[str, str]
) -> None:
    work = begin(client, slug)
    answer = client.post(address(slug, "answer"), form)
    assert answer.status_code == 409
    assert 'role="alert"' in answer.content.decode()
    work.refresh_from_db()
    assert work.attempts == 0


@pytest.mark.parametrize("path", ["/learn/x/y/", "/learn/pressure/first-in/", "/learn/waterline/notes/x/"])
def test_what_is_not_there_is_gone(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


def test_answers_are_rate_limited(client: Client) -> None:
    begin(client, "first-paging")
    wrong = {**solution_of(catalog.exercise("first-paging"))[0], "5": "q4"}
    codes = [
        client.post(address("first-paging", "answer"), posted("first-paging", wrong)).status_code
        for _try in range(rate_limits.PER_MINUTE["attempts"] + 3)
    ]
    assert codes[0] == 302
    assert codes[-1] == 409


def test_a_gate_closes_answers_and_beginnings(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(client, "first-in")
    monkeypatch.setattr(
        learners,
        "_gates",
        [lambda learner, slug, hidden: None if hidden else PageMessage("Look at the board.")],
    )
    assert client.post(address("first-in", "answer"), {"answer": "q4"}).status_code == 409
    assert "Look at the board." in client.post(address("read-back", "begin")).content.decode()
    assert Work.objects.get().attempts == 0


def test_the_notes_are_for_teachers(client: Client, django_user_model: Any) -> None:
    assert client.get("/learn/waterline/notes/").status_code == 302
    client.force_login(django_user_model.objects.create_user("teacher", password="a long password 1"))
    for unit in catalog.units()[::5]:
        page = client.get(f"/learn/{unit.slug}/notes/").content.decode()
        assert unit.en.before[:40] in page
    assert task.may_see_solution(Work(failures=2))


def test_a_locked_prediction_stands_on_the_lanes(client: Client) -> None:
    begin(client, "where-next")
    assert "predicted-lanes" not in client.get(address("where-next")).content.decode()
    client.post(address("where-next", "answer"), {"answer": "delta"})
    page = client.get(address("where-next")).content.decode()
    assert '<script id="predicted-lanes" type="application/json">{"delta": 1}</script>' in page


def test_the_goals_of_a_state_stand_beside_the_session_and_cost_no_attempt(client: Client) -> None:
    work = begin(client, "reach-delta")
    page = client.get(address("reach-delta")).content.decode()
    assert "best known: 1 command" in page
    standing = client.get(address("reach-delta", "standing.json")).json()
    assert standing["goals"] == {"delta": False, "q4": False}
    assert (standing["commands_left"], standing["messages_left"]) == (3, 40)
    assert work.session is not None
    command = {"do": "publish", "count": 30, "size_bytes": 6000}
    record.record_command(work.session.public_id, 0, 1_000_000, command)
    record.note_progress(work.session.public_id, 3_000_000, "")
    standing = client.get(address("reach-delta", "standing.json")).json()
    assert standing == {
        "goals": {"delta": True, "q4": True},
        "commands_left": 2,
        "messages_left": 10,
    }
    assert Work.objects.get().attempts == 0
    assert Client().get(address("reach-delta", "standing.json")).json() == {}


def test_how_a_prediction_stands_is_not_sent(client: Client) -> None:
    begin(client, "first-in")
    assert client.get(address("first-in", "standing.json")).json() == {}


def test_notes_call_exercises_as_their_pages_do_and_link_them(client: Client) -> None:
    client.force_login(get_user_model().objects.create_user("t", password="x"))
    page = client.get("/learn/waterline/notes/", headers={"accept-language": "en"}).content.decode()
    timing = page[page.index("Timing") : page.index("Discussion")]
    assert "first-in and" not in timing
    assert f'<a href="{address("first-in")}">The first messages</a> and' in timing


def test_an_awake_session_is_judged_by_its_own_engine(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is repeated in the process that answers pages; the commands are those on record."""
    slug = "lose-persistent"
    work = begin(client, slug)
    assert work.session is not None
    solution = solution_of(catalog.exercise(slug))
    commands = [
        (each["at_us"], {k: v for k, v in each.items() if k != "at_us"}) for each in solution["commands"]
    ]
    asked: list[Any] = []

    def moment(_public_id: str, goals: Any) -> RunSoFar:
        asked.extend(goals)
        return RunSoFar(2_000_000, "", {}, commands, [(40, True), (1, True), (0, len(asked) > 3)])

    monkeypatch.setattr(live_hosts, "moment", moment)
    monkeypatch.setattr(acting, "GradedRun", None)
    client.post(address(slug, "answer"), {"found": "all"})
    work.refresh_from_db()
    assert asked == [goal.test for goal in catalog.exercise(slug).form.goals]
    assert (work.attempts, work.done_at) == (1, None)
    client.post(address(slug, "answer"))
    work.refresh_from_db()
    assert work.done_at is not None
    commands.extend(commands * 3)
    client.post(address(slug, "answer"))
    assert Attempt.objects.latest("number").verdict["feedback"] == ["_too-many-commands"]


def test_a_session_that_is_too_long_for_its_engine_must_begin_again(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(client, "reach-delta")
    monkeypatch.setattr(live_hosts, "moment", lambda *_given: RunSoFar(1, "", {}, [], None))
    answer = client.post(address("reach-delta", "answer"))
    assert answer.status_code == 409
    assert "too long to be checked" in answer.content.decode()
