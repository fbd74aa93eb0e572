"""Coalescing, reference counts, confirms, credit and dying clients (S140-S150, S165-S168, F1-F4)."""

import pytest

from engine.classic_v1.transitions import StoreSynced
from engine.report.transitions.queue import BufferWritten, StoreRead, StoreWritten, WriteIgnored
from engine.values.errors import InvariantBroken
from engine.values.stretches import Range
from tests.unit.classic_v1.store.harness import Client, Harness, extent, numbers, ranges
from tools.proofs.conformance.vector import store_vector


@pytest.fixture
def world() -> Harness:
    """Return a store that has just started."""
    harness = Harness(limit=4000, credit=(40, 8))
    harness.store.start_new()
    return harness


def test_a_remove_that_overtakes_the_write_cancels_it(world: Harness) -> None:
    """S134, S141, S145."""
    client = world.client()
    client.side.write(extent(0, 5))
    client.side.remove([Range(1, 2)])
    world.store.settle()
    assert client.notified == [("ignored", [1, 2]), ("ignored", []), ("written", [0, 3, 4])]
    assert [(t.msg_no, t.count) for t in world.of(WriteIgnored)] == [(1, 2)]
    assert sorted(world.places()) == [0, 3, 4]
    assert store_vector(world.store)["cache"] == 3
    world.check()


def test_a_write_sent_again_behind_its_remove_is_processed_once(world: Harness) -> None:
    """S134, S141."""
    client = world.client()
    client.side.write(extent(0))
    client.side.remove(ranges(0))
    client.side.write(extent(0))
    world.store.settle()
    assert world.places() == {0: (1, 0, 0, 1087)}, "the first write is processed, the second meets no entry"
    assert client.notified == [("ignored", []), ("ignored", [0]), ("written", [0])]
    world.check()


def test_removing_twice_what_is_not_handled_is_a_defect(world: Harness) -> None:
    """S146."""
    client = world.client()
    client.side.write(extent(0))
    world.store.settle()
    client.side.remove(ranges(0))
    with pytest.raises(InvariantBroken):
        client.side.remove(ranges(0))


def test_removing_what_is_not_there_is_a_defect(world: Harness) -> None:
    client = world.client()
    client.side.remove(ranges(7))
    with pytest.raises(InvariantBroken):
        world.store.settle()


def test_one_message_in_several_queues_is_stored_once(world: Harness) -> None:
    """S56, S142, S147."""
    clients = [world.client(ref) for ref in ("a", "b", "c")]
    for client in clients:
        client.side.write(extent(0, 2))
    world.store.settle()
    assert world.places() == {0: (3, 0, 0, 1087), 1: (3, 0, 1087, 1087)}
    assert all(client.notified == [("written", [0, 1])] for client in clients)
    assert store_vector(world.store)["total"] == 2174
    for client in clients[:2]:
        client.side.remove([Range(0, 1)])
    world.store.settle()
    assert [place[0] for place in world.places().values()] == [1, 3]
    assert store_vector(world.store)["valid"] == 2174
    clients[2].side.remove([Range(0, 1)])
    world.store.settle()
    assert store_vector(world.store)["valid"] == 1087
    assert store_vector(world.store)["zero_refs"] == 1
    world.check()


def test_a_duplicate_in_an_older_file_is_confirmed_at_once(world: Harness) -> None:
    """S144."""
    first, second = world.client("a"), world.client("b")
    first.side.write(extent(0, 5))
    world.store.settle()
    assert store_vector(world.store)["current"] == 1
    second.side.write(extent(3, 2))
    world.store.handle_mailbox()
    assert second.notified == [("written", [3])], "4 is in the current file and waits for a sync"
    assert world.store.sync_owed
    world.store.settle()
    assert second.notified == [("written", [3]), ("written", [4])]
    assert store_vector(world.store)["cache"] == 1
    world.check()


def test_garbage_comes_back_without_being_written_again(world: Harness) -> None:
    """S130, S142."""
    first, second = world.client("a"), world.client("b")
    first.side.write(extent(0, 2))
    world.store.settle()
    first.side.remove(ranges(0))
    world.store.settle()
    second.side.write(extent(0))
    world.store.settle()
    assert world.places()[0] == (1, 0, 0, 1087)
    assert store_vector(world.store)["valid"] == store_vector(world.store)["total"] == 2174
    world.check()


def test_removing_an_unsynced_message_confirms_it_as_ignored(world: Harness) -> None:
    """S147, K6."""
    client, other = world.client("a"), world.client("b")
    client.side.write(extent(0, 3))
    world.store.handle_mailbox()
    client.side.remove(ranges(1))
    world.store.handle_mailbox()
    assert client.notified == [("ignored", [1])]
    other.side.write(extent(10))
    world.store.settle()
    assert client.notified[1:] == [("written", [0, 2])]
    assert other.notified == [("written", [10])]
    world.check()


def test_a_client_with_pending_confirms_hears_even_of_nothing(world: Harness) -> None:
    """S147."""
    client = world.client()
    client.side.write(extent(0, 1))
    world.store.settle()
    client.side.write(extent(1, 1))
    world.store.handle_mailbox()
    client.side.remove(ranges(0))
    world.store.handle_mailbox()
    assert client.notified[-1] == ("ignored", [])


def test_the_transient_store_confirms_and_syncs_nothing() -> None:
    """S135, S168."""
    world = Harness(name="transient")
    world.store.start_new()
    client = world.client(confirms=False)
    client.side.write(extent(0, 20, record_bytes=100187))
    world.store.settle()
    assert not world.store.sync_owed
    assert not world.of(StoreSynced)
    assert [t.bytes_ for t in world.of(BufferWritten)] == [1102057]
    assert world.store.snapshot()["buffered_bytes"] == 9 * 100187
    world.check()


def test_a_sync_serves_all_clients_with_one_fsync(world: Harness) -> None:
    """S166, K6."""
    clients = [world.client(ref) for ref in ("a", "b")]
    for at, client in enumerate(clients):
        client.side.write(extent(10 * at, 1))
    world.store.handle_mailbox()
    world.store.sync()
    world.store.sync()
    assert len(world.of(StoreSynced)) == 1
    assert [client.notified for client in clients] == [[("written", [0])], [("written", [10])]]


def test_credit(world: Harness) -> None:
    """S140, F1, F2."""
    client = world.client()
    assert client.side.account.left is None
    assert client.side.account.room == 40
    client.side.write(extent(0, 39))
    assert client.side.account.left == 1
    assert not client.side.account.blocked
    client.side.write(extent(39, 11))
    assert client.side.account.left == -10
    assert client.side.account.blocked
    world.store.settle()
    assert client.grants == [8] * 6
    assert client.side.account.left == -10, "the queue has not taken the grants yet"
    client.side.account.grant(8)
    assert client.side.account.blocked
    client.side.account.grant(8)
    assert not client.side.account.blocked
    for _ in range(4):
        client.side.account.grant(8)
    assert client.side.account.left == 38
    client.side.write(extent(50, 6))
    world.store.settle()
    assert client.grants == [8] * 7, "ignored or not, every handled write counts"


def test_ignored_writes_earn_credit_too(world: Harness) -> None:
    """S141, F1."""
    client = world.client()
    client.side.write(extent(0, 8))
    client.side.remove([Range(0, 8)])
    world.store.settle()
    assert client.grants == [8]


def test_newest_first(world: Harness) -> None:
    """S143."""
    client = world.client()
    client.side.write(extent(0, 10), descending=True)
    world.store.settle()
    places = world.places()
    assert [places[n][1:3] for n in (9, 8, 6, 5, 2, 1)] == [
        (0, 0),
        (0, 1087),
        (0, 3261),
        (1, 0),
        (1, 3261),
        (2, 0),
    ]
    assert [(t.msg_no, t.count, t.step) for t in world.of(StoreWritten)] == [
        (6, 4, -1),
        (2, 4, -1),
        (0, 2, -1),
    ]
    assert len(world.store.snapshot()["rows"]) == 3
    world.check()


def test_a_cut_mailbox_handles_the_same(world: Harness) -> None:
    """S136, S158."""
    client = world.client()
    client.side.write(extent(0, 10), descending=True)
    client.side.remove([Range(0, 2), Range(4, 3)], one_by_one=True, descending=True)
    client.side.remove([Range(2, 2)])
    assert world.store.mailbox_messages == 16
    handled = []
    while world.store.mailbox_messages:
        handled.append(world.store.handle_mailbox(4))
        world.check()
    assert handled == [4, 4, 4, 4]
    assert numbers_reported(client, "ignored") == list(range(7))
    assert sorted(world.places()) == [7, 8, 9]


def numbers_reported(client: Client, how: str) -> list[int]:
    """Return every message number that a client was notified of in one way, sorted."""
    return sorted(number for each, found in client.notified for number in found if each == how)


# --- dying clients ---------------------------------------------------------------------------------------------------


def test_what_a_dying_client_wrote_last_is_ignored(world: Harness) -> None:
    """S150."""
    dying, other = world.client("a"), world.client("b")
    dying.side.write(extent(0, 2))
    other.side.write(extent(0, 1))
    world.store.settle()
    dying.side.write(extent(2, 3))
    dying.side.remove([Range(0, 2)])
    dying.side.delete()
    world.store.settle()
    assert [(t.rule, t.msg_no, t.count) for t in world.of(WriteIgnored)] == [("S150", 2, 3)]
    assert world.places() == {0: (1, 0, 0, 1087), 1: (0, 0, 1087, 1087)}
    assert dying.notified == [("written", [0, 1])]
    assert store_vector(world.store)["cache"] == 2
    world.check()


def test_a_dying_client_leaves_records_behind_its_death_alone(world: Harness) -> None:
    """S150."""
    dying, other = world.client("a"), world.client("b")
    other.side.write(extent(0, 1))
    world.store.settle()
    dying.side.write(extent(0, 3))
    other.side.write(extent(1, 2))
    dying.side.delete()
    # The death lies at offset 1087: 0 is older, 1 is exactly there and counts as older, 2 is younger.
    world.store.settle()
    assert {n: place[0] for n, place in world.places().items()} == {0: 2, 1: 1, 2: 1}
    world.check()


def test_a_record_at_the_position_of_death_counts_as_older(world: Harness) -> None:
    """S150."""
    dying, other = world.client("a"), world.client("b")
    other.side.write(extent(0, 3))
    dying.side.write(extent(0, 3))
    dying.side.delete()
    world.store.settle()
    assert {n: place[0] for n, place in world.places().items()} == {0: 2, 1: 1, 2: 1}
    world.check()


def test_newest_first_splits_at_the_death_too(world: Harness) -> None:
    """S150."""
    dying, other = world.client("a"), world.client("b")
    other.side.write(extent(0, 3), descending=True)
    dying.side.write(extent(0, 3), descending=True)
    dying.side.delete()
    world.store.settle()
    assert {n: place[0] for n, place in world.places().items()} == {2: 2, 1: 1, 0: 1}
    world.check()


def test_a_dying_client_does_not_revive_garbage_in_a_locked_file(world: Harness) -> None:
    """S150."""
    dying, other = world.client("a"), world.client("b")
    other.side.write(extent(0, 5))
    world.store.settle()
    other.side.remove([Range(0, 4)])
    world.store.handle_mailbox()
    dying.side.write(extent(0, 1))
    dying.side.remove(ranges(0))
    dying.side.write(extent(1, 1))
    dying.side.delete()
    world.store.handle_mailbox()
    assert world.places()[1] == (0, 0, 1087, 1087)
    world.store.settle()
    assert sorted(world.places()) == [4]
    world.check()


def test_a_deleted_client_is_forgotten(world: Harness) -> None:
    """S135, S150, S200."""
    client = world.client("a")
    client.side.write(extent(0, 2))
    world.store.handle_mailbox()
    client.side.delete()
    world.store.settle()
    assert client.notified == [], "its pending confirms went with it"
    assert not world.store.sync_owed


def test_a_terminated_client_hears_nothing_more(world: Harness) -> None:
    """S200."""
    client = world.client("a")
    client.side.write(extent(0, 2))
    client.side.terminate()
    assert world.store.mailbox_messages == 0
    assert not world.store.sync_owed
    assert world.store.snapshot()["buffered_bytes"] == 2174
    world.store.settle()
    assert client.notified == []
    world.check()


def test_what_a_killed_client_sent_is_still_handled(world: Harness) -> None:
    client = world.client("a")
    client.side.write(extent(0, 9))
    client.side.kill()
    world.store.settle()
    assert client.notified == []
    assert client.grants == []
    assert len(world.places()) == 9
    world.check()


# --- reading ---------------------------------------------------------------------------------------------------------


def test_reads_come_from_the_cache_while_a_message_is_in_it(world: Harness) -> None:
    """S133, S155."""
    client = world.client()
    client.side.write(extent(0, 6))
    client.side.read(extent(0, 6))
    world.store.settle()
    client.side.read(extent(0, 6))
    found = [(t.by, t.file, t.msg_no, t.count, t.bytes_) for t in world.of(StoreRead)]
    assert found == [("cache", 0, 0, 6, 0), ("file", 0, 0, 4, 4348), ("cache", 1, 4, 2, 0)]
    assert {t.rule for t in world.of(StoreRead)} == {"S155"}, "the queue process reads, from both"
    world.check()


def test_reading_the_current_file_hands_the_buffer_over() -> None:
    """S156."""
    world = Harness(name="transient")
    world.store.start_new()
    first, second = world.client("a", confirms=False), world.client("b", confirms=False)
    first.side.write(extent(0, 3))
    world.store.settle()
    # A write that is cancelled takes the cache entry with it although the record is in the current file.
    second.side.write(extent(1))
    second.side.remove(ranges(1))
    world.store.settle()
    assert store_vector(world.store)["cache"] == 2
    first.side.read(extent(1))
    assert world.store.snapshot()["buffered_bytes"] == 0
    assert [(t.rule, t.by, t.bytes_) for t in world.of(StoreRead)] == [("S156", "file", 1087)]
    assert not world.of(StoreSynced)
    world.check()


def test_reading_what_is_not_there_is_a_defect(world: Harness) -> None:
    client = world.client()
    with pytest.raises(InvariantBroken):
        client.side.read(extent(0))


def test_contains(world: Harness) -> None:
    """S157."""
    client = world.client()
    client.side.write(extent(0, 6))
    client.side.remove(ranges(2))
    client.side.write(extent(10, 1))
    world.store.settle()
    client.side.remove(ranges(10))
    assert numbers(world.store.contains(Range(0, 20))) == [0, 1, 3, 4, 5]
    world.check()


def test_contains_waits_for_a_locked_file(world: Harness) -> None:
    """S157, S187."""
    client = world.client()
    client.side.write(extent(1, 18))
    world.store.settle()
    client.side.remove(ranges(1, 3, 6, 7, 10, 11, 13, 14, 15, 12))
    world.store.handle_mailbox()
    client.side.remove(ranges(9))
    assert numbers(world.store.contains(Range(8, 2))) == [8], "9 was removed before, but behind a lock"
    assert not world.store.gc_busy
    world.check()
