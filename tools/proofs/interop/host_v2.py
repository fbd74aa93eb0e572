"""A virtual host's directory of 4.x in the engine's hands, and the door through which programs write one."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import md5
from pathlib import Path
from typing import Any

import msgspec

from engine.backing_queue.protocol import CleanTerms
from engine.classic_v2.formats.mc import McCodec
from engine.classic_v2.index.recovery import references
from engine.classic_v2.queue.queue import ClassicQueueV2
from engine.classic_v2.queue.state import V2Means
from engine.classic_v2.settings import V2Settings
from engine.classic_v2.store.server import SharedStore
from engine.formats.message import MessageTemplate
from engine.formats.names import queue_directory
from engine.releases import RELEASES
from engine.storage.directory import DirectoryStorage
from engine.storage.port import Storage
from engine.values.marks import ignore
from engine.values.stretches import Range
from tools.proofs.conformance.door_v2 import V2Door
from tools.proofs.interop import clean_stop, contents
from tools.proofs.interop.clean_stop import Left
from tools.proofs.interop.host import STORES, TakenMessage, queue_names


def ref_of(queue: str) -> str:
    """Return the name by which the engine's queue is known to the persistent store: 16 bytes, as a broker's."""
    return md5(queue.encode(), usedforsecurity=False).hexdigest()


class NodeDoorV2(V2Door):
    """The door of version 2 with the directories, ids and frames that a node has.

    With `properties` in the configuration, all messages carry this property list.

    Args:
        config: as in a trace, with the virtual host's name.
        release: of the broker whose rules are followed.
        storage: the directory of the virtual host.
    """

    def __init__(self, config: dict[str, Any], release: str, storage: Storage) -> None:
        own = f"queues/{queue_directory(config['vhost'], config['queue'])}"
        super().__init__(config, release, storage, own)

    def _codec(self) -> McCodec:
        template = MessageTemplate(
            routing_keys=(self.config["queue"],), properties=self.config.get("properties")
        )
        second = self.settings.transient_mark_second
        return McCodec(vhost=self.config["vhost"], templates=(template,), transient_mark_second=second)

    def pending(self) -> list[list[int]]:
        """Return the runs of positions that a consumer holds."""
        state = self.queue.state
        return sorted([each.start, each.end - 1] for each in (*state.ram_pending, *state.disk_pending))

    def end(self, killed: bool) -> Left | None:
        """Stop in order and return what that left; or lose what the process had only buffered, and return None."""
        if killed:
            self.queue.kill("kill")
            self.persistent.kill()
            self.transient.kill()
            return None
        terms = self.queue.terminate()
        self.settle()
        self.persistent.terminate()
        self.transient.terminate()
        if terms is not None:
            terms = msgspec.structs.replace(terms, persistent_ref=ref_of(self.config["queue"]))
        stop = clean_stop.of_engine(self.storage, self.codec, [ref_of(self.config["queue"])])
        return Left({} if terms is None else {self.own.rpartition("/")[2]: terms}, stop)


class HostV2:
    """The engine on a directory of 4.x that somebody wrote: every durable queue in it, recovered.

    Args:
        directory: of the virtual host.
        vhost: its name.
        file_size_limit: bytes at which a store file is full.
        release: whose rules are followed.
        left: what a clean stop left; None for a start as after a crash.
        segment_entry_count: of the node.
    """

    def __init__(
        self,
        directory: Path,
        vhost: str = "/",
        file_size_limit: int = 16777216,
        release: str = "4.3.6",
        left: Left | None = None,
        segment_entry_count: int = 4096,
    ) -> None:
        row = next(each for each in RELEASES.values() if each.name == release)
        chosen = {"msg_store_file_size_limit": file_size_limit, "segment_entry_count": segment_entry_count}
        settings = row.storage_settings("real", chosen)
        assert isinstance(settings, V2Settings)
        self.settings = settings
        self.storage = DirectoryStorage(str(directory))
        self.codec = McCodec(vhost=vhost, transient_mark_second=settings.transient_mark_second)
        self._left = left or Left({}, None)
        self.stores = [self._store(name) for name in STORES]
        self.names = sorted(queue_names(directory))
        self.queues: dict[str, ClassicQueueV2] = {}
        self._next_msg_no = 1_000_000

    def _store(self, name: str) -> SharedStore:
        side = name.removeprefix("msg_store_")
        return SharedStore(
            name=side, directory=name, storage=self.storage, codec=self.codec, settings=self.settings
        )

    def _directory(self, name: str) -> str:
        return f"queues/{queue_directory(self.codec.vhost, name)}"

    def _terms(self, name: str) -> CleanTerms | None:
        return self._left.terms.get(queue_directory(self.codec.vhost, name))

    def _queue(self, name: str) -> ClassicQueueV2:
        terms = self._terms(name)
        return ClassicQueueV2(
            V2Means(
                name=name,
                durable=True,
                settings=self.settings,
                codec=self.codec,
                storage=self.storage,
                directory=self._directory(name),
                persistent=self.stores[0],
                transient=self.stores[1],
                ref=ref_of(name) if terms is None or terms.persistent_ref is None else terms.persistent_ref,
                emit=ignore,
                settle=self.settle,
            )
        )

    def settle(self) -> None:
        """Let the stores do all they have to."""
        for store in self.stores:
            store.settle()

    def recover(self) -> None:
        """Start the stores and then the queues on the files (W96, W97, W150)."""
        persistent, transient = self.stores
        if self._left.stop is not None:
            clean_stop.for_engine(self.storage, self.codec, self._left.stop)
        clean = persistent.start(
            [each.persistent_ref for each in self._left.terms.values() if each.persistent_ref],
            lambda: [
                (each.start, each.count)
                for name in self.names
                for each in references(self.storage, self._directory(name), self.codec, self.settings)
            ],
        )
        transient.start_new()
        every = all(self._terms(name) is not None for name in self.names)
        for name in self.names:
            queue = self.queues[name] = self._queue(name)
            queue.recover(self._terms(name), clean and every, persistent.contains)
        self._drain()

    def _drain(self) -> None:
        self.settle()
        for queue in self.queues.values():
            queue.drain_mailbox()

    def take(self, name: str, count: int | None = None) -> tuple[list[TakenMessage], list[Range]]:
        """Fetch messages, to be acknowledged; return what a consumer would see, and their tags."""
        queue = self.queues[name]
        known = self._contents()
        taken = queue.fetch(queue.depth if count is None else count, ack=True)
        self._drain()
        seen = []
        for each in taken:
            for i in range(each.extent.count):
                body, listed = known[each.extent.msg_no + i]
                seen.append(TakenMessage(body, i < each.redelivered, listed))
        return seen, [Range(each.extent.start, each.extent.count) for each in taken]

    def _contents(self) -> dict[int, contents.Content]:
        """Return body and properties of every message in the files, by its number."""
        found = [
            each
            for read, names in (
                (lambda name: contents.of_store(self.storage, name), STORES),
                (lambda name: contents.of_queue(self.storage, self._directory(name), self.codec), self.names),
            )
            for name in names
            for each in _call(read, name)
        ]
        return {self.codec.msg_no_of(id16): content for id16, content in found}

    def next_numbers(self, count: int) -> int:
        """Return the first of `count` message numbers that nobody has used."""
        first = self._next_msg_no
        self._next_msg_no += count
        return first

    def stop(self) -> None:
        """Stop in order."""
        for queue in self.queues.values():
            queue.terminate()
        self.settle()
        for store in self.stores:
            store.terminate()
        self.storage.close()


def _call(read: Callable[[str], Any], name: str) -> Any:
    return read(name)
