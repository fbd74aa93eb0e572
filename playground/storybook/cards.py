"""What a page shows of a scenario without playing it: its card, the drawing of the stage, the paths of the library.

The drawing is of one moment: what is in RAM above the waterline, what is on disk below it. Pages draw it with
templates/playground/_stage_picture.html, previews of links with library/link_picture.py.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from django.utils.translation import gettext_lazy as _

from engine.backing_queue.message_places import places_of
from engine.broker.commands.settings import NodeSettings
from engine.reading.message_places import COUNTED_LETTER, LETTERS, count_of, drawn_queue, letter_of
from engine.replay import PlayedPiece, RunPlayer
from engine.replay.player import PlayedFrame, encode, frame_message, snapshot_message
from playground.hosting.real_engine import EngineDoor
from playground.storybook import rehearsal
from playground.storybook.entry import LibraryEntry
from playground.storybook.story import in_language
from playground.typed_texts import plain, ranked

MEANINGS: Final[dict[str, Any]] = dict(
    zip(
        LETTERS,
        (_("content + index in RAM"), _("content on disk"), _("index on disk too"), _("nothing in RAM")),
        strict=True,
    )
)
"""What each Greek letter means."""
UNACKED: Final = "unacked"
WIDTH: Final = 340
"""Of the drawing, in its own units."""
GUTTER: Final = 40
RAM, WATER, DISK, BOTTOM = 32, 70, 72, 112
"""Where RAM, the waterline and the disk begin, and where the disk ends."""
BLOCK: Final = 7
STEP: Final = 9
ROWS: Final = 4
"""Rows of blocks above the water and below it; a lane's count says how many messages there are in all."""


class BlockRows(NamedTuple):
    """The blocks of one Greek letter in a lane, as rows of (left side, middle line, how many blocks)."""

    letter: str
    rows: list[tuple[int, int, int]]

    @property
    def path(self) -> str:
        """Return the rows as a path of SVG: a dash is a block."""
        return "".join(f"M{x} {y}h{blocks * STEP - STEP + BLOCK}" for x, y, blocks in self.rows)


class DrawnLane(NamedTuple):
    """A lane where it is drawn: its left side, its messages, its blocks."""

    name: str
    x: int
    messages: int
    blocks: list[BlockRows]


class MemoryLevel(NamedTuple):
    """How full a node's memory is, in percent of the watermark, and the state that this means as a colour's name."""

    percent: int
    tone: str


class StagePicture(msgspec.Struct, frozen=True, dict=True):
    """How many messages are where, from the tail to the head. `lanes`: (lane, messages by Greek letter); those that
    consumers hold are the last, if there are any.
    """

    lanes: list[tuple[str, dict[str, int]]]

    @property
    def held(self) -> list[tuple[str, int]]:
        return [(name, sum(letters.values())) for name, letters in self.lanes if letters]

    @property
    def letters(self) -> list[tuple[str, str]]:
        shown = {letter for _name, letters in self.lanes for letter in letters}
        return [(letter, str(meaning)) for letter, meaning in MEANINGS.items() if letter in shown]

    @property
    def ready(self) -> int:
        return sum(count for name, count in self.held if name != UNACKED)

    @property
    def words(self) -> str:
        return ", ".join(f"{name}: {count}" for name, count in self.held)

    @functools.cached_property
    def drawn(self) -> list[DrawnLane]:
        """Return the lanes where they are drawn: one that is empty takes the room of its name."""
        empty = {name: 9 * len(name) + 4 for name, letters in self.lanes if not letters}
        full = len(self.lanes) - len(empty)
        width = (WIDTH - GUTTER - sum(empty.values())) // max(1, full)
        x, found = GUTTER, []
        for name, letters in self.lanes:
            found.append(DrawnLane(name, x, sum(letters.values()), _blocks(x, width - 8, letters)))
            x += empty.get(name, width)
        return found


def _blocks(x: int, width: int, letters: Mapping[str, int]) -> list[BlockRows]:
    """Return the blocks of a lane: alphas grow up from the water, the others down."""
    most = max(1, (width + STEP - BLOCK) // STEP)
    found = []
    below = 0
    for letter, count in letters.items():
        above = letter == "alpha"
        done = 0 if above else below
        lines = min(-(-count // most), ROWS - done)
        first = WATER - BLOCK if above else DISK + BLOCK + STEP * done
        step = -STEP if above else STEP
        rows = [(x, first + step * line, min(most, count - line * most)) for line in range(lines)]
        found.append(BlockRows(letter, rows))
        below = done if above else done + lines
    return found


def picture_of(state: Mapping[str, Any]) -> StagePicture | None:
    """Return the picture of a snapshot's queue; None where there is no queue."""
    queue = drawn_queue(state)
    if queue is None:
        return None
    lanes: dict[str, dict[str, int]] = {}
    for place in places_of(queue):
        letters = lanes.setdefault(UNACKED if place.unacked else place.name, {})
        if place.counted:
            letters[COUNTED_LETTER] = count_of(queue, place.name)
        for extent in queue["lanes"].get(place.name, ()):
            letter = letter_of(place.name, extent[4])
            letters[letter] = letters.get(letter, 0) + extent[1]
    found = [
        (name, {letter: letters[letter] for letter in LETTERS if letters.get(letter)})
        for name, letters in lanes.items()
    ]
    return StagePicture([(name, letters) for name, letters in found if letters or name != UNACKED])


def memory_of(state: Mapping[str, Any]) -> MemoryLevel:
    """Return how full a snapshot's memory is: below the paging threshold, above it, or with the alarm on."""
    node = state["node"]
    memory = node["memory"]
    used, limit = memory.get("process_memory") or 0, memory.get("limit") or 1
    calm = "alpha" if used < (memory.get("paging_at") or 0) else "beta"
    return MemoryLevel(round(100 * used / limit), "alarm" if node["alarms"].get("memory") else calm)


THUMBNAIL_ROWS: Final = 160
"""Transitions that lead to a moment, at least; fewer where the run had fewer."""
MOST_ROWS: Final = 1200
"""Most of them: one event may bring many more, and a figure begins after it then."""
LOG: Final = 4096
"""Most transitions of one event that are kept one by one."""
SLICE: Final = 40
"""Transitions after which the lead may begin: an event is never cut."""


def lead_to(
    door: EngineDoor, scenario: dict[str, Any], at_us: int, give_up: Callable[[], bool] = lambda: False
) -> bytes:
    """Return two messages as JSON: a snapshot, and a frame with the rows from there to a moment. Raises RunTooLong.
    `at_us`: virtual microseconds; everything of that instant is done. `give_up`: asked now and then whether it
    takes too long.
    """
    return leads_to(door, scenario, (at_us,), give_up)[at_us]


def leads_to(
    door: EngineDoor,
    scenario: dict[str, Any],
    moments_us: Iterable[int],
    give_up: Callable[[], bool] = lambda: False,
) -> dict[int, bytes]:
    """Return what leads to each of several moments of one run, as `lead_to` does. Raises RunTooLong. The run is
    played twice, on a ledger: once to learn where each lead may begin, and once to tell them all. `moments_us`:
    virtual microseconds; everything of such an instant is done. `give_up`: asked now and then whether it takes too
    long.
    """
    ascending = sorted(set(moments_us))
    node, counted = _new(door, scenario, give_up)
    places, ways = [node.log.number], []
    for at_us in ascending:
        places += [counted.next for _piece in counted.play(at_us, SLICE)]
        ways.append(_Way(_beginning(places)))
    node, player = _new(door, scenario, give_up)
    for way in ways:
        way.begin_at(node, player.next)
    led = {}
    for done, at_us in enumerate(ascending):
        for piece in player.play(at_us, SLICE):
            for way in ways[done:]:
                way.take(node, piece, player.next)
        led[at_us] = ways[done].told(node, player.next)
    return led


class _Way:
    """What leads to one moment, as far as it was played. `begin`: number of the transition with which it may begin."""

    def __init__(self, begin: int) -> None:
        self._begin = begin
        self._head = b""
        self._rows: list[Any] = []
        self._times: list[int] = []

    def begin_at(self, node: Any, number: int) -> None:
        """Begin with the node's state, unless that is too early."""
        if number >= self._begin:
            state = msgspec.Raw(encode(node.snapshot()))
            self._head = encode(snapshot_message(node.log.number, node.now_us, state, "join", {}))
            self._rows, self._times = [], []

    def take(self, node: Any, piece: PlayedPiece, number: int) -> None:
        """Go on by a piece; begin behind it where nothing has begun, or the piece has lost its rows."""
        if self._head and not piece.lost:
            self._rows += piece.rows
            self._times += piece.at_us
        else:
            self.begin_at(node, number)

    def told(self, node: Any, number: int) -> bytes:
        """Return both messages; the node stands at the moment."""
        frame = PlayedFrame(number - len(self._rows), self._times, self._rows)
        return b"[" + self._head + b"," + encode(frame_message(frame, node.now_us)) + b"]"


def _new(door: EngineDoor, scenario: dict[str, Any], give_up: Callable[[], bool]) -> tuple[Any, RunPlayer]:
    node: Any = door.rehearse(scenario, LOG)
    return node, RunPlayer(node, first=node.log.number, give_up=give_up)


def _beginning(places: list[int]) -> int:
    """Return the number of the transition with which the lead begins, of those between two events."""
    last = places[-1]
    early = max((place for place in places if place <= last - THUMBNAIL_ROWS), default=places[0])
    return early if last - early <= MOST_ROWS else min(place for place in places if place >= last - MOST_ROWS)


KEPT: Final = Path(__file__).resolve().parent / "thumbnails.json"


class RunThumbnail(msgspec.Struct, frozen=True):
    """The picture of a run's decisive moment. `digest`: of the run that it was drawn from."""

    digest: str
    picture: StagePicture


@functools.cache
def kept() -> dict[str, RunThumbnail]:
    return msgspec.json.decode(KEPT.read_bytes(), type=dict[str, RunThumbnail])


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
    """One way through the library. `question`: what somebody asks who takes it. `slugs`: its scenarios, in order."""

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
        "first-burst greek-letters five-lanes paging-spike target-ram-count two-kinds-of-messages "
        "lanes-join-at-the-drain lanes-of-lanes memory-alarm where-is-my-memory ratio-of-three-quarters "
        "threshold-too-high paging-ratio-above-one watermark-advice rss-blocks-a-small-node "
        "alpha-against-delta real-delta",
    ),
    _path(
        "backlog",
        _("Backlogs and consumers"),
        _("Why does a long queue drain slowly, and what helps?"),
        "backlog-spiral backlog-drain cost-of-a-read fast-consumer direct-delivery two-consumers-order "
        "one-connection taking-from-a-queue head-goes-back requeue-order requeue-storm what-a-delivery-costs "
        "where-a-body-is-read remedies auto-ack-loses asked-too-often restart-loads-2048 prefetch-fills-memory",
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
        "mirrors-failover mirrors-late mirrors-late-failover mirrors-confirm mirrors-automatic mirrors-frozen "
        "mirrors-memory mirrors-or-confirms mirrors-placement mirrors-when-synced mirrors-whole-cluster "
        "mirrors-wrong-ack",
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
        "articles-broker greek-letters target-ram-count lazy-vs-default paging-spike threshold-too-high "
        "rss-blocks-a-small-node index-segments store-record garbage-collection",
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
    """Return the card of an entry. `release`: the series of the release on which it is opened; anything else for
    the one it is written for.
    """
    taken = rehearsal.asked_for(release, entry.run)
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
        picture=thumbnail.picture if (thumbnail := kept().get(entry.slug)) else None,
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
    """Return the strategies that runs begin with or are given on the way, each once, for a sentence. `scenarios`:
    as JSON.
    """
    usual, found = NodeSettings().vm_memory_calculation_strategy, []
    for scenario in scenarios:
        found.append(scenario.get("settings", {}).get(STRATEGY, usual))
        for command in scenario.get("commands", ()):
            if command["do"] == "set" and command["name"] == STRATEGY:
                found.append(command["value"])
    return ", ".join(dict.fromkeys(found))
