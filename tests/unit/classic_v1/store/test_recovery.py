"""Stops and starts (S191, S200-S213, S230-S234)."""

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.classic_v1.transitions import CombineStepped
from engine.formats.store_records import StoreRecords
from engine.report.transitions.queue import StoreRecovered, StoreStopped
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from engine.storage.port import Storage
from engine.values.chunks import RawBytes, ZeroBytes
from engine.values.errors import StoreCorrupt
from engine.values.stretches import Range
from tests.unit.classic_v1.store.harness import (
    DIRECTORY,
    Client,
    Harness,
    body_of_record,
    extent,
    numbers,
    ranges,
)
from tools.proofs.conformance.vector import store_vector


@pytest.fixture(params=["ledger", "directory"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    """Return each kind of storage in turn."""
    return LedgerStorage() if request.param == "ledger" else DirectoryStorage(str(tmp_path), fsync=False)


def records(world: Harness, msg_no: int, count: int = 1, record_bytes: int = 1087) -> StoreRecords:
    """Return store records as a file holds them."""
    return StoreRecords(msg_no, count, body_of_record(record_bytes), True, 0, world.codec)


def live(world: Harness, first: int, count: int) -> list[int]:
    """Return which messages the store holds."""
    return numbers(world.store.contains(Range(first, count)))


# --- clean -----------------------------------------------------------------------------------------------------------


def test_a_clean_start_has_everything_of_the_clean_stop(storage: Storage) -> None:
    """S201, S206, S208, S213."""
    world = Harness(storage, limit=4000)
    world.store.start_new()
    client = world.client()
    client.side.write(extent(0, 10), descending=True)
    world.store.settle()
    client.side.remove(ranges(1, 2))
    world.store.settle()
    before = world.store.snapshot()
    client.side.terminate()
    world.store.terminate()
    assert world.of(StoreStopped)[0].how == "clean"
    world.make()
    assert world.store.start(["q"], lambda: pytest.fail("a clean start needs no references"))
    assert world.store.snapshot() == {**before, "cache": 0}
    assert world.of(StoreRecovered)[-1].clean
    world.check()
    again = world.client()
    again.side.write(extent(20, 1))
    world.store.settle()
    again.side.read(extent(0, 1))
    world.check()


def test_other_clients_than_expected_make_the_start_dirty(storage: Storage) -> None:
    """S206."""
    world = Harness(storage)
    world.store.start_new()
    client = world.client()
    client.side.write(extent(0, 3))
    client.side.terminate()
    world.store.terminate()
    world.make()
    assert not world.store.start(["q", "r"], lambda: [(1, 2)])
    assert live(world, 0, 5) == [1, 2]
    world.check()


def test_a_clean_stop_counts_once(storage: Storage) -> None:
    """S206."""
    world = Harness(storage)
    world.store.start_new()
    world.client().side.write(extent(0, 3))
    world.store.terminate()
    world.make()
    assert world.store.start(["q"], lambda: ())
    world.store.kill()
    world.make()
    assert not world.store.start(["q"], lambda: [(0, 3)])
    assert live(world, 0, 3) == [0, 1, 2]


def test_a_deleted_client_is_not_expected(storage: Storage) -> None:
    """S200, S206."""
    world = Harness(storage)
    world.store.start_new()
    world.client("q")
    gone = world.client("gone")
    gone.side.delete()
    world.store.settle()
    world.store.terminate()
    world.make()
    assert world.store.start(["q"], lambda: ())
    world.store.terminate()
    world.make()
    assert world.store.start(["q"], lambda: ()), "a name stays though its queue never came back"


@pytest.mark.parametrize("name", ["clean.dot", "file_summary.ets", "msg_store_index.ets"])
def test_what_a_broker_left_at_its_stop_is_removed(storage: Storage, name: str) -> None:
    """S211, S240."""
    world = Harness(storage)
    storage.append(f"{DIRECTORY}/0.rdq", [records(world, 0, 2)])
    storage.append(f"{DIRECTORY}/{name}", [RawBytes(b"anything")])
    assert not world.store.start([], lambda: [(0, 2)])
    assert world.sizes() == {"0.rdq": 2174}
    world.check()


def test_a_damaged_note_of_a_clean_stop_makes_the_start_dirty(storage: Storage) -> None:
    """S206."""
    world = Harness(storage)
    world.store.start_new()
    world.client().side.write(extent(0, 2))
    world.store.terminate()
    storage.truncate(f"{DIRECTORY}/clean_stop.json", 10)
    world.make()
    assert not world.store.start(["q"], lambda: [(0, 2)])
    assert live(world, 0, 2) == [0, 1]


def test_files_that_changed_since_make_the_start_dirty(storage: Storage) -> None:
    world = Harness(storage)
    world.store.start_new()
    world.client().side.write(extent(0, 2))
    world.store.terminate()
    storage.append(f"{DIRECTORY}/0.rdq", [records(world, 2)])
    world.make()
    assert not world.store.start(["q"], lambda: [(0, 3)])
    assert live(world, 0, 3) == [0, 1, 2]


def test_the_transient_store_always_starts_with_nothing(storage: Storage) -> None:
    """S205."""
    world = Harness(storage, limit=4000, name="transient")
    world.store.start_new()
    world.client(confirms=False).side.write(extent(0, 9))
    world.store.terminate()
    world.make()
    world.store.start_new()
    assert world.sizes() == {"0.rdq": 0}
    assert world.places() == {}
    world.check()


# --- kill and power --------------------------------------------------------------------------------------------------


def crashed(world: Harness, power: bool, references: list[tuple[int, int]]) -> None:
    """End the process, or cut the power, and start again."""
    world.store.kill("power" if power else "kill")
    if power:
        world.storage.power_cut()
    world.make()
    assert not world.store.start([], lambda: references)
    world.check()


@pytest.mark.parametrize("power", [False, True])
def test_what_was_synced_survives_and_what_was_not_does_not(storage: Storage, power: bool) -> None:
    """S166, S230."""
    world = Harness(storage, buffer=3000)
    world.store.start_new()
    client = world.client()
    client.side.write(extent(0, 2))
    world.store.settle()
    client.side.write(extent(2, 4))
    world.store.handle_mailbox()
    assert world.sizes() == {"0.rdq": 5 * 1087}, "3 of 4 left the buffer"
    crashed(world, power, [(0, 6)])
    assert live(world, 0, 6) == ([0, 1] if power else [0, 1, 2, 3, 4])


def test_a_roll_over_makes_the_old_file_durable(storage: Storage) -> None:
    """S171."""
    world = Harness(storage, limit=4000, name="transient")
    world.store.start_new()
    world.client(confirms=False).side.write(extent(0, 6))
    world.store.settle()
    crashed(world, True, [(0, 6)])
    assert live(world, 0, 6) == [0, 1, 2, 3]


# --- the dirty rebuild -----------------------------------------------------------------------------------------------


def test_references_are_counted_and_those_without_a_record_dropped(storage: Storage) -> None:
    """S207, S233."""
    world = Harness(storage)
    storage.append(f"{DIRECTORY}/0.rdq", [records(world, 0, 4)])
    storage.append(f"{DIRECTORY}/1.rdq", [records(world, 4, 4)])
    assert not world.store.start([], lambda: [(0, 2), (1, 1), (5, 9)])
    assert {n: place[:2] for n, place in world.places().items()} == {
        0: (1, 0),
        1: (2, 0),
        5: (1, 1),
        6: (1, 1),
        7: (1, 1),
    }
    assert world.files() == [[0, 4348, 2174], [1, 4348, 3261]]
    world.check()


def test_the_last_file_is_cut_behind_its_last_valid_record(storage: Storage) -> None:
    """S207, S208."""
    world = Harness(storage)
    storage.append(f"{DIRECTORY}/0.rdq", [records(world, 0, 4)])
    storage.append(f"{DIRECTORY}/1.rdq", [records(world, 4, 4)])
    world.store.start([], lambda: [(0, 1), (4, 2)])
    assert world.files() == [[0, 4348, 1087], [1, 2174, 2174]]
    assert world.sizes() == {"0.rdq": 4348, "1.rdq": 2174}
    world.client().side.write(extent(20, 1))
    world.store.settle()
    assert world.places()[20] == (1, 1, 2174, 1087)
    world.check()


def test_a_last_file_without_valid_records_is_emptied(storage: Storage) -> None:
    world = Harness(storage)
    storage.append(f"{DIRECTORY}/3.rdq", [records(world, 0, 4)])
    world.store.start([], list)
    assert world.files() == [[3, 0, 0]]
    assert world.sizes() == {"3.rdq": 0}
    world.check()


def test_other_files_without_valid_records_are_deleted(storage: Storage) -> None:
    """S207."""
    world = Harness(storage)
    for number in range(3):
        storage.append(f"{DIRECTORY}/{number}.rdq", [records(world, 4 * number, 4)])
    world.store.start([], lambda: [(4, 1)])
    assert world.store.gc_busy
    world.store.settle()
    assert world.files() == [[1, 4348, 1087], [2, 0, 0]]
    assert store_vector(world.store)["disk"] == "same"
    world.check()


def test_no_file_at_all(storage: Storage) -> None:
    """S207."""
    world = Harness(storage)
    assert not world.store.start([], lambda: [(0, 3)])
    assert world.files() == [[0, 0, 0]]
    assert world.sizes() == {"0.rdq": 0}
    world.check()


def test_within_a_file_the_last_copy_wins_and_across_files_the_first(storage: Storage) -> None:
    """S207."""
    world = Harness(storage)
    storage.append(f"{DIRECTORY}/0.rdq", [records(world, 0, 3), records(world, 0, 2)])
    storage.append(f"{DIRECTORY}/1.rdq", [records(world, 1, 2), records(world, 9)])
    world.store.start([], lambda: [(0, 3), (9, 1)])
    assert {n: place[1:3] for n, place in world.places().items()} == {
        0: (0, 3261),
        1: (0, 4348),
        2: (0, 2174),
        9: (1, 2174),
    }
    world.check()


def _zeros(world: Harness, path: str) -> None:
    world.storage.append(path, [ZeroBytes(40)])


def _few_zeros(world: Harness, path: str) -> None:
    world.storage.append(path, [ZeroBytes(5)])


@pytest.mark.parametrize("damage", [_zeros, _few_zeros])
def test_the_scanner_stops_at_the_damage(storage: Storage, damage: Callable[[Harness, str], None]) -> None:
    """S209."""
    world = Harness(storage)
    path = f"{DIRECTORY}/0.rdq"
    storage.append(path, [records(world, 0, 2)])
    damage(world, path)
    storage.append(path, [records(world, 2, 2)])
    storage.append(f"{DIRECTORY}/1.rdq", [records(world, 9)])
    world.store.start([], lambda: [(0, 4), (9, 1)])
    assert live(world, 0, 10) == [0, 1, 9]
    assert world.files()[0] == [0, 2174, 2174]
    assert world.sizes()["0.rdq"] > 2174, "only the current file is cut"
    world.check()


def test_a_torn_tail_is_no_record(storage: Storage) -> None:
    """S209."""
    world = Harness(storage)
    path = f"{DIRECTORY}/0.rdq"
    storage.append(path, [records(world, 0, 2), RawBytes(records(world, 5).encode()[:500])])
    storage.append(f"{DIRECTORY}/1.rdq", [records(world, 9)])
    world.store.start([], lambda: [(0, 2), (5, 1), (9, 1)])
    assert live(world, 0, 10) == [0, 1, 9]
    assert world.files()[0] == [0, 2174, 2174]
    world.check()


def test_the_scanner_passes_over_a_record_with_a_wrong_marker(storage: Storage) -> None:
    """S209."""
    world = Harness(storage)
    path = f"{DIRECTORY}/0.rdq"
    for bad in (1, 3):
        storage.append(path, [records(world, bad - 1), RawBytes(records(world, bad).encode()[:-1] + b"\x00")])
    storage.append(f"{DIRECTORY}/1.rdq", [records(world, 9)])
    world.store.start([], lambda: [(0, 4), (9, 1)])
    assert live(world, 0, 10) == [0, 2, 9]
    assert world.files()[0] == [0, 4348, 2174], "the last one counts though it is garbage"
    world.check()


def test_a_size_without_room_for_an_id_is_reported(storage: Storage) -> None:
    """S209."""
    world = Harness(storage)
    damage = (3).to_bytes(8, "big") + b"abc" + b"\xff"
    storage.append(f"{DIRECTORY}/0.rdq", [records(world, 0), RawBytes(damage)])
    with pytest.raises(StoreCorrupt):
        world.store.start([], lambda: [(0, 1)])


# --- crashes during a combination (S191) -----------------------------------------------------------------------------

KEPT = [2, 4, 5, 8, 9, 16, 17, 18]


def combining(storage: Storage) -> tuple[Harness, Client]:
    """Return G1's store with the combination of files 1 and 2 asked for."""
    world = Harness(storage, limit=4000)
    world.store.start_new()
    client = world.client()
    client.side.write(extent(1, 18))
    world.store.settle()
    client.side.remove(ranges(1, 3, 6, 7, 10, 11, 13, 14, 15, 12))
    world.store.handle_mailbox()
    return world, client


def after_step(storage: Storage, step: str) -> Harness:
    """Return that store right after one step of the combination."""
    world, _ = combining(storage)
    while not any(t.step == step for t in world.of(CombineStepped)):
        assert world.store.run_gc_step()
    return world


def recover(world: Harness, power: bool) -> list[int]:
    """Crash, start again and return what is left of the messages."""
    crashed(world, power, [(number, 1) for number in KEPT])
    found = live(world, 0, 20)
    world.store.settle()
    world.check()
    assert live(world, 0, 20) == found
    assert not [name for name in world.sizes() if name.endswith(".rdt")]
    client = world.client()
    for number in found:
        client.side.read(extent(number))
    return found


STEPS = (
    "destination_scanned",
    "tmp_written",
    "truncated",
    "copied_back",
    "tmp_deleted",
    "source_scanned",
    "source_copied",
    "synced",
)


@pytest.mark.parametrize("step", STEPS)
def test_a_process_crash_between_two_steps(storage: Storage, step: str) -> None:
    """S191."""
    lost = {8} if step == "truncated" else set()
    assert recover(after_step(storage, step), power=False) == [n for n in KEPT if n not in lost]


@pytest.mark.parametrize("step", STEPS)
def test_a_power_cut_between_two_steps_loses_nothing(storage: Storage, step: str) -> None:
    """S191, S234: Truncating is not synced before the copy-back is, so the power cut undoes it."""
    assert recover(after_step(storage, step), power=True) == KEPT


def test_a_crash_before_the_truncation_appends_what_was_set_aside(storage: Storage) -> None:
    """S191, S206."""
    world = after_step(storage, "tmp_written")
    before = world.sizes()
    assert before["1.rdt"] == 1087
    crashed(world, False, [(number, 1) for number in KEPT])
    assert world.sizes()["1.rdq"] == before["1.rdq"] + 1087
    assert world.places()[8] == (1, 1, 4348, 1087), "the copy at the end wins"


def test_a_crash_while_the_temporary_file_is_written(storage: Storage) -> None:
    world = after_step(storage, "tmp_written")
    storage.truncate(f"{DIRECTORY}/1.rdt", 600)
    assert recover(world, power=False) == KEPT


def test_what_was_set_aside_is_lost_behind_the_zeros(storage: Storage) -> None:
    """S191: The reference's own weakness: the scanner stops at the zeros before it (S191 row 2)."""
    world = after_step(storage, "truncated")
    assert world.storage.read_bytes(f"{DIRECTORY}/1.rdq", 1087, 2174) == bytes(2174)
    crashed(world, False, [(number, 1) for number in KEPT])
    assert world.sizes()["1.rdq"] == 3261 + 1087
    assert 8 not in world.places()
    assert world.places()[9][1] == 2, "the source is intact"


def test_a_crash_before_the_source_is_removed_leaves_duplicates(storage: Storage) -> None:
    """S191."""
    world = after_step(storage, "synced")
    assert {"1.rdq", "2.rdq"} <= set(world.sizes())
    crashed(world, False, [(number, 1) for number in KEPT])
    assert world.places()[9] == (1, 1, 2174, 1087)
    assert world.store.gc_busy, "file 2 holds nothing live any more"
    world.store.settle()
    assert "2.rdq" not in world.sizes()
    world.check()


@pytest.mark.parametrize("copied_bytes", [0, 500, 1087])
def test_a_crash_while_the_source_is_copied_loses_nothing(storage: Storage, copied_bytes: int) -> None:
    world = after_step(storage, "source_copied")
    path = f"{DIRECTORY}/1.rdq"
    storage.truncate(path, 2174 + copied_bytes)
    storage.truncate(path, 3261)
    assert recover(world, power=False) == KEPT


def test_set_aside_records_without_their_file_are_reported(storage: Storage) -> None:
    world = Harness(storage)
    storage.append(f"{DIRECTORY}/4.rdt", [records(world, 0)])
    with pytest.raises(StoreCorrupt):
        world.store.start([], lambda: [(0, 1)])
