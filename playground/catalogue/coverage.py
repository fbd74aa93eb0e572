"""docs/coverage-of-the-articles.md: each mechanism that the articles name, and the runs in which it is seen."""

from __future__ import annotations

from typing import Final

from django.utils.translation import override

from playground import library, verdicts
from playground.storybook.entry import Entry
from playground.storybook.texts import in_language
from playground.subjects import SUBJECTS

HEAD: Final = """# Coverage of the articles

Five articles on RabbitMQ's storage are where this project began. Here they are taken apart into single mechanisms, in
the words of the articles, right or wrong, and each one has the ready scenarios in which it is seen. A scenario counts
only with claims that the tests hold the engine to; where the broker contradicts an article, it carries a verdict.
Mirrored queues, which one of the articles gives as an answer to losses, stand with subject 29.

Written by `manage.py catalogue` from playground/verdicts/mechanisms.json and the scenarios: change those, not this
file. `tests/web/test_coverage_of_the_articles.py` follows the links.
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
                f"As the articles have it: {in_language(subject.claim)} For 3.10.8: **{subject.verdict}**.\n"
            )
            parts.append("| what the articles name | seen in |\n|---|---|")
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
