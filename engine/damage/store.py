"""A message store's directory, as every generation leaves it: its files, and the files of a clean stop."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from typing import Any, ClassVar, Final

from engine.damage.findings import DamageFindings
from engine.damage.reading import InspectedQueue, content, numbered, parsed
from engine.formats.clean_stop import read_clean_dot, read_file_summary, read_index

SIZE_BYTES: Final = 8
HEAD_BYTES: Final = 24
"""Of a record: its size, and the id (S200)."""
MARKER: Final = 255
NOT_ZERO: Final = re.compile(rb"[^\0]")


class StoreFiles(ABC):
    """Reads one store's directory; a generation reads the files' contents.

    Args:
        host: the virtual host.
        directory: path of the store's directory in it, "" for the root.
    """

    unfinished: ClassVar[str] = ""
    """Suffix of files that an interrupted compaction leaves; empty if it leaves none."""

    def __init__(self, host: InspectedQueue, directory: str) -> None:
        self._storage = host.storage
        self._codec = host.codec
        self._findings = host.findings
        self._options = host.options
        self._directory = directory
        self.message_numbers: set[int] = set()
        """Numbers of the messages with a complete record in some file."""
        self.body_bytes: dict[int, int] = {}
        """Bytes of the body of another node's messages, by their numbers, as the records say."""
        self.runs: list[tuple[int, int, int]] = []
        """Their records in runs: first number, count, bytes of each."""
        self.runs_until: list[int] = []
        """Where the runs of each file end, in the order of the files."""
        self.saved_refs: list[bytes] | None = None
        """Clients that a clean stop saved; None if its files are incomplete, or a compaction is (S206)."""

    def report(self) -> dict[str, Any]:
        """Read everything and return it under the names of a manifest."""
        names = self._storage.list(self._directory)
        clean = self._small("clean.dot", read_clean_dot)
        summary = self._small("file_summary.ets", read_file_summary)
        index = self._small("msg_store_index.ets", read_index)
        unfinished = numbered(names, self.unfinished) if self.unfinished else []
        if clean is not None and summary is not None and index is not None and not unfinished:
            self.saved_refs = list(clean.client_refs)
        files = []
        for _, name in numbered(names, "rdq"):
            files.append(self._file(name))
            self.runs_until.append(len(self.runs))
        for _, name in unfinished:
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

    def places(self, wanted: Collection[bytes]) -> dict[bytes, tuple[str, int, int]]:
        """Return path, offset and bytes of the stored term of each wanted id that is in some file.

        One file is in memory at a time. Behind damage the next whole record is looked for, as no broker does.

        Args:
            wanted: ids of 16 bytes.
        """
        found = {}
        for _, name in numbered(self._storage.list(self._directory), "rdq"):
            path = self._path(name)
            data = content(self._storage, path, DamageFindings()) or b""
            at = 0
            while (something := NOT_ZERO.search(data, at)) is not None:
                at = max(at, something.start() - SIZE_BYTES + 1)
                end = at + SIZE_BYTES + int.from_bytes(data[at : at + SIZE_BYTES], "big")
                id16 = data[at + SIZE_BYTES : at + HEAD_BYTES]
                if at + HEAD_BYTES <= end < len(data) and data[end] == MARKER:
                    if id16 in wanted:
                        found[id16] = (path, at + HEAD_BYTES, end - at - HEAD_BYTES)
                    at = end + 1
                else:
                    at += 1
        return found

    @abstractmethod
    def _file(self, name: str) -> dict[str, Any]:
        """Read one file and return its report."""

    def _data(self, path: str) -> bytes:
        """Return what a file holds; where heads alone are read, what can be asked for it as bytes can."""
        if not self._options.heads:
            return content(self._storage, path, self._findings) or b""
        found: Any = self._storage.part(path, 0, self._storage.size(path) or 0)
        return found[0] if found else b""

    def _path(self, name: str) -> str:
        return f"{self._directory}/{name}" if self._directory else name

    def _small(self, name: str, read: Callable[[bytes], Any]) -> Any:
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
