"""What is written from classes and scenarios: two documents of docs/, the page's scripts, and which are out of date."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, get_args

from django.utils.translation import override

from engine.reading.conditions import Condition, ConditionReference, names_of
from engine.report.transitions.base import Group, Transition
from engine.transitions import all_kinds
from playground import verdicts
from playground.catalogue import javascript
from playground.catalogue.javascript import wire_fields
from playground.storybook import ready_scenarios
from playground.storybook.cards import SUBJECTS
from playground.storybook.entry import LibraryEntry
from playground.storybook.story import in_language
from playground.verdicts import NEAR_US, ArticleMechanism, CoverageJudgement, SeenMoment

TITLES: Final[dict[str, str]] = {
    "messages": "The way of messages",
    "memory": "What leaves RAM and comes back",
    "files": "Files on disk",
    "node": "The node and what is around its queues",
}

HEAD: Final = """# Transitions

Every change that the engine makes is one of these. The state after it is the state before, folded with it
(`engine/folding.py`, `static/js/model/reduce.js`). On the wire and in the digest a transition is a row: its kind, the
rule that caused it, then the fields in this order.

*Log* says how the page's log shows it: an *event* has a line, a *detail* has one on demand, a *step* has none. *Weight*
says how much it explains among what comes at once. *Function* is the broker's own that does the same, *setting* is the
one that governs it.

Written by `manage.py catalogue` from the classes that `engine/transitions.py` lists: change those, not this page.
"""

COLUMNS: Final = """| kind | fields (units) | what happened | log | weight | function | setting |
|---|---|---|---|---|---|---|
"""

_FOLD: Final = re.compile(r"\s*Fold:.*", re.DOTALL)


def transitions_page() -> str:
    return HEAD + "".join(_section(group) for group in get_args(Group))


def _section(group: str) -> str:
    kinds = sorted(
        (kind for kind in all_kinds() if kind.about.group == group), key=lambda kind: kind.__name__
    )
    return f"\n## {TITLES[group]}\n\n{COLUMNS}" + "".join(_line(kind) for kind in kinds)


def _line(kind: type[Transition]) -> str:
    about = kind.about
    cells = (
        kind.__name__,
        ", ".join(_fields(kind)),
        _sentence(kind),
        about.shown,
        str(about.weight or ""),
        f"`{about.function}`" if about.function else "",
        f"`{about.setting}`" if about.setting else "",
    )
    return f"| {' | '.join(cells)} |\n"


def _fields(kind: type[Transition]) -> Iterator[str]:
    for field in wire_fields(kind):
        if field.name not in {"rule", "why"}:
            yield f"{field.name} ({field.unit})" if field.unit not in {None, field.name} else field.name


def _sentence(kind: type[Transition]) -> str:
    """Return the first paragraph of the class's docstring, without how it is folded."""
    text = inspect.cleandoc(kind.__doc__ or "").split("\n\n")[0]
    return _FOLD.sub("", " ".join(text.split())).replace("|", "\\|")


COVERAGE_HEAD: Final = """# Coverage of the articles

This project began with five articles on RabbitMQ's storage. They were taken apart into {items} items; below, each of
them belongs to a row that says it, right or wrong, in the words of a mechanism. Beside the row stand moments of ready
scenarios that show what RabbitMQ does of it, and what must hold there: the tests play each run and hold the engine
to it. The page of the subject (Subjects in the product) has the same rows with links that open the run at the moment.
Where RabbitMQ and an article differ, the row has a mark and the subject's verdict says more. What no run can show
(history, advice, a client's code) is counted as told. Mirrored queues, which one article recommends
against the loss of messages, are in section 29.

Written by `manage.py catalogue` from mechanisms.json and items.json in playground/verdicts: change those, not this
file. A row speaks of a queue in its default mode, unless it names another.

{counts}

{named} rows that articles name, and {unnamed} that they do not.
"""


JUDGED: Final = """## Judged by reading

Somebody opened each item's moments and read what the page says within 100 ms of them, as a learner who has nothing but
the page: *shown* (a note says it of what happens there), *condition* (it holds, but no note says so), *not shown*, or
*told* (no run can show it). What was not shown was then mended; *now* is the same reading after it.
`manage.py draw_items` draws from those never judged, and prints what there is to read. No learner took part.
"""
NOTES: Final = """## Eight notes that were false

An audit found them false; a test holds each note to claims of its moment since. This is what they say now.

| run | at | the note |
|---|---|---|"""
WERE_FALSE: Final = (
    ("confirm-timeline", 14_600_000),
    ("blocked-or-blocking", 7_000_000),
    ("garbage-collection", 2_900_000),
    ("two-kinds-of-messages", 1_900_000),
    ("where-is-my-memory", 4_900_000),
    ("watermark-advice", 2_900_000),
    ("rdq-pin", 3_000_000),
    ("operators-drill", 10_000_000),
)


def said_near(entry: LibraryEntry, at_us: int) -> list[str]:
    """Return what a run's story says within a tenth of a second of a moment: notes, the answer, the verdict."""
    story = entry.story
    said = [(each.at_us, each.text) for each in story.annotations]
    if story.prediction and story.prediction.because:
        said.append((story.prediction.at_us, story.prediction.because))
    if story.verdict:
        said.append((story.verdict.evidence_at_us, story.verdict.text))
    return [in_language(text) for us, text in said if us is not None and abs(us - at_us) <= NEAR_US]


def coverage_page() -> str:
    """Return the text of the page."""
    entries = {each.slug: each for each in ready_scenarios.entries()}
    known = verdicts.mechanisms()
    rowed = {item for each in known for item in each.items}
    told = {item for each in known for item in each.told}
    counts = ["| article | items | shown by a run | told, not shown |", "|---|---|---|---|"]
    for article in verdicts.articles():
        numbers = [sum(item in some for item in article.numbered()) for some in (rowed - told, told)]
        counts.append(
            f"| {article.letter}: {article.name} | {len(article.items)} | {numbers[0]} | {numbers[1]} |"
        )
    named = sum(bool(each.items) for each in known)
    head = COVERAGE_HEAD.format(
        items=sum(len(each.items) for each in verdicts.articles()),
        counts="\n".join(counts),
        named=named,
        unnamed=len(known) - named,
    )
    parts = [head]
    with override("en"):
        for number, name in SUBJECTS.items():
            subject = verdicts.verdicts()[number]
            parts.append(f"## {number}. {name}\n")
            parts.append(
                f"The articles say: {in_language(subject.claim)} For RabbitMQ 3.10.8 this is: **{subject.verdict}**.\n"
            )
            parts.append(
                "| mechanism, as the articles describe it | in 3.10 | items | seen in |\n|---|---|---|---|"
            )
            rows = [each for each in known if each.subject == number]
            parts.append("".join(f"\n{_row(each, entries)}" for each in rows)[1:] + "\n")
        parts.append(JUDGED)
        parts += [_judged(each, known, entries) for each in verdicts.judgements()]
        parts.append(NOTES)
        parts[-1] += "".join(
            f"\n| {slug} | {at_us / 1_000_000:g} s | {' '.join(said_near(entries[slug], at_us))} |"
            for slug, at_us in WERE_FALSE
        )
        parts[-1] += "\n"
    parts.append("## The items, article by article\n")
    by_item = {item: each for each in known for item in each.items}
    for article in verdicts.articles():
        parts.append(f"### {article.letter}: {article.name}\n")
        parts.append("| item | what it says | subject: row |\n|---|---|---|")
        parts[-1] += (
            "".join(
                f"\n| {item} | {text} | {by_item[item].subject}: {in_language(by_item[item].claim, 'en')} |"
                for item, text in article.numbered().items()
            )
            + "\n"
        )
    return "\n".join(parts)


def _judged(
    judgement: CoverageJudgement, known: list[ArticleMechanism], entries: dict[str, LibraryEntry]
) -> str:
    """Return the table of one judgement: each item, its moments, what was found and what is so now."""
    texts = {item: text for article in verdicts.articles() for item, text in article.numbered().items()}
    found, now = (Counter[str](words[at] for words in judgement.items.values()) for at in (0, 1))
    lines = [
        f"### {judgement.date}: {len(judgement.items)} items, seed {judgement.seed}\n",
        f"Found: {_counted(found)}. Now: {_counted(now)}.\n",
        "| item | what it says | moments | found | now |",
        "|---|---|---|---|---|",
    ]
    for item, words in judgement.items.items():
        row = next(each for each in known if item in each.items)
        moments = ", ".join(f"{seen.scenario} {_at_us(seen, entries) / 1_000_000:g} s" for seen in row.seen)
        lines.append(f"| {item} | {texts[item]} | {moments} | {words[0]} | {words[1]} |")
    return "\n".join(lines) + "\n"


def _counted(found: Counter[str]) -> str:
    return ", ".join(f"{count} {word}" for word, count in found.most_common())


def _row(each: ArticleMechanism, entries: dict[str, LibraryEntry]) -> str:
    seen = "; ".join(_moment(moment, entries) for moment in each.seen)
    items = ", ".join(f"{item} (told)" if item in each.told else item for item in each.items)
    return f"| {in_language(each.claim, 'en')} | {each.verdict} | {items or '-'} | {seen} |"


def _moment(seen: SeenMoment, entries: dict[str, LibraryEntry]) -> str:
    at_us = _at_us(seen, entries)
    link = f"[{seen.scenario}](../playground/scenarios/{seen.scenario}.json)"
    return f"{link} at {at_us / 1_000_000:g} s: `{in_words(seen.claim)}`"


def _at_us(seen: SeenMoment, entries: dict[str, LibraryEntry]) -> int:
    return int(entries[seen.scenario].run["until_us"] if seen.at_us is None else seen.at_us)


def in_words(condition: Condition) -> str:
    """Return a claim as one short line."""
    if condition.all is not None:
        return ", ".join(map(in_words, condition.all))
    path = ".".join(names_of(condition.path or ""))
    if condition.value is None:
        return f"no {path}"
    value = condition.value
    wanted = ".".join(names_of(value.path)) if isinstance(value, ConditionReference) else f"{value}".lower()
    return f"{path} {condition.op.replace('==', '=')} {wanted}"


FILES: Final[dict[str, Callable[[], str]]] = {
    "static/js/model/catalogue/kinds.js": javascript.kinds_module,
    "static/js/model/catalogue/places.js": javascript.lanes_module,
    "static/js/model/catalogue/rows.js": javascript.rows_module,
    "static/js/model/catalogue/types.js": javascript.types_module,
    "docs/transitions.md": transitions_page,
    "docs/coverage-of-the-articles.md": coverage_page,
}
"""Path in the repository -> the function that makes the file's text."""


def stale(root: Path) -> list[str]:
    """Return the paths of files that differ from what the classes say."""
    return [path for path, text in FILES.items() if _read(root / path) != text()]


def write(root: Path) -> list[str]:
    paths = stale(root)
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(FILES[path](), "utf-8")
    return paths


def _read(path: Path) -> str | None:
    return path.read_text("utf-8") if path.exists() else None
