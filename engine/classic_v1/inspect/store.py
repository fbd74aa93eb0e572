"""A message store's directory: its files and what a clean stop left beside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.classic_v1.formats.record import MARKER, StoreRecords, scan_store
from engine.damage.findings import Findings
from engine.damage.reading import Options, body_of, content, numbered, parsed, until_damage
from engine.formats.chunks import AnyChunk, RawBytes, Zeros
from engine.formats.clean_stop import read_clean_dot, read_file_summary, read_index
from engine.formats.message import MessageCodec
from engine.storage.directory import DirectoryStorage
from engine.values.sizes import equal


class StoreInspector:
    """Reads one store's directory.

    Args:
        storage: the inspected directory.
        directory: path of the store's directory in it, "" for the root.
        codec: reads messages; shared with the queues.
        findings: where damage is noted.
        options: how much to report.
    """

    def __init__(
        self,
        storage: DirectoryStorage,
        directory: str,
        codec: MessageCodec,
        findings: Findings,
        options: Options,
    ) -> None:
        self._storage = storage
        self._directory = directory
        self._codec = codec
        self._findings = findings
        self._options = options
        self.message_numbers: set[int] = set()
        """Numbers of the messages with a complete record in some file."""
        self.runs: list[tuple[int, int, int]] = []
        """Their records in runs: first number, count, bytes of each."""
        self.saved_refs: list[bytes] | None = None
        """Clients that a clean stop saved; None where what it left is not whole."""

    def report(self) -> dict[str, Any]:
        """Read everything and return it under the names of a manifest."""
        names = self._storage.list(self._directory)
        clean = self._small("clean.dot", read_clean_dot)
        summary = self._small("file_summary.ets", read_file_summary)
        index = self._small("msg_store_index.ets", read_index)
        if clean is not None and summary is not None and index is not None:
            self.saved_refs = list(clean.client_refs)
        files = [self._file(name) for _, name in numbered(names, "rdq")]
        for _, name in numbered(names, "rdt"):
            self._findings.add(self._path(name), None, "contradiction", "compaction_interrupted")
        for row in summary or ():
            self._compare(row.file, row.file_bytes)
        return {
            "dir": self._directory,
            "clean_dot": clean
            and {"client_refs": len(clean.client_refs), "index_module": clean.index_module},
            "file_summary": None
            if summary is None
            else [[row.file, row.file_bytes, row.valid_bytes, row.left, row.right] for row in summary],
            "index_rows": self._index_rows(index),
            "files": files,
        }

    def _path(self, name: str) -> str:
        return f"{self._directory}/{name}" if self._directory else name

    def _small(self, name: str, read: Any) -> Any:
        path = self._path(name)
        return parsed(content(self._storage, path, self._findings), path, self._findings, read)

    def _index_rows(self, index: Any) -> Any:
        if index is None:
            return None
        if len(index) > self._options.list_most:
            return {"n": len(index)}
        return [[row.id16.hex(), row.ref_count, row.file, row.offset, row.record_bytes] for row in index]

    def _compare(self, number: int, size: int) -> None:
        path = self._path(f"{number}.rdq")
        there = self._storage.size(path)
        if there is None:
            self._findings.add(path, None, "missing", "store_file_missing", size=size)
        elif there < size:
            self._findings.add(path, there, "truncated", "store_file_too_short", size=size, end=there)

    def _file(self, name: str) -> dict[str, Any]:
        path = self._path(name)
        data = content(self._storage, path, self._findings) or b""
        entries = 0
        listed: list[dict[str, Any]] = []
        for offset, chunk in until_damage(scan_store(data, self._codec), path, self._findings):
            if isinstance(chunk, StoreRecords):
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
        if body_of(run.term) is None:
            self._findings.add(path, offset, "garbage", "record_without_message", at=offset)
        elif self._codec.read_term(run.term).msg_no != run.msg_no:
            self._findings.add(path, offset, "garbage", "record_of_another_message", at=offset)

    def _note_skipped(self, path: str, offset: int, chunk: AnyChunk) -> None:
        """Note bytes that the scanner does not report (S209)."""
        if isinstance(chunk, Zeros):
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
