"""One queue of version 2 with its two stores, on a ledger, as small as a drawing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from engine.backing_queue.protocol import Arrival, CleanTerms
from engine.classic_v2.formats.mc import McCodec
from engine.classic_v2.index.recovery import references
from engine.classic_v2.queue.queue import ClassicQueueV2
from engine.classic_v2.queue.state import V2Means
from engine.classic_v2.settings import V4_3, V2Settings
from engine.classic_v2.store.server import SharedStore
from engine.report.transitions.base import Transition
from engine.storage.ledger import LedgerStorage
from engine.storage.port import Storage
from engine.values.sizes import Each
from engine.values.stretches import Range


def small(base: V2Settings = V4_3, **changes: Any) -> V2Settings:
    """Return settings with segments of 8 entries, and these changes."""
    return msgspec.structs.replace(base, **{"segment_entry_count": 8, **changes})


@dataclass
class World:
    """A queue, its stores and the files below them."""

    settings: V2Settings = field(default_factory=small)
    durable: bool = True
    storage: Storage = field(default_factory=LedgerStorage)
    out_rate: float = 0.0

    def __post_init__(self) -> None:
        self.codec = McCodec(transient_mark_second=self.settings.transient_mark_second)
        self.next_no = 0
        self.emitted: list[Transition] = []
        self._make()
        self.persistent.start_new()
        self.transient.start_new()
        self.queue.start_new()
        self.rate(self.out_rate)

    def _make(self) -> None:
        self.persistent, self.transient = (
            SharedStore(
                name=name,
                directory=f"msg_store_{name}",
                storage=self.storage,
                codec=self.codec,
                settings=self.settings,
                emit=self.emitted.append,
            )
            for name in ("persistent", "transient")
        )
        self.queue = ClassicQueueV2(
            V2Means(
                name="q",
                durable=self.durable,
                settings=self.settings,
                codec=self.codec,
                storage=self.storage,
                directory="queues/q",
                persistent=self.persistent,
                transient=self.transient,
                ref="q",
                emit=self.emitted.append,
                settle=self.settle,
            )
        )

    def settle(self) -> None:
        self.persistent.settle()
        self.transient.settle()

    def rate(self, out: float) -> None:
        self.queue.state.rates.freeze(0.0, out, 0.0, 0.0)
        self.queue._done(None)

    def publish(self, count: int = 1, size: Each = 100, persistent: bool = True, **more: Any) -> Range:
        arrival = Arrival(count, self.next_no, size, persistent, **more)
        self.next_no += count
        return self.queue.publish([arrival])

    def fetch(self, count: int = 1, ack: bool = True) -> list[int]:
        taken = self.queue.fetch(count, ack)
        return [seq for each in taken for seq in range(each.extent.start, each.extent.end)]

    def ack(self, *seqs: int, multiple: bool = True) -> None:
        self.queue.ack([Range(seq, 1) for seq in seqs], multiple)

    def restart(self) -> CleanTerms | None:
        terms = self.queue.terminate()
        self.settle()
        self.persistent.terminate()
        self.transient.terminate()
        self._again(terms)
        return terms

    def crash(self) -> None:
        self.queue.kill()
        self.persistent.kill()
        self.transient.kill()
        self._again(None)

    def _again(self, terms: CleanTerms | None) -> None:
        self._make()
        refs = [terms.persistent_ref] if terms is not None and terms.persistent_ref else []
        named = references(self.storage, "queues/q", self.codec, self.settings)
        clean = self.persistent.start(refs, lambda: [(each.start, each.count) for each in named])
        self.transient.start_new()
        self.queue.recover(terms, clean, self.persistent.contains)
        self.rate(self.out_rate)

    @property
    def tail(self) -> tuple[int | None, int, int | None]:
        tail = self.queue.state.tail
        return tail.start, tail.count, tail.end

    def files(self, extension: str) -> dict[int, int]:
        """Return the sizes of the queue's files of one kind by segment."""
        names = [name for name in self.storage.list("queues/q") if name.endswith(extension)]
        return {int(name[:-3]): self.storage.size(f"queues/q/{name}") or 0 for name in names}

    def read(self, name: str) -> bytes:
        path = f"queues/q/{name}"
        return self.storage.read_bytes(path, 0, self.storage.size(path) or 0)

    def store_files(self) -> dict[int, tuple[int, int]]:
        """Return size and valid bytes of the persistent store's files."""
        return {number: (file.size, file.valid) for number, file in self.persistent.state.files.items()}

    def refs(self) -> dict[int, int]:
        """Return how many messages of the persistent store have each number of references."""
        found: dict[int, int] = {}
        for row in self.persistent.state.rows:
            found[row.refs] = found.get(row.refs, 0) + row.count
        return found
