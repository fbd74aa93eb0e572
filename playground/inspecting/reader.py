"""The program that reads an upload and starts the engine on it, in a process with bounds of its own.

`python -m playground.inspecting.reader ANSWER KNOWN` takes a parcel (`parcel.py`) as its input, prints a line of JSON
whenever it has got further, and writes its answer to the file ANSWER. KNOWN holds what was reported before, and holds
afterwards what was reported on these files (`kept_reports.py`). It ends when nobody takes its lines any more.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import IO, Any, Final

import msgspec

from playground.inspecting import parcel, reading
from playground.inspecting.uploads import OutOfTime, UnreadableInput

EVERY_S: Final = 0.25
AGAIN_S: Final = 2.0
"""A line comes at least so often, so that it is noticed when nobody takes it."""
LEFT: Final = 3
"""Exit status where nobody waits for the answer any more."""


class ReaderSteps:
    """What the process is doing, reported from a thread of its own.

    Args:
        out: number of the file that takes the lines.
    """

    def __init__(self, out: int) -> None:
        self._out = out
        self._now: dict[str, Any] = {"step": "unpacking"}
        threading.Thread(target=self._report, daemon=True).start()

    def __call__(self, step: str, **values: Any) -> None:
        self._now = {"step": step, **values}

    def _report(self) -> None:
        reported: dict[str, Any] = {}
        reported_s = 0.0
        while True:
            now, now_s = self._now, time.monotonic()
            if now is not reported or now_s - reported_s >= AGAIN_S:
                reported, reported_s = now, now_s
                try:
                    os.write(self._out, msgspec.json.encode({"progress": now}) + b"\n")
                except OSError:
                    os._exit(LEFT)
            time.sleep(EVERY_S)


def answer(held: IO[bytes], known: IO[bytes], steps: reading.ReadingSteps) -> dict[str, Any]:
    """Return what the page gets for a parcel.

    Args:
        known: reports on files that were given before; afterwards those on these files.
        steps: is told how far it is.
    """
    left_out: list[str] = []
    try:
        files, choice = parcel.unpack(held, left_out)
        with parcel.known_in(known, files, choice) as reports:
            found, revived = reading.directory(files, choice, steps, reports)
    except UnreadableInput as bad:
        return bad.to_json()
    except MemoryError:
        return UnreadableInput("needs_memory", most=parcel.MOST_MEMORY >> 20).to_json()
    except OutOfTime:
        return UnreadableInput("takes_too_long", most=parcel.MOST_WORK_S).to_json()
    if "vhosts" not in found:
        found |= reading.names_left_out(left_out)
    if revived is not None and revived.state is not None:
        found["started"]["parts"] = [msgspec.Raw(part) for part in revived.messages]
    return found


def encoded(found: dict[str, Any]) -> bytes:
    """Return an answer as JSON, or that it is too long."""
    try:
        data = msgspec.json.encode(found)
        if len(data) <= parcel.MOST_ANSWER:
            return data
    except MemoryError:
        pass
    return msgspec.json.encode(UnreadableInput("long_answer", most=parcel.MOST_ANSWER >> 20).to_json())


def main() -> None:
    parcel.bind()
    with open(int(sys.argv[2]), "r+b") as known:  # noqa: PTH123 - a number
        found = answer(sys.stdin.buffer, known, ReaderSteps(sys.stdout.fileno()))
    with open(int(sys.argv[1]), "wb") as out:  # noqa: PTH123 - a number
        out.write(encoded(found))
    os._exit(0)  # nothing is left to tidy up


if __name__ == "__main__":
    main()
