"""The files of both sides at the end of a program, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine.storage.ledger import LedgerStorage
from tools.proofs.conformance.replay import Difference

STORES = ("msg_store_persistent", "msg_store_transient")
SUFFIXES = (".idx", ".jif", ".rdq")


def _shown_name(path: str) -> str:
    """Return the path without the queue's directory, which the two sides name differently."""
    parts = path.split("/")
    return f"queue/{parts[-1]}" if parts[0] == "queues" else path


def broker_files(directory: Path) -> dict[str, bytes]:
    """Return index and store files under a virtual host's directory of the node."""
    files = [
        *directory.glob("queues/*/*"),
        *(file for store in STORES for file in (directory / store).glob("*")),
    ]
    return {
        _shown_name(file.relative_to(directory).as_posix()): file.read_bytes()
        for file in files
        if file.suffix in SUFFIXES
    }


def engine_files(storage: LedgerStorage) -> dict[str, bytes]:
    """Return the same of the engine's storage."""
    return {
        _shown_name(path): storage.read_bytes(path, 0, storage.size(path) or 0)
        for path in storage.paths()
        if path.endswith(SUFFIXES)
    }


def differing_files(broker: dict[str, bytes], engine: dict[str, bytes], step: int) -> Iterator[Difference]:
    """Yield a difference for each file that only one side has, or whose bytes are not the same."""
    for name in sorted(broker.keys() | engine.keys()):
        ours, theirs = engine.get(name), broker.get(name)
        if ours == theirs:
            continue
        if ours is None or theirs is None:
            sizes = [None if each is None else len(each) for each in (theirs, ours)]
            yield Difference(step, "files", f"{name} size", *sizes)
            continue
        at = next(
            (i for i, (a, b) in enumerate(zip(theirs, ours, strict=False)) if a != b),
            min(len(ours), len(theirs)),
        )
        path = f"{name} of {len(theirs)} bytes at offset {at}"
        yield Difference(step, "files", path, theirs[at : at + 24].hex(" "), ours[at : at + 24].hex(" "))
