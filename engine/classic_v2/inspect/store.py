"""A shared store's directory as 4.x leaves it: its files, whose gaps are no damage, and what a clean stop left."""

from __future__ import annotations

import struct
from typing import Any, Final

from engine.classic_v2.formats.rdq import ID_BYTES, MARKER, scan
from engine.classic_v2.inspect.queue import KeptMessage, Signs, content_of
from engine.damage.findings import Findings
from engine.damage.reading import Options, content, numbered, parsed
from engine.formats.clean_stop import read_clean_dot, read_file_summary, read_index
from engine.formats.message import MessageCodec
from engine.storage.directory import DirectoryStorage

MOST_FILE_BYTES: Final = 1 << 40
"""A record of such a size was never one."""
_SIZE = struct.Struct(">Q")


class V2StoreInspector:
    """Reads one store's directory.

    Args:
        storage: the inspected directory.
        directory: path of the store's directory in it, "" for the root.
        codec: numbers their ids; shared with the queues.
        findings: where damage is noted.
        options: how much to report.
        signs: learns which release wrote the messages.
    """

    def __init__(
        self,
        storage: DirectoryStorage,
        directory: str,
        codec: MessageCodec,
        findings: Findings,
        options: Options,
        signs: Signs,
    ) -> None:
        self._storage = storage
        self._directory = directory
        self._codec = codec
        self._findings = findings
        self._options = options
        self.signs = signs
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
        listed: list[dict[str, Any]] = []
        entries = end = 0
        for offset, total, id16 in scan(data, _any_record, stops_early=False):
            self._skipped(path, data, end, offset)
            end = offset + total
            entries += 1
            number = self._codec.msg_no_of(id16)
            self.message_numbers.add(number)
            self.runs.append((number, 1, total))
            found = self._message(path, data, offset, total, id16)
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
        self.signs.note(found)
        return found

    def _skipped(self, path: str, data: bytes, begin: int, end: int) -> None:
        """Note what should be a record and is none; other gaps are what a compaction leaves (W142, W143)."""
        if end - begin < _SIZE.size:
            if any(data[begin:end]):
                count = end - begin
                self._findings.add(path, begin, "truncated", "size_field_cut_off", count=count, at=begin)
            return
        size = _SIZE.unpack_from(data, begin)[0]
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
