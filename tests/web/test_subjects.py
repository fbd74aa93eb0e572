"""The subjects with their verdicts, the way from a rule to its subject, and the words explained."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client
from django.utils import translation

from engine.broker.commands.scenario import parse
from engine.classic_v1.settings import QueueSettings
from playground import verdicts
from playground.exercises import catalog
from playground.models import Scenario
from playground.sessions import scenario_links
from playground.storybook import ready_scenarios
from playground.storybook.cards import SUBJECTS, card
from playground.storybook.entry import LibraryEntry
from playground.storybook.rehearsal import rehearse
from playground.storybook.story import KEYS, localized
from playground.templatetags.waterline import terms
from playground.verdicts import words_of
from playground.web.live_page import story_for_page
from tests.conftest import RECORDINGS
from tests.web.test_translations import MAINLAND, SIMPLIFIED, TRADITIONAL

pytestmark = pytest.mark.django_db


def test_every_subject_has_a_verdict_in_three_languages() -> None:
    assert set(verdicts.verdicts()) == set(SUBJECTS)
    for each in verdicts.verdicts().values():
        for texts in (each.claim, each.finding):
            assert set(texts) == set(KEYS.values()), each.slug
        assert each.rules, each.slug
    assert len({each.slug for each in verdicts.verdicts().values()}) == len(SUBJECTS)


def test_chinese_is_in_its_script() -> None:
    every = [text for each in verdicts.verdicts().values() for text in (each.claim, each.finding)]
    every += [each.text for each in verdicts.glossary().values()]
    every += [each.in_3_8.finding for each in verdicts.verdicts().values() if each.in_3_8]
    for texts in every:
        assert isinstance(texts, dict)
        assert not TRADITIONAL.intersection(texts["zh_Hans"]), texts["zh_Hans"]
        assert not SIMPLIFIED.intersection(texts["zh_Hant"]), texts["zh_Hant"]
        assert [word for word in MAINLAND.split() if word in texts["zh_Hant"]] == [], texts["zh_Hant"]


@pytest.mark.parametrize(
    ("rule", "slug"),
    [
        ("Q21", "five-lanes"),
        ("Q12", "embed-threshold"),
        ("S185", "deleting-and-combining"),
        ("P17", "lazy-queues"),
    ],
)
def test_a_rule_leads_to_its_subject(client: Client, rule: str, slug: str) -> None:
    assert f'href="/subjects/{slug}/"' in client.get(f"/rules/{rule}").content.decode()


@pytest.mark.parametrize("language", ["en", "zh-hans", "zh-hant"])
def test_the_pages_speak_the_readers_language(client: Client, language: str) -> None:
    headers = {"accept-language": language}
    listed = client.get("/subjects/", headers=headers).content.decode()
    for each in verdicts.verdicts().values():
        claim = each.claim[KEYS[language]]  # type: ignore[index]
        assert re.sub(r"[\"'&<>].*", "", claim) in listed.replace("&#x27;", "'").replace("&quot;", '"')
        page = client.get(f"/subjects/{each.slug}/", headers=headers)
        assert page.status_code == 200
        assert f'lang="{language}"' in page.content.decode()


def test_a_subject_offers_the_runs_that_show_it(client: Client, library: list[Scenario]) -> None:
    assert library
    page = client.get("/subjects/lazy-queues/").content.decode()
    assert 'name="scenario" value="lazy-vs-default"' in page


def test_a_subject_that_is_none(client: Client) -> None:
    assert client.get("/subjects/nothing-of-the-kind/").status_code == 404


def test_words_are_marked_once_and_escaped() -> None:
    marked = terms("q3 and q3 <b>, journal.jif, x-queue-mode lazy")
    assert marked.count('data-term="q3"') == 1
    assert "<b>" not in marked
    assert 'data-term="journal">journal.jif</a>' in marked
    assert 'data-term="lazy"' in marked


def test_words_inside_of_chinese_are_marked() -> None:
    assert 'data-term="delta">delta</a>' in terms("从delta读一段到q3")


def test_the_glossary_explains_every_word(client: Client) -> None:
    page = client.get("/glossary/").content.decode()
    words = client.get("/glossary/words.json").json()
    for each in verdicts.glossary().values():
        assert f'id="{each.anchor}"' in page
        assert words[each.anchor]


NOT_IN_EVERY_RELEASE = (
    *("beta", "gamma", "delta", "q1", "q2", "q3", "q4", "lane", "target_ram_count", "watermark", "paging"),
    *("segment", "journal", "embedded", "lazy", "reduction", "batch", "mirror"),
)
"""Words for what only some releases have, or have otherwise."""


@pytest.mark.parametrize("term", NOT_IN_EVERY_RELEASE)
def test_a_word_names_the_releases_where_it_means_something_else(term: str) -> None:
    text = verdicts.glossary()[term].text
    assert isinstance(text, dict)
    assert {language for language in text if re.search(r"[34]\.(x|[0-9]+)", text[language])} == set(
        KEYS.values()
    )


def test_a_story_comes_with_the_words_that_its_reader_may_not_know(library: list[Scenario]) -> None:
    """Whoever opens a ready run finds each word of the glossary explained where it first comes."""
    found = next(each for each in library if each.slug == "busy-store-syncs")
    for language, mailbox in (("en", "mailbox"), ("zh-hans", "邮箱"), ("zh-hant", "信箱")):
        with translation.override(language):
            localised = story_for_page(found.story)
        assert localised["words"][mailbox] == "mailbox"
        assert set(localised["words"].values()) <= {each.anchor for each in verdicts.glossary().values()}
        assert localised["glossary"] == "/glossary/"


BROKERS_WORDS = re.compile(
    r"\b(mailbox(es)?|dirty|Erlang terms?|hibernates?|reduction|credit|fsync|embedded|prefetch|journal|segments?|"
    r"garbage|heartbeats?|requeued?|redelivered|target|fence|transactions?|exchanges?|channels?|backing queues?|"
    r"vhosts?|virtual hosts?|mirrors?|alarms?|watermark|lazy|unacked|batch)\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("entry", ready_scenarios.entries(), ids=lambda entry: entry.slug)
def test_the_brokers_words_are_in_the_glossary(entry: LibraryEntry) -> None:
    """A second-year student need not know them: where one comes first in a story, its meaning is a key away."""
    with translation.override("en"):
        localised = localized(entry.written)
    explained = words_of(localised)
    story = [
        localised[name]
        for name in ("question", "watch_for", "annotations", "prediction", "verdict")
        if name in localised
    ]
    used = {found[0].lower() for found in BROKERS_WORDS.finditer(json.dumps(story))}
    assert {
        word for word in used if word not in explained and word not in {"requeued", "hibernates"}
    } == set()


def test_what_a_3_8_does_is_proved_by_its_recordings() -> None:
    """V1-V10: a verdict for the articles' own release names traces that the engine repeats step for step."""
    for each in [each.in_3_8 for each in verdicts.verdicts().values()]:
        assert all(each.finding[language] for language in ("en", "zh_Hans", "zh_Hant"))
        for name in each.recordings:
            folder, file = ("questions", "3.8.9") if name == "questions" else ("3.8.9", name)
            assert (RECORDINGS / folder / f"{file}.json").exists(), name


@pytest.mark.parametrize("each", verdicts.verdicts().values(), ids=lambda each: each.slug)
def test_a_run_of_the_articles_broker_shows_each_verdict(each: verdicts.ArticleVerdict) -> None:
    """The scenario's claims hold of its run on 3.8.9 too, or those that the verdict states instead (V1-V10)."""
    entry = verdicts.articles_entry(each.in_3_8.run)
    assert each.in_3_8.run.at_us <= entry.run["until_us"]
    assert entry.story.claims
    played = rehearse(entry)
    assert (played.broken, played.refused) == ([], [])


def test_the_page_leads_to_that_run_at_its_moment(client: Client) -> None:
    for each in verdicts.verdicts().values():
        page = client.get(f"/subjects/{each.slug}/").content.decode()
        [packed, at_us] = re.findall(r'href="/x/([^/"]+)/\?at=(\d+)"', page)[0]
        assert int(at_us) == each.in_3_8.run.at_us
        assert scenario_links.unpacked(packed).entry.run["profile"] in verdicts.ARTICLES.profiles.values()


def test_a_node_of_3_8_answers_as_the_engine_is_set() -> None:
    """M3, M7-M12, A1-A5, F1: recorded from a real 3.8.9 and a real 3.10.8, which answer alike."""
    old, new = (
        json.loads((RECORDINGS / "questions" / f"{release}.json").read_text())
        for release in ("3.8.9", "3.10.8")
    )
    parts = ("settings", "process", "memory_alarm", "disk_alarm")
    assert {name: old[name] for name in parts} == {name: new[name] for name in parts}
    stores, node = parse({"version": 1, "profile": "articles"}).resolved()
    assert isinstance(stores, QueueSettings)
    initial, more = stores.msg_store_credit_disc_bound
    answered = {
        "vm_memory_high_watermark": node.vm_memory_high_watermark,
        "vm_memory_high_watermark_paging_ratio": node.vm_memory_high_watermark_paging_ratio,
        "disk_free_limit": node.disk_free_limit,
        "credit_flow_default_credit": "{{{},{}}}".format(*node.credit_flow_default_credit),
        "msg_store_credit_disc_bound": f"{{{initial},{more}}}",
        "queue_index_embed_msgs_below": stores.queue_index_embed_msgs_below,
        "msg_store_file_size_limit": stores.msg_store_file_size_limit,
        "queue_index_max_journal_entries": stores.queue_index_max_journal_entries,
    }
    listed = ", ".join(f"{{{name},{value}}}" for name, value in answered.items())
    assert old["settings"]["defaults"] == f"[{listed}]"
    assert old["settings"]["memory_check_interval_ms"] == str(node.memory_check_interval_ms)
    alarm = old["memory_alarm"]
    assert (alarm["connection_that_published_before"], alarm["after_its_next_publish"]) == (
        "blocking",
        "blocked",
    )
    assert alarm["a_consumer_took"] == "before"
    assert alarm["state_after_four_heartbeats_without_a_reader"] == "blocked"
    assert alarm["watermark_before"] == alarm["watermark_after_a_restart"] != alarm["watermark_at_run_time"]
    assert old["disk_alarm"]["wanted_duration_and_disk_alarm"] == "[{infinity,true}]"
    for each in (old, new):
        assert "flow" in each["credit"]["states_of_a_connection_that_floods"]


def test_the_page_begins_with_the_reference_and_goes_on_with_the_articles_release(client: Client) -> None:
    page = client.get("/subjects/rdq-record/").content.decode()
    assert 0 < page.index("for RabbitMQ 3.10.8") < page.index("for RabbitMQ 3.8.9")


def test_every_subject_has_an_exercise_that_its_page_offers(client: Client) -> None:
    assert set(verdicts.exercised()) == set(SUBJECTS)
    for number, slugs in verdicts.exercised().items():
        assert slugs, number
        assert set(slugs) <= set(catalog.exercises()), number
    page = client.get("/subjects/credit-flow/").content.decode()
    assert "/learn/connections/slower-than-it-comes/" in page


def test_see_the_moment_asks_for_the_prediction_before_it_shows_the_answer() -> None:
    moved = 0
    for entry in ready_scenarios.entries():
        verdict, prediction = entry.story.verdict, entry.story.prediction
        if verdict and prediction and verdict.evidence_at_us >= prediction.at_us:
            moved += 1
            assert card(entry, "x").asked_us == prediction.ask_at_us, entry.slug
    assert moved > 10
