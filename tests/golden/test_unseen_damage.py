"""Damage that no recording has: never an exception, and never "all back" over something that is missing."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable
from typing import Final

import pytest

from playground.inspecting import node_command, reading, uploads
from playground.inspecting.uploads import Files, ReleaseChoice, UnreadableInput
from tools.proofs.interop import directories

DAY = 1_795_953_000
WHOLE: Final = ("3.10.8-kill-prio-ttl", "4.3.6-stop-beside", "3.8.9-stop-beside")

Damage = Callable[[str, bytes], bytes | None]


@pytest.fixture(scope="module")
def kept() -> dict[str, Files]:
    return directories.directories((directories.PLACE / "directories.tar.xz").read_bytes())


def _of(ending: str, change: Callable[[bytes], bytes | None]) -> Damage:
    return lambda path, data: change(data) if path.endswith(ending) else data


def _half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _hole(data: bytes) -> bytes:
    third = len(data) // 3
    return data[:third] + bytes(third) + data[2 * third :]


DAMAGES: Final[dict[str, tuple[Damage, set[str]]]] = {
    "whole": (lambda _path, data: data, {"ALL BACK"}),
    "a store file ends early": (_of(".rdq", _half), {"LOSES"}),
    "a store file is gone": (_of(".rdq", lambda _data: None), {"LOSES"}),
    "a store file is zeros": (_of(".rdq", lambda data: bytes(len(data))), {"LOSES"}),
    "an index ends early": (
        lambda path, data: _half(data) if path.endswith((".idx", ".qi")) else data,
        {"LOSES", "DAMAGED", "FAILS"},
    ),
    "a hole in an index": (
        lambda path, data: _hole(data) if path.endswith((".idx", ".qi")) else data,
        {"LOSES", "DAMAGED", "FAILS"},
    ),
    "no queue has a name": (_of(".queue_name", lambda _data: b""), {"DAMAGED"}),
    "the virtual host has no name": (_of("/.vhost", lambda _data: b""), {"DAMAGED"}),
    "the queues are gone": (lambda path, data: None if "/queues/" in path else data, {"NO QUEUE"}),
    "the stores are gone": (lambda path, data: None if "/msg_store_" in path else data, {"LOSES"}),
}


def verdict(files: Files) -> tuple[str, int, int]:
    """Return the first word of the answer, the messages that come back, and those that are live."""
    answer, _ = reading.directory(directories.as_of_node(files), ReleaseChoice(day=DAY))
    said = list(node_command.lines("", answer))
    back, live = (sum(row[key] or 0 for row in answer["queues"]) for key in ("back", "live"))
    return said[0].partition(":")[0], back, live


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_that_nobody_recorded(kept: dict[str, Files], name: str, damage: str) -> None:
    change, signs = DAMAGES[damage]
    changed = {path: change(path, data) for path, data in kept[name].items()}
    sign, back, live = verdict({path: data for path, data in changed.items() if data is not None})
    assert sign in signs
    assert (back == live and live > 0) or sign != "ALL BACK"
    assert sign != "FAILS" or "-kill-" in name, "a queue that is dead lets the others start (S117)"


def zipped(files: dict[str, bytes]) -> io.BytesIO:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as opened:
        for path, data in files.items():
            opened.writestr(path, data)
    packed.seek(0)
    return packed


def tarred(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as opened:
        for path, data in files.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(data)
            opened.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (lambda files: zipped({"node.tar.gz": tarred(files)}), "archive"),
        (lambda files: zipped({"node.zip": zipped(files).getvalue()}), "archive"),
        (lambda files: io.BytesIO(tarred(files)), "zip"),
        (lambda files: io.BytesIO(zipped(files).getvalue()[:-900]), "zip"),
        (lambda _files: zipped({}), "no_files"),
        (lambda _files: zipped({"quorum/x/data.wal": b"x"}), "no_files"),
    ],
)
def test_what_is_packed_otherwise_is_refused_by_its_name(
    kept: dict[str, Files], given: Callable[[Files], io.BytesIO], code: str
) -> None:
    with pytest.raises(UnreadableInput, match=code):
        uploads.of_zip(given(directories.as_of_node(kept[WHOLE[1]])), left_out=[])


def test_two_virtual_hosts_and_one_without_a_classic_queue(kept: dict[str, Files]) -> None:
    """The one with a quorum queue alone has stores without a message: that is no loss, and nothing is "all back"."""
    first, second = (
        directories.as_of_node(kept[name]) for name in ("3.10.8-kill-basic", "3.10.8-kill-beside")
    )
    both, _ = reading.directory(first | second, ReleaseChoice(day=DAY))
    assert [row["queues"] for row in both["vhosts"]] == [6, 2]
    empty = {
        path: b"" if path.endswith(".rdq") else data
        for path, data in second.items()
        if "/queues/" not in path
    }
    answer, _ = reading.directory(empty, ReleaseChoice(day=DAY))
    assert next(node_command.lines("beside", answer)).startswith("NO QUEUE: virtual host 'beside' hold")
