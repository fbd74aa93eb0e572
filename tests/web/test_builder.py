"""The builder: exercises made from a session by a form, checked by the engine, handed out, graded, taken along."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from playground.classroom import asking
from playground.classroom import services as classes
from playground.classroom.models import Classroom, Student
from playground.exercises import builder, catalog
from playground.exercises.authors import command_line
from playground.exercises.kinds import grade, predictions, solution_of
from playground.exercises.kinds.kind import play
from playground.exercises.models import Made, Work
from playground.limits import rate_limits
from playground.models import Session
from tests.web import record

pytestmark = pytest.mark.django_db

TEXTS = {
    "title": "Mine",
    "task": "Six messages wait.\n\nAnd now?",
    "explain": "So it is.",
    "hints": "one\ntwo",
}
PUBLISH = {"do": "publish", "count": 6, "size_bytes": 6000}
PIN = {"do": "set", "name": "target_ram_count", "value": 4}
GET = {"do": "get", "count": 2, "ack": False}


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    rate_limits.forget()
    builder.forget()
    yield
    rate_limits.forget()
    builder.forget()


@pytest.fixture
def author() -> Client:
    client = Client()
    client.force_login(get_user_model().objects.create_user("frau-lehrer", password="x"))
    return client


@pytest.fixture
def session(author: Client) -> Session:
    """Return a session of the author's in which six messages came, the target fell, and two were taken."""
    reply = author.post("/s/new", {"profile": "classroom"})
    found = Session.objects.get(public_id=reply["Location"].strip("/").split("/")[-1])
    for at, command in enumerate((PUBLISH, PIN, GET)):
        record.record_command(found.public_id, at, (at + 1) * 1_000_000, command)
    record.note_progress(found.public_id, 4_000_000, "")
    return found


def condition(
    row: int, observable: str, op: str, value: object, text: str = "so", message: str = ""
) -> dict[str, str]:
    fields = {"text": text, "observable": observable, "op": op, "value": str(value), "message": message}
    return {f"{name}-{row}": value for name, value in fields.items()}


CHOICE = {
    "kind": "choice",
    "at": "1500000",
    **condition(1, "q3", "==", 2, "two go to q3"),
    **condition(2, "place", "==", "q3", "the oldest goes", message="0"),
    **condition(3, "delta", ">", 0, "they go to delta"),
}
ORDER = {"kind": "order", "at": "1500000", "corrected": "yes", "never-1": "the node stops"}
REACH = {
    "kind": "reach",
    "at": "500000",
    "verb": "ack",
    **condition(1, "q3", ">=", 1),
    **condition(2, "ready", "==", 4),
}
SEVERAL = {**CHOICE, "kind": "several", **condition(3, "place", "==", "q3", "the newest goes", message="5")}
NUMBER = {
    "kind": "number",
    "at": "1500000",
    "observable-1": "q3",
    "value-2": "4",
    "text-2": "Four is what stays in q4.",
}
MATCH = {
    "kind": "match",
    "at": "1500000",
    **condition(1, "place", "", "", "the oldest", message="0"),
    **condition(2, "place", "", "", "", message="5"),
}
VARIED = {
    **CHOICE,
    "task": "{a} messages wait.\n\nAnd now?",
    **condition(1, "q3", "==", "{a-4}", "{a-4} go to q3"),
    "first-a": "5",
    "last-a": "11",
}
"""How many messages come is drawn anew; the target stays 4."""
BROKER = {"kind": "broker", "at": "1500000", "step-1": "The target falls to 4."}


def address(session: Session) -> str:
    return f"/learn/made/from/{session.public_id}/"


def keep(author: Client, session: Session, form: dict[str, Any]) -> str:
    reply = author.post(address(session), {**TEXTS, **form, "keep": "1"})
    assert reply.status_code == 302, reply.content.decode()[:4000]
    return Made.objects.get().slug


def order_form(author: Client, session: Session) -> dict[str, Any]:
    page = author.get(address(session), {"kind": "order", "at": "1500000"}).content.decode()
    assert "event-Fetched" in page
    return {**ORDER, "event-AlphasPushed": "1", "event-Fetched": "1", "after-Fetched": ["AlphasPushed"]}


def test_a_choice_is_made_and_exactly_one_option_is_true(author: Client, session: Session) -> None:
    page = author.post(address(session), {**TEXTS, **CHOICE, "check": "1"})
    assert "data-checked" in page.content.decode()
    assert Made.objects.count() == 0, "checking keeps nothing"
    slug = keep(author, session, CHOICE)
    exercise = catalog.exercise(slug)
    assert solution_of(exercise) == "option-1"
    assert exercise.scenario["until_us"] == 1_500_000
    assert len(exercise.scenario["commands"]) == 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (condition(2, "q4", "==", 2, "two stay"), "here it is 2"),
        (condition(1, "q3", "==", 5, "five"), "here it is 0"),
        (condition(1, "q3", "==", "many", "two"), "whole number"),
        (condition(1, "", "==", 1, "two"), "what the condition is about"),
        (condition(2, "place", "==", "moon", "x", message="0"), "A message has a number"),
        ({"title": ""}, "The title is missing"),
        ({"task": ""}, "The task is missing"),
        ({"explain": ""}, "The explanation is missing"),
        ({"text-2": "", "text-3": ""}, "two to six options"),
    ],
)
def test_what_is_no_choice_is_refused(
    author: Client, session: Session, change: dict[str, str], sentence: str
) -> None:
    reply = author.post(address(session), {**TEXTS, **CHOICE, **change, "keep": "1"})
    assert reply.status_code == 422
    assert sentence in reply.content.decode()
    assert Made.objects.count() == 0


def test_an_order_is_made_from_events_with_causes_that_the_author_corrects(
    author: Client, session: Session
) -> None:
    slug = keep(author, session, order_form(author, session))
    exercise = catalog.exercise(slug)
    assert solution_of(exercise) == ["event-1", "event-2"]
    assert exercise.form.items[1].after == ("event-1",)
    assert not grade(exercise, ["event-2", "event-1"]).passed
    assert grade(exercise, ["event-1", "event-2", "never-1"]).feedback == ("never-1",)


class Fields(HTMLParser):
    """What a browser sends of the forms of a page that nobody has filled in: empty fields as well."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.sent: list[tuple[str, str]] = []
        self._select = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a field that is sent; of a list that takes several, each line that is chosen."""
        has = {name: value or "" for name, value in attrs}
        if tag == "select":
            self._select = has.get("name", "")
        elif tag == "option" and "selected" in has:
            self.sent.append((self._select, has.get("value", "")))
        elif tag in ("input", "textarea") and "name" in has and has.get("type") != "checkbox":
            self.sent.append((has["name"], has.get("value", "")))


def test_a_form_with_many_events_is_not_too_long_for_the_server(author: Client, session: Session) -> None:
    """A run with most kinds of event: each of them names all that come before it."""
    before = [{"do": "restart", "kind": "clean"}, {"do": "publish", "count": 6, "size_bytes": 100}]
    for at, command in enumerate([*before, {"do": "restart", "kind": "kill"}, GET], 3):
        record.record_command(session.public_id, at, at * 1_000_000, command)
    record.note_progress(session.public_id, 9_000_000, "")
    page = author.get(address(session), {"kind": "order", "at": "500000"}).content.decode()
    sent = Fields(page).sent
    assert len(sent) > 100, "long enough to show it"
    reply = author.post(
        address(session),
        urlencode([*sent, ("keep", "1")]),
        content_type="application/x-www-form-urlencoded",
    )
    assert reply.status_code == 422, "only the title is missing"


def test_causes_within_one_instant_are_those_of_one_part(author: Client, session: Session) -> None:
    exercise = catalog.exercise("confirm-path")
    events = {each.kind: each for each in predictions.happened(play(exercise).events)}
    found = predictions.causes(list(events.values()))
    assert (
        "StoreSynced" in found["ConfirmsSent"] or events["StoreSynced"].at_us == events["ConfirmsSent"].at_us
    )
    for kind, before in found.items():
        assert kind not in before
        for each in before:
            assert events[each].number < events[kind].number


def test_a_state_is_reached_by_the_authors_own_run_and_not_by_doing_nothing(
    author: Client, session: Session
) -> None:
    slug = keep(author, session, REACH)
    exercise = catalog.exercise(slug)
    assert grade(exercise, solution_of(exercise)).passed
    assert not grade(exercise, {"commands": [], "until_us": 5_000_000}).passed
    assert set(exercise.form.limits.verbs) == {"publish", "set", "get", "ack"}
    easy = author.post(
        address(session), {**TEXTS, **REACH, **condition(1, "q3", ">=", 0), "observable-2": "", "keep": "1"}
    )
    assert "Doing nothing reaches" in easy.content.decode()
    hard = author.post(address(session), {**TEXTS, **REACH, **condition(1, "q3", ">=", 9), "keep": "1"})
    assert "does not reach" in hard.content.decode()


def test_be_the_broker_is_made_from_a_stretch(author: Client, session: Session) -> None:
    slug = keep(author, session, BROKER)
    exercise = catalog.exercise(slug)
    first, second = solution_of(exercise)
    assert (first["0"], first["5"]) == ("q4", "q3")
    assert (second["0"], second["1"]) == ("gone", "gone")
    assert exercise.en.steps[0] == "The target falls to 4."
    assert "get" in exercise.en.steps[1], "a step without words says the command"


def test_several_options_may_come_true_but_not_all(author: Client, session: Session) -> None:
    slug = keep(author, session, SEVERAL)
    assert solution_of(catalog.exercise(slug)) == ["option-1", "option-3"]
    all_true = {**SEVERAL, **condition(2, "q4", "==", 2, "two stay")}
    page = author.post(address(session), {**TEXTS, **all_true, "keep": "1"}).content.decode()
    assert "must come true in the run, and some" in page


def test_messages_are_matched_with_the_places_that_the_engine_finds(author: Client, session: Session) -> None:
    slug = keep(author, session, MATCH)
    exercise = catalog.exercise(slug)
    assert solution_of(exercise) == {"message-1": "gone", "message-2": "q3"}
    assert exercise.en.words == {"message-1": "the oldest", "message-2": "message 5"}
    for change, sentence in [
        ({"message-2": "77"}, "Exactly one answer must come true for this line: message 77"),
        ({"message-2": ""}, "A message has a number"),
        ({"message-2": "", "observable-2": ""}, "two to six messages"),
    ]:
        page = author.post(address(session), {**TEXTS, **MATCH, **change, "keep": "1"}).content.decode()
        assert sentence in page


def test_a_session_of_4_3_is_asked_about_its_own_places(author: Client) -> None:
    """W10, W17, W32: two lanes and L; there is no q3, no beta and no journal to ask about."""
    reply = author.post("/s/new", {"profile": "4.3.6-classroom"})
    found = Session.objects.get(public_id=reply["Location"].strip("/").split("/")[-1])
    for at, command in enumerate((PUBLISH, GET)):
        record.record_command(found.public_id, at, (at + 1) * 1_000_000, command)
    record.note_progress(found.public_id, 3_000_000, "")
    page = author.get(address(found), {"kind": "choice", "at": "1500000"}).content.decode()
    for own in ("tail", "head", "window", "waiting-bytes", "loads", "compacted", "gamma"):
        assert f'value="{own}"' in page, own
    for other in ("q3", "delta", "beta", "index-bytes", "reads", "combined"):
        assert f'value="{other}"' not in page, other
    refused = author.post(address(found), {**TEXTS, **CHOICE, "keep": "1"})
    assert "Choose what the condition is about." in refused.content.decode()
    slug = keep(author, found, {**MATCH, **condition(2, "place", "", "", "", message="5")})
    assert solution_of(catalog.exercise(slug)) == {"message-1": "gone", "message-2": "tail"}


def test_the_broker_of_4_3_has_two_lanes(author: Client) -> None:
    reply = author.post("/s/new", {"profile": "4.3.6-classroom"})
    found = Session.objects.get(public_id=reply["Location"].strip("/").split("/")[-1])
    for at, command in enumerate((PUBLISH, GET)):
        record.record_command(found.public_id, at, (at + 1) * 1_000_000, command)
    record.note_progress(found.public_id, 3_000_000, "")
    exercise = catalog.exercise(keep(author, found, {**BROKER, "step-1": "Two are taken."}))
    [placed] = solution_of(exercise)
    assert (placed["0"], placed["1"], placed["5"]) == ("gone", "gone", "tail")


def test_a_number_is_what_the_run_comes_to(author: Client, session: Session) -> None:
    slug = keep(author, session, NUMBER)
    exercise = catalog.exercise(slug)
    assert solution_of(exercise) == 2
    assert grade(exercise, 4).feedback == ("slip-2",)
    assert exercise.en.feedback["slip-2"] == "Four is what stays in q4."
    for change, sentence in [
        ({"observable-1": "place"}, "what is counted"),
        ({"value-2": "2"}, "must differ from the run"),
        ({"text-2": ""}, "A wrong number needs"),
    ]:
        page = author.post(address(session), {**TEXTS, **NUMBER, **change, "keep": "1"})
        assert sentence in page.content.decode()


def test_a_second_try_has_other_numbers_where_the_author_says_so(author: Client, session: Session) -> None:
    slug = keep(author, session, VARIED)
    tasks = set()
    for seed in range(21):
        exercise = catalog.variant(slug, seed)
        assert solution_of(exercise) == "option-1"
        assert grade(exercise, "option-1").passed
        assert not grade(exercise, "option-3").passed
        tasks.add(exercise.en.task)
    assert len(tasks) > 3
    assert catalog.exercise(slug).en.task.startswith("6 messages wait.")
    author.post(f"/learn/made/{slug}/begin")
    author.post(f"/learn/made/{slug}/answer", {"answer": "option-3"})
    page = author.get(f"/learn/made/{slug}/").content.decode()
    assert "Second try" in page
    author.post(f"/learn/made/{slug}/again")
    assert Work.objects.get().variant != 0
    assert Work.objects.get().variant in range(2**31)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"first-a": "7"}, "a is usually 6"),
        ({"first-a": "few"}, "a is usually 6"),
        ({"first-a": "1", "last-a": "2000"}, "combinations"),
        ({**condition(1, "q3", "==", 2, "two go")}, "With other numbers (a = 5)"),
        ({**condition(1, "q3", "==", "{b-1}", "two go")}, "This is not an exercise"),
    ],
)
def test_every_combination_of_numbers_is_checked(
    author: Client, session: Session, change: dict[str, str], sentence: str
) -> None:
    page = author.post(address(session), {**TEXTS, **VARIED, **change, "keep": "1"}).content.decode()
    assert sentence in page
    assert Made.objects.count() == 0


def test_what_is_asked_about_is_frozen_while_the_session_goes_on(author: Client, session: Session) -> None:
    page = author.get(address(session), {"kind": "choice", "at": "1500000"}).content.decode()
    end = re.search(r'name="end" value="(\d+)"', page)[1]
    assert end == "5000000", "two seconds after the last command"
    record.record_command(
        session.public_id, 3, 8_000_000, {"do": "set", "name": "target_ram_count", "value": 0}
    )
    record.note_progress(session.public_id, 60_000_000, "")
    slug = keep(author, session, {**CHOICE, "end": end})
    exercise = catalog.exercise(slug)
    assert exercise.go_on.until_us == 5_000_000
    assert len(exercise.go_on.commands) == 2, "what was done later is not in it"


def test_the_author_points_at_what_stands_on_the_stage(author: Client, session: Session) -> None:
    page = author.get(address(session), {"kind": "choice", "at": "1500000"}).content.decode()
    points = re.findall(r'data-point="([^"]+)" data-message="(\d*)" data-then="([^"]+)"', page)
    assert ("q3", "", "2") in points, "the lane, with what it holds at the end of the run"
    assert ("place", "5", "q3") in points, "a message, with where it comes to lie"
    assert ("place", "0", "gone") in points
    assert ("memory-alarm", "", "no") in points
    order = author.get(address(session), {"kind": "order", "at": "1500000"}).content.decode()
    assert "data-point" not in order, "events are chosen there"


@pytest.mark.parametrize(
    "form", [CHOICE, SEVERAL, NUMBER, MATCH, REACH, BROKER], ids=lambda form: form["kind"]
)
def test_a_made_exercise_is_handed_out_and_worked_on_like_any_other(
    author: Client, session: Session, form: dict[str, Any]
) -> None:
    slug = keep(author, session, form)
    author.post("/class/new", {"name": "Brokers", "unit": [slug], "keep_days": "30"})
    classroom = Classroom.objects.get()
    assert classroom.units == [slug]
    assert author.get(f"/class/{classroom.public_id}/").status_code == 200
    student = Client()
    student.post("/class/join/", {"code": classroom.join_code, "nickname": "owl"})
    assert "Mine" in student.get("/class/me/").content.decode()
    page = f"/learn/made/{slug}/"
    assert student.post(page + "begin").status_code == 302
    assert "Six messages wait" in student.get(page).content.decode()
    if form is CHOICE:
        student.post(page + "answer", {"answer": "option-1"})
        assert Work.objects.get().right_first
        vote = asking.open_vote(classroom, slug)
        asking.cast(vote, Student.objects.get(), "option-3")
        asking.lead(vote, "reveal", "first")
        assert [row["right"] for row in asking.results(vote, "en")].count(True) == 1
    assert student.get("/learn/made/notes/").status_code == 302, "the key is for teachers"


def test_a_file_is_taken_along_and_imported_by_others(author: Client, session: Session) -> None:
    slug = keep(author, session, CHOICE)
    assert Client().get(f"/learn/made/{slug}/exercise.json").status_code == 302, "it holds the key"
    text = author.get(f"/learn/made/{slug}/exercise.json").content.decode()
    other = Client()
    other.force_login(get_user_model().objects.create_user("herr-lehrer", password="x"))
    assert other.post("/learn/made/import", {"text": text}).status_code == 302
    copy = Made.objects.exclude(slug=slug).get()
    assert copy.content == Made.objects.get(slug=slug).content
    assert solution_of(catalog.exercise(copy.slug)) == "option-1"
    other.post(f"/learn/made/{slug}/delete")
    assert Made.objects.count() == 2, "only the author deletes"
    author.post(f"/learn/made/{slug}/delete")
    assert author.get(f"/learn/made/{slug}/").status_code == 404
    assert classes.known_units([slug, copy.slug]) == [copy.slug]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"format": "waterline-exercise-1"}',
        '{"format": "waterline-exercise-1", "exercise": {"kind": "choice"}}',
        '{"format": "waterline-exercise-1", "exercise": {"kind": "dream", "scenario": {}}}',
        "[" * 100_000,
        "x" * 70_000,
    ],
    ids=lambda text: text[:20],
)
def test_what_is_no_file_of_an_exercise_is_refused(author: Client, text: str) -> None:
    assert author.post("/learn/made/import", {"text": text}).status_code == 422
    assert Made.objects.count() == 0


def test_an_import_cannot_smuggle_a_run_that_the_engine_refuses(author: Client, session: Session) -> None:
    slug = keep(author, session, CHOICE)
    file = json.loads(author.get(f"/learn/made/{slug}/exercise.json").content)
    file["exercise"]["scenario"]["commands"] = [
        {"at_us": 1, "do": "publish", "count": 10**12, "size_bytes": 1}
    ]
    assert author.post("/learn/made/import", {"text": json.dumps(file)}).status_code == 422


def test_only_teachers_build_and_only_from_their_own_sessions(
    author: Client, session: Session, client: Client
) -> None:
    assert client.get(address(session)).status_code == 302
    client.force_login(get_user_model().objects.create_user("herr-lehrer", password="x"))
    assert client.get(address(session)).status_code == 404
    assert client.get("/learn/made/").status_code == 200
    page = author.get(f"/s/{session.public_id}/").content.decode()
    assert "data-ask-here" in page
    assert "data-ask-here" not in Client().get(f"/s/{session.public_id}/").content.decode()


def test_there_are_only_so_many(author: Client, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "MOST_OF_ONE", 1)
    keep(author, session, CHOICE)
    reply = author.post(address(session), {**TEXTS, **BROKER, "keep": "1"})
    assert reply.status_code == 422


def test_a_command_is_told_in_words() -> None:
    """Whoever chooses a moment reads no `persistent=False`."""
    burst = {"at_us": 2_500_000, "do": "publish", "count": 6, "size_bytes": 6000, "persistent": False}
    assert command_line(burst) == "2.5 s  publish 6 × 6000 B, transient"
    consumer = {"at_us": 0, "do": "set_consumer", "name": "c1", "rate_per_s": None, "running": True}
    assert command_line(consumer) == "0 s  set consumer name c1, rate per s ∞, running"
    assert "False" not in command_line({"at_us": 0, "do": "get", "count": 2, "ack": False, "multiple": False})
