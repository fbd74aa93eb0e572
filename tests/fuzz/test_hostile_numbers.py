"""Work follows what is in a stranger's files, not the numbers in them: calls are counted, seconds are not."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from random import Random

import pytest

from playground.inspecting.browser_inspect import InspectSession
from tests.fuzz.hostile import counted, read

DIRECTORIES = ("datadirs/clean-mixed", "datadirs/dirty-mixed", "v2/datadirs/kill9-segments-4.3.6")
MORE = ("v2/datadirs/clean-mixed-4.0.5", "v2/datadirs/clean-mixed-4.3.6", "v2/datadirs/kill9-mixed-4.0.5")
PUBLISHED = bytes.fromhex("c000") + b"\x01" * 16 + bytes(8) + (100).to_bytes(4, "big") + bytes(4)
"""A publish record of a segment: entry 0, its body in a store."""
MOST_CALLS = 400_000
"""Of an answer for a few bytes of which the test says nothing else."""
MOST_FOR_4_KB = 46_428
"""Calls of an answer for 4 kB of any kind; each release that is rehearsed starts twice on them."""


@pytest.mark.parametrize("name", ["999999999999999999.idx", "2147483648.idx", "70000.idx"])
@pytest.mark.parametrize("directory", ["", "queues/q/"])
def test_a_segment_far_away_costs_no_more_than_its_file(directory: str, name: str) -> None:
    """A zip of 214 bytes had a reader walk until its 60 s were over, through segments that are not there."""
    read({"0.idx": PUBLISHED})
    calls, answer = counted(lambda: read({directory + name: PUBLISHED}), 10 * MOST_CALLS)
    assert answer["queues"][0]["live"] == 1
    assert calls <= MOST_FOR_4_KB


def _published(number: int) -> bytes:
    """Return id, expiry, size and length of the embedded term, which is none."""
    return number.to_bytes(16, "big") + bytes(8) + (100).to_bytes(4, "big") + bytes(4)


KINDS = {
    "ascending.idx": b"".join((0xC000 | at).to_bytes(2, "big") + _published(at + 1) for at in range(120)),
    "descending.idx": b"".join(
        (0xC000 | at).to_bytes(2, "big") + _published(at + 1) for at in range(119, -1, -1)
    ),
    "journal.jif": b"".join(at.to_bytes(8, "big") + _published(at + 1) for at in range(102)),
    "zeros.idx": bytes(4096),
    "noise.rdq": Random(7).randbytes(4096),
    "noise.qi": Random(8).randbytes(4096),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_4_kb_cost(kind: str) -> None:
    """Of one file; the first answer of a process also compiles patterns and fills caches."""
    name = kind if kind == "journal.jif" else f"0.{kind.rpartition('.')[2]}"
    place = "msg_store_persistent" if kind.endswith("rdq") else "queues/q"
    read({f"{place}/{name}": KINDS[kind]})
    calls, _answer = counted(lambda: read({f"{place}/{name}": KINDS[kind]}), 10 * MOST_CALLS)
    assert calls <= MOST_FOR_4_KB


def test_a_directory_of_many_queues_costs_no_more_than_its_queues() -> None:
    """Each is rehearsed on every release; none is asked for what only others did."""

    def of(count: int) -> int:
        return counted(lambda: read({f"queues/q{each}/0.idx": PUBLISHED for each in range(count)}), 10**7)[0]

    of(2)
    few, many = of(4), of(16)
    assert many <= 4.4 * few


def _tried(repo_root: Path, recordings: Path, directory: str, each: int, first: int) -> str:
    command = [sys.executable, "-m", "tests.fuzz.hostile", str(recordings / directory)]
    run = subprocess.run(
        [*command, "--each", str(each), "--first", str(first)],
        cwd=repo_root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.mark.parametrize("directory", DIRECTORIES)
def test_hostile_numbers(repo_root: Path, recordings: Path, directory: str) -> None:
    """One of some numbers in real files is exchanged for each of four hostile ones."""
    assert " variants, " in _tried(repo_root, recordings, directory, 389, 5)


@pytest.mark.soak
@pytest.mark.parametrize("first", range(8))
@pytest.mark.parametrize("directory", [*DIRECTORIES, *MORE])
def test_all_hostile_numbers(repo_root: Path, recordings: Path, directory: str, first: int) -> None:
    assert " variants, " in _tried(repo_root, recordings, directory, 8, first)


def test_the_same_holds_where_the_reader_s_own_browser_reads() -> None:
    """Inspect in WebAssembly has no bounds of memory and time: this is the code that runs there."""
    reader = InspectSession()
    path = "queues/q/999999999999999999.idx"
    calls, answer = counted(lambda: reader.directory(json.dumps([path]), [PUBLISHED]), 10 * MOST_CALLS)
    assert json.loads(answer)["queues"][0]["live"] == 1
    assert calls < MOST_CALLS
    for offset, count in ((0, 34), (0, 1 << 62), (1 << 62, 1 << 62), (-5, 7), (33, -1)):
        calls, shown = counted(partial(reader.bytes_at, path, offset, count), MOST_CALLS)
        assert isinstance(json.loads(shown), dict)
        calls, listed = counted(partial(reader.records, path, offset), MOST_CALLS)
        assert isinstance(json.loads(listed), dict)
