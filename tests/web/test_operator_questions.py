"""What operators typed in public is answered by the search, by Inspect, or by the console of a session."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client
from django.utils import translation

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.ctl import console
from engine.storage.ledger import LedgerStorage
from playground import rules, verdicts
from playground.inspecting import reading
from playground.storybook import ready_scenarios
from playground.verdicts import answered, answers
from tests.conftest import ROOT

pytestmark = pytest.mark.django_db

TYPED = [
    ("store-too-large", "msg_store_persistent hundreds of times larger than queued messages"),
    ("store-too-large", "rdq files fill the disk but queues are empty"),
    ("store-too-large", "disk space usage grows 4.0.8"),
    ("messages-ram", "messages_ram 2048 of 120000"),
    ("messages-ram", "messages_ram"),
    ("lazy-needed", "is lazy still needed in 4.0"),
    ("lazy-needed", "x-queue-mode lazy 4.x"),
    ("more-memory", "4.0.4 takes more memory than 3.13.7"),
    ("more-memory", "high memory after upgrade"),
    ("more-memory", "more memory than before"),
    ("above-the-paging-line", "memory above 20 % though the ratio is 0.5 x 0.4"),
    ("above-the-paging-line", "vm_memory_high_watermark_paging_ratio"),
    ("ready-with-a-consumer", "Ready though a consumer is connected"),
    ("ready-with-a-consumer", "messages ready but not delivered"),
    ("watermark-set", "vm_memory_high_watermark set"),
    ("watermark-set", "memory alarm publishers blocked"),
    ("confirm-and-disk", "does a confirm mean it is on disk"),
    ("confirm-and-disk", "fsync confirm"),
    ("small-bodies", "where do bodies below 4 kB lie"),
    ("small-bodies", "small messages 4096 stored"),
    ("container-made-anew", "all gone after the container was made anew"),
    ("container-made-anew", "docker hostname"),
    ("error-541", "541 INTERNAL_ERROR"),
    ("error-541", "crashed queue"),
    (
        "dropped-after-unclean-shutdown",
        "dropped 0/40/0 persistent messages and 0 transient messages after unclean shutdown",
    ),
]


@pytest.mark.parametrize(("slug", "typed"), TYPED)
def test_the_first_thing_that_a_search_finds_is_the_answer(client: Client, slug: str, typed: str) -> None:
    found = client.get("/rules/", {"q": typed}, headers={"hx-request": "true"}).content.decode()
    [first, *_] = re.findall(r'aria-labelledby="asked-([a-z0-9-]+)"', found)
    assert first == slug
    assert found.index("asked-") < found.index("rule-list") if "rule-list" in found else True


@pytest.mark.parametrize(
    "typed", ["Q46", "S60-S63", "journal flush", "zebra unicorn", "gamma", "direct delivery"]
)
def test_who_asks_something_else_is_not_answered(typed: str) -> None:
    assert answered(typed) == []


@pytest.mark.parametrize("language", ["en", "zh-hans", "zh-hant"])
def test_a_question_finds_its_answer_in_each_language(language: str) -> None:
    with translation.override(language):
        assert [answered(each.question)[0].slug for each in answers()] == [each.slug for each in answers()]


def test_an_answer_names_rules_subjects_and_scenarios_that_there_are(client: Client) -> None:
    for each in answers():
        cited = set(re.findall(r"\b[A-Z]\d{1,3}\b", each.text))
        assert cited <= set(each.rules), each.slug
        assert all(rules.find(rule) for rule in each.rules), each.slug
        assert not each.subject or verdicts.by_slug(each.subject), each.slug
        assert all(map(ready_scenarios.entry, each.scenarios)), each.slug
    page = client.get("/rules/", {"q": "store larger than the queues"}).content.decode()
    assert 'href="/inspect/">Inspect</a>' in page
    assert 'href="/subjects/deleting-and-combining/"' in page


def test_commands_that_an_answer_names_are_answered_by_the_console_of_each_release() -> None:
    lines = {line for each in answers() for line in each.commands}
    assert len(lines) >= 5
    for profile in ("real", "4.0.5", "4.3.6"):
        node = Cluster(parse({"version": 1, "profile": profile, "commands": []}), LedgerStorage())
        node.advance(1_000_000)
        for line in lines:
            assert console.ask_node(node, line).code == 0, (profile, line)


def test_the_memory_of_a_fresh_node_is_as_recorded() -> None:
    [said] = [each.text for each in answers() if each.slug == "more-memory"]
    for release in ("3.10.8", "4.0.5"):
        recorded = json.loads((ROOT / "tests" / "ctl" / "recorded" / release / "idle.json").read_text())
        [text] = [each["text"] for each in recorded if "memory_breakdown --unit bytes" in each["line"]]
        code = int(re.search(r"^code: (\d+) bytes", text, re.MULTILINE)[1])  # type: ignore[index]
        assert re.search(rf"{re.escape(release)}\D+{code // 1_000_000} MB", said)


@pytest.mark.parametrize(
    ("listing", "code"),
    [
        ({"name": "q", "messages": 120000, "messages_ram": 2048, "storage_version": 2}, "counters_only"),
        (
            {
                "name": "q",
                "messages": 50,
                "messages_ram": 50,
                "messages_ready": 40,
                "messages_unacknowledged": 10,
                "consumers": 1,
            },
            "ready_with_consumers",
        ),
    ],
)
def test_inspect_answers_from_what_a_listing_says(listing: dict[str, object], code: str) -> None:
    found = reading.listing(json.dumps([listing]))["figures"][0]["questions"]
    assert code in [each[0] for each in found]
