"""A run recorded for a page that plays it alone: what a server would send, in parts that are unpacked one by one."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import msgspec

from engine.reading.message_places import shown_name
from engine.replay import PlayedPiece, RunPlayer
from engine.replay.player import KEEP_EVENTS, encode, snapshot_message
from playground.hosting.file_records import NotThere, wanted
from playground.hosting.real_engine import EngineDoor

if TYPE_CHECKING:
    from playground.storybook.story import ScenarioStory


MOST_ROWS: Final = 20_000
"""Transitions that are kept one by one: a page's own memory of the past has no room for more."""
ROWS_IN_A_PART: Final = 4_000
SNAPSHOTS: Final = 240
"""Whole states that stand for everything after that."""


class RecordedStop(msgspec.Struct, frozen=True):
    """A moment at which the run stands still: everything of that instant is done."""

    at_us: int
    number: int
    """Of the next transition."""


class RecordedRun(msgspec.Struct, frozen=True):
    """A run as its page gets it.

    Args:
        parts: lists of messages (see `engine.replay.player`), each as JSON.
        stops: the moments at which the story stops, and the end.
        transitions: how many there were.
        whole: whether each of them is there.
        digest: of all.
        small: how many of the stops came before the files grew past `most_bytes`.
        begun: what the node reported before the first message, as a page asks for its past (static/js/model/past.js).
    """

    parts: list[bytes]
    stops: list[RecordedStop]
    transitions: int
    whole: bool
    digest: str
    small: int
    begun: dict[str, Any]


def stops_of(story: ScenarioStory | None, until_us: int) -> list[int]:
    """Return the times at which a story stops a run, ascending, with the run's end as the last."""
    times = {until_us}
    if story is None:
        return sorted(times)
    times.update(each.at_us for each in (*story.annotations, *story.breakpoints) if each.at_us is not None)
    if story.prediction:
        times.update((story.prediction.ask_at_us, story.prediction.at_us))
    if story.verdict:
        times.add(story.verdict.evidence_at_us)
    return sorted(at_us for at_us in times if 0 < at_us <= until_us)


def record(
    door: EngineDoor,
    scenario: dict[str, Any],
    stops: Iterable[int],
    most_bytes: int = 0,
    give_up: Callable[[], bool] = lambda: False,
    enough: int = sys.maxsize,
) -> RecordedRun:
    """Play a scenario without files; return what its page needs. Raises RunTooLong when `give_up` returns true.

    Args:
        door: makes the node.
        scenario: the run.
        stops: ascending virtual microseconds, the last one the run's end.
        most_bytes: of files that the page carries for its reader.
        give_up: asked now and then whether it takes too long.
        enough: transitions after which no further stop is played to.
    """
    node: Any = door.rehearse(scenario, KEEP_EVENTS)
    begun = node.log.since(0)
    stretch = {"first": 0, "us": 0, "rows": begun.rows, "at_us": begun.at_us}
    past = msgspec.json.decode(encode({"stretches": [stretch], "through": begun.next}))
    tape = _Tape(node, int(scenario["until_us"]))
    player = RunPlayer(node, first=node.log.number, give_up=give_up)
    reached: list[RecordedStop] = []
    small, used_bytes = 0, 0
    for at_us in stops:
        for piece in player.play(at_us):
            tape.add(piece)
            used_bytes = max(used_bytes, node.storage.used_bytes())
        reached.append(RecordedStop(at_us, node.log.number))
        small += used_bytes <= most_bytes
        if node.log.number - begun.next >= enough:
            break
    return RecordedRun(
        list(tape.close()), reached, node.log.number, tape.whole, str(node.log.digest), small, past
    )


class _Tape:
    """Messages in parts: rows as long as there is room for them, then a state now and then."""

    def __init__(self, node: Any, until_us: int) -> None:
        self.whole = True
        self._node = node
        self._every_us = max(1, until_us // SNAPSHOTS)
        self._parts: list[bytes] = []
        self._messages: list[Any] = []
        self._in_part = 0
        self._rows = 0
        self._skipped: dict[str, int] = {}
        self._snapshot("join")

    def add(self, piece: PlayedPiece) -> None:
        rows = [*zip(piece.at_us, piece.rows, strict=True)]
        if not self._skipped and not piece.lost and self._rows + len(rows) <= MOST_ROWS:
            self._add_rows(piece)
            return
        self.whole = False
        for _at_us, row in rows:
            name = type(row).__name__
            self._skipped[name] = self._skipped.get(name, 0) + 1
        if piece.lost:
            self._skipped["more"] = self._skipped.get("more", 0) + piece.lost
        if self._node.now_us - self._shown_us >= self._every_us or piece.last:
            self._snapshot("fast")

    def _add_rows(self, piece: PlayedPiece) -> None:
        if not piece.rows:
            return
        message = {"t": "frame", "first": piece.first, "at_us": piece.at_us, "rows": piece.rows}
        self._messages.append({**message, "digest": self._node.log.digest})
        self._rows += len(piece.rows)
        self._in_part += len(piece.rows)
        if self._in_part >= ROWS_IN_A_PART:
            self._end_part()

    def _snapshot(self, why: str) -> None:
        node, log = self._node, self._node.log
        state = msgspec.Raw(encode(node.snapshot()))
        self._messages.append(
            snapshot_message(log.number, node.now_us, state, why, self._skipped, log.digest)
        )
        self._shown_us, self._skipped = node.now_us, {}
        self._in_part += 100
        if self._in_part >= ROWS_IN_A_PART:
            self._end_part()

    def _end_part(self) -> None:
        self._parts.append(encode(self._messages))
        self._messages, self._in_part = [], 0

    def close(self) -> Iterator[bytes]:
        if self._messages:
            self._end_part()
        return iter(self._parts)


MESSAGES: Final = 24
"""Messages whose bytes are kept at each stop: those at the ends of the extents, which stand for the ones between."""
MOST_DISK_BYTES: Final = 256 * 1024 * 1024

Records = dict[str, dict[str, Any]]
"""By the question as a page writes it in an address: `queue=orders&seq=7`, or `file=persistent%3A0&offset=812`."""


def keep(
    door: EngineDoor,
    scenario: dict[str, Any],
    stops: list[RecordedStop],
    chosen: tuple[int, ...] = (),
    give_up: Callable[[], bool] = lambda: False,
) -> list[Records]:
    """Return the records at each stop.

    Args:
        door: makes the node.
        scenario: the run.
        stops: ascending; until the last one the files stay within MOST_DISK_BYTES.
        chosen: seq_ids that the story points at: they come first.
        give_up: asked now and then whether it takes too long.
    """
    with tempfile.TemporaryDirectory(prefix="waterline-export-") as root:
        node, files = door.open(scenario, root, MOST_DISK_BYTES)
        try:
            player = RunPlayer(node, first=node.log.number, give_up=give_up)
            read = partial(door.read_records, root, scenario)
            return [_at(read, player, stop, chosen) for stop in stops]
        finally:
            files.close()


def _at(read: Callable[[], Any], player: RunPlayer, stop: RecordedStop, chosen: tuple[int, ...]) -> Records:
    player.finish(stop.at_us)
    state = player.node.snapshot()  # type: ignore[attr-defined]  # a node has more than a player asks for
    found: Records = {}
    with read() as reader:
        queue = shown_name(state) or ""
        for seq, number in islice(_messages(state["queues"].get(queue), chosen), MESSAGES):
            found_record = _asked(reader.message, seq, queue)
            if found_record is not None:
                found[_key(queue=queue, seq=seq)] = found_record
                found |= _body(reader, queue, found_record)
            in_index = (
                int(found_record["msg_id"][16:], 16) if found_record and found_record["msg_id"] else number
            )
            for store, file, offset in _records(state, in_index):
                found_record = _asked(reader.record, store, file, offset)
                if found_record is not None:
                    found[_key(file=f"{store}:{file}", offset=offset)] = found_record
    return found


def _body(reader: Any, queue: str, slot: dict[str, Any]) -> Records:
    """Return the entry that a slot of version 2 names in the queue's own store, by its question (W112)."""
    place = slot.get("body")
    home = None if place is None else wanted(place["file"])
    if place is None or home is None:
        return {}
    entry = _asked(reader.record, *home, place["offset"], queue)
    return {} if entry is None else {_key(queue=queue, **place): entry}


def _key(**question: Any) -> str:
    """Return under which name an answer is kept: the question's values by their names (static/js/net/recording.js)."""
    return urlencode(sorted(question.items()))


def _asked(question: Callable[..., dict[str, Any]], *place: Any) -> dict[str, Any] | None:
    try:
        return question(*place)
    except NotThere:
        return None


def _messages(queue: dict[str, Any] | None, chosen: tuple[int, ...]) -> Iterator[tuple[int, int | None]]:
    """Yield seq_ids of a queue with their message numbers, None where only the index has them; each once."""
    if queue is None:
        return
    seen = set()
    extents = [extent for lane in queue["lanes"].values() for extent in lane]
    ends = [
        (at, extent[2] + at - extent[0])
        for extent in extents
        for at in (extent[0], extent[0] + extent[1] - 1)
    ]
    numbers = dict(ends)
    named = [*((seq, numbers.get(seq)) for seq in chosen), *ends]
    for start, count, _transient, _end in queue["counted"].values():
        if start is not None and count:
            named += [(start, None), (start + count - 1, None)]
    for seq, number in named:
        if seq not in seen:
            seen.add(seq)
            yield seq, number


def _records(state: dict[str, Any], number: int | None) -> Iterator[tuple[str, int, int]]:
    """Yield where a message's record is, in each store that has one: (store, file, offset)."""
    if number is None:
        return
    for name, store in state["stores"].items():
        for start, count, _refs, file, offset, record_bytes, step in store["rows"]:
            if start <= number < start + count:
                yield name, file, offset + (number - start) * step * record_bytes
