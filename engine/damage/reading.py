"""Parts that all inspectors use: reading within bounds, and descriptions of bodies."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from engine.damage.findings import DamageFindings
from engine.formats.chunks import AnyChunk
from engine.formats.properties import ParsedMessage, parse_message
from engine.formats.terms import TermError
from engine.storage.directory import DirectoryStorage
from engine.values.errors import EngineError, FileCorrupt

MAX_FILE_BYTES: Final = 512 * 1024 * 1024
"""Larger files are listed but not decoded."""


class ReadingOptions(msgspec.Struct, frozen=True):
    """How much to report.

    Args:
        list_most: longest list of records or messages given in full; longer ones are counted and digested.
        entry_count: entries in a segment when no `.config` has it; None for the broker's own assumption (S4).
        series: of a 4.x whose files do not show it.
        digests: whether each file is read once more for its digest.
        pins: whether each store file says which queues keep it.
        heads: whether only the heads of a store's records are read, as a start reads them, and no body is kept.
    """

    list_most: int = 1000
    entry_count: int | None = None
    series: str = "4.3"
    digests: bool = True
    pins: bool = False
    heads: bool = False


def content(storage: DirectoryStorage, path: str, findings: DamageFindings) -> bytes | None:
    """Return a file's bytes; None if it cannot be read, with a finding unless it is missing."""
    size = storage.size(path)
    if size is None:
        return None
    if size > MAX_FILE_BYTES:
        findings.add(path, None, "unreadable", "file_too_large", size=size, most=MAX_FILE_BYTES)
        return None
    try:
        data = storage.read_bytes(path, 0, size)
    except (OSError, EngineError) as error:
        findings.add(path, None, "unreadable", "file_not_readable", why=error)
        return None
    if len(data) < size:
        findings.add(path, len(data), "unreadable", "file_became_shorter")
    return data


def until_damage(
    scanned: Iterator[tuple[int, AnyChunk]], path: str, findings: DamageFindings
) -> Iterable[tuple[int, AnyChunk]]:
    """Yield what a scanner finds; where a broker would crash, note that and stop."""
    try:
        yield from scanned
    except FileCorrupt as error:
        kind = "truncated" if error.code == "stray_byte" else "garbage"
        findings.add(path, error.offset, kind, "recovery_crashes", why=error)


def parsed(data: bytes | None, path: str, findings: DamageFindings, read: Callable[[bytes], Any]) -> Any:
    """Return the result of `read` on a small file, or None; a refusal becomes a finding."""
    if data is None:
        return None
    try:
        value = read(data)
    except TermError as error:
        findings.add(path, None, "garbage", "no_term", why=error)
        return None
    if value is None:
        findings.add(path, None, "garbage", "other_content")
    return value


def body_of(term: bytes) -> dict[str, Any] | None:
    """Describe the message in a stored term; None if it is not a message."""
    try:
        return described(parse_message(term))
    except TermError:
        return None


def described(message: ParsedMessage) -> dict[str, Any]:
    """Describe a message that was taken apart, as a report has it."""
    crc = 0
    for frame in message.frames:
        crc = zlib.crc32(frame, crc)
    return {
        "exchange": message.exchange.decode("utf-8", "replace"),
        "routing_keys": [key.decode("utf-8", "replace") for key in message.routing_keys],
        "properties_hex": None if message.properties is None else message.properties.hex(),
        "is_persistent": message.persistent,
        "body_length": sum(len(frame) for frame in message.frames),
        "body_crc32": crc,
    }


def numbered(names: Sequence[str], extension: str) -> list[tuple[int, str]]:
    """Return (number, name) of files such as 7.idx, in numeric order (S7, S9)."""
    found = []
    for name in names:
        stem, _, end = name.rpartition(".")
        if end == extension and stem.isascii() and stem.isdigit() and len(stem) < 19:
            found.append((int(stem), name))
    return sorted(found)
