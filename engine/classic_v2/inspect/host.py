"""What version 2 left of a virtual host: which directories are its, and which release wrote them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from engine.classic_v2.formats.mc import container_body, parse_container
from engine.classic_v2.formats.rdq import ID_BYTES, MARKER, scan
from engine.classic_v2.inspect.queue import KeptMessage, QueueSigns, V2QueueInspector, content_of
from engine.damage.reading import InspectedQueue, StoredMessage, numbered
from engine.damage.store import SIZE_BYTES, StoreFiles
from engine.formats.clean_stop import RecoveryTerms
from engine.formats.terms import TermError
from engine.storage.directory import DirectoryStorage
from engine.values.inherit import override

MOST_FILE_BYTES: Final = 1 << 40
"""Bytes that would make a record this large are no record."""


class V2StoreInspector(StoreFiles):
    """Reads one store's directory.

    Args:
        host: the virtual host.
        directory: path of the store's directory in it, "" for the root.
        signs: learns which release wrote the messages.
    """

    def __init__(self, host: InspectedQueue, directory: str, signs: QueueSigns) -> None:
        super().__init__(host, directory)
        self.signs = signs

    @override
    def _file(self, name: str) -> dict[str, Any]:
        path = self._path(name)
        data = self._data(path)
        listed: list[dict[str, Any]] = []
        entries = end = 0
        for offset, total, id16 in scan(data, _any_record, stops_early=False):
            self._skipped(path, data, end, offset)
            end = offset + total
            entries += 1
            number = self._codec.msg_no_of(id16)
            self.message_numbers.add(number)
            self.runs.append((number, 1, total))
            is_read = entries == 1 or not self._options.heads  # one shows the release
            found = self._message(path, data, offset, total, id16) if is_read else None
            if entries <= self._options.list_most:
                listed.append(
                    {
                        "offset": offset,
                        "total_size": total,
                        "msg_id": id16.hex(),
                        "marker": MARKER,
                        "body": found and found.body,
                    }
                )
        self._skipped(path, data, end, len(data))
        report: dict[str, Any] = {"file": name, "size": self._storage.size(path), "entries": entries}
        if entries <= self._options.list_most:
            report["list"] = listed
        return report

    def _message(self, path: str, data: bytes, offset: int, total: int, id16: bytes) -> KeptMessage | None:
        """Read the message of a record, and note one that cannot be read, or is another than the record names."""
        found = content_of(data[offset + 24 : offset + total - 1])
        if found is None:
            self._findings.add(path, offset, "garbage", "record_without_message", at=offset)
            return None
        if found.id16 != id16:
            self._findings.add(path, offset, "garbage", "record_of_another_message", at=offset)
        else:
            self.body_bytes[self._codec.msg_no_of(id16)] = found.body["body_length"]
        self.signs.note(found)
        return found

    def _skipped(self, path: str, data: bytes, begin: int, end: int) -> None:
        """Note what should be a record and is none; other gaps are what a compaction leaves (W142, W143)."""
        if end - begin < SIZE_BYTES:
            if any(data[begin:end]):
                count = end - begin
                self._findings.add(path, begin, "truncated", "size_field_cut_off", count=count, at=begin)
            return
        size = int.from_bytes(data[begin : begin + SIZE_BYTES], "big")
        if size < ID_BYTES:
            return
        total = size + 9
        if begin + total > len(data):
            left = len(data) - begin
            if size < MOST_FILE_BYTES:
                self._findings.add(
                    path, begin, "truncated", "store_record_cut_off", at=begin, size=total, left=left
                )
            else:
                self._findings.add(path, begin, "garbage", "no_record", at=begin, count=end - begin)
        elif data[begin + total - 1] != MARKER:
            found = data[begin + total - 1]
            self._findings.add(
                path, begin, "wrong marker", "wrong_marker", at=begin, found=found, wanted=MARKER
            )


def _any_record(_id16: bytes, _total: int, _offset: int) -> bool:
    return True


BOUNDARY: Final = b"\x83h\x04w\x02mc"
"""How a stored message of 4.x begins (W160)."""
HEAD_BYTES: Final = 64
WINDOW_BYTES: Final = 1 << 20


class V2HostReader:
    """Reads the directories of version 2."""

    def __init__(self, host: InspectedQueue) -> None:
        self._host = host
        self._signs = QueueSigns()
        self._queues = 0

    def has_queue(self, directory: str) -> bool:
        """Return whether a queue's directory has files of version 2, or says so in `.queue_name` (W80)."""
        storage = self._host.storage
        names = storage.list(directory)
        if numbered(names, "qi") or numbered(names, "qs"):
            return True
        path = f"{directory}/.queue_name" if directory else ".queue_name"
        size = storage.size(path) if ".queue_name" in names else None
        return bool(size) and storage.read_bytes(path, 0, size or 0).endswith(b"INDEX: v2\n")

    def has_store(self, directory: str) -> bool:
        """Return whether the first record of some store file holds a message as 4.x stores it (W160)."""
        storage = self._host.storage
        return any(
            _head(storage, f"{directory}/{name}" if directory else name).find(BOUNDARY) >= 0
            for _number, name in numbered(storage.list(directory), "rdq")
        )

    def queue(self, directory: str) -> V2QueueInspector:
        """Return the reader of a queue's directory."""
        self._queues += 1
        if numbered(self._host.storage.list(directory), "idx"):
            self._host.findings.add(directory or ".", None, "contradiction", "versions_mixed")
        return V2QueueInspector(self._host, directory, self._signs)

    def store(self, directory: str) -> V2StoreInspector:
        """Return the reader of a store's directory."""
        return V2StoreInspector(self._host, directory, self._signs)

    def message(self, term: bytes) -> StoredMessage | None:
        """Return the message in a stored term of 4.x, None if it is none (W160)."""
        try:
            found, body = parse_container(term), container_body(term)
        except TermError:
            return None
        keys = found.routing_keys
        return StoredMessage(found.id16, found.exchange, keys, found.properties, None, found.persistent, body)

    def release(self, terms: Collection[RecoveryTerms]) -> str | None:
        """Return the series of a 4.x, by what queues saved, and otherwise by the order of annotations (W211)."""
        if not (self._signs.containers or (self._queues and not self._signs.older)):
            return None
        saved = {each.delivered_by for each in terms if each.version == 2}
        if saved:
            return "4.3" if "redeliver_seq_id" in saved else "4.0"
        if self._signs.mark_second is None:
            return self._host.options.series
        return "4.0" if self._signs.mark_second else "4.3"


def _head(storage: DirectoryStorage, path: str) -> bytes:
    """Return some bytes of a file from the first one on that is not zero: a compaction leaves gaps (W142)."""
    size = storage.size(path) or 0
    for at in range(0, size, WINDOW_BYTES):
        held = storage.read_bytes(path, at, min(WINDOW_BYTES + HEAD_BYTES, size - at)).lstrip(b"\0")
        if held:
            return held[:HEAD_BYTES]
    return b""
