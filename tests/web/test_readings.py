"""The page before an exercise: its sentences, and its run with the numbers that somebody dragged."""

from __future__ import annotations

import pytest
from django.test import Client

from playground.exercises import catalog, task

pytestmark = pytest.mark.django_db
PAGE = "/learn/waterline/first-in/read/"


@pytest.mark.parametrize("language", ["en", "zh-hans", "zh-hant"])
def test_every_reading_has_its_page(client: Client, language: str) -> None:
    for each in task.readings().values():
        exercise = catalog.exercise(each.exercises[0])
        address = f"/learn/{exercise.unit}/{exercise.slug}/read/"
        page = client.get(address, headers={"accept-language": language}).content.decode()
        texts = each.texts(language)
        assert texts.title in page
        for sentence in texts.sentences.values():
            assert sentence.replace("'", "&#x27;") in page
        assert page.count('href="https://') == 3, "what carries over names its sources"


def test_the_page_is_linked_before_the_exercise_and_leads_there(client: Client) -> None:
    assert f'href="{PAGE}"' in client.get("/learn/waterline/first-in/").content.decode()
    assert 'href="/learn/waterline/first-in/"' in client.get(PAGE).content.decode()


def test_dragged_numbers_stand_in_the_sentences_and_in_the_run(client: Client) -> None:
    few, many = (client.get(f"{PAGE}run.json?count={count}").json() for count in (2, 9))
    assert "all 2 messages" in few["sentences"]["q4"]
    assert "all 9 messages" in many["sentences"]["q4"]
    assert few["holds"] == many["holds"] == {"q4": True, "both": True, "two": True}
    assert len(few["rows"]) == len(few["at_us"])
    assert few["rows"] != many["rows"]
    assert "all 9 messages" in client.get(f"{PAGE}?count=9").content.decode(), "it works without scripts"


@pytest.mark.parametrize(
    "query", ["count=99", "count=-1", "count=", "count=x", "count=9&size=1", "size=4501"]
)
def test_numbers_out_of_range_are_refused(client: Client, query: str) -> None:
    assert client.get(f"{PAGE}run.json?{query}").status_code == 404
    assert client.get(f"{PAGE}?{query}").status_code == 404


def test_there_is_no_page_before_what_is_no_exercise(client: Client) -> None:
    assert client.get("/learn/waterline/no-such/read/").status_code == 404
    assert client.get("/learn/pressure/first-in/read/").status_code == 404
