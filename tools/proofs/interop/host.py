"""A virtual host's directory in the engine's hands: several queues on the two message stores they share."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec

from engine.classic_v1.formats.journal import JournalRecords, decode_journal
from engine.classic_v1.formats.record import decode_store
from engine.classic_v1.formats.segment import SegmentRecords, decode_segment
from engine.classic_v1.queue.queue import VariableQueue
from engine.classic_v1.queue.state import V1Means
from engine.classic_v1.settings import QueueSettings
from engine.classic_v1.store.state import StoreState
from engine.classic_v1.store.store import MsgStore
from engine.formats import properties
from engine.formats.message import MessageCodec, MessageTemplate
from engine.formats.names import config_text, queue_directory, read_config, read_queue_name
from engine.formats.properties import ParsedMessage, parse_message
from engine.formats.store_records import StoreRecords
from engine.releases import V3_8_9
from engine.storage.directory import DirectoryStorage
from engine.values.chunks import ByteChunk
from engine.values.stretches import Range
from tools.proofs.conformance.door import BackingQueueDoor

STORES = ("msg_store_persistent", "msg_store_transient")
NODE_ONLY = ("recovery.dets", "*/clean.dot", "*/file_summary.ets", "*/msg_store_index.ets")
"""What a clean stop of a node leaves and no other program can keep true (S240)."""


class TakenMessage(msgspec.Struct, frozen=True):
    """A message as somebody who takes it from the queue sees it."""

    body: bytes
    redelivered: bool
    properties: dict[str, object] | None = None


class DirectoryNode(BackingQueueDoor):
    """The backing-queue door with the directories that a node has.

    With `properties` in the configuration, all messages carry this property list.
    """

    def _make_stores(self) -> None:
        if "properties" in self.config:
            template = MessageTemplate(
                routing_keys=(self.config["queue"],), properties=self.config["properties"]
            )
            self.codec = MessageCodec(vhost=self.config["vhost"], templates=(template,))
        super()._make_stores()

    def _make_queue(self) -> None:
        self.queue = VariableQueue(
            V1Means(
                name=self.config["queue"],
                durable=self.config["durable"],
                settings=self.settings,
                codec=self.codec,
                storage=self.storage,
                directory=f"queues/{queue_directory(self.config['vhost'], self.config['queue'])}",
                persistent=self.persistent,
                transient=self.transient,
                ref="interop",
                emit=self.emit,
                settle=self.settle,
            )
        )

    def pending(self) -> list[list[int]]:
        """Return the runs of positions that a consumer holds."""
        places = ("ram_pending", "disk_pending", "index_pending")
        runs = [each for place in places for each in self.queue.state.extents_of(place)]
        return sorted([each.start, each.end - 1] for each in runs)

    def end(self, killed: bool) -> None:
        """Stop in order, or lose what the process had only buffered."""
        if killed:
            self.queue.kill("kill")
            self.persistent.kill()
            self.transient.kill()
        else:
            self.queue.terminate()
            self.settle()
            self.persistent.terminate()
            self.transient.terminate()


def make_room(directory: Path, segment_entry_count: int | None) -> None:
    """Clear a virtual host that the node has made, so that the engine can write it.

    Args:
        directory: of the virtual host.
        segment_entry_count: None for a release whose virtual hosts have no `.config` (V6).
    """
    for name in ("queues", *STORES):
        shutil.rmtree(directory / name, ignore_errors=True)
    forget_clean_stop(directory)
    if segment_entry_count is not None:
        (directory / ".config").write_bytes(config_text(segment_entry_count))


def forget_clean_stop(directory: Path) -> None:
    """Remove what only the node that stopped cleanly could believe."""
    for pattern in NODE_ONLY:
        for path in directory.glob(pattern):
            path.unlink()


def _settings(directory: Path) -> QueueSettings:
    """Return those of the broker that wrote a directory: without `.config`, a 3.8's (V6)."""
    config = directory / ".config"
    if not config.exists():
        return QueueSettings(**V3_8_9.constants, **V3_8_9.rules)
    entries = read_config(config.read_bytes())
    if entries is None:
        raise ValueError(f"{directory} has no segment entry count")
    return QueueSettings(segment_entry_count=entries)


class Stored(msgspec.Struct, frozen=True):
    """Messages that lie in a file one behind the other, alike but for their numbers.

    Args:
        msg_no: of the first.
        count: how many.
        template, size_bytes, raw_persistent: what the codec writes them with.
        term: of a single message that the codec would write otherwise.
    """

    msg_no: int
    count: int
    template: int
    size_bytes: int
    raw_persistent: bool
    term: bytes | None


class DirectoryHost:
    """The engine on a directory that somebody wrote: every durable queue in it, recovered as after a crash (S241).

    Args:
        directory: of the virtual host.
        vhost: its name.
        file_size_limit: bytes at which a store file is full.
    """

    def __init__(self, directory: Path, vhost: str = "/", file_size_limit: int = 16777216) -> None:
        self.storage = DirectoryStorage(str(directory))
        self.codec = MessageCodec(vhost=vhost)
        self.settings = msgspec.structs.replace(
            _settings(directory), msg_store_file_size_limit=file_size_limit
        )
        self._in_order = (directory / "msg_store_persistent" / "clean.dot").exists()
        self.stores = [self._store(name) for name in STORES]
        self.queues = {name: self._queue(name) for name in sorted(queue_names(directory))}
        self._next_msg_no = 1_000_000

    def _store(self, name: str) -> MsgStore:
        side = name.removeprefix("msg_store_")
        return MsgStore(
            StoreState(
                name=side,
                directory=name,
                storage=self.storage,
                codec=self.codec,
                settings=self.settings,
                emit=lambda _: None,
            )
        )

    def _queue(self, name: str) -> VariableQueue:
        return VariableQueue(
            V1Means(
                name=name,
                durable=True,
                settings=self.settings,
                codec=self.codec,
                storage=self.storage,
                directory=f"queues/{queue_directory(self.codec.vhost, name)}",
                persistent=self.stores[0],
                transient=self.stores[1],
                ref=name,
                emit=lambda _: None,
                settle=self.settle,
            )
        )

    def settle(self) -> None:
        """Let the stores do all they have to."""
        for store in self.stores:
            store.settle()

    def recover(self) -> None:
        """Start the stores and then the queues on the files (S110-S117, S206-S208)."""
        persistent, transient = self.stores
        queues = self.queues.values()
        clean = persistent.start(
            [], lambda: [run for queue in queues for run in queue.state.index.store_references()]
        )
        transient.start_new()
        for queue in queues:
            in_order = self._in_order and self.settings.flags_deliveries
            queue.recover(None, clean, persistent.contains, in_order)
        self._drain()

    def _drain(self) -> None:
        self.settle()
        for queue in self.queues.values():
            queue.drain_mailbox()

    def take(self, name: str, count: int | None = None) -> tuple[list[TakenMessage], list[Range]]:
        """Fetch messages, to be acknowledged; return what a consumer would see, and their tags."""
        queue = self.queues[name]
        stored = list(self._stored(queue))
        taken = queue.fetch(queue.state.len if count is None else count, ack=True)
        self._drain()
        numbers = [each.extent.msg_no + i for each in taken for i in range(each.extent.count)]
        contents = self._contents(stored, set(numbers))
        flags = [i < each.redelivered for each in taken for i in range(each.extent.count)]
        seen = [
            TakenMessage(body, redelivered, listed)
            for redelivered, (body, listed) in zip(flags, map(contents.__getitem__, numbers), strict=True)
        ]
        return seen, [Range(each.extent.start, each.extent.count) for each in taken]

    def _stored(self, queue: VariableQueue) -> Iterator[Stored]:
        """Yield what the files hold that a queue's messages may lie in: both stores and its own index."""
        codec, size = self.codec, self.settings.segment_entry_count
        for name in STORES:
            for path in self._paths(name, ".rdq"):
                for run in self.storage.read(path, lambda data: decode_store(data, codec)):
                    if isinstance(run, StoreRecords):
                        yield Stored(
                            run.msg_no, run.count, run.template, run.body_bytes, run.raw_persistent, run.term
                        )
        directory = queue.state.index.directory
        chunks = [
            chunk
            for path in self._paths(directory, ".idx")
            for chunk in self.storage.read(path, partial(_segment, path, size, codec))
        ]
        chunks += self.storage.read(f"{directory}/journal.jif", lambda data: decode_journal(data, codec))
        for run in chunks:
            if not isinstance(run, (SegmentRecords, JournalRecords)):
                continue
            publish = run.publish
            if publish is not None and publish.embedded:
                yield Stored(
                    publish.msg_no,
                    run.count,
                    publish.template,
                    publish.size_bytes,
                    publish.raw_persistent,
                    run.term,
                )

    def _contents(
        self, stored: Iterable[Stored], wanted: set[int]
    ) -> dict[int, tuple[bytes, dict[str, object]]]:
        """Return body and properties of each wanted message that is stored, by its number."""
        found = {}
        for run in stored:
            for number, term in enumerate(self._terms(run, wanted), run.msg_no):
                if number in wanted:
                    message = parse_message(term)
                    assert self.codec.msg_no_of(message.id16) == number
                    found[number] = b"".join(message.frames), _listed(message)
        return found

    def _terms(self, run: Stored, wanted: set[int]) -> Iterable[bytes]:
        """Return the terms of a run, nothing where none of its messages is wanted."""
        if wanted.isdisjoint(range(run.msg_no, run.msg_no + run.count)):
            return []
        if run.term is not None:
            return [run.term]
        rows = self.codec.terms(run.msg_no, run.count, run.template, run.size_bytes, run.raw_persistent)
        return [row.tobytes() for row in rows]

    def _paths(self, directory: str, suffix: str) -> Sequence[str]:
        return [f"{directory}/{name}" for name in self.storage.list(directory) if name.endswith(suffix)]

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


def _listed(message: ParsedMessage) -> dict[str, object]:
    """Return the properties with the names of the headers alone."""
    found = properties.decode(message.properties or bytes(2))
    if "headers" in found:
        found["headers"] = sorted(name for name, _ in found["headers"])
    return found


def queue_names(directory: Path) -> Iterator[str]:
    """Yield the names of the queues in a virtual host's directory."""
    for path in (directory / "queues").glob("*/.queue_name"):
        stated = read_queue_name(path.read_bytes())
        if stated is not None:
            yield stated[1]


def _segment(path: str, size: int, codec: MessageCodec, data: bytes) -> list[ByteChunk]:
    return decode_segment(data, int(Path(path).stem), size, codec)
