"""Exercises of version 1 say what today's release does instead; each sentence is one that a run of it proves."""

from __future__ import annotations

import pytest
from django.utils import translation

from playground import verdicts
from playground.exercises import catalog, task

pytestmark = pytest.mark.django_db


def test_what_changed_is_said_with_the_subject_that_proves_it() -> None:
    found = task.otherwise(catalog.exercise("first-in"))
    assert [each.verdict for each in found] == ["gone"]
    assert found[0].text == verdicts.todays_verdicts()[11].finding["en"]  # type: ignore[index]
    assert found[0].address == "/subjects/five-lanes/"


def test_a_cluster_says_that_mirrors_are_gone() -> None:
    texts = [each.text for each in task.otherwise(catalog.exercise("late-mirror"))]
    assert any("4.3.6 has no mirrored queues (W75)" in text for text in texts)


@pytest.mark.parametrize("language", ["en", "zh-hans", "zh-hant"])
def test_every_exercise_is_asked_in_every_language(language: str) -> None:
    with translation.override(language):
        every = [task.otherwise(each) for each in catalog.exercises().values()]
    assert sum(map(bool, every)) > len(every) // 2
    assert all(each.text for found in every for each in found)
