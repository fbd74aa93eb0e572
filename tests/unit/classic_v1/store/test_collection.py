"""Garbage collection: triggers, deletion, files that clients hold open (S148, S180-S190)."""

import pytest

from engine.classic_v1.transitions import CombineStarted, CombineStepped, FilesCombined, FileUnlinked
from engine.report.transitions.queue import FileDeleted
from engine.values.stretches import Range
from tests.unit.classic_v1.store.harness import Client, Harness, extent, ranges
from tools.proofs.conformance.vector import store_vector


def started(limit: int = 4000, **more: int) -> tuple[Harness, Client]:
    """Return a store with one client."""
    world = Harness(limit=limit, **more)
    world.store.start_new()
    return world, world.client()


def test_an_empty_file_goes_whatever_the_sums_say() -> None:
    """S148, S184."""
    world, client = started()
    client.side.write(extent(0, 5))
    world.store.settle()
    client.side.remove([Range(0, 4)])
    world.store.settle()
    assert world.files() == [[1, 1087, 1087]]
    assert world.sizes() == {"1.rdq": 1087}
    assert sorted(world.places()) == [4]
    assert len(world.of(FileDeleted)) == 1
    world.check()


def test_the_current_file_stays_when_it_is_empty() -> None:
    """S130, S148, S188."""
    world, client = started()
    client.side.write(extent(0, 3))
    world.store.settle()
    client.side.remove([Range(0, 3)])
    world.store.settle()
    assert world.files() == [[0, 3261, 0]]
    assert store_vector(world.store)["zero_refs"] == 3
    world.check()


def test_the_current_file_is_deleted_once_it_is_another() -> None:
    """It was empty when it was closed, and it is not checked again before the next garbage (S148, S181)."""
    world, client = started()
    client.side.write(extent(0, 3))
    world.store.settle()
    client.side.remove([Range(0, 3)])
    client.side.write(extent(3, 2))
    world.store.settle()
    assert world.files() == [[0, 4348, 1087], [1, 1087, 1087]]
    world.check()


def test_the_sums_must_be_more_than_twice_the_limit() -> None:
    """S180."""
    world, client = started(limit=4348)
    client.side.write(extent(0, 8))
    world.store.settle()
    client.side.remove([Range(0, 3), Range(4, 3)])
    world.store.settle()
    assert store_vector(world.store)["total"] == 8696 == 2 * 4348
    assert not world.of(CombineStarted)
    client.side.write(extent(8, 1))
    world.store.settle()
    assert not world.of(CombineStarted), "an ordinary write does not check"
    client.side.write(extent(9, 3))
    world.store.settle()
    assert not world.of(CombineStarted), "8 of 12 are valid: 6 of 12 are"
    client.side.remove(ranges(8))
    world.store.settle()
    assert len(world.of(CombineStarted)) == 1
    world.check()


def test_each_single_remove_searches_a_pair() -> None:
    """S147, S180: One call with all ids checks once, after the last; single calls check after each (S147)."""
    together, client = started()
    client.side.write(extent(1, 18))
    together.store.settle()
    client.side.remove([Range(1, 3), Range(5, 3), Range(9, 3), Range(13, 3)])
    together.store.settle()
    apart, other = started()
    other.side.write(extent(1, 18))
    apart.store.settle()
    other.side.remove([Range(1, 3), Range(5, 3), Range(9, 3), Range(13, 3)], one_by_one=True)
    apart.store.settle()
    assert together.of(CombineStarted)[0].why["valid"] == 6 * 1087
    assert apart.of(CombineStarted)[0].why["valid"] == 8 * 1087
    for world in (together, apart):
        assert set(world.places()) >= {4, 8, 12, 16, 17, 18}
        world.check()


def test_singles_settled_between_equal_singles_settled_by_hand() -> None:
    numbers = [1, 2, 3, 5, 6, 9, 10, 11, 13, 14, 15, 7, 4, 8]
    apart, client = started()
    client.side.write(extent(1, 18))
    apart.store.settle()
    for number in numbers:
        client.side.remove(ranges(number))
        apart.store.settle()
    at_once, other = started()
    other.side.write(extent(1, 18))
    at_once.store.settle()
    other.side.remove(ranges(*numbers), one_by_one=True)
    at_once.store.settle()
    assert at_once.store.snapshot() == apart.store.snapshot()
    assert at_once.contents() == apart.contents()
    assert len(at_once.of(CombineStarted)) == len(apart.of(CombineStarted)) > 0


def test_at_most_four_files_wait_for_the_collector() -> None:
    """S180."""
    world, client = started()
    client.side.write(extent(0, 41))
    world.store.settle()
    client.side.remove([Range(4 * n, 3) for n in range(10)], one_by_one=True)
    world.store.handle_mailbox()
    locked = [row[0] for row in world.store.snapshot()["files"] if row[3]]
    assert len(locked) == 4
    assert len(world.of(CombineStarted)) == 2
    world.check()
    world.store.settle()
    world.check()
    assert len(world.of(FilesCombined)) == len(world.of(CombineStarted)) > 2


def test_a_combination_without_a_gap_needs_no_temporary_file() -> None:
    """S183."""
    world, client = started()
    client.side.write(extent(1, 18))
    world.store.settle()
    client.side.remove([Range(2, 3), Range(6, 3), Range(10, 3), Range(14, 3)])
    world.store.settle()
    steps = [t.step for t in world.of(CombineStepped) if t.destination == 0]
    assert steps == ["destination_scanned", "truncated", "source_scanned", "source_copied", "synced"]
    world.check()


def test_counts_may_change_while_records_move() -> None:
    """S142, S183."""
    world, client = started()
    other = world.client("other")
    client.side.write(extent(1, 18))
    world.store.settle()
    client.side.remove(ranges(1, 3, 6, 7, 10, 11, 13, 14, 15, 12))
    world.store.handle_mailbox()
    for number in (5, 8, 9):
        world.store.run_gc_step()
        other.side.write(extent(number))
        world.store.handle_mailbox()
        world.check()
    world.store.settle()
    assert {n: world.places()[n] for n in (5, 8, 9)} == {
        5: (2, 1, 0, 1087),
        8: (2, 1, 1087, 1087),
        9: (2, 1, 2174, 1087),
    }
    world.check()


@pytest.fixture
def open_file() -> tuple[Harness, Client]:
    """Return a store of which a client has file 0 open for reading."""
    world, client = started()
    client.side.write(extent(0, 9))
    world.store.settle()
    client.side.read(extent(0))
    return world, client


def test_a_file_that_a_client_has_open_stays_on_disk(open_file: tuple[Harness, Client]) -> None:
    """S186."""
    world, client = open_file
    client.side.remove([Range(0, 4)])
    world.store.settle()
    assert [row[0] for row in world.files()] == [1, 2]
    assert store_vector(world.store)["disk"] == [[0, 4348], [1, 4348], [2, 1087]]
    assert world.store.snapshot()["orphans"] == [[0, 4348]]
    assert client.closes == 1
    world.check()
    client.side.close_marked()
    world.store.settle()
    assert "0.rdq" in world.sizes(), "closing alone removes nothing"
    client.side.remove([Range(4, 4)])
    world.store.settle()
    assert world.sizes() == {"2.rdq": 1087}, "the next work of the collector tries again"
    assert [t.file for t in world.of(FileUnlinked)] == [1, 0]
    world.check()


def test_the_next_read_closes_what_is_marked(open_file: tuple[Harness, Client]) -> None:
    """S185."""
    world, client = open_file
    client.side.remove([Range(0, 4)])
    world.store.settle()
    client.side.read(extent(5))
    client.side.remove([Range(4, 4)])
    world.store.settle()
    assert store_vector(world.store)["disk"] == [[1, 4348], [2, 1087]], "now file 1 is the open one"
    world.check()


def test_an_orphan_survives_a_clean_stop_but_not_a_dirty_start(open_file: tuple[Harness, Client]) -> None:
    """S186."""
    world, client = open_file
    client.side.remove([Range(0, 4)])
    world.store.settle()
    client.side.terminate()
    world.store.terminate()
    world.make()
    assert world.store.start(["q"], lambda: ())
    assert store_vector(world.store)["disk"] == [[0, 4348], [1, 4348], [2, 1087]]
    world.check()
    world.store.kill()
    world.make()
    assert not world.store.start([], lambda: [(4, 5)])
    world.store.settle()
    assert world.files() == [[1, 4348, 4348], [2, 1087, 1087]]
    assert store_vector(world.store)["disk"] == "same"
    world.check()


def test_how_many_may_be_read_and_removed_together() -> None:
    world, client = started()
    client.side.write(extent(1, 18))
    world.store.settle()
    assert client.side.alike(extent(1, 18)) == 4, "the file ends"
    client.side.remove(ranges(1, 3, 6, 7, 10, 11, 13, 14, 15), one_by_one=True)
    world.store.settle()
    assert client.side.alike(extent(4, 1)) == 1
    assert client.side.alike(extent(8, 2)) == 1
    assert client.side.alike(extent(17, 2)) == 1, "after one more remove there is enough garbage"
    world.check()
