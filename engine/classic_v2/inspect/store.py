"""A shared store's directory as 4.x leaves it: the records of its files, whose gaps are no damage."""

from __future__ import annotations

import struct
from typing import Any, Final

from engine.classic_v2.formats.rdq import ID_BYTES, MARKER, scan
from engine.classic_v2.inspect.queue import KeptMessage, QueueSigns, content_of
from engine.damage.readers import InspectedQueue
from engine.damage.reading import content
from engine.damage.store import StoreFiles
from engine.values.inherit import override

MOST_FILE_BYTES: Final = 1 << 40
"""A record of such a size was never one."""
_SIZE = struct.Struct(">Q")


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
