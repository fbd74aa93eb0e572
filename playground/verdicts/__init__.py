"""What the articles say of each subject, and what each broker does: data files, the words explained, and runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
from django.urls import reverse

from engine.reading.conditions import Condition
from engine.releases import PROFILES, V3_8_9, V4_3_6
from playground.sessions import scenario_links
from playground.storybook import cards, ready_scenarios, rehearsal
from playground.storybook.cards import SUBJECTS, ScenarioCard
from playground.storybook.entry import LibraryEntry, read
from playground.storybook.story import StoryClaim, Texts, in_language
from playground.typed_texts import plain, ranked

FOLDER = Path(__file__).resolve().parent
RULE = re.compile(r"([A-Z])([0-9]{1,3})")
SPAN = r"^[A-Z][0-9]{1,3}(-[A-Z][0-9]{1,3})?$"


class VerdictRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ready scenario's commands on the articles' broker, and the moment that shows the verdict. `scenario`: its
    name; it is played at its own scale. `claims`: what holds of this run; None where everything holds that the
    scenario claims of its own release.
    """

    scenario: str
    at_us: Annotated[int, msgspec.Meta(ge=0)]
    claims: list[StoryClaim] | None = None


class OldVerdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a real 3.8.9, the articles' broker, does of a subject's claim. `rules`: rule ids such as V1.
    `recordings`: of that broker that prove it, by name (tests/recordings/3.8.9); `questions` are answers of a node
    (tests/recordings/questions). `run`: what shows it on the page.
    """

    verdict: Literal["true", "false", "depends"]
    rules: list[Annotated[str, msgspec.Meta(pattern=SPAN)]]
    finding: Texts
    recordings: Annotated[list[str], msgspec.Meta(min_length=1)]
    run: VerdictRun


class ArticleVerdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One subject: the claim, whether it holds for 3.10.8, what the broker does, and the rules that say so.
    `rules`: rule ids such as Q21, or spans of them such as S60-S99. `in_3_8`: the same for 3.8, proved by its
    recordings.
    """

    number: Annotated[int, msgspec.Meta(ge=1, le=30)]
    slug: Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9-]{1,40}$")]
    verdict: Literal["true", "false", "depends"]
    rules: list[Annotated[str, msgspec.Meta(pattern=SPAN)]]
    claim: Texts
    finding: Texts
    in_3_8: OldVerdict

    @property
    def title(self) -> str:
        return str(SUBJECTS[self.number])


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
    """A moment of a ready scenario at which something is seen, and what must hold there. `at_us`: the moment; the
    end of the run if none is given. `claim`: the tests hold the engine to it.
    """

    scenario: str
    claim: Condition
    at_us: int | None = None


class ArticleMechanism(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One mechanism, in the sense in which the articles describe it, right or wrong. `verdict`: whether it is so in
    the reference release, in these words. `items`: ids of the articles' sentences that say it: an article's letter
    and a number (items.json); none where no article does. `told`: those of the items that no run can show, since
    they are history, advice or a client's code. `seen`: where runs show what the broker does of it.
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
    return next((each for each in verdicts().values() if each.slug == slug), None)


def of_rule(rule: str) -> ArticleVerdict | None:
    """Return the subject that a rule id belongs to: where it is named itself, else the narrowest span around it."""
    found = RULE.fullmatch(rule)
    if found is None:
        return None
    family, number = found[1], int(found[2])
    widths = []
    for each in verdicts().values():
        for span in each.rules:
            ends = [int(end[1:]) for end in span.split("-")]
            if span[0] == family and ends[0] <= number <= ends[-1]:
                widths.append((ends[-1] - ends[0], each))
    return min(widths, key=lambda pair: pair[0], default=(0, None))[1]


ARTICLES = V3_8_9


def articles_entry(run: VerdictRun) -> LibraryEntry:
    """Return a scenario as the articles' broker plays it, with what is claimed of that run."""
    written = ready_scenarios.load(ready_scenarios.FOLDER / f"{run.scenario}.json").to_json()
    changed = {**written, "profile": ARTICLES.profiles[PROFILES[written["profile"]].scale], "digest": None}
    if run.claims is not None:
        changed["claims"] = [{"at_us": each.at_us, "test": each.test} for each in run.claims]
    return read(changed)


def articles_address(run: VerdictRun, language: str) -> str:
    """Return the address that opens a run at its moment. `language`: of the run's title."""
    return f"{_address(run.scenario, language)}{scenario_links.LinkPlace(at_us=run.at_us).query()}"


@lru_cache(maxsize=200)
def _address(scenario: str, language: str) -> str:
    entry = articles_entry(VerdictRun(scenario, 0))
    title = f"{in_language(entry.story.title)} · {ARTICLES.name}"
    packed = scenario_links.packed({**entry.run, "title": title})
    if packed is None:
        raise ValueError(f"{scenario} is too long for a link")
    return reverse("stateless", args=[packed])


TODAYS = V4_3_6
VerdictToday = Literal["true", "false", "depends", "changed", "gone"]


class TodaysVerdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether a subject's claim holds of the release; `gone` where what it speaks of does not exist any more,
    `depends` where it is as right or wrong as for the reference. `rules`: rule ids such as W33, or spans of them.
    `run`: a ready scenario of 4.x, or one of 3.10 whose commands are opened on the release.
    """

    number: int
    verdict: VerdictToday
    rules: list[Annotated[str, msgspec.Meta(pattern=SPAN)]]
    finding: Texts
    run: VerdictRun


@cache
def todays_verdicts() -> dict[int, TodaysVerdict]:
    read_all = msgspec.json.decode((FOLDER / "todays.json").read_bytes(), type=list[TodaysVerdict])
    return {each.number: each for each in read_all}


def todays_address(scenario: str, at_us: int, short_id: str, series: str) -> str:
    entry = ready_scenarios.entry(scenario)
    own = entry is not None and rehearsal.shown_release(entry.run).series == series
    place = scenario_links.LinkPlace(at_us=at_us, release="" if own else series)
    return reverse("permalink", args=[short_id]) + place.query()


@cache
def _words() -> tuple[re.Pattern[str], dict[str, str]]:
    anchors = {word: each.anchor for each in glossary().values() for word in (each.term, *each.also)}
    longest_first = sorted(anchors, key=len, reverse=True)
    # Latin words stand alone, also inside of Chinese, which has no spaces.
    any_of = "|".join(re.escape(word) for word in longest_first)
    pattern = re.compile(rf"(?<![A-Za-z0-9_.-])({any_of})(?:e?s)?(?![A-Za-z0-9_]|-[a-z])", re.IGNORECASE)
    return pattern, {word.lower(): anchor for word, anchor in anchors.items()}


def found_in(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, anchor) of every word of the glossary in a text, in the plural as well."""
    pattern, anchors = _words()
    for found in pattern.finditer(text):
        yield found.start(), found.end(), anchors[found[1].lower()]


def words_of(value: Any) -> dict[str, str]:
    """Return {word in lower case: anchor} for all texts inside of a value of lists and objects."""
    if isinstance(value, str):
        return {value[start:end].lower(): anchor for start, end, anchor in found_in(value)}
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {word: anchor for part in parts for word, anchor in words_of(part).items()}


MOST_ANSWERS: Final = 2


class OperatorAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question as operators ask it, and its answer. `words`: that people type for it, in any language, and in
    logs. `subject`: slug of the subject about it; empty where there is none. `inspect`: whether Inspect answers it
    of somebody's own files or figures. `commands`: of the console that show it in a session, and on a node.
    """

    slug: str
    asked: Texts
    words: str
    answer: Texts
    rules: list[Annotated[str, msgspec.Meta(pattern=SPAN)]]
    subject: str
    scenarios: list[str]
    inspect: bool
    commands: list[str]

    @property
    def question(self) -> str:
        return in_language(self.asked)

    @property
    def text(self) -> str:
        return in_language(self.answer)

    @property
    def subject_title(self) -> str:
        found = by_slug(self.subject)
        return found.title if found else ""

    @property
    def shown(self) -> list[tuple[str, str]]:
        found = map(ready_scenarios.entry, self.scenarios)
        return [(each.slug, each.title) for each in found if each]


@cache
def answers() -> list[OperatorAnswer]:
    return msgspec.json.decode((FOLDER / "operators.json").read_bytes(), type=list[OperatorAnswer])


def answered(query: str) -> list[OperatorAnswer]:
    """Return the answers to what somebody typed, the best first."""
    texts = {at: (plain(each.question), plain(each.words)) for at, each in enumerate(answers())}
    return [answers()[at] for at in ranked(query, texts).keys[:MOST_ANSWERS]]


MOST_RELATED: Final = 5
"""Of each: who wants more asks their own page."""


class RelatedPages(NamedTuple):
    """What a search found besides rules, the best first."""

    answers: list[OperatorAnswer]
    """To questions that operators ask."""
    subjects: list[tuple[str, str]]
    """Slug and title of each."""
    scenarios: list[ScenarioCard]


def related(query: str) -> RelatedPages:
    """Return the subjects and scenarios that have a query's words, in the reader's language."""
    texts = {
        number: (plain(each.title), plain(f"{in_language(each.claim)} {in_language(each.finding)}"))
        for number, each in verdicts().items()
    }
    found = [verdicts()[number] for number in ranked(query, texts).keys[:MOST_RELATED]]
    every = [cards.card(entry, "") for entry in ready_scenarios.entries()]
    return RelatedPages(
        answered(query), [(each.slug, each.title) for each in found], cards.found(every, query)[:MOST_RELATED]
    )
