"""What version 1 left of a virtual host: whatever is no other generation's is read as its."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from engine.classic_v1.formats.record import MARKER, RecordHead, StoreRecords, scan_store
from engine.classic_v1.inspect.queue import QueueInspector
from engine.damage.reading import InspectedQueue, StoredMessage, body_of, until_damage
from engine.damage.store import StoreFiles
from engine.formats.chunks import AnyChunk, RawBytes, ZeroBytes
from engine.formats.clean_stop import RecoveryTerms
from engine.formats.properties import parse_message
from engine.formats.terms import TermError
from engine.values.inherit import override
from engine.values.sizes import equal


class StoreInspector(StoreFiles):
    """Reads one store's directory, and what an interrupted compaction left in it (S206)."""

    unfinished = "rdt"

    @override
    def _file(self, name: str) -> dict[str, Any]:
        path = self._path(name)
        data = self._data(path)
        entries = 0
        listed: list[dict[str, Any]] = []
        scanned = scan_store(data, self._codec, self._options.heads)
        for offset, chunk in until_damage(scanned, path, self._findings):
            if isinstance(chunk, RecordHead):
                entries += 1
                self.message_numbers.add(chunk.msg_no)
                self.runs.append((chunk.msg_no, 1, chunk.record_bytes))
            elif isinstance(chunk, StoreRecords):
                entries += chunk.count
                self.message_numbers.update(range(chunk.msg_no, chunk.msg_no + chunk.count))
                self.runs.append((chunk.msg_no, chunk.count, chunk.size_bytes // chunk.count))
                self._check(path, offset, chunk)
                if entries <= self._options.list_most:
                    listed.extend(self._records(offset, chunk))
            else:
                self._note_skipped(path, offset, chunk)
        found: dict[str, Any] = {"file": name, "size": self._storage.size(path), "entries": entries}
        if entries <= self._options.list_most:
            found["list"] = listed
        return found

    def _check(self, path: str, offset: int, run: StoreRecords) -> None:
        """Note a record whose message cannot be read, or is another one than the record names."""
        if run.term is None:
            return
        try:
            found = self._codec.read_term(run.term)
        except TermError:
            self._findings.add(path, offset, "garbage", "record_without_message", at=offset)
            return
        if found.msg_no != run.msg_no:
            self._findings.add(path, offset, "garbage", "record_of_another_message", at=offset)
        else:
            self.body_bytes[run.msg_no] = found.size_bytes

    def _note_skipped(self, path: str, offset: int, chunk: AnyChunk) -> None:
        """Note bytes that the scanner does not report (S209)."""
        if isinstance(chunk, ZeroBytes):
            self._findings.add(path, offset, "zeros", "store_zeros", count=chunk.size_bytes, at=offset)
            return
        assert isinstance(chunk, RawBytes)
        data = chunk.data
        count, size = len(data), int.from_bytes(data[:8], "big")
        if count < 8:
            self._findings.add(path, offset, "truncated", "size_field_cut_off", count=count, at=offset)
        elif size + 9 == count and data[-1] != MARKER:
            self._findings.add(
                path, offset, "wrong marker", "wrong_marker", at=offset, found=data[-1], wanted=MARKER
            )
        elif not size:
            self._findings.add(path, offset, "zeros", "zero_size", count=count, at=offset)
        else:
            self._findings.add(
                path, offset, "truncated", "store_record_cut_off", at=offset, size=size + 9, left=count
            )

    def _records(self, offset: int, run: StoreRecords) -> Iterator[dict[str, Any]]:
        for at in range(run.count):
            one = run.written(at, 1)
            term = one.term
            if term is None:
                shape = (one.template, equal(one.body_bytes), one.raw_persistent)
                term = self._codec.terms(one.msg_no, 1, *shape).tobytes()
            yield {
                "offset": offset,
                "total_size": one.size_bytes,
                "msg_id": self._codec.id_bytes(one.msg_no).hex(),
                "marker": MARKER,
                "body": body_of(term),
            }
            offset += one.size_bytes


class V1HostReader:
    """Reads the directories of version 1; it is asked last, as releases before 4.0 have no other."""

    def __init__(self, host: InspectedQueue) -> None:
        self._host = host

    def has_queue(self, _directory: str) -> bool:
        return True

    def has_store(self, _directory: str) -> bool:
        return True

    def queue(self, directory: str) -> QueueInspector:
        return QueueInspector(self._host, directory)

    def store(self, directory: str) -> StoreInspector:
        return StoreInspector(self._host, directory)

    def message(self, term: bytes) -> StoredMessage | None:
        """Return the message in a stored term of 3.x, None if it is none (S50)."""
        try:
            found = parse_message(term)
        except TermError:
            return None
        return StoredMessage(
            found.id16,
            found.exchange,
            found.routing_keys,
            found.properties,
            found.decoded_properties,
            found.persistent,
            b"".join(found.frames),
        )

    def release(self, _terms: Collection[RecoveryTerms]) -> str | None:
        """Return None: files of version 1 do not show it."""
        return None
