"""What a page shows of a scenario without playing it, and the paths through the library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from django.utils.translation import gettext_lazy as _

from engine.broker.commands.settings import NodeSettings
from playground.storybook import other_release, stage_picture
from playground.storybook.entry import LibraryEntry
from playground.storybook.stage_picture import StagePicture
from playground.storybook.story import in_language
from playground.typed_texts import plain, ranked

SUBJECTS: Final[dict[int, Any]] = {
    1: _("When a message goes to disk"),
    2: _("Queue index"),
    3: _("Embed threshold"),
    4: _("What a read keeps in memory"),
    5: _("Message store"),
    6: _("Reading a body"),
    7: _("Deleting and combining files"),
    8: _("Queue process and backing queue"),
    9: _("Direct delivery"),
    10: _("Alpha, beta, gamma, delta"),
    11: _("The five lanes"),
    12: _("target_ram_count"),
    13: _("Cost of a read"),
    14: _("Filling a queue"),
    15: _("Taking from a queue"),
    16: _("A fast consumer"),
    17: _("Backlog spiral"),
    18: _("Remedies for a backlog"),
    19: _("Lazy queues"),
    20: _("Memory alarm"),
    21: _("Paging"),
    22: _("Disk alarm"),
    23: _("Blocked connections"),
    24: _("Credit flow"),
    25: _("Write buffer and flush"),
    26: _("The .rdq record"),
    27: _("Journal and segments"),
    28: _("Durability"),
    29: _("What durability does not save"),
    30: _("Operator commands"),
}
"""By the number of the subject."""

QUESTIONS: Final[dict[int, Any]] = {
    1: _("Why does memory go up past the watermark when paging starts?"),
    2: _("Why are publishers in flow with no alarm and an idle machine?"),
    3: _("Why do publishers hang on a disk alarm though the disk seems fine?"),
    4: _("Why are consumers so slow after a backlog, and why do they never catch up?"),
    5: _("Why does a lazy queue still eat memory, even after a restart?"),
    6: _("Is a confirmed message always on disk, and why are confirms slow?"),
    7: _("Why are messages gone after a restart although the queue is durable?"),
    8: _("Why is the disk full of .rdq files though the queues are nearly empty?"),
    9: _("Why is the broker overloaded when a consumer with unlimited prefetch closes?"),
    10: _("Where does a nacked message go, and why is the order broken?"),
    11: _("Why does start-up take minutes to hours?"),
    12: _("How much memory does my queue use, and why do the columns not add up?"),
}
"""By the number of the question."""


class PathThrough(NamedTuple):
    """One way through the library.

    Args:
        question: what somebody asks who takes it.
        slugs: its scenarios, in order.
    """

    key: str
    title: Any
    question: Any
    slugs: tuple[str, ...]


START: Final = ("first-burst", "greek-letters", "backlog-spiral", "restart-matrix", "confirm-timeline")
"""The five with which somebody begins who has seen none."""


def _path(key: str, title: Any, question: Any, slugs: str) -> PathThrough:
    return PathThrough(key, title, question, tuple(slugs.split()))


PATHS: Final = (
    _path(
        "memory",
        _("Memory"),
        _("When does a message leave RAM, and which one?"),
        "first-burst greek-letters five-lanes "
        "paging-spike target-ram-count two-kinds-of-messages lanes-join-at-the-drain "
        "lanes-of-lanes memory-alarm where-is-my-memory "
        "ratio-of-three-quarters threshold-too-high paging-ratio-above-one "
        "watermark-advice rss-blocks-a-small-node alpha-against-delta real-delta",
    ),
    _path(
        "backlog",
        _("Backlogs and consumers"),
        _("Why does a long queue drain slowly, and what helps?"),
        "backlog-spiral backlog-drain cost-of-a-read "
        "fast-consumer direct-delivery two-consumers-order one-connection "
        "taking-from-a-queue head-goes-back requeue-order "
        "requeue-storm what-a-delivery-costs where-a-body-is-read remedies "
        "auto-ack-loses asked-too-often restart-loads-2048 prefetch-fills-memory",
    ),
    _path(
        "lazy",
        _("Lazy queues"),
        _("What changes when everything goes to disk at once?"),
        "lazy-vs-default default-beside-lazy lazy-and-persistent lazy-lets-go lazy-consumed lazy-sends-faster "
        "lazy-restart-embed lazy-restart-no-embed lazy-transient-restart conversion-blocks conversion-never-ends "
        "argument-beats-policy",
    ),
    _path(
        "restarts",
        _("Restarts and crashes"),
        _("Which messages are back after a stop, and from which file?"),
        "restart-matrix clean-vs-dirty-restart durable-queue-matters journal-replayed a-start-takes-time "
        "redelivered-after-a-stop crash-while-combining crash-of-an-old-journal expiry-in-the-record",
    ),
    _path(
        "confirms",
        _("Confirms, credit and flow"),
        _("When is a message safe, and who slows a publisher down?"),
        "confirm-timeline confirmed-or-lost transaction-holds transaction-cost credit-chain store-credit "
        "flow-for-one-alarm-for-all blocked-or-blocking queue-process no-wait heartbeats",
    ),
    _path(
        "files",
        _("Files and bytes"),
        _("What is in .idx, .jif and .rdq, and when is a file deleted?"),
        "index-segments journal-flush journal-at-32768 segment-that-stays store-files store-record write-buffer "
        "embed-4092-4093 fourteen-properties big-transient-messages one-body-three-queues garbage-collection rdq-pin "
        "a-store-for-each-host read-while-combining sixteen-mebibytes busy-store-syncs thousand-and-first "
        "fetchwhile-forgets",
    ),
    _path(
        "disk",
        _("Disk"),
        _("What happens when the disk runs short?"),
        "disk-alarm disk-fills-between-checks disk-limit-as-ram disk-decides alarm-of-the-cluster",
    ),
    _path(
        "clusters",
        _("Clusters and mirrors"),
        _("What does a failover lose, and what does a late mirror lack?"),
        "mirrors-failover mirrors-late mirrors-late-failover "
        "mirrors-confirm mirrors-automatic mirrors-frozen mirrors-memory "
        "mirrors-or-confirms mirrors-placement mirrors-when-synced mirrors-whole-cluster mirrors-wrong-ack",
    ),
    _path(
        "operators",
        _("For operators"),
        _("Which command, which setting, and what does it cost?"),
        "operators-drill watermark-command watermark-advice remedies disk-limit-as-ram argument-beats-policy "
        "one-foreign-key never-acknowledged "
        "named-by-the-broker passive-and-internal exchange-durability exchange-auto-delete topic-and-headers "
        "auto-delete-exclusive exclusive-queue",
    ),
    _path(
        "today",
        _("Today's broker"),
        _("What does RabbitMQ 4.x do differently?"),
        "two-lanes l-follows-the-consumer one-in-ram-after-a-start confirmed-and-gone compacted-in-place "
        "one-holds-4095 counted-twice a-stop-that-loses purged-and-stopped",
    ),
    _path(
        "articles",
        _("What articles say"),
        _("Where is an article right, and where is it not?"),
        "articles-broker greek-letters target-ram-count "
        "lazy-vs-default paging-spike threshold-too-high rss-blocks-a-small-node "
        "index-segments store-record garbage-collection",
    ),
)


def path_of(key: str) -> PathThrough | None:
    return next((each for each in PATHS if each.key == key), None)


class ScenarioCard(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the library, in the reader's language.

    Args:
        slug, short_id: its name and its address.
        picture: the stage at its decisive moment.
        profile: a release at a scale, on which it is opened.
        release: the series of that release where it is not the one that the scenario is written for.
        gone: what of the scenario does not exist there.
        evidence_us: the moment that shows the verdict, None without one.
        asked_us: where such a run is opened: where it asks for a prediction that the moment would give away.
    """

    slug: str
    short_id: str
    title: str
    question: str
    watch_for: str
    profile: str
    release: str = ""
    gone: list[str] = []
    seconds: int
    subjects: list[tuple[int, str]]
    questions: list[tuple[int, str]]
    predicts: bool
    verdict: str = ""
    claim: str = ""
    finding: str = ""
    rules: list[str] = []
    evidence_us: int | None = None
    asked_us: int | None = None
    picture: StagePicture | None = None


def card(entry: LibraryEntry, short_id: str, release: str = "") -> ScenarioCard:
    """Return the card of an entry.

    Args:
        release: the series of the release on which it is opened; anything else for the one it is written for.
    """
    taken = other_release.asked_for(release, entry.run)
    story = entry.story
    verdict = story.verdict
    shown: dict[str, Any] = {}
    if verdict:
        shown = {
            "verdict": verdict.verdict,
            "claim": in_language(verdict.claim),
            "finding": in_language(verdict.text),
            "rules": verdict.rules,
            "evidence_us": verdict.evidence_at_us,
            "asked_us": verdict.evidence_at_us,
        }
        asked = story.prediction
        if asked and asked.at_us <= verdict.evidence_at_us:
            shown["asked_us"] = asked.ask_at_us
    return ScenarioCard(
        slug=entry.slug,
        short_id=short_id,
        title=entry.title,
        question=in_language(story.question),
        watch_for=in_language(story.watch_for),
        profile=(taken.scenario if taken else entry.run)["profile"],
        release=release if taken else "",
        gone=[str(each) for each in taken.said] if taken else [],
        seconds=round(entry.run["until_us"] / 1_000_000),
        subjects=[(number, str(SUBJECTS[number])) for number in story.subjects],
        questions=[(number, str(QUESTIONS[number])) for number in story.questions],
        predicts=story.prediction is not None,
        picture=thumbnail.picture if (thumbnail := stage_picture.kept().get(entry.slug)) else None,
        **shown,
    )


def found(
    among: Sequence[ScenarioCard], words: str = "", subject: int | None = None, question: int | None = None
) -> list[ScenarioCard]:
    """Return the cards of the chosen subject and question, and with words those that have them, the best first."""
    chosen = [
        each
        for each in among
        if (not subject or subject in dict(each.subjects))
        and (not question or question in dict(each.questions))
    ]
    if not words.strip():
        return chosen
    best = ranked(words, {place: _searched(each) for place, each in enumerate(chosen)})
    return [chosen[place] for place in best.keys]


def _searched(each: ScenarioCard) -> tuple[str, str]:
    """Return heading and text of a card, as words are compared."""
    text = [each.watch_for, each.claim, *dict(each.subjects).values(), *dict(each.questions).values()]
    return plain(f"{each.title} {each.question} {each.slug}"), plain(" ".join(text))


STRATEGY = "vm_memory_calculation_strategy"


def counted_as(scenarios: Iterable[Mapping[str, Any]]) -> str:
    """Return the strategies that runs begin with or are given on the way, each once, for a sentence.

    Args:
        scenarios: as JSON.
    """
    found: dict[str, None] = {}
    for scenario in scenarios:
        found[scenario.get("settings", {}).get(STRATEGY, NodeSettings().vm_memory_calculation_strategy)] = (
            None
        )
        for command in scenario.get("commands", ()):
            if command["do"] == "set" and command["name"] == STRATEGY:
                found[command["value"]] = None
    return ", ".join(found)
