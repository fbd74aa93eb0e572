"""The page of a worked example: it is a form by GET, and closed where the exercise is."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from playground.exercises import learners, task
from playground.texts import PageMessage
from tests.unit.exercises.test_examples import last_placed

AT = "/learn/waterline/first-paging/example/"


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "zh-hans", "zh-hant"])
def test_the_page_has_an_example_done_and_one_with_a_step_left(client: Client, language: str) -> None:
    page = client.get(AT, headers={"accept-language": language})
    assert page.status_code == 200
    text = page.content.decode()
    names = task.examples("first-paging")[0].faded.texts(language).steps
    assert [text.count(f"<b>{name}</b>") for name in names] == [3, 3, 3]
    assert len(re.findall(r'<select class="select"', text)) == 9, "eight wait, and one is published"


@pytest.mark.django_db
def test_the_last_step_is_judged_on_the_page(client: Client) -> None:
    right = last_placed("first-paging")
    assert "Right" in client.get(AT, right).content.decode()
    wrong = client.get(AT, {**right, "place-0": "q2"}).content.decode()
    assert "Not quite" in wrong
    assert re.search(r'<option value="q2"\s+selected', wrong), "what was given stays"
    assert "Say of every message where it is." in client.get(AT, {"place-0": "q2"}).content.decode()


@pytest.mark.django_db
def test_the_exercise_leads_to_its_example(client: Client) -> None:
    assert AT in client.get("/learn/waterline/first-paging/").content.decode()
    assert "/example/" not in client.get("/learn/waterline/first-in/").content.decode()
    assert client.get("/learn/waterline/first-in/example/").status_code == 404
    assert client.get("/learn/pressure/first-paging/example/").status_code == 404


@pytest.mark.django_db
def test_who_may_not_see_the_exercise_does_not_see_the_example(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post("/learn/waterline/first-paging/begin")
    assert client.get(AT).status_code == 200
    monkeypatch.setattr(learners, "_gates", [lambda _learner, _slug, _hidden: PageMessage("not now")])
    assert client.get(AT).status_code == 423
