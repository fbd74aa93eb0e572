"""Bytes of messages at the moments that a story stops at, read from real files while the run is repeated."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final
from urllib.parse import urlencode

from engine.reading.message_places import shown_name
from engine.replay import RunPlayer
from playground.hosting.engine_api import NodeDoor
from playground.hosting.file_places import NotThere, wanted
from playground.offline.recording import RecordedStop

MESSAGES: Final = 24
"""Messages whose bytes are kept at each stop: those at the ends of the extents, which stand for the ones between."""
MOST_DISK_BYTES: Final = 256 * 1024 * 1024

Records = dict[str, dict[str, Any]]
"""By the question as a page writes it in an address: `queue=orders&seq=7`, or `file=persistent%3A0&offset=812`."""


def keep(
    door: NodeDoor,
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
            return [_at(door, root, player, stop, chosen) for stop in stops]
        finally:
            files.close()


def _at(door: NodeDoor, root: str, player: RunPlayer, stop: RecordedStop, chosen: tuple[int, ...]) -> Records:
    player.finish(stop.at_us)
    state = player.node.snapshot()  # type: ignore[attr-defined]  # a node has more than a player asks for
    found: Records = {}
    with door.read_records(root) as reader:
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
