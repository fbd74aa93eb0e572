"""docs/coverage-of-the-articles.md: each mechanism that the articles describe, and the scenarios that show it."""

from __future__ import annotations

from typing import Final

from django.utils.translation import override

from playground import library, verdicts
from playground.storybook.entry import Entry
from playground.storybook.texts import in_language
from playground.subjects import SUBJECTS

HEAD: Final = """# Coverage of the articles

This project began with five articles on RabbitMQ's storage. This page lists every mechanism that they describe,
one to a row, as the articles describe it, whether that is right or wrong. Beside each mechanism stand the ready
scenarios that show it. Each of these scenarios has claims that the tests check against the engine; where RabbitMQ
3.10.8 and an article differ, the scenario has a verdict (true, false or depends). Mirrored queues, which one
article recommends against the loss of messages, are in section 29.

Written by `manage.py catalogue` from playground/verdicts/mechanisms.json and the scenarios: change those, not this
file. `tests/web/test_coverage_of_the_articles.py` checks the links.
"""


def page() -> str:
    """Return the text of the page."""
    entries = {each.slug: each for each in library.entries()}
    known = verdicts.mechanisms()
    parts = [HEAD, f"{len(known)} mechanisms.\n"]
    with override("en"):
        for number, name in SUBJECTS.items():
            subject = verdicts.verdicts()[number]
            parts.append(f"## {number}. {name}\n")
            parts.append(
                f"The articles say: {in_language(subject.claim)} For RabbitMQ 3.10.8 this is: **{subject.verdict}**.\n"
            )
            parts.append("| mechanism, as the articles describe it | scenarios that show it |\n|---|---|")
            rows = [each for each in known if each.subject == number]
            parts.append(
                "".join(f"\n| {each.claim} | {_links(each.seen, entries)} |" for each in rows)[1:] + "\n"
            )
    return "\n".join(parts)


def _links(slugs: list[str], entries: dict[str, Entry]) -> str:
    return ", ".join(
        f"[{slug}](../playground/scenarios/{slug}.json){_judged(entries[slug])}" for slug in slugs
    )


def _judged(entry: Entry) -> str:
    verdict = entry.story.verdict
    return f" ({verdict.verdict})" if verdict else ""
