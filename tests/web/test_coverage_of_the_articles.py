"""What the articles name is seen in runs: each mechanism leads to scenarios that are held to what they claim."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from django.test import Client
from django.utils import translation
from msgspec.structs import replace

from playground import verdicts
from playground.models import Scenario
from playground.storybook import ready_scenarios
from playground.storybook.cards import SUBJECTS
from playground.storybook.rehearsal import rehearse
from playground.storybook.story import KEYS, in_language
from playground.web import live_page
from tests.helpers.terms import terms_of
from tools.catalogue.coverage import articles, judgements, said_near
from tools.catalogue.drawn_items import drawn, lines

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "coverage-of-the-articles.md"
ENTRIES = {each.slug: each for each in ready_scenarios.entries()}


def test_every_subject_has_its_mechanisms_and_none_stands_twice() -> None:
    known = verdicts.mechanisms()
    assert {each.subject for each in known} == set(SUBJECTS)
    assert len({(each.subject, in_language(each.claim, "en")) for each in known}) == len(known)
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
    items = [item for article in articles() for item in article.numbered()]
    told = [item for each in verdicts.mechanisms() for item in each.items]
    assert sorted(told) == sorted(items)
    assert [len(article.items) for article in articles()] == [109, 28, 82, 33, 81]


def test_rows_are_marked_where_3_10_differs_and_what_is_only_told_is_counted_apart() -> None:
    known = verdicts.mechanisms()
    marked = [in_language(each.claim, "en") for each in known if each.verdict != "true"]
    assert {"The policy wins over the argument", "There is exactly one message store in a node"} <= set(
        marked
    )
    assert 65 <= len(marked) < len(known) / 3
    for subject in verdicts.verdicts().values():
        rows = {each.verdict for each in known if each.subject == subject.number}
        assert subject.verdict == "true" or rows != {"true"}, (
            f"subject {subject.number}: no row says what differs"
        )
    told = [item for each in known for item in each.told]
    assert all(set(each.told) <= set(each.items) for each in known)
    assert len(told) == len(set(told)) == 9


def said(scenario: str, at_us: int) -> set[str]:
    """Return the terms of what a run's story says near a moment."""
    return terms_of(" ".join(said_near(ENTRIES[scenario], at_us)))


def test_at_each_cited_moment_the_run_itself_speaks_of_the_row() -> None:
    for each in verdicts.mechanisms():
        claim = in_language(each.claim, "en")
        for seen in each.seen:
            at_us = ENTRIES[seen.scenario].run["until_us"] if seen.at_us is None else seen.at_us
            assert said(seen.scenario, at_us) & terms_of(claim), (claim, seen.scenario, at_us)


def test_a_moment_without_a_word_of_the_row_would_be_found() -> None:
    assert said("first-burst", 6_000_000) == set()
    assert not said("first-burst", 1_900_000) & terms_of("The watermark can be absolute")


def test_eighty_items_were_drawn_and_judged_and_none_is_left_that_is_not_shown() -> None:
    told = {item for each in verdicts.mechanisms() for item in each.told}
    first, second = judgements()
    assert list(second.items) == drawn(second.seed, 80)
    assert set(first.items).isdisjoint(second.items)
    for judgement in (first, second):
        assert {item for item, (_found, now) in judgement.items.items() if now == "told"} == told & set(
            judgement.items
        )
        assert {now for _found, now in judgement.items.values()} <= {"shown", "told"}
    printed = "\n".join(lines(second.seed, 80))
    for item in second.items:
        assert f"{item}: " in printed


@pytest.mark.parametrize("language", KEYS)
def test_whoever_opens_a_cited_moment_reads_there_what_it_shows(language: str) -> None:
    """In the row's own words and within a tenth of a second, with the mark for 3.10."""
    moments = 0
    with translation.override(language):
        articles = {
            slug: live_page.articles_on(slug, entry.run["until_us"]) for slug, entry in ENTRIES.items()
        }
        for each in verdicts.mechanisms():
            for seen in each.seen:
                until_us = ENTRIES[seen.scenario].run["until_us"]
                at_us = until_us if seen.at_us is None else seen.at_us
                told = articles[seen.scenario]["rows"]
                said = {"claim": in_language(each.claim, language), "verdict": each.verdict}
                assert any(at_us in row["at_us"] and said.items() <= row.items() for row in told)
                assert len(told) < len(verdicts.mechanisms())
                moments += 1
    assert moments >= 338


@pytest.mark.parametrize("language", KEYS)
def test_every_row_is_in_the_readers_language(language: str) -> None:
    texts = [in_language(each.claim, language) for each in verdicts.mechanisms()]
    assert all(texts)
    own = [text for text in texts if re.search("[\u4e00-\u9fff]", text)]
    bare = {"rabbitmqctl set_policy", "rabbitmqctl set_disk_free_limit mem_relative"}
    assert len(own) == (0 if language == "en" else len(texts) - len(bare))


@pytest.mark.django_db
def test_the_page_of_the_moment_has_the_row(client: Client, library: list[Scenario]) -> None:
    kept = next(each for each in library if each.slug == "embed-4092-4093")
    headers = {"accept-language": "zh-hant"}
    page = client.get(f"/r/{kept.short_id}/?at=1900000", headers=headers, follow=True).content.decode()
    shown = json.loads(re.search(r'<script[^>]*id="live-data"[^>]*>(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert shown["place"]["at_us"] == 1_900_000
    row = {"at_us": [1_900_000], "claim": "小訊息就放在索引裡", "verdict": "true"}
    assert row in shown["story"]["articles"]["rows"]


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
