"""What was appended is what is read back, for as long as the file holds just its bytes; else it is decoded."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from engine.storage import directory
from engine.storage.directory import DirectoryStorage
from engine.values.chunks import ByteChunk, RawBytes

FILE = "queues/q/0.idx"
PARTS = (RawBytes(b"one"), RawBytes(b"two"))


def decode(data: bytes) -> Sequence[ByteChunk]:
    """Return the whole as one chunk, so that a test sees that it was decoded."""
    return [RawBytes(data)]


@pytest.fixture
def storage(tmp_path: Path) -> DirectoryStorage:
    """Return a storage with a file of two appends."""
    made = DirectoryStorage(str(tmp_path / "files"))
    for each in PARTS:
        made.append_remembered(FILE, [each])
    return made


def test_what_was_appended_is_read_back_and_a_plain_read_decodes(storage: DirectoryStorage) -> None:
    assert list(storage.read_back(FILE, decode)) == list(PARTS)
    assert list(storage.read(FILE, decode)) == [RawBytes(b"onetwo")]
    assert storage.read_back("queues/q/1.idx", decode) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda storage: storage.append(FILE, [RawBytes(b"!")]),
        lambda storage: storage.write(FILE, 2, [RawBytes(b"E")]),
        lambda storage: storage.truncate(FILE, 3),
        lambda storage: storage.power_cut(),
        lambda storage: (storage.delete(FILE), storage.append(FILE, [RawBytes(b"other!")])),
    ],
    ids=["appended", "overwritten", "truncated", "power cut", "another file"],
)
def test_a_file_that_changed_is_decoded(
    storage: DirectoryStorage, change: Callable[[DirectoryStorage], object]
) -> None:
    storage.fsync(FILE)
    storage.append_remembered(FILE, [RawBytes(b"three")])
    change(storage)
    found = list(storage.read_back(FILE, decode))
    assert found == [RawBytes(storage.read_bytes(FILE, 0, 99))]
    assert found != [RawBytes(b"onetwothree")]


def test_a_file_that_somebody_else_changed_is_decoded(storage: DirectoryStorage, tmp_path: Path) -> None:
    """As long as before, and other bytes: its checksum tells it."""
    storage.close()
    (tmp_path / "files" / FILE).write_bytes(b"oneTWO")
    assert list(storage.read_back(FILE, decode)) == [RawBytes(b"oneTWO")]


def test_a_file_that_is_made_anew_is_remembered_again(storage: DirectoryStorage) -> None:
    storage.delete(FILE)
    storage.append_remembered(FILE, [PARTS[1]])
    assert list(storage.read_back(FILE, decode)) == [PARTS[1]]


def test_a_checkpoint_remembers_nothing(storage: DirectoryStorage) -> None:
    again: DirectoryStorage = pickle.loads(pickle.dumps(storage))
    assert list(again.read_back(FILE, decode)) == [RawBytes(b"onetwo")]
    again.append_remembered(FILE, [PARTS[0]])
    assert list(again.read_back(FILE, decode)) == [RawBytes(b"onetwoone")]


@pytest.mark.sources
def test_memory_is_bounded(storage: DirectoryStorage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "MOST_CHUNKS", 3)
    other = "queues/q/1.idx"
    storage.append_remembered(other, list(PARTS))
    assert list(storage.read_back(other, decode)) == [RawBytes(b"onetwo")]
    assert list(storage.read_back(FILE, decode)) == list(PARTS), "those before are kept"
    storage.delete(FILE)
    storage.delete(other)
    storage.append_remembered(other, list(PARTS))
    assert list(storage.read_back(other, decode)) == list(PARTS), "and deleted ones make room"
