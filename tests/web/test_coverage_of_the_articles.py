"""What the articles name is seen in runs: each mechanism leads to scenarios that are held to what they claim."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client
from msgspec.structs import replace

from playground import verdicts
from playground.library import ready_scenarios
from playground.storybook.cards import SUBJECTS
from playground.storybook.rehearsal import rehearse

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "coverage-of-the-articles.md"
ENTRIES = {each.slug: each for each in ready_scenarios.entries()}


def test_every_subject_has_its_mechanisms_and_none_stands_twice() -> None:
    known = verdicts.mechanisms()
    assert {each.subject for each in known} == set(SUBJECTS)
    assert len({(each.subject, each.claim) for each in known}) == len(known)
    assert len(known) >= 164
    assert [each.subject for each in known] == sorted(each.subject for each in known)


def test_every_mechanism_is_seen_at_a_moment_of_a_run_that_asks_first() -> None:
    """That its claim holds there, tests/web/test_library.py shows with the run's own claims."""
    for each in verdicts.mechanisms():
        for seen in each.seen:
            assert seen.scenario in ENTRIES, f"{each.claim}: there is no scenario {seen.scenario}"
            entry = ENTRIES[seen.scenario]
            assert (seen.at_us or 0) <= entry.run["until_us"], each.claim
            assert entry.story.prediction, seen.scenario


def test_every_item_of_the_articles_is_shown_once() -> None:
    items = [item for article in verdicts.articles() for item in article.numbered()]
    told = [item for each in verdicts.mechanisms() for item in each.items]
    assert sorted(told) == sorted(items)
    assert [len(article.items) for article in verdicts.articles()] == [109, 28, 82, 33, 81]


def test_rows_are_marked_where_3_10_differs_and_what_is_only_told_is_counted_apart() -> None:
    known = verdicts.mechanisms()
    marked = [each.claim for each in known if each.verdict != "true"]
    assert {"The policy wins over the argument", "There is exactly one message store in a node"} <= set(
        marked
    )
    assert 30 <= len(marked) < len(known) / 3
    told = [item for each in known for item in each.told]
    assert all(set(each.told) <= set(each.items) for each in known)
    assert len(told) == len(set(told)) == 9


@pytest.mark.django_db
def test_the_page_of_a_subject_opens_each_run_at_its_moment(client: Client, library: object) -> None:
    page = client.get("/subjects/five-lanes/").content.decode()
    rows = [each for each in verdicts.mechanisms() if each.subject == 11]
    assert page.count('class="mechanism"') == len(rows) > 5
    assert "?at=7750000" in page, "where q1 becomes q4"


def test_a_claim_of_a_mechanism_that_is_wrong_would_be_found() -> None:
    wrong = [
        replace(claim, test=replace(claim.test, not_=claim.test, path=None, value=None, all=None))
        for claim in verdicts.claims_of("greek-letters")
    ]
    assert len(rehearse(ENTRIES["greek-letters"], more=wrong).broken) == len(wrong) > 3


def test_every_scenario_shows_something_that_the_articles_name() -> None:
    seen = {seen.scenario for each in verdicts.mechanisms() for seen in each.seen}
    asked = {slug for slug, entry in ENTRIES.items() if entry.story.questions and "mirrors" not in slug}
    older = {
        slug for slug, entry in ENTRIES.items() if entry.run["profile"] in ("classroom", "real", "articles")
    }
    assert older - seen - asked == set(), "it shows a mechanism, or answers a question"


def test_the_verdict_of_every_subject_has_a_run() -> None:
    judged = {entry.story.verdict.source for entry in ENTRIES.values() if entry.story.verdict}
    assert set(SUBJECTS) <= judged


def test_the_links_of_the_page_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", PAGE.read_text("utf-8"))
    assert len(links) >= 164
    assert [link for link in links if not (PAGE.parent / link).exists()] == []


def test_every_scenario_asks_before_it_shows() -> None:
    assert [slug for slug, entry in ENTRIES.items() if entry.story.prediction is None] == []


def test_at_least_ten_scenarios_have_real_constants() -> None:
    assert sum(entry.run["profile"] != "classroom" for entry in ENTRIES.values()) >= 10


def test_queues_have_telling_names() -> None:
    """A reader who sees the name of a queue knows what it is for."""
    names = {
        queue["name"]
        for entry in ENTRIES.values()
        for queue in (entry.run.get("topology") or {}).get("queues", [])
    } | {
        command["name"]
        for entry in ENTRIES.values()
        for command in entry.run["commands"]
        if command["do"] == "declare_queue" and command["name"] and not command.get("passive")
    }
    assert {name for name in names if len(name) < 4 or name in {"once", "mine", "test", "queue"}} == set()
