"""What the articles name is seen in runs: each mechanism leads to scenarios that are held to what they claim."""

from __future__ import annotations

import re
from pathlib import Path

from playground import library, verdicts
from playground.subjects import SUBJECTS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "coverage-of-the-articles.md"
ENTRIES = {each.slug: each for each in library.entries()}


def test_every_subject_has_its_mechanisms_and_none_stands_twice() -> None:
    known = verdicts.mechanisms()
    assert {each.subject for each in known} == set(SUBJECTS)
    assert len({(each.subject, each.claim) for each in known}) == len(known)
    assert len(known) >= 164
    assert [each.subject for each in known] == sorted(each.subject for each in known)


def test_every_mechanism_is_seen_in_a_run_that_claims_something() -> None:
    for each in verdicts.mechanisms():
        for slug in each.seen:
            assert slug in ENTRIES, f"{each.claim}: there is no scenario {slug}"
            assert ENTRIES[slug].story.claims, slug
            assert ENTRIES[slug].story.prediction, slug


def test_every_scenario_shows_something_that_the_articles_name() -> None:
    seen = {slug for each in verdicts.mechanisms() for slug in each.seen}
    asked = {slug for slug, entry in ENTRIES.items() if entry.story.questions and "mirrors" not in slug}
    assert set(ENTRIES) - seen - asked == set(), "it shows a mechanism, or answers a question"


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
        if command["do"] == "declare_queue" and not command.get("passive")
    }
    assert {name for name in names if len(name) < 4 or name in {"once", "mine", "test", "queue"}} == set()
