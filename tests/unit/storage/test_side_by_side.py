"""The ledger and the directory behave alike, verb for verb."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from engine.classic_v1.formats.record import decode_store
from engine.formats.message import MessageCodec
from engine.formats.store_records import StoreRecords
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from engine.storage.port import Storage
from engine.values.chunks import ByteChunk
from engine.values.errors import EngineError, FileMissing, PathRefused, StorageFull

CODEC = MessageCodec()
PATHS = ("0.rdq", "s/0.rdq", "s/1.rdq", "s/1.rdt", "q/a/0.idx", "q")
MAX_BYTES = 12_000
NAMES = st.sampled_from(PATHS)
RUNS = st.builds(
    StoreRecords,
    msg_no=st.integers(0, 1000),
    count=st.integers(1, 9),
    body_bytes=st.sampled_from([0, 16, 100]),
    raw_persistent=st.booleans(),
    template=st.just(0),
    codec=st.just(CODEC),
)


def decode(data: bytes) -> Sequence[ByteChunk]:
    return decode_store(data, CODEC)


def content(storage: Storage, path: str) -> bytes:
    return b"".join(chunk.encode() for chunk in storage.read(path, decode))


class SideBySide(RuleBasedStateMachine):
    """Random verbs on both at once."""

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.TemporaryDirectory()
        self.ledger = LedgerStorage(MAX_BYTES)
        self.directory = DirectoryStorage(self.place.name + "/node", MAX_BYTES, fsync=False)

    def teardown(self) -> None:
        self.directory.close()
        self.place.cleanup()

    def both(self, verb: str, *args: object) -> None:
        outcomes = []
        for storage in (self.ledger, self.directory):
            try:
                outcomes.append(getattr(storage, verb)(*args))
            except (EngineError, ValueError) as error:
                outcomes.append(type(error))
        assert outcomes[0] == outcomes[1]

    @rule(path=NAMES, chunks=st.lists(RUNS, max_size=3))
    def append(self, path: str, chunks: list[StoreRecords]) -> None:
        self.both("append", path, chunks)

    @rule(path=NAMES)
    def create(self, path: str) -> None:
        self.both("create", path)

    @rule(path=NAMES, part=st.sampled_from([0, 0.3, 0.5, 1, 1.2]))
    def truncate(self, path: str, part: float) -> None:
        self.both("truncate", path, int((self.ledger.size(path) or 9) * part))

    @rule(source=NAMES, to=NAMES, offset=st.integers(0, 500), count=st.integers(0, 3000))
    def copy(self, source: str, to: str, offset: int, count: int) -> None:
        self.both("copy", source, offset, count, to)

    @rule(
        path=NAMES,
        source=NAMES,
        offset=st.integers(0, 500),
        count=st.integers(0, 900),
        other=st.integers(0, 500),
    )
    def overwrite(self, path: str, source: str, offset: int, count: int, other: int) -> None:
        self.both("overwrite", path, offset, source, count, other)

    @rule(path=NAMES)
    def fsync(self, path: str) -> None:
        self.both("fsync", path)

    @rule(path=NAMES)
    def delete(self, path: str) -> None:
        self.both("delete", path)

    @rule(path=NAMES, to=NAMES)
    def rename(self, path: str, to: str) -> None:
        self.both("rename", path, to)

    @rule(path=st.sampled_from(["s", "q", "q/a", "absent"]))
    def delete_directory(self, path: str) -> None:
        self.both("delete_directory", path)

    @rule()
    def power_cut(self) -> None:
        self.both("power_cut")

    @rule(path=NAMES, offset=st.integers(0, 2000), count=st.integers(0, 2000))
    def read_bytes(self, path: str, offset: int, count: int) -> None:
        self.both("read_bytes", path, offset, count)

    @rule()
    def open_again_elsewhere(self) -> None:
        self.directory.close()

    @invariant()
    def alike(self) -> None:
        assert self.ledger.used_bytes() == self.directory.used_bytes()
        assert self.ledger.paths() == self.directory.paths()
        root = Path(self.place.name, "node")
        for path in PATHS:
            size = self.ledger.size(path)
            assert size == self.directory.size(path)
            found = content(self.ledger, path)
            assert found == content(self.directory, path)
            assert len(found) == (size or 0)
            if size is not None:
                assert (root / path).stat().st_size == size
        for directory in ("", "s", "q", "q/a"):
            assert self.ledger.list(directory) == self.directory.list(directory)


SideBySide.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestSideBySide = SideBySide.TestCase


@pytest.fixture(params=["ledger", "directory"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    if request.param == "ledger":
        return LedgerStorage(1000)
    return DirectoryStorage(str(tmp_path / "node"), 1000)


RUN = StoreRecords(1, 4, 16, True, 0, CODEC)


def test_full_writes_nothing(storage: Storage) -> None:
    storage.append("0.rdq", [RUN.part(0, 4)])
    with pytest.raises(StorageFull, match="this session has 1000"):
        storage.append("1.rdq", [RUN])
    assert storage.size("1.rdq") is None
    assert storage.used_bytes() == RUN.size_bytes
    with pytest.raises(StorageFull):
        storage.truncate("0.rdq", 1001)


@pytest.mark.parametrize(
    "path", ["", "/etc/x", "../x", "a/../../x", "a//b", "a\\b", "a\0b", ".durable/1", "x" * 300]
)
def test_paths_stay_inside(storage: Storage, path: str) -> None:
    with pytest.raises(PathRefused):
        storage.create(path)
    with pytest.raises((PathRefused, FileMissing)):
        storage.fsync(path)


def test_power_cut_brings_a_cleared_journal_back(storage: Storage) -> None:
    """S26, S234."""
    storage.append("journal.jif", [RUN])
    storage.fsync("journal.jif")
    storage.truncate("journal.jif", 0)
    storage.append("journal.jif", [RUN.part(0, 1)])
    storage.append("new", [RUN.part(0, 1)])
    storage.power_cut()
    assert content(storage, "journal.jif") == RUN.encode()
    assert storage.size("new") is None
    assert storage.used_bytes() == RUN.size_bytes


def test_what_was_there_at_the_start_is_durable(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "0.rdq").write_bytes(RUN.encode())
    (tmp_path / "outside").symlink_to("/etc/passwd")
    storage = DirectoryStorage(str(tmp_path))
    assert storage.paths() == ["s/0.rdq"]
    storage.power_cut()
    assert content(storage, "s/0.rdq") == RUN.encode()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"precious")
    storage = DirectoryStorage(str(tmp_path / "node"))
    (tmp_path / "node").mkdir()
    (tmp_path / "node" / "0.rdq").symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match="symbolic links"):
        storage.create("0.rdq")
    assert (tmp_path / "target").read_bytes() == b"precious"


def test_many_files_need_few_descriptors(tmp_path: Path) -> None:
    storage = DirectoryStorage(str(tmp_path), fsync=False)
    for number in range(200):
        storage.append(f"{number}.rdq", [RUN.part(0, 1)])
    assert len(storage._open) <= 16
    assert all(content(storage, f"{number}.rdq") for number in range(200))
