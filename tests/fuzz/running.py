"""What is done with damaged files: they are inspected, and opened as the engine opens them."""

from __future__ import annotations

import json
from pathlib import Path

from engine.classic_v1.index.actions import IndexConfirms
from engine.classic_v1.index.index import QueueIndex
from engine.classic_v1.settings import QueueSettings
from engine.classic_v1.store.state import StoreState
from engine.classic_v1.store.store import MsgStore
from engine.damage import ReadingOptions
from engine.formats.message import MessageCodec
from engine.inspect.directory_kinds import inspect
from engine.report.transitions.base import Transition
from engine.storage.ledger import LedgerStorage
from engine.values.errors import EngineError
from engine.values.stretches import Range, RangeSet
from tests.fuzz.damage import Files, damaged, load, stored

PLACES = ("clean-mixed", "dirty-mixed", "clean-17000")


def real_files(recordings: Path, seed: int) -> Files:
    """Return the files of one of the recorded directories; the large one, without its store files, comes up rarely."""
    name = PLACES[2] if seed % 20 == 0 else PLACES[seed % 2]
    return load(recordings / "datadirs" / name)


def inspected(files: Files) -> bool:
    """Inspect files; return whether damage was found. The report must be JSON with words for each damage."""
    report = inspect(stored(files), ReadingOptions())
    assert json.loads(json.dumps(report)) is not None
    for each in report["damage"]:
        assert each["kind"]
        assert each["words"]
        assert each["offset"] is None or each["offset"] >= 0
    return bool(report["damage"])


def opened(files: Files) -> int:
    """Open every queue and the persistent store; return how many of them were refused, in the engine's words."""
    refused = 0
    storage = stored(files)
    codec = MessageCodec()
    for directory in sorted({path.rpartition("/")[0] for path in files}):
        try:
            if directory.startswith("queues/"):
                _open_queue(storage, codec, directory)
            elif directory == "msg_store_persistent":
                _open_store(storage, codec, directory)
        except EngineError:
            refused += 1
    return refused


def _open_queue(storage: LedgerStorage, codec: MessageCodec, directory: str) -> None:
    index = QueueIndex(
        queue=directory,
        directory=directory,
        storage=storage,
        codec=codec,
        settings=QueueSettings(),
        emit=_nobody,
        confirms=IndexConfirms(_nobody_confirms, _nobody_confirms),
    )
    index.store_references()
    index.recover(None, False, lambda asked: RangeSet([asked]))
    size = index.size
    # A damaged seq_id may lie far away, and a queue that reads its way there opens every segment between, as the
    # broker's does (Q34); here only those are read that the index knows.
    live = {
        number: index.read(number * size, (number + 1) * size) for number in sorted(index.segments.unacked)
    }
    for number, found in live.items():
        assert sum(each.count for each in found) <= index.segments.unacked[number]


def _open_store(storage: LedgerStorage, codec: MessageCodec, directory: str) -> None:
    store = MsgStore(
        StoreState(
            name="persistent",
            directory=directory,
            storage=storage,
            codec=codec,
            settings=QueueSettings(),
            emit=_nobody,
        )
    )
    store.start([], lambda: [Range(1 << 52, 50)])
    store.settle()
    store.verify()


def _nobody(_: Transition) -> None:
    """Take note of nothing."""


def _nobody_confirms(_: RangeSet) -> None:
    """Notify nobody."""


def run(recordings: Path, seed: int) -> tuple[bool, int]:
    """Damage, inspect and open; return whether damage was found and how many openings were refused."""
    files = damaged(real_files(recordings, seed), seed)
    return inspected(files), opened(files)
