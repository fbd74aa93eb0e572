"""Inspect without a server: what a worker in the reader's own browser runs. Questions and answers are JSON.

It needs neither Django nor asyncio. What was given stays in this process, and is gone with it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any, Final

from engine import ENGINE_VERSION
from engine.formats.layout import NoRecord
from engine.generations import file_reader
from playground.hosting.session_record import RecordedSession
from playground.hosting.solo import SoloSession
from playground.inspecting import reading, rehearsal, uploads
from playground.inspecting.revival import FoundFiles, QueueRevival
from playground.inspecting.uploads import UnreadableInput, read_choice

MOST_ZIP_BYTES: Final = 2 * uploads.MOST_BYTES_OWN
"""Of a zip, packed, with what is not needed of it: a tab holds all of it."""
MOST_RECORDS: Final = 200
"""Records of a file that are listed at once."""
MOST_SHOWN: Final = 4096
"""Bytes of one record that are shown."""

Send = Callable[[str], None]


class InspectSession:
    """What somebody gave to be read, and the questions about it."""

    version = ENGINE_VERSION

    def __init__(self) -> None:
        self._files: uploads.Files = {}
        self._asked: tuple[uploads.Files, int | None] = ({}, None)
        """Files, and how many entries their segments were said to have."""
        self._known: reading.KnownReports = {}
        """What was reported on their virtual hosts: who chooses another one sends the same files again."""
        self._left_out: list[str] = []
        self._revival: QueueRevival | None = None
        self._report: Send = _ignore

    def report_to(self, report: Send) -> str:
        """Have somebody told how far the reading of files is, each time as JSON."""
        self._report = report
        return ""

    def needed(self, paths: str, sizes: str) -> str:
        """Return the places of those paths that are read, so that no other file is opened, or why none is. `paths`:
        of all files that were given, as a JSON list. `sizes`: their bytes, in the same order.
        """
        named: list[str] = json.loads(paths)
        needed = [at for at, path in enumerate(named) if uploads.is_zip(named) or uploads.is_needed(path)]
        self._left_out = [named[at] for at in sorted(set(range(len(named))).difference(needed))]
        bytes_of: list[int] = json.loads(sizes)
        most = MOST_ZIP_BYTES if uploads.is_zip(named) else uploads.MOST_BYTES_OWN
        if len(needed) > uploads.MOST_FILES:
            return json.dumps(UnreadableInput("too_many_files", most=uploads.MOST_FILES).to_json())
        if sum(bytes_of[at] for at in needed) > most:
            return json.dumps(UnreadableInput("too_many_bytes", most=most >> 20).to_json())
        return json.dumps(needed)

    def directory(self, paths_text: str, contents: list[bytes], choice: str = "") -> str:
        """Read a broker's files, or a zip of them. `paths_text`: their paths, a JSON list. `contents`: in the same
        order; a browser has them as buffers. `choice`: what is wanted of them, as JSON (`choice.read_choice`).
        """
        named: list[str] = json.loads(paths_text)
        given = dict(zip(named, map(bytes, contents), strict=True))

        def read() -> reading.Answer:
            paths = list(given)
            most = uploads.MOST_BYTES_OWN
            left_out = list(self._left_out)
            if uploads.is_zip(paths):
                self._files = uploads.of_zip(io.BytesIO(given[paths[0]]), most, left_out)
            else:
                self._files = uploads.gathered(((path, [given[path]]) for path in paths), most, left_out)

            def steps(step: str, **values: Any) -> None:
                self._report(json.dumps({"step": step, **values}))

            wanted = read_choice(choice)
            if self._asked != (self._files, wanted.entries):
                self._asked, self._known = (self._files, wanted.entries), {}
            answer, self._revival = reading.directory(self._files, wanted, steps, self._known)
            return answer if "vhosts" in answer else answer | reading.names_left_out(left_out)

        return _answered(read)

    def listing(self, text: str) -> str:
        """Read the output of `rabbitmqctl list_queues`."""
        return _answered(lambda: reading.listing(text))

    def topology(self, data: bytes) -> str:
        return _answered(lambda: reading.topology(bytes(data)))

    def records(self, path: str, offset: int) -> str:
        """Return the records of a file that was given, from an offset of one of them on, and where the next begins."""

        def read() -> reading.Answer:
            data = self._files[path][offset:]
            rows: list[list[Any]] = []
            name = path.rpartition("/")[2]
            for found in file_reader(name).records(name, lambda at, n: data[at : at + n], len(data)):
                if len(rows) == MOST_RECORDS:
                    return {"records": rows, "next": offset + found.offset}
                rows.append([offset + found.offset, found.size, found.kind, found.number])
            return {"records": rows, "next": None}

        return _answered(read)

    def bytes_at(self, path: str, offset: int, count: int) -> str:
        """Return bytes of a file that was given, as lines of hex, and what they mean where a record begins there."""

        def read() -> reading.Answer:
            count_shown = min(count, MOST_SHOWN)
            data = self._files[path]
            shown: reading.Answer = {
                "hex": rehearsal.dump(data[offset : offset + count_shown], offset),
                "fields": [],
            }
            try:
                name = path.rpartition("/")[2]
                shape = file_reader(name).layout_at(name, lambda at, n: data[at : at + n], offset, count)
            except NoRecord:
                return shown
            return {
                **shown,
                "fields": [[each.offset, each.length, each.name, each.value] for each in shape.fields],
            }

        return _answered(read)

    def begin(self, until_us: int, send: Send, keep: Send) -> SoloSession:
        """Return a session that begins with the start on the files that were read. `until_us`: how far it is played
        before somebody sees it. `send`: takes the session's messages, as JSON. `keep`: takes its command log.
        Raises UnreadableInput: no files were read.
        """
        revived = self._revival
        if revived is None:
            raise UnreadableInput("no_files")
        files, stop = revived.files, revived.stop
        return SoloSession(
            RecordedSession(revived.shown or revived.scenario, [], until_us),
            send,
            keep,
            storage=lambda most: FoundFiles(files, most, stop),
        )


def _ignore(text: str) -> None:
    """Nobody asks how far it is."""


def _answered(read: Callable[[], reading.Answer]) -> str:
    """Return what a question gives, as JSON; what cannot be read is an answer too."""
    try:
        return json.dumps(read())
    except UnreadableInput as bad:
        return json.dumps(bad.to_json())
    except MemoryError:
        return json.dumps(UnreadableInput("tab_memory").to_json())
    except (KeyError, NoRecord):
        return json.dumps(UnreadableInput("no_record").to_json())
