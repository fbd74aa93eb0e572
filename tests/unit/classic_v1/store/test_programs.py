"""Random programs: the fold gives the state, runs equal single messages, files hold what is claimed."""

import tempfile

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.classic_v1.formats.record import decode_store
from engine.formats.store_records import StoreRecords
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from engine.values.sizes import at as length_at
from tests.unit.classic_v1.store.harness import DIRECTORY, Harness
from tests.unit.classic_v1.store.programs import World, make_program


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32), length=st.integers(1, 60))
def test_fold_and_invariants_hold_after_every_command(seed: int, length: int) -> None:
    limits, commands = make_program(seed, length)
    world = World(LedgerStorage(), limits, singly=False)
    for command in commands:
        world.run(command)
        world.harness.check()
    check_files(world.harness)


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32), length=st.integers(1, 60))
def test_runs_equal_single_messages(seed: int, length: int) -> None:
    limits, commands = make_program(seed, length)
    batched = World(LedgerStorage(), limits, singly=False)
    singly = World(LedgerStorage(), limits, singly=True)
    for command in commands:
        batched.run(command)
        singly.run(command)
        assert batched.shown() == singly.shown(), command
    assert batched.harness.contents() == singly.harness.contents()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), length=st.integers(1, 40))
def test_directory_and_ledger_are_the_same(seed: int, length: int) -> None:
    limits, commands = make_program(seed, length)
    ledger = World(LedgerStorage(), limits, singly=False)
    with tempfile.TemporaryDirectory() as root:
        directory = World(DirectoryStorage(root, fsync=False), limits, singly=False)
        for command in commands:
            ledger.run(command)
            directory.run(command)
            assert ledger.harness.sizes() == directory.harness.sizes(), command
        assert ledger.harness.transitions == directory.harness.transitions
        assert ledger.harness.contents() == directory.harness.contents()
        check_files(directory.harness)


def check_files(harness: Harness) -> None:
    """Compare what the files hold with what the index claims (promise 4)."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for name, data in harness.contents().items():
        if not name.endswith(".rdq"):
            continue
        at = 0
        for chunk in decode_store(data, harness.codec):
            assert isinstance(chunk, StoreRecords), f"{DIRECTORY}/{name} holds something else at {at}"
            order = range(chunk.count)[:: chunk.step]
            for i in order:
                size_bytes = length_at(chunk.record_bytes, chunk.msg_no + i)
                found[int(name[:-4]), at] = (chunk.msg_no + i, size_bytes)
                at += size_bytes
    on_disk = {file[0]: file[4] for file in harness.store.snapshot()["files"]}
    for msg_no, (_, file, offset, record_bytes) in harness.places().items():
        if offset < on_disk[file]:
            assert found[file, offset] == (msg_no, record_bytes)
