"""Hands out the messages in a queue's files as their publishers gave them; also those that no start brings back.

Of the store one file is in memory at a time, and of each message its place.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any, Final

from engine.damage.findings import DamageFindings
from engine.damage.reading import ReadingOptions, StoredMessage
from engine.formats import properties as amqp
from engine.formats.properties import FLAGS
from engine.formats.terms import TermError
from engine.inspect.directory_kinds import STORES, GenerationReaders
from engine.storage.directory import DirectoryStorage

TEXTS: Final = ("S", "x")


def messages_of(
    storage: DirectoryStorage, directory: str, queue: str, entry_count: int, now_us: int
) -> Iterator[dict[str, Any]]:
    """Yield each message of a queue, in the queue's order.

    Args:
        storage: holds the virtual host.
        directory: of the virtual host in it, "" for the root.
        queue: path of the queue's directory below that of the virtual host.
        entry_count: entries in a segment of version 1.
        now_us: the wall clock at a start in microseconds since 1970, by which messages have expired.
    """
    below = f"{directory}/" if directory else ""
    readers = GenerationReaders(
        storage, "/", entry_count, DamageFindings(), ReadingOptions(list_most=0, heads=True)
    )
    reader = readers.queue(f"{below}{queue}")
    reader.report()
    ids = {
        seq: readers.codec.id_bytes(each.msg_no) for seq, each in reader.messages.items() if not each.embedded
    }
    wanted = frozenset(ids.values())
    places: dict[bytes, tuple[str, int, int]] = {}
    for store in STORES if wanted else ():
        places |= readers.store(f"{below}{store}").places(wanted)
    for seq, message in sorted(reader.messages.items()):
        if message.embedded:
            term = reader.content(seq)
        else:
            place = places.get(ids[seq])
            term = None if place is None else storage.read_bytes(*place)
        found = None if term is None else readers.message(term)
        why = "acknowledged" if message.acked else "" if message.persistent else "transient"
        why = why or ("expired" if 0 < message.expiry_us <= now_us else "")
        why = why or ("" if found else "its content cannot be read")
        yield {
            "seq": seq,
            "comes_back": not why,
            **({"why": why} if why else {}),
            **({} if found is None else described(found)),
        }


def described(found: StoredMessage) -> dict[str, Any]:
    """Return a message as JSON has it; its body as base64."""
    return {
        "id": found.id16.hex(),
        "exchange": found.exchange.decode("utf-8", "replace"),
        "routing_keys": [key.decode("utf-8", "replace") for key in found.routing_keys],
        "persistent": found.persistent,
        "properties": _properties(found),
        "body_bytes": len(found.body),
        "body": base64.b64encode(found.body).decode(),
    }


def _properties(found: StoredMessage) -> dict[str, Any]:
    if found.properties is None:
        names = [name for name, _flag, _kind in FLAGS]
        values = zip(names, (found.decoded_properties or ())[1:], strict=False)
        return {name: _text(value) for name, value in values if isinstance(value, bytes | int)}
    try:
        known = amqp.decode(found.properties)
    except TermError:
        return {"base64": base64.b64encode(found.properties).decode()}
    if "headers" in known:
        known["headers"] = {name: _plain(field) for name, field in known["headers"]}
    return known


def _plain(field: tuple[str, Any]) -> Any:
    letter, value = field
    if letter in TEXTS:
        return _text(bytes(value))
    if letter == "F":
        return {name: _plain(each) for name, each in value}
    if letter == "A":
        return [_plain(each) for each in value]
    return list(value) if isinstance(value, tuple) else value


def _text(value: bytes | int) -> Any:
    """Return bytes as text, or as base64 where they are none."""
    if isinstance(value, int):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode()}
