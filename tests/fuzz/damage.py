"""Damage to the files of a data directory, drawn from a seed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

from engine.storage.ledger import LedgerStorage
from engine.values.chunks import raw

Files = dict[str, bytes]
Change = Callable[[Random, bytearray], None]

TEMPTING = (
    bytes(8),
    bytes(40),
    b"\xff" * 8,
    b"\x7f\xff\xff\xff",
    b"\x80\x00\x00\x00",
    b"\x00\x00\x00\x00\x00\x00\x00\x0f",
    b"\x00\x00\x00\x00\x00\x00\x00\x10",
    b"\x83\x6c\x7f\xff\xff\xff",
    b"\x83\x69\xff\xff\xff\xff",
    b"\x40\x00",
    b"\xff\xff",
    b"\x83" + b"\x68\x01" * 200,
)
"""Sizes, counts and records at which a reader may go wrong."""
NAMES = ("7.idx.bak", "x.idx", "99.idx", "0.rdt", "5.rdq", "-1.rdq", "0.qi", "clean.dot", "journal.jif")


def load(place: Path) -> Files:
    """Return the files below a directory by relative path."""
    return {
        str(path.relative_to(place)): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }


def stored(files: Files) -> LedgerStorage:
    """Return a storage that holds the files."""
    storage = LedgerStorage()
    for path, data in files.items():
        storage.create(path)
        if data:
            storage.append(path, raw(data))
        storage.fsync(path)
    return storage


def damaged(files: Files, seed: int) -> Files:
    """Return the files with one to four of them changed, renamed, removed or doubled."""
    chance = Random(seed)
    found = dict(files)
    for _ in range(chance.randint(1, 4)):
        path = chance.choice(sorted(found))
        kind = chance.random()
        if kind < 0.04 and len(found) > 1:
            del found[path]
        elif kind < 0.08:
            found[f"{path.rpartition('/')[0]}/{chance.choice(NAMES)}".lstrip("/")] = found[path]
        else:
            content = bytearray(found[path])
            for _ in range(chance.randint(1, 3)):
                chance.choice(CHANGES)(chance, content)
            found[path] = bytes(content)
    return found


def _place(chance: Random, content: bytearray) -> int:
    return chance.randint(0, len(content))


def _flip(chance: Random, content: bytearray) -> None:
    if content:
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)


def _tempt(chance: Random, content: bytearray) -> None:
    at, piece = _place(chance, content), chance.choice(TEMPTING)
    content[at : at + len(piece)] = piece


def _insert(chance: Random, content: bytearray) -> None:
    at = _place(chance, content)
    content[at:at] = chance.choice([chance.randbytes(chance.randint(1, 40)), *TEMPTING])


def _remove(chance: Random, content: bytearray) -> None:
    at = _place(chance, content)
    del content[at : at + chance.choice([1, 2, 8, 40, 300])]


def _truncate(chance: Random, content: bytearray) -> None:
    del content[_place(chance, content) :]


def _zero(chance: Random, content: bytearray) -> None:
    at = _place(chance, content)
    count = min(len(content) - at, chance.choice([1, 8, 40, 1000]))
    content[at : at + count] = bytes(count)


def _double(chance: Random, content: bytearray) -> None:
    at = _place(chance, content)
    content[_place(chance, content) :] = content[at : at + chance.randint(1, 400)]


CHANGES: tuple[Change, ...] = (_flip, _flip, _tempt, _tempt, _insert, _remove, _truncate, _zero, _double)
