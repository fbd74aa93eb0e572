"""Subjects answer for three releases: each verdict of 4.3 is proved by a run at the moment to which its page leads."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from engine.releases import RELEASES
from playground import rules, verdicts
from playground.models import Scenario
from playground.storybook import ready_scenarios
from playground.storybook.cards import SUBJECTS
from playground.storybook.rehearsal import rehearse
from tests.helpers.todays_entry import todays_entry
from tests.web.test_translations import MAINLAND, SIMPLIFIED, TRADITIONAL

pytestmark = pytest.mark.django_db


def test_every_subject_has_a_verdict_for_today_with_rules_that_exist() -> None:
    assert verdicts.todays_verdicts().keys() == SUBJECTS.keys()
    for each in verdicts.todays_verdicts().values():
        assert isinstance(each.finding, dict)
        assert not TRADITIONAL.intersection(each.finding["zh_Hans"]), each.number
        assert not SIMPLIFIED.intersection(each.finding["zh_Hant"]), each.number
        assert [word for word in MAINLAND.split() if word in each.finding["zh_Hant"]] == [], each.number
        for span in each.rules:
            assert all(end in rules.by_id() for end in span.split("-")), span


@pytest.mark.parametrize("each", verdicts.todays_verdicts().values(), ids=lambda each: str(each.number))
def test_a_run_of_todays_broker_shows_each_verdict(each: verdicts.TodaysVerdict) -> None:
    entry = todays_entry(each.run)
    assert each.run.at_us <= entry.run["until_us"]
    assert entry.story.claims
    played = rehearse(entry)
    assert (played.broken, played.refused) == ([], [])


def test_readers_of_the_articles_are_told_what_changed_since() -> None:
    """In each language, where an article speaks of it: the one version, prefetch, sizes, Khepri, interceptors."""
    told = {
        11: ("4.0", "4.3.6"),
        18: ("global", "4.3"),
        26: ("16 MiB", "max_message_size"),
        28: ("Khepri", "4.3.0", "4.3.5", "4.3.6"),
        30: ("4.2",),
    }
    for number, names in told.items():
        for finding in verdicts.todays_verdicts()[number].finding.values():
            assert [name for name in names if name not in finding] == [], number


def test_no_claim_that_was_wrong_for_the_reference_is_called_true_of_today() -> None:
    """Nothing of what the articles say wrongly of 3.10 became true in 4.x, so a true one is whole true of both."""
    true = {number for number, each in verdicts.todays_verdicts().items() if each.verdict == "true"}
    assert true
    by_number = {each.number: each for each in verdicts.verdicts().values()}
    assert {number for number in true if by_number[number].verdict != "true"} == set()


def test_pages_lead_to_three_releases(client: Client, library: list[Scenario]) -> None:
    assert library
    listed = client.get("/subjects/").content.decode()
    assert listed.count('<ul class="releases"') == len(SUBJECTS)
    page = client.get("/subjects/disk-alarm/").content.decode()
    assert re.search(r'href="/r/[2-9a-z]+/\?at=6000000&amp;release=4\.3"', page)
    own = client.get("/subjects/lazy-queues/").content.decode()
    assert re.search(r'href="/r/[2-9a-z]+/\?at=3000000"', own)
    for each in verdicts.verdicts().values():
        assert ready_scenarios.entry(verdicts.todays_verdicts()[each.number].run.scenario), each.slug


def test_each_of_the_thirty_rows_answers_for_three_releases(client: Client, library: list[Scenario]) -> None:
    """Each answer is a verdict in words and a link; the page names the releases that it answers for."""
    assert library
    listed = client.get("/subjects/").content.decode()
    rows = re.findall(r'<ul class="releases".*?</ul>', listed, re.DOTALL)
    assert len(rows) == 30
    for row in rows:
        answers = re.findall(
            r'<li class="is-(\w+)">\s*<a href="(/[rx]/[^"]+\?at=\d+[^"]*)"[^>]*><b>([\d.]+)</b>', row
        )
        assert [release for _verdict, _address, release in answers] == ["3.8", "3.10", "4.3"]
        assert all(
            verdict in {"true", "depends", "changed", "gone", "false"}
            for verdict, _address, _release in answers
        )
    for name in ("3.8.9", "3.10.8", "4.3.6"):
        assert name in re.sub(r"<ul.*", "", listed, flags=re.DOTALL), name


def test_the_tally_counts_the_thirty_subjects_on_each_release(client: Client) -> None:
    listed = client.get("/subjects/").content.decode()
    tally = re.findall(r'<ul class="tally".*?</ul>', listed, re.DOTALL)[0]
    counts = [[int(each) for each in re.findall(r"[✓✗∅≈]\s+(\d+)", line)] for line in tally.split("</li>")]
    assert [sum(each) for each in counts if each] == [30, 30, 30]


def test_the_rules_name_every_release_whose_code_they_were_read_from(client: Client) -> None:
    lead = client.get("/rules/").content.decode()
    assert all(each.name in lead for each in RELEASES.values())
