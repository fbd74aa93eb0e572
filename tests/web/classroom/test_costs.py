"""What a student's answer and page cost the database, counted: hundreds may come at once."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from playground.classroom.models import Classroom
from playground.exercises.models import Attempt
from tests.web.classroom.people import join

PLACE = "/learn/waterline/first-in/"
WRITES = ("INSERT", "UPDATE", "DELETE")


def _statements(of: CaptureQueriesContext) -> tuple[int, list[str]]:
    """Return how many statements there were, and which of them write where."""
    said = [each["sql"].replace('"', "").split() for each in of.captured_queries]
    return len(said), [
        f"{words[0]} {words[2 if words[0] == 'INSERT' else 1]}" for words in said if words[0] in WRITES
    ]


@pytest.mark.django_db
def test_an_answer_is_one_transaction_and_a_page_that_was_seen_writes_nothing(classroom: Classroom) -> None:
    client = join(classroom, "owl")
    client.post(PLACE + "begin")
    client.post(PLACE + "answer", {"answer": "q4"})
    client.get(PLACE)
    with CaptureQueriesContext(connection) as answered:
        client.post(PLACE + "answer", {"answer": "q4"})
    count, writes = _statements(answered)
    assert writes == ["INSERT exercises_attempt", "UPDATE exercises_work"]
    assert count <= 11, "with the savepoint that is its transaction outside of a test"
    with CaptureQueriesContext(connection) as seen:
        client.get(PLACE)
    count, writes = _statements(seen)
    assert writes == []
    assert count <= 6
    assert Attempt.objects.count() == 2
