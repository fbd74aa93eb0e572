"""`python -m tests.fuzz.hostile DIRECTORY`: Inspect reads real files with a hostile number in place of each.

Work must follow what is in the files: calls are counted, so nothing depends on how fast or busy the machine is. It is
a process of its own, as its bounds of memory and of a processor are those of a whole process.
"""

from __future__ import annotations

import argparse
import re
import resource
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from engine.formats.layout import NoRecord
from engine.generations import file_reader
from playground.inspecting import reading, uploads
from playground.inspecting.uploads import USUAL, Files, ReleaseChoice, UnreadableInput
from tests.fuzz.damage import load

VALUES: Final = (-1, 1 << 31, 10**18, 1 << 63)
"""What stands in place of a number, cut to its bytes."""
DIGITS_OF_LONGEST: Final = 5_000
"""More than Python makes a number of: in a text, what stands in place of the last of them."""
MORE_CALLS: Final = 2_500_000
"""Beyond what the whole files cost: nine starts, each of which may look for some thousands of segments in vain."""
MORE_BYTES: Final = 512 << 20
MOST_S: Final = 30
"""Seconds of a processor for one variant: for loops that call nothing."""
ETS_HEAD: Final = 8
DIGITS: Final = re.compile(rb"\d+")
TEXT: Final = "digits"
TEXTS: Final = ("clean.dot", ".config", ".queue_name", ".vhost")
NUMBERED: Final = re.compile(r"(.*/|)\d+\.(idx|qi|qs|rdq|rdt)\Z")
SLOTS_AT: Final = 64
"""Where the first slot of a `.qi` file and the first entry of a `.qs` file begin."""

Variant = tuple[str, Callable[[int], Files]]
"""What is changed, and how it is changed to a value."""


class TooMuch(BaseException):
    """More calls, or more of a processor's time, than the files are worth; nothing that is tested catches it."""


def counted(work: Callable[[], Any], most: int) -> tuple[int, Any]:
    """Return how many functions were called, and what came of it.

    Raises:
        TooMuch: more than `most` were called.
    """
    calls = 0

    def note(frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        if event in ("call", "c_call"):
            calls += 1
            if calls > most:
                raise TooMuch(f"more than {most} calls, at last of {frame.f_code.co_qualname}")

    sys.setprofile(note)
    try:
        found = work()
        return calls, found
    finally:
        sys.setprofile(None)


def read(files: Files, choice: ReleaseChoice = USUAL) -> Any:
    """Return what Inspect answers to files that somebody gave."""
    try:
        gathered = uploads.gathered((path, [data]) for path, data in files.items())
        found = reading.directory(gathered, choice)[0]
        msgspec.json.encode(found)
        return found
    except UnreadableInput as bad:
        return bad.to_json()


# --- numbers ---


def variants(files: Files) -> Iterator[Variant]:
    """Yield a change for each number in files: of names, of records, of Erlang's terms, and of texts."""
    for path in sorted(files):
        name = path.rpartition("/")[2]
        named = NUMBERED.match(path)
        if named:
            yield f"the name of {path}", _renamed(files, path, f"{named[1]}%d.{named[2]}")
        if name.endswith((".idx", ".jif", ".rdq", ".rdt", ".qi", ".qs")):
            places = _places_of_records(name, files[path])
        elif name.endswith((".ets", ".dets")):
            places = _places_of_terms(files[path])
        elif name in TEXTS:
            places = ((each.start(), len(each[0]), TEXT) for each in DIGITS.finditer(files[path]))
        else:
            continue
        for at, length, label in places:
            yield f"{label} at {at} of {path}", _changed(files, path, at, length, label == TEXT)


def _renamed(files: Files, path: str, template: str) -> Callable[[int], Files]:
    def to(value: int) -> Files:
        return {(template % abs(value) if each == path else each): data for each, data in files.items()}

    return to


def _changed(files: Files, path: str, at: int, length: int, text: bool) -> Callable[[int], Files]:
    def to(value: int) -> Files:
        data = files[path]
        cut = (value & ((1 << 8 * length) - 1)).to_bytes(length, "big")
        new = (
            b"9" * DIGITS_OF_LONGEST if text and value == VALUES[-1] else str(value).encode() if text else cut
        )
        return {**files, path: data[:at] + new + data[at + length :]}

    return to


def _places_of_records(name: str, data: bytes) -> Iterator[tuple[int, int, str]]:
    """Yield each field of the first, a middle and the last record of a file: offset, length and name."""
    reader = file_reader(name.replace(".rdt", ".rdq"))

    def taken(at: int, count: int) -> bytes:
        return data[at : at + count]

    try:
        begins = [each.offset for each in reader.records(name, taken, len(data))]
    except NoRecord:
        begins = [0, SLOTS_AT]
    for begin in dict.fromkeys(begins[at] for at in (0, len(begins) // 2, -1) if begins):
        try:
            shape = reader.layout_at(name, taken, begin, len(data) - begin)
        except NoRecord:
            continue
        for field in shape.fields:
            if field.length <= 8:
                yield begin + field.offset, field.length, field.name


def _places_of_terms(data: bytes) -> Iterator[tuple[int, int, str]]:
    """Yield each integer and each size in the terms of a table, by the marks of Erlang's format."""
    begins = [each.start() for each in re.finditer(rb"\x83[hlt]", data)]
    for begin in (*begins[:4], *begins[-2:]):
        if begin >= 4:
            yield begin - 4, 4, "size of a term"
        if begin >= ETS_HEAD:
            yield begin - 8, 4, "size of an item"
        yield from _inside(data, begin + 1)


WIDTHS: Final = {97: 1, 98: 4, 104: 1, 105: 4, 108: 4, 109: 4, 107: 2, 116: 4, 100: 2, 119: 1}
"""Bytes of what stands behind a mark: a value, or a count."""


def _inside(data: bytes, at: int) -> Iterator[tuple[int, int, str]]:
    left = 1
    while left and at < len(data):
        mark = data[at]
        if mark in (110, 106):
            if mark == 110:
                yield at + 3, data[at + 1], "integer"
                yield at + 1, 1, "size of an integer"
                at += 3 + data[at + 1]
            else:
                at += 1
            left -= 1
            continue
        if mark not in WIDTHS:
            return
        width = WIDTHS[mark]
        yield at + 1, width, f"behind mark {mark}"
        count = int.from_bytes(data[at + 1 : at + 1 + width], "big")
        at += 1 + width
        left -= 1
        if mark in (104, 105):
            left += count
        elif mark == 108:
            left += count + 1
        elif mark == 116:
            left += 2 * count
        elif mark in (100, 107, 109, 119):
            at += count


# --- trying them ---


def tried(files: Files, each: int, first: int) -> Iterator[tuple[str, str]]:
    """Yield (what was changed, why it was too much) for every `each`-th variant and value from `first` on."""
    usual, _answer = counted(lambda: read(files), sys.maxsize)
    number = 0
    for what, to in variants(files):
        for value in VALUES:
            number += 1
            if number % each != first % each:
                continue
            signal.setitimer(signal.ITIMER_VIRTUAL, MOST_S)
            try:
                counted(partial(read, to(value)), usual + MORE_CALLS)
            except (TooMuch, Exception) as error:  # noqa: BLE001 - whatever it is, it is reported
                yield f"{value} as {what}", f"{type(error).__name__}: {error}"[:300]
    print(f"{number // each} variants, {usual} calls for the files as they are")


def main(argv: Sequence[str] | None = None) -> int:
    """Try the numbers of one directory; return 0 where none costs more than it should."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.hostile", description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--each", type=int, default=1, help="take one variant of so many")
    parser.add_argument("--first", type=int, default=0, help="the first of them")
    options = parser.parse_args(argv)
    files = load(options.directory)

    def out_of_time(_number: int, _frame: Any) -> None:
        raise TooMuch(f"more than {MOST_S} s of a processor")

    signal.signal(signal.SIGVTALRM, out_of_time)
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MORE_BYTES, hard))
    wrong = 0
    for what, why in tried(files, options.each, options.first):
        print(f"{what}: {why}", flush=True)
        wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
