"""Whatever is pasted or uploaded is read in linear time: twice as much never takes four times as long."""

from __future__ import annotations

import contextlib
import io
import time
import zipfile
from collections.abc import Callable
from typing import Any, Final

import pytest

from engine.classic_v1.formats.journal import decode_journal
from engine.classic_v1.formats.record import decode_store
from engine.classic_v1.formats.segment import decode_segment
from engine.ctl.releases import FACTS
from engine.ctl.request import Request, parse
from engine.formats import clean_stop, names, terms
from engine.formats.message import MessageCodec
from engine.values.errors import EngineError
from playground.inspecting import definitions, listings, reading, uploads
from playground.inspecting.uploads import UnreadableInput
from playground.storybook import entry
from tests.helpers.hostile_journal import scattered_acks
from workloads.errors import WorkloadError
from workloads.imports import READERS, Options

Read = Callable[[Any], object]
Make = Callable[[int], Any]

GROWTH: Final = 4
"""Between the two sizes: twice doubled."""
MOST_TIMES: Final = 10.0
"""As many times as long: linear is 4, and quadratic 16. Sorting and caches add a little."""
ENOUGH_S: Final = 0.02
"""So much work of a processor is measured well enough."""
UNFELT_S: Final = 0.1
"""Less than this for the largest size is no matter."""
MOST_BYTES: Final = 400_000


def imported(kind: str) -> Read:
    return lambda text: READERS[kind](text.splitlines(keepends=True), Options())


def zipped(count: int) -> io.BytesIO:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as packed:
        for number in range(min(count // 200, uploads.MOST_FILES)):
            packed.writestr(f"queues/Q{number}/journal.jif", b"")
    return held


def repeated(text: str) -> Make:
    return lambda count: (text * (count // len(text) + 1))[:count]


def console_line(text: str) -> Request:
    """Read a line of the console as 3.10.8 does."""
    return parse(text, FACTS["3.10.8"])


def in_bytes(make: Make) -> Make:
    return lambda count: make(count).encode()


def objects(table: str, one: str) -> Make:
    """Return definitions with many of one kind."""

    def made(count: int) -> bytes:
        many = ",".join([one] * (count // len(one)))
        return f'{{"queues":[{{"name":"q"}}],"{table}":[{many}]}}'.encode()

    return made


def decoded_journal(data: bytes) -> object:
    return decode_journal(data, MessageCodec())


CASES: Final[dict[str, tuple[Read, Make]]] = {
    "listing: open brackets in lines": (listings.read, repeated("{\n")),
    "listing: open brackets in one line": (listings.read, repeated("[{")),
    "listing: rows that are cut off": (listings.read, repeated("q\t[{q1,0}, {q2,\n")),
    "listing: whole rows": (listings.read, repeated("q\t[{q1,0},{len,0}]\n")),
    "listing: quotes": (listings.read, repeated('q\t[{q1,"')),
    "listing: escaped quotes": (listings.read, lambda count: 'q\t[{q1,"' + '\\"' * (count // 2)),
    "listing: beginnings of pids": (listings.read, repeated("<")),
    "listing: lines of tables": (listings.read, repeated("|")),
    "listing: nested JSON": (listings.read, repeated('[{"a":')),
    "listing: white space": (listings.read, lambda count: f"q\t[{{q1,{' ' * count}0}}]"),
    "definitions: nested lists": (definitions.read, in_bytes(lambda count: '{"queues":' + "[" * count)),
    "definitions: queues": (definitions.read, objects("queues", '{"name":"a"}')),
    "definitions: bindings": (definitions.read, objects("bindings", '{"source":"x","destination":"q"}')),
    "definitions: keys": (
        definitions.read,
        in_bytes(lambda count: '{"queues":[],' + '"a":1,' * (count // 6)),
    ),
    "scenario: nested lists": (entry.read, repeated("[")),
    "scenario: commands that are cut off": (
        entry.read,
        lambda count: '{"commands":[' + '{"a":1},' * (count // 8),
    ),
    "scenario: escapes": (entry.read, lambda count: '{"title":"' + "\\u0041" * (count // 6) + '"}'),
    "PerfTest: options": (imported("perf-test"), repeated("-x 1 ")),
    "PerfTest: quotes": (imported("perf-test"), repeated("'\"")),
    "PerfTest: continued lines": (imported("perf-test"), repeated("-x \\\n")),
    "tracing: lines": (imported("tracing"), repeated("{}\n")),
    "arrivals: rows": (imported("csv"), lambda count: "at_us,size_bytes\n" + "1,2\n" * (count // 4)),
    "console: words": (console_line, lambda count: "list_queues " + "name " * (count // 5)),
    "console: quotes": (console_line, lambda count: "list_queues " + "\"'" * (count // 2)),
    "configuration: lines": (reading.listing, repeated("vm_memory_high_watermark.relative = 0.5\n")),
    "configuration: many keys": (
        reading.listing,
        lambda n: "".join(f"key.{at} = 1\n" for at in range(n // 12)),
    ),
    "configuration: equals signs": (reading.listing, lambda n: "a" * n + " = " + " =" * (n // 2)),
    "configuration: terms": (reading.listing, lambda n: "[{rabbit,[" + "{disk_free_limit,1}," * (n // 20)),
    "zip: files": (uploads.of_zip, zipped),
    "journal: scattered acks": (
        decoded_journal,
        lambda count: next(iter([*scattered_acks(count // 8).values()][1:])),
    ),
    "journal: acks and publishes in turn": (
        decoded_journal,
        lambda count: (
            (b"\xc0" + bytes(6) + b"\x01" + bytes(7) + b"\x09" + b"id" * 8 + bytes(16)) * (count // 48)
        ),
    ),
    "segment: marks": (
        lambda data: decode_segment(data, 0, 16384, MessageCodec()),
        lambda count: b"\x40\x07\x40\x03" * (count // 4),
    ),
    "store: records without an end": (
        lambda data: decode_store(data, MessageCodec()),
        lambda count: (bytes(7) + b"\x10" + b"i" * 16 + b"\x00") * (count // 25),
    ),
    "terms: nested lists": (terms.decode, lambda count: b"\x83" + b"l\x00\x00\x00\x01" * (count // 5)),
    "clean.dot: brackets": (clean_stop.read_clean_dot, in_bytes(repeated("{client_refs,["))),
    ".config: brackets": (names.read_config, in_bytes(repeated("{segment_entry_count,"))),
    ".queue_name: lines": (names.read_queue_name, in_bytes(repeated("VHOST: a\n"))),
}


def worked_s(read: Read, given: Any) -> float:
    """Return the least of some times of a processor."""
    times = []
    for _each in range(3):
        began_s = time.process_time()
        with contextlib.suppress(UnreadableInput, EngineError, WorkloadError, entry.BadScenario):
            read(given)
        times.append(time.process_time() - began_s)
    return min(times)


@pytest.mark.parametrize("name", CASES)
def test_time_grows_as_the_size_does(name: str) -> None:
    """Sizes double until there is something to measure."""
    read, make = CASES[name]
    size = 4_000
    while worked_s(read, make(size)) < ENOUGH_S and size * GROWTH < MOST_BYTES:
        size *= 2
    for last in (False, False, True):  # somebody else may have had the processor's caches
        small, large = worked_s(read, make(size)), worked_s(read, make(GROWTH * size))
        if large < UNFELT_S or large < MOST_TIMES * small:
            return
        assert not last, f"{size} bytes took {small:.3f} s, and {GROWTH * size} took {large:.3f} s"


def test_at_least_twenty_inputs_are_tried() -> None:
    assert len(CASES) >= 20


def test_quadratic_time_is_noticed() -> None:
    """The measure itself: what reads the text so far again with each line fails."""

    def quadratic(text: str) -> None:
        held = ""
        for line in text.splitlines():
            held = f"{held} {line}"
            sum(letter == "[" for letter in held)

    # Eight times as long: linear would be 8 times, quadratic is 64, far from the bound on a busy machine as well.
    small, large = worked_s(quadratic, "{\n" * 400), worked_s(quadratic, "{\n" * 3_200)
    assert large > MOST_TIMES * small
