"""The door to the real engine: `engine.broker` on real files, or on a ledger."""

from __future__ import annotations

import contextlib
import pickle
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

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
from playground.hosting.engine_api import NodeDoor
from playground.hosting.file_records import RecordReader


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
    """See `playground.hosting.engine_api.NodeDoor`."""

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
        """Return the run from the bytes of `freeze`; its files are again under `root`.

        Raises:
            FileMissing: a file is missing or too short, because it was deleted before the run was saved.
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
