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
from typing import Any, Protocol, cast

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


class EngineNode(Protocol):
    """A node as hosts use it; see `engine.broker`."""

    now_us: int
    log: Any
    """See `engine.report.log`."""
    scenario: Any
    refused: Any

    def submit(self, command: dict[str, Any]) -> None:
        """Apply a command now."""

    def advance(self, until_us: int, max_transitions: int | None = None) -> bool:
        """Let virtual time pass; return whether `until_us` was reached."""

    def step(self) -> bool:
        """Go on to the next transition."""

    def next_us(self) -> int | None:
        """Return when something next happens by itself, as far as known; None for never."""

    def held_messages(self) -> int:
        """Return how many messages there are: in all queues, unacknowledged, and on their way in."""

    @property
    def most_messages(self) -> int:
        """How many messages the node may hold."""

    def ram_bytes(self) -> int:
        """Return the bytes of all bodies in RAM: any of them may be paged out."""

    def snapshot(self) -> dict[str, Any]:
        """Return the state that folding the log gives."""


class EngineFiles(Protocol):
    """A node's storage as hosts use it."""

    def used_bytes(self) -> int:
        """Return the bytes of all files together."""

    def close(self) -> None:
        """Close open files."""


class NodeDoor(Protocol):
    """Makes nodes, and knows the form of their rows."""

    version: str
    refusals: tuple[type[Exception], ...]
    """Raised by a node for a command that makes no sense; the text is for people."""
    no_scenario: tuple[type[Exception], ...]
    """Raised by `check`; the text names the place."""
    no_file: tuple[type[Exception], ...]
    """Raised by `read_file` for a missing file."""
    full: tuple[type[Exception], ...]
    """Raised by the storage if the files would exceed their bound."""
    outside: tuple[type[Exception], ...]
    """Raised by a node when files or memory fail (`full` included), through no fault of a command."""

    def open(self, scenario: dict[str, Any], root: str, max_bytes: int) -> tuple[EngineNode, EngineFiles]:
        """Make a node on real files under `root`."""

    def rehearse(self, scenario: dict[str, Any], keep: int = 2048) -> EngineNode:
        """Make a node that keeps sizes only: the same transitions, no files; its log holds the newest `keep`."""

    def ask(self, node: EngineNode, line: str) -> Any:
        """Return what a line of the console prints: text, changes (a command `ctl` must do it) and code."""

    not_now: tuple[type[Exception], ...]
    """Raised by `freeze` for a run in the middle of an action."""

    def freeze(self, node: EngineNode, files: EngineFiles) -> bytes:
        """Return a run as bytes, without the contents of its files."""

    def thaw(self, data: bytes, root: str) -> tuple[EngineNode, EngineFiles]:
        """Return the run that `freeze` made bytes of; its files lie under `root` again."""

    def check(self, scenario: bytes | dict[str, Any]) -> dict[str, Any]:
        """Return the scenario in full, or raise with the place of what is wrong."""

    def read_file(self, root: str, path: str, offset: int, count: int) -> tuple[int, bytes]:
        """Return the size of a real file and some of its bytes."""

    def read_records(self, root: str, scenario: dict[str, Any]) -> Any:
        """Return a reader of a run's real files under `root`; see `playground.hosting.file_records.RecordReader`."""


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
def _door() -> NodeDoor:

    types()  # nobody uses an engine before this
    return cast(NodeDoor, EngineDoor())  # it gets back no nodes and files but those that it opened


def door() -> NodeDoor:
    with _lock:
        return _door()


class EngineDoor:
    """See `NodeDoor`."""

    version = ENGINE_VERSION
    refusals: tuple[type[Exception], ...] = (CommandError,)
    full: tuple[type[Exception], ...] = (StorageFull,)
    outside: tuple[type[Exception], ...] = (OSError, MemoryError, StorageFull, FileMissing, FileCorrupt)
    no_scenario: tuple[type[Exception], ...] = (ScenarioError,)
    no_file: tuple[type[Exception], ...] = (FileMissing, PathRefused)

    def open(self, scenario: dict[str, Any], root: str, max_bytes: int) -> tuple[Cluster, DirectoryStorage]:
        # Nobody depends on these files after a crash of this machine: the run is repeated from its record.
        files = DirectoryStorage(root, max_bytes, fsync=False)
        return console.operated(scenarios.parse(scenario), files), files

    def rehearse(self, scenario: dict[str, Any], keep: int = 2048) -> Cluster:
        return on_ledger(scenario, keep)

    def ask(self, node: Cluster, line: str) -> Answer:
        return console.ask_node(node, line)

    not_now: tuple[type[Exception], ...] = (pickle.PicklingError, TypeError, AttributeError)

    def freeze(self, node: Cluster, files: DirectoryStorage) -> bytes:
        return pickle.dumps((node, files), protocol=pickle.HIGHEST_PROTOCOL)

    def thaw(self, data: bytes, root: str) -> tuple[Cluster, DirectoryStorage]:
        """Return the run from the bytes of `freeze`; its files are again under `root`. Raises FileMissing: a file is
        missing or too short, because it was deleted before the run was saved.
        """
        node, files = pickle.loads(data)  # noqa: S301 - signed by this server, see Checkpoints
        files.moved(root)
        for path in files.paths():
            place = Path(root) / path
            if not place.is_file() or place.stat().st_size != files.size(path):
                raise FileMissing(path)
        return node, files

    def check(self, scenario: bytes | dict[str, Any]) -> dict[str, Any]:
        return scenarios.parse(scenario).to_json()

    def read_file(self, root: str, path: str, offset: int, count: int) -> tuple[int, bytes]:
        # A storage of its own, only to read these records: the session's belongs to the thread that works on it.
        files = DirectoryStorage(root)
        try:
            data = files.read_bytes(path, offset, count)
            return files.size(path) or 0, data
        finally:
            files.close()

    def read_records(self, root: str, scenario: dict[str, Any]) -> RecordReader:
        # A storage of its own, beside the session's.
        return RecordReader(DirectoryStorage(root), scenario)
