"""What is done with damaged files of 4.x: they are inspected, and opened as the engine opens them."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from engine.backing_queue.protocol import TakenMessages
from engine.classic_v2.formats.mc import McCodec
from engine.classic_v2.index.recovery import references
from engine.classic_v2.queue.queue import ClassicQueueV2
from engine.classic_v2.queue.state import V2Means
from engine.classic_v2.settings import V4_0, V4_3, V2Settings
from engine.classic_v2.store.server import SharedStore
from engine.storage.ledger import LedgerStorage
from engine.values.errors import EngineError
from engine.values.marks import ignore
from tests.fuzz.damage import Files, damaged, load, stored
from tests.fuzz.running import inspected

RELEASES = {"4.0.5": V4_0, "4.3.6": V4_3}


def places(recordings: Path) -> list[Path]:
    """Return the recorded directories whose segments have as many entries as a broker's."""
    found = []
    for place in sorted((recordings / "v2" / "datadirs").iterdir()):
        manifest = json.loads((place / "manifest.json").read_text())
        if manifest["segment_entry_count"] == V4_3.segment_entry_count:
            found.append(place)
    return found


def opened(files: Files, settings: V2Settings) -> int:
    """Open the virtual host as after a crash and take every message; return how often the engine refused, in words."""
    storage = stored(files)
    codec = McCodec(transient_mark_second=settings.transient_mark_second)
    folders = sorted({path.rpartition("/")[0] for path in files if path.startswith("queues/")})
    refused = 0
    stores = [
        SharedStore(name=side, directory=f"msg_store_{side}", storage=storage, codec=codec, settings=settings)
        for side in ("persistent", "transient")
    ]
    named = []
    for folder in folders:
        try:
            named += list(references(storage, folder, codec, settings))
        except EngineError:
            refused += 1
    try:
        stores[0].start([], lambda: [(each.start, each.count) for each in named])
        stores[1].start_new()
    except EngineError:
        return refused + 1
    for folder in folders:
        try:
            _taken(_queue(folder, storage, codec, settings, stores))
        except EngineError:
            refused += 1
    return refused


def _settle(stores: list[SharedStore]) -> None:
    for each in stores:
        each.settle()


def _queue(
    folder: str,
    storage: LedgerStorage,
    codec: McCodec,
    settings: V2Settings,
    stores: list[SharedStore],
) -> ClassicQueueV2:
    queue = ClassicQueueV2(
        V2Means(
            name=folder,
            durable=True,
            settings=settings,
            codec=codec,
            storage=storage,
            directory=folder,
            persistent=stores[0],
            transient=stores[1],
            ref=folder,
            emit=ignore,
            settle=partial(_settle, stores),
        )
    )
    queue.recover(None, False, stores[0].contains)
    return queue


def _taken(queue: ClassicQueueV2) -> list[TakenMessages]:
    """Take what is there, and no more of it than the queue said that it has."""
    depth = queue.depth
    found = queue.fetch(depth, False) if depth else []
    assert sum(each.extent.count for each in found) <= depth
    return found


def run(recordings: Path, seed: int) -> tuple[bool, int]:
    """Damage, inspect and open; return whether damage was found and how many openings were refused."""
    every = places(recordings)
    place = every[seed % len(every)]
    files = damaged(load(place), seed)
    return inspected(files), opened(files, RELEASES[place.name.rpartition("-")[2]])
