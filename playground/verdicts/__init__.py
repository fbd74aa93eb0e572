"""What the articles say of each subject, and what RabbitMQ 3.10.8 does: data files, and the words explained."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from engine.reading.conditions import Condition
from playground.storybook.story import StoryClaim, Texts

FOLDER = Path(__file__).resolve().parent
RULE = re.compile(r"([A-Z])([0-9]{1,3})")
SPAN = r"^[A-Z][0-9]{1,3}(-[A-Z][0-9]{1,3})?$"


class VerdictRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ready scenario's commands on the articles' broker, and the moment that shows the verdict.

    Args:
        scenario: its name; it is played at its own scale.
        claims: what holds of this run; None where everything holds that the scenario claims of its own release.
    """

    scenario: str
    at_us: Annotated[int, msgspec.Meta(ge=0)]
    claims: list[StoryClaim] | None = None


class OldVerdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a real 3.8.9, the articles' broker, does of a subject's claim.

    Args:
        rules: rule ids such as V1.
        recordings: of that broker that prove it, by name (tests/recordings/3.8.9); `questions` are answers of a node
            (tests/recordings/questions).
        run: what shows it on the page.
    """

    verdict: Literal["true", "false", "depends"]
    rules: list[Annotated[str, msgspec.Meta(pattern=SPAN)]]
    finding: Texts
    recordings: Annotated[list[str], msgspec.Meta(min_length=1)]
    run: VerdictRun


class ArticleVerdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One subject: the claim, whether it holds for 3.10.8, what the broker does, and the rules that say so.

    Args:
        rules: rule ids such as Q21, or spans of them such as S60-S99.
        in_3_8: the same for 3.8, proved by its recordings.
    """

    number: Annotated[int, msgspec.Meta(ge=1, le=30)]
    slug: Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9-]{1,40}$")]
    verdict: Literal["true", "false", "depends"]
    rules: list[Annotated[str, msgspec.Meta(pattern=SPAN)]]
    claim: Texts
    finding: Texts
    in_3_8: OldVerdict


class VerdictTerm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A word with its meaning; `also` are other words for it, in any language."""

    term: str
    also: list[str]
    subject: int
    text: Texts

    @property
    def anchor(self) -> str:
        return self.term.replace(" ", "-")


class SeenMoment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A moment of a ready scenario at which something is seen, and what must hold there.

    Args:
        at_us: the moment; the end of the run if none is given.
        claim: the tests hold the engine to it.
    """

    scenario: str
    claim: Condition
    at_us: int | None = None


class ArticleMechanism(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One mechanism, in the sense in which the articles describe it, right or wrong.

    Args:
        verdict: whether it is so in the reference release, in these words.
        items: ids of the articles' sentences that say it: an article's letter and a number (items.json); none where no
            article does.
        told: those of the items that no run can show, since they are history, advice or a client's code.
        seen: where runs show what the broker does of it.
    """

    subject: Annotated[int, msgspec.Meta(ge=1, le=30)]
    claim: Texts
    items: list[Annotated[str, msgspec.Meta(pattern=r"^[A-E][0-9]{1,3}$")]]
    seen: Annotated[list[SeenMoment], msgspec.Meta(min_length=1)]
    verdict: Literal["true", "false", "depends"] = "true"
    told: list[str] = []

    def moments(self, scenario: str, until_us: int) -> list[int]:
        """Return when a ready scenario, which ends at `until_us`, shows it, in virtual microseconds."""
        return [
            until_us if seen.at_us is None else seen.at_us for seen in self.seen if seen.scenario == scenario
        ]


class CheckedArticle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the five articles: its letter, its name, and what it says, item by item from number 1 on."""

    letter: str
    name: str
    items: list[str]

    def numbered(self) -> dict[str, str]:
        return {f"{self.letter}{number}": text for number, text in enumerate(self.items, 1)}


Found = Literal["shown", "condition", "not shown", "told"]


class CoverageJudgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Items of the articles that somebody judged as a reader of the page alone.

    Args:
        date: the day.
        items: what the page did for each item, and what it does since: shown; a condition that holds, of which the page
            says nothing; not shown; told, since no run can show it.
    """

    date: str
    seed: int
    items: dict[str, tuple[Found, Found]]


@cache
def judgements() -> list[CoverageJudgement]:
    """Return what was judged, the oldest first."""
    return msgspec.json.decode((FOLDER / "judged.json").read_bytes(), type=list[CoverageJudgement])


@cache
def articles() -> list[CheckedArticle]:
    return msgspec.json.decode((FOLDER / "items.json").read_bytes(), type=list[CheckedArticle])


@cache
def mechanisms() -> list[ArticleMechanism]:
    return msgspec.json.decode((FOLDER / "mechanisms.json").read_bytes(), type=list[ArticleMechanism])


NEAR_US = 100_000
"""So near to a moment a reader sees what happens at it."""


@cache
def exercised() -> dict[int, list[str]]:
    return msgspec.json.decode((FOLDER / "exercised.json").read_bytes(), type=dict[int, list[str]])


def claims_of(scenario: str) -> list[StoryClaim]:
    return [
        StoryClaim(at_us=seen.at_us, test=seen.claim)
        for each in mechanisms()
        for seen in each.seen
        if seen.scenario == scenario
    ]


@cache
def verdicts() -> dict[int, ArticleVerdict]:
    found = [
        msgspec.json.decode(path.read_bytes(), type=ArticleVerdict)
        for path in sorted(FOLDER.glob("data/*.json"))
    ]
    return {each.number: each for each in found}


@cache
def glossary() -> dict[str, VerdictTerm]:
    terms = msgspec.json.decode((FOLDER / "glossary.json").read_bytes(), type=list[VerdictTerm])
    return {each.term: each for each in terms}


def by_slug(slug: str) -> ArticleVerdict | None:
    """Return the subject of this name, or None."""
    return next((each for each in verdicts().values() if each.slug == slug), None)


def of_rule(rule: str) -> ArticleVerdict | None:
    """Return the subject that a rule id belongs to: where it is named itself, else the narrowest span around it."""
    found = RULE.fullmatch(rule)
    if found is None:
        return None
    family, number = found[1], int(found[2])
    best: tuple[int, ArticleVerdict] | None = None
    for each in verdicts().values():
        for span in each.rules:
            ends = [RULE.fullmatch(end) for end in span.split("-")]
            first, last = ends[0], ends[-1]
            if first is None or last is None or first[1] != family:
                continue
            if int(first[2]) <= number <= int(last[2]):
                width = int(last[2]) - int(first[2])
                if best is None or width < best[0]:
                    best = (width, each)
    return best[1] if best else None
