"""True, false or depends: a subject, its scenarios and their cards say the same of what the articles claim."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from playground import verdicts
from playground.models import Scenario
from playground.storybook import ready_scenarios

ENTRIES = ready_scenarios.entries()


def labels(number: int) -> set[str]:
    """Return how the scenarios judge the claims of one subject."""
    return {
        entry.story.verdict.verdict
        for entry in ENTRIES
        if entry.story.verdict and entry.story.verdict.source == number
    }


@pytest.mark.parametrize("subject", verdicts.verdicts().values(), ids=lambda each: each.slug)
def test_a_subject_is_judged_as_its_runs_are(subject: verdicts.ArticleVerdict) -> None:
    """True or false where all its runs say so; it depends where they differ, or one of them depends."""
    found = labels(subject.number)
    assert found, "no run shows what becomes of the claim"
    assert subject.verdict == (next(iter(found)) if len(found) == 1 else "depends")


def test_a_scenario_stands_on_the_page_of_the_subject_that_it_judges() -> None:
    judges = [(entry.slug, entry.story.verdict, entry.story.subjects) for entry in ENTRIES]
    assert [slug for slug, verdict, subjects in judges if verdict and verdict.source not in subjects] == []


@pytest.mark.parametrize(
    ("words", "label"),
    [(r"^True\b", "true"), (r"^(False|Neither)\b", "false"), (r"\bdepends on\b", "depends")],
)
def test_the_first_word_of_a_finding_is_its_label(words: str, label: str) -> None:
    verdicts_in_english = [
        (each.slug, each.finding["en"], each.verdict) for each in verdicts.verdicts().values()
    ]
    verdicts_in_english += [
        (entry.slug, entry.story.verdict.text["en"], entry.story.verdict.verdict)
        for entry in ENTRIES
        if entry.story.verdict
    ]
    begins = [(slug, verdict) for slug, text, verdict in verdicts_in_english if re.search(words, text[:60])]
    assert begins
    assert [slug for slug, verdict in begins if verdict not in (label, "depends")] == []


@pytest.mark.django_db
def test_the_pages_show_the_same_labels(client: Client, library: list[Scenario]) -> None:
    assert library
    listed = client.get("/subjects/").content.decode()
    judged = {entry.slug: entry.story.verdict.verdict for entry in ENTRIES if entry.story.verdict}
    cards = client.get("/library/").content.decode()
    for slug, verdict in judged.items():
        card = cards.partition(f'id="{slug}"')[2].partition("</li>")[0]
        assert f'class="verdict is-{verdict}"' in card, slug
    for subject in verdicts.verdicts().values():
        card = listed.partition(f'href="/subjects/{subject.slug}/"')[2].partition("card pad subject")[0]
        _older, reference, _todays = re.findall(r'<li class="is-(\w+)">', card)
        assert reference == subject.verdict, subject.slug


@pytest.mark.django_db
def test_the_page_of_a_subject_begins_with_the_runs_that_judge_it(
    client: Client, library: list[Scenario]
) -> None:
    """The claim on lazy queues is that the policy wins: the first runs must judge that subject, each its claim."""
    assert library
    page = client.get("/subjects/lazy-queues/").content.decode()
    places = [
        page.index(f'name="scenario" value="{slug}"')
        for slug in ("argument-beats-policy", "lazy-restart-embed")
    ]
    assert places == sorted(places)
    assert "If argument and policy both set the mode, the policy decides." in page
