"""The door to the real engine: `engine.broker` on real files, or on a ledger. Only here does the web side make nodes;
tests replace it with a small double.
"""

from __future__ import annotations

import contextlib
import pickle
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from engine import ENGINE_VERSION
from engine.broker.cluster import Cluster
from engine.broker.commands import scenario as scenarios
from engine.ctl import console
from engine.ctl.console import Answer
from engine.replay import on_ledger
from engine.storage.directory import DirectoryStorage
from engine.values.errors import (
    CommandError,
    FileCorrupt,
    FileMissing,
    PathRefused,
    ScenarioError,
    StorageFull,
)
from playground.hosting.file_records import RecordReader


class EngineDoor:
    """Makes nodes, and knows the form of their rows."""

    version = ENGINE_VERSION
    refusals: tuple[type[Exception], ...] = (CommandError,)
    """Raised by a node for a command that makes no sense; the text is for people."""
    full: tuple[type[Exception], ...] = (StorageFull,)
    """Raised by the storage if the files would exceed their bound."""
    outside: tuple[type[Exception], ...] = (OSError, MemoryError, StorageFull, FileMissing, FileCorrupt)
    """Raised by a node when files or memory fail (`full` included), through no fault of a command."""
    no_scenario: tuple[type[Exception], ...] = (ScenarioError,)
    """Raised by `check`; the text names the place."""
    no_file: tuple[type[Exception], ...] = (FileMissing, PathRefused)
    """Raised by `read_file` for a missing file."""
    not_now: tuple[type[Exception], ...] = (pickle.PicklingError, TypeError, AttributeError)
    """Raised by `freeze` for a run in the middle of an action."""

    def open(self, scenario: dict[str, Any], root: str, max_bytes: int) -> tuple[Cluster, DirectoryStorage]:
        """Make a node on real files under `root`."""
        # Nobody depends on these files after a crash of this machine: the run is repeated from its record.
        files = DirectoryStorage(root, max_bytes, fsync=False)
        return console.operated(scenarios.parse(scenario), files), files

    def rehearse(self, scenario: dict[str, Any], keep: int = 2048) -> Cluster:
        """Make a node that keeps sizes only: the same transitions, no files; its log holds the newest `keep`."""
        return on_ledger(scenario, keep)

    def ask(self, node: Cluster, line: str) -> Answer:
        """Return what a line of the console prints: text, changes (a command `ctl` must do it) and code."""
        return console.ask_node(node, line)

    def freeze(self, node: Cluster, files: DirectoryStorage) -> bytes:
        """Return a run as bytes, without the contents of its files."""
        return pickle.dumps((node, files), protocol=pickle.HIGHEST_PROTOCOL)

    def thaw(self, data: bytes, root: str) -> tuple[Cluster, DirectoryStorage]:
        """Return the run from the bytes of `freeze`; its files are again under `root`. Raises FileMissing: a file is
        missing or too short, because it was deleted before the run was saved.
        """
        node, files = pickle.loads(data)  # noqa: S301 - signed by this server, see CheckpointStore
        files.moved(root)
        for path in files.paths():
            place = Path(root) / path
            if not place.is_file() or place.stat().st_size != files.size(path):
                raise FileMissing(path)
        return node, files

    def check(self, scenario: bytes | dict[str, Any]) -> dict[str, Any]:
        """Return the scenario in full, or raise with the place of what is wrong."""
        return scenarios.parse(scenario).to_json()

    def read_file(self, root: str, path: str, offset: int, count: int) -> tuple[int, bytes]:
        """Return the size of a real file and some of its bytes."""
        # A storage of its own, only to read these records: the session's belongs to the thread that works on it.
        files = DirectoryStorage(root)
        try:
            data = files.read_bytes(path, offset, count)
            return files.size(path) or 0, data
        finally:
            files.close()

    def read_records(self, root: str, scenario: dict[str, Any]) -> RecordReader:
        """Return a reader of a run's real files under `root`, with a storage of its own, beside the session's."""
        return RecordReader(DirectoryStorage(root), scenario)


def types() -> None:
    """Build the tables of every type that is imported by now. Call it again after importing more."""
    for kind in _kinds(msgspec.Struct):
        with contextlib.suppress(TypeError):  # a type that cannot be decoded never is
            msgspec.json.Decoder(kind)


def _kinds(kind: type) -> Iterator[type]:
    subclasses: list[type] = kind.__subclasses__()
    for each in subclasses:
        yield each
        yield from _kinds(each)


_lock = threading.Lock()


@cache
def _door() -> EngineDoor:
    types()  # nobody uses an engine before this
    return EngineDoor()


def door() -> EngineDoor:
    with _lock:
        return _door()
