"""An exercise kind is one module: whatever has the protocol is shown, answered, graded, voted on and exported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.contrib.auth.models import User
from django.test import Client

from engine.reading.conditions import Condition, ConditionWatch
from playground.classroom import asking, selectors, services
from playground.exercises import authors, catalog
from playground.exercises.authors import AuthoredRun, PostedForm
from playground.exercises.grading import BadAnswer, GradedVerdict
from playground.exercises.kinds import KINDS, grade, kind_of, solution_of
from playground.exercises.kinds.kind import GiveUp, KindProgress, PredictionKind, only_line, play
from playground.exercises.models import Made, Work
from playground.exercises.schema import Exercise, ExerciseTexts, SchemaPart
from playground.limits import rate_limits
from tests.unit.exercises.test_exercises import fewest_wrong
from tests.web import record

ROOT = Path(__file__).resolve().parents[2]


class Form(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A statement about the end of the run."""

    holds: Condition


class TrueOrFalse(PredictionKind):
    """A statement that holds, or does not."""

    name = "truth"
    author_label = "predict: true or false"
    form = Form
    feedback = {"_other": "It is the other way round."}

    @property
    def template(self) -> str:
        return "exercises/kinds/choice.html"

    def page(self, exercise: Exercise, texts: ExerciseTexts, progress: KindProgress) -> dict[str, Any]:
        return {"options": [("true", "A", "it holds"), ("false", "B", "it does not")]}

    def read(self, posted: PostedForm) -> str:
        return posted.get("answer", "")

    @property
    def author_template(self) -> str:
        return "exercises/kinds/author/_rows.html"

    def offers(self, run: AuthoredRun) -> dict[str, Any]:
        return {"rows": [1], "legend": "What holds, or does not"}

    def draft(self, posted: PostedForm, run: AuthoredRun, texts: dict[str, Any]) -> dict[str, Any]:
        return {"truth": {"holds": authors.condition(posted, 1, run)}, "go_on": authors.go_on(run)}

    def grade(self, exercise: Exercise, answer: Any, give_up: GiveUp) -> GradedVerdict:
        if answer not in {"true", "false"}:
            raise BadAnswer("true or false")
        right = self.solution(exercise)
        return GradedVerdict(
            answer == right, () if answer == right else ("_other",), only_line(self, answer, right), answer
        )

    def solution(self, exercise: Exercise) -> str:
        watch = ConditionWatch(exercise.form.holds)
        return "true" if watch.holds(play(exercise, [watch]).last) else "false"


@pytest.fixture
def truth(monkeypatch: pytest.MonkeyPatch) -> Iterator[Exercise]:
    """Return an exercise of a kind that was just plugged in, in the catalogue."""
    rate_limits.forget()
    monkeypatch.setitem(KINDS, "truth", TrueOrFalse())
    like = catalog.exercise("first-in")
    texts = {name: msgspec.to_builtins(getattr(like, name)) for name in ("en", "zh_hans", "zh_hant")}
    plain = {
        "kind": "truth",
        "truth": {"holds": {"path": "queue.lanes.q4.messages", "value": 6}},
        "minutes": 3,
        "rules": ["Q20"],
        "scenario": like.scenario,
        "go_on": msgspec.to_builtins(like.go_on),
        "wrong": [{"answer": "false", "feedback": "_other"}],
        "slug": "all-in-q4",
        "unit": like.unit,
        **texts,
    }
    made = catalog.read(plain)
    known = {**catalog.exercises(), made.slug: made}
    unit = msgspec.structs.replace(
        catalog.unit(like.unit), exercises=(*catalog.unit(like.unit).exercises, made.slug)
    )
    others = tuple(unit if each.slug == unit.slug else each for each in catalog.units())
    monkeypatch.setattr(catalog, "exercises", lambda: known)
    monkeypatch.setattr(catalog, "units", lambda: others)
    yield made
    rate_limits.forget()


def test_a_kind_that_is_plugged_in_is_graded(truth: Exercise) -> None:
    assert solution_of(truth) == "true"
    assert grade(truth, "true").passed
    assert grade(truth, "false").feedback == ("_other",)
    assert fewest_wrong(truth) == len(truth.wrong) == 1


@pytest.mark.django_db
def test_a_kind_that_is_plugged_in_has_its_page(truth: Exercise, client: Client) -> None:
    address = f"/learn/{truth.unit}/{truth.slug}/"
    client.post(f"{address}begin")
    page = client.get(address).content.decode()
    assert "it does not" in page
    assert "is-held" in page
    client.post(f"{address}answer", {"answer": "false"})
    assert "It is the other way round." in client.get(address).content.decode()
    assert Work.objects.get().locked


@pytest.mark.django_db
def test_a_class_votes_on_a_kind_that_is_plugged_in_and_exports_it(truth: Exercise, client: Client) -> None:
    assert truth in asking.votable()
    teacher = User.objects.create_user("t", password="x")
    classroom = services.make_class(teacher, "Brokers", [truth.unit], 30)
    student = services.join(client.session, classroom.join_code, "owl")
    vote = asking.open_vote(classroom, truth.slug)
    asking.cast(vote, student, "false")
    asking.lead(vote, "reveal", "first")
    rows = asking.results(vote, "en")
    assert {row["id"]: (row["first"], row["right"]) for row in rows} == {
        "false": (1, False),
        "true": (0, True),
    }
    assert truth.slug in selectors.csv_text(selectors.csv_rows(classroom))
    assert kind_of(truth).solution_lines(truth, truth.en) == ["true"]


@pytest.mark.django_db
def test_a_teacher_makes_an_exercise_of_a_kind_that_is_plugged_in(truth: Exercise, client: Client) -> None:
    client.force_login(User.objects.create_user("t", password="x"))
    reply = client.post("/s/new", {"profile": "classroom"})
    session = reply["Location"].strip("/").split("/")[-1]
    record.record_command(session, 0, 1_000_000, {"do": "publish", "count": 6, "size_bytes": 6000})
    record.note_progress(session, 2_000_000, "")
    address = f"/learn/made/from/{session}/"
    page = client.get(address, {"kind": "truth"}).content.decode()
    assert "predict: true or false" in page
    assert "What holds, or does not" in page
    form = {"kind": "truth", "title": "All?", "task": "Six come.", "explain": "They fit.", "keep": "1"}
    asked = {"observable-1": "q4", "op-1": "==", "value-1": "6"}
    assert client.post(address, {**form, **asked}).status_code == 302
    made = catalog.exercise(Made.objects.get().slug)
    assert solution_of(made) == "true"


def test_a_file_of_no_kind_is_refused_by_name() -> None:
    with pytest.raises(msgspec.ValidationError, match="no kind is called 'dream'; known: choice"):
        catalog.read({"kind": "dream"})


def test_nobody_asks_for_a_kind_by_its_name() -> None:
    """What differs from kind to kind is asked of the kind, or the next one would be forgotten somewhere."""
    places = [ROOT / "playground" / "classroom", ROOT / "playground" / "exercises", ROOT / "templates"]
    by_name = rf"kind\s*(==|!=|in)\s*[({{\[]?[\"']({'|'.join(KINDS)})[\"']"
    asking = [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for place in places
        for path in sorted(each for each in place.rglob("*") if each.suffix in {".py", ".html"})
        if (
            found := re.search(
                rf"(exercise|each|found)\.kind\s*(==|!=|in\b)|{by_name}", path.read_text("utf-8")
            )
        )
    ]
    assert asking == []


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_says_what_pages_need(name: str) -> None:
    kind = KINDS[name]
    assert kind.name == name
    assert str(kind.label)
    assert str(kind.button)
    assert (ROOT / "templates" / kind.template).is_file()
    assert any(each.kind == name for each in catalog.exercises().values())
