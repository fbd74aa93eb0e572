"""The specification's pages: no id that is shown or cited leads nowhere."""

from __future__ import annotations

import functools
import html
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client

from playground import rules, verdicts
from playground.exercises import catalog
from playground.models import Scenario
from playground.rules import html as rendered
from playground.rules import search
from playground.templatetags.waterline import address, linked
from playground.typed_texts import ranked
from tests.rules import coverage

pytestmark = pytest.mark.django_db

NO_RULES = re.compile(
    r"noqa: [A-Z]+\d+(?:, ?[A-Z]+\d+)*|\b[A-Z]\d+\.\d+[Ll]|(?:path|d)[:=] ?[\"']M[^\"']*[\"']"
    r"|\"(?:items|told)\": \[[^\]]*\]|\"[A-E]\d+\": \[\"[a-z ]+\", \"[a-z ]+\"\]"
)
"""What looks like a rule and is none: a linter's code, the path of a drawing, the number of an article's sentence."""
CODE = {".py", ".js", ".html", ".json", ".toml", ".css"}


def cited_in(root: Path) -> Iterator[tuple[str, str]]:
    """Yield each id, or span of ids, that code, scenarios, subjects, exercises and templates cite, with its file."""
    for part in (
        "engine",
        "playground",
        "spark_jobs",
        "sweeps",
        "workloads",
        "templates",
        "static/js",
        "static/css",
    ):
        for path in sorted((root / part).rglob("*")):
            if path.suffix in CODE and not path.name.endswith(".findings.json"):
                text = NO_RULES.sub("", path.read_text(encoding="utf-8"))
                for found in coverage.RULE.finditer(text):
                    yield found[0], str(path.relative_to(root))


@functools.cache
def page_at(path: str) -> tuple[int, str]:
    """Return status and text of a page of the specification, asked for once: it is the same for everybody."""
    page = Client().get(path)
    return page.status_code, page.content.decode()


def test_every_rule_of_the_specification_has_a_page() -> None:
    every = rules.by_id()
    assert set(coverage.defined()) <= set(every)
    assert {f"V{number}" for number in range(1, 8)} <= set(every)
    for rule in every.values():
        status, page = page_at(f"/rules/{rule.id}")
        assert status == 200, rule.id
        assert rule.text.strip(), rule.id
        assert rendered(rule.text, rule.document, rule.id) in page


def test_every_id_that_is_cited_anywhere_has_a_page(repo_root: Path) -> None:
    places: dict[str, set[str]] = {}
    for rule, path in cited_in(repo_root):
        places.setdefault(rule, set()).add(path)
    assert len(places) > 200
    assert not {rule: sorted(found) for rule, found in places.items() if address(rule) is None}


def test_every_id_in_data_has_a_page(repo_root: Path) -> None:
    named = {span for each in verdicts.verdicts().values() for span in each.rules}
    named |= {rule for each in catalog.exercises().values() for rule in each.rules}
    for path in (repo_root / "playground" / "scenarios").glob("*.json"):
        named |= set(json.loads(path.read_text(encoding="utf-8")).get("verdict", {}).get("rules", []))
    assert len(named) > 60
    assert not {cited for cited in named if address(cited) is None}


@pytest.mark.parametrize("page", ["", "queue/", "storage/", "mirrors/", "Q46", "S60", "V1"])
def test_no_link_of_these_pages_leads_nowhere(page: str) -> None:
    def text(of: str) -> str:
        return page_at(f"/rules/{of}")[1]

    anchors = {name: set(re.findall(r'id="([^"]+)"', text(f"{name}/"))) for name in rules.documents()}
    followed = set()
    for link in set(re.findall(r'href="(/rules/[^"]*)"', text(page))):
        place, _, anchor = html.unescape(link).partition("#")
        if place not in followed:
            followed.add(place)
            assert page_at(place)[0] == 200, link
        if anchor:
            assert anchor in anchors[place.split("/")[2]], link
    assert followed


def test_text_that_cites_leads_on(client: Client) -> None:
    page = client.get("/rules/Q46").content.decode()
    assert 'href="/rules/Q54"' not in page
    assert '<a href="/rules/queue/#section-25">§25</a>' in page
    assert '<a href="/rules/Q46">' not in page
    assert '<a href="/rules/queue/#section-21">queue.md §21</a>' in client.get("/rules/H73").content.decode()
    assert '<a href="/rules/S33">B1</a>' in client.get("/rules/S255").content.decode()


@pytest.mark.parametrize(
    ("cited", "to"),
    [("q46", "/rules/Q46"), ("S63.2", "/rules/S63"), ("B1", "/rules/S33"), ("queue", "/rules/queue/")],
)
def test_other_ways_to_write_an_id_lead_to_its_page(client: Client, cited: str, to: str) -> None:
    answer = client.get(f"/rules/{cited}")
    assert (answer.status_code, answer["Location"]) == (301, to)


@pytest.mark.parametrize("cited", ["Q999", "Z1", "S59", "nonsense", "<b>"])
def test_an_unknown_id_says_so_and_helps_on(client: Client, cited: str) -> None:
    page = client.get(f"/rules/{cited}")
    text = page.content.decode()
    assert page.status_code == 404
    assert html.escape(cited) in text
    assert '<form class="filters" action="/rules/"' in text
    assert "<b>" not in text


@pytest.mark.parametrize(
    ("query", "first", "count"),
    [
        ("Q46", "Q46", None),
        ("S60-S63", "S60", 4),
        ("s60 – 63", "S60", 4),
        ("QUOTA phase", "Q46", None),
        ("zebra unicorn", None, 0),
        ("zebra journal flush", "K5", None),  # most of the words
    ],
)
def test_searching(query: str, first: str | None, count: int | None) -> None:
    hits = search(query)
    assert (hits[0].rule.id if hits else None) == first
    assert count is None or len(hits) == count
    assert len({hit.rule.id for hit in hits}) == len(hits)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("CQv2", "version 2"),
        ("docker", "node name"),
        ("queues gone after container recreated", "another node name"),
        ("messages ready but consumer connected", "as many unacknowledged ones as its prefetch"),
        ("unclean shutdown", "crash"),
        ("why is my queue stuck", "blocked"),
        ("crashed queues", "queue"),
    ],
)
def test_people_type_other_words_than_the_rules_have(query: str, says: str) -> None:
    best = search(query)[:5]
    assert best
    assert any(says in f"{hit.rule.heading} {hit.rule.text}".casefold() for hit in best), query


def test_more_words_come_first() -> None:
    texts = {"one": ("", "a queue"), "both": ("", "a queue that pages"), "heading": ("paging", "of a queue")}
    assert ranked("queue paging", texts) == (["heading", "both", "one"], ["paging", "queue"])


def test_subjects_and_scenarios_are_found_too(client: Client) -> None:
    page = client.get("/rules/", {"q": "lazy queue"}).content.decode()
    found = page.split('<ul class="related">')[1].split("</ul>")[0]
    assert 'href="/subjects/' in found
    assert 'href="/library/?all=1#lazy' in found


def test_what_is_searched_for_is_marked_and_escaped(client: Client) -> None:
    page = client.get("/rules/", {"q": "journal flush"}).content.decode()
    assert "<mark>journal</mark>" in page
    assert "S60 Segment" not in page
    assert "<script>x" not in client.get("/rules/", {"q": '"><script>x'}).content.decode()
    part = client.get("/rules/", {"q": "journal"}, headers={"hx-request": "true"}).content.decode()
    assert "<html" not in part


def test_a_long_query_is_cut() -> None:
    assert search("journal" + " " * 100 + "nowhere")


def test_markdown_cannot_bring_html_or_scripts() -> None:
    shown = rendered("<script>x</script> [a](javascript:x) <img src=x onerror=y>", "queue")
    assert "<script" not in shown
    assert "<img" not in shown
    assert "href" not in shown


@pytest.mark.parametrize("language", ["zh-hans", "zh-hant"])
def test_the_frame_is_translated_and_the_text_says_that_it_is_english(client: Client, language: str) -> None:
    page = client.get("/rules/Q46", headers={"accept-language": language}).content.decode()
    assert '<div class="card rule-text" lang="en">' in page
    assert "英" in page
    assert "Where it comes up" not in page


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Q46", '<a class="rule" href="/rules/Q46">Q46</a>'),
        ("S63.2", '<a class="rule" href="/rules/S63">S63.2</a>'),
        ("S60-S66", '<a class="rule" href="/rules/?q=S60-S66">S60-S66</a>'),
        ("Z9 & <b>", "Z9 &amp; &lt;b&gt;"),
    ],
)
def test_linked(text: str, shown: str) -> None:
    assert linked(text) == shown


def test_chips_in_pages_lead_to_rules(client: Client, library: list[Scenario]) -> None:
    for page in ("/subjects/five-lanes/", "/library/", "/fidelity/"):
        assert 'class="rule" href="/rules/' in client.get(page).content.decode(), page
