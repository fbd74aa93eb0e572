"""The vectors of the specification: S33 (B1), S172, G1, G2."""

from engine.classic_v1.transitions import CombineStepped, OperationDeferred
from engine.report.transitions.queue import StoreRead
from tests.unit.classic_v1.store.harness import Harness, extent, ranges
from tools.proofs.conformance.vector import store_vector


def test_b1_sizes_of_a_file_that_nothing_syncs() -> None:
    """S21, S33."""
    world = Harness(name="transient")
    world.store.start_new()
    client = world.client(confirms=False)
    sizes = []
    for number in range(22):
        client.side.write(extent(number, record_bytes=100187))
        world.store.settle()
        sizes.append(world.sizes()["0.rdq"])
        world.check()
    assert sizes == [0] * 10 + [1102057] * 11 + [2204114]


def test_b1_all_at_once_ends_the_same() -> None:
    world = Harness(name="transient")
    world.store.start_new()
    world.client(confirms=False).side.write(extent(0, 22, record_bytes=100187))
    world.store.settle()
    assert world.sizes() == {"0.rdq": 2204114}
    world.check()


def test_a_file_is_closed_at_the_record_that_reaches_the_limit() -> None:
    """S171, S172."""
    world = Harness(limit=2174)
    world.store.start_new()
    world.client().side.write(extent(0, 2))
    world.store.settle()
    assert world.sizes() == {"0.rdq": 2174, "1.rdq": 0}
    assert world.files() == [[0, 2174, 2174], [1, 0, 0]]
    world.check()


def test_an_oversized_record_is_stored_whole() -> None:
    """S172."""
    world = Harness(limit=1000)
    world.store.start_new()
    world.client().side.write(extent(0, 3, record_bytes=5000))
    world.store.settle()
    assert world.sizes() == {"0.rdq": 5000, "1.rdq": 5000, "2.rdq": 5000, "3.rdq": 0}
    world.check()


def test_g1() -> None:
    """S148, S180, S181, S183."""
    world = Harness(limit=4000)
    world.store.start_new()
    client = world.client()
    client.side.write(extent(1, 18))
    world.store.settle()
    assert world.files() == [[n, 4348, 4348] for n in range(4)] + [[4, 2174, 2174]]
    client.side.remove(ranges(1, 3, 6, 7, 10, 11, 13, 14, 15), one_by_one=True)
    world.store.settle()
    vector = store_vector(world.store)
    assert (vector["valid"], vector["total"]) == (9783, 19566)
    assert not world.of(CombineStepped), "exactly one half is not more than half"
    world.check()

    client.side.remove(ranges(12))
    world.store.settle()
    assert world.files() == [[0, 4348, 2174], [1, 3261, 3261], [3, 4348, 1087], [4, 2174, 2174]]
    assert {n: world.places()[n][1:3] for n in (5, 8, 9)} == {5: (1, 0), 8: (1, 1087), 9: (1, 2174)}
    assert store_vector(world.store)["total"] == 14131
    assert "2.rdq" not in world.sizes()
    world.check()

    client.side.remove(ranges(16))
    world.store.settle()
    vector = store_vector(world.store)
    assert (vector["valid"], vector["total"], vector["disk"]) == (7609, 9783, "same")
    assert [file[0] for file in vector["files"]] == [0, 1, 4]
    world.check()


def test_g2_what_waits_for_a_locked_file_and_what_does_not() -> None:
    """S142, S182, S185, S187, S190."""
    world = Harness(limit=4000)
    world.store.start_new()
    client = world.client()
    client.side.write(extent(1, 18))
    world.store.settle()
    client.side.remove(ranges(1, 3, 6, 7, 10, 11, 13, 14, 15), one_by_one=True)
    client.side.remove(ranges(12))
    world.store.handle_mailbox()
    assert [row[:4] for row in world.store.snapshot()["files"]][1:3] == [
        [1, 4348, 2174, True],
        [2, 4348, 1087, True],
    ]

    world.transitions.clear()
    assert world.store.read(client.side, 9, 1, wait=False) == 1, "the read waits"
    client.side.remove(ranges(9))
    client.side.write(extent(7))
    client.side.write(extent(8))
    world.store.handle_mailbox()
    assert [(t.operation, t.msg_no) for t in world.of(OperationDeferred)] == [("read", 9), ("remove", 9)]
    assert world.places()[7] == (1, 4, 2174, 1087), "a new copy in the current file"
    assert world.places()[8][0] == 2, "counted in place"
    assert world.places()[9][0] == 1
    world.check()

    steps = 0
    while world.store.run_gc_step():
        steps += 1
        world.check()
    assert not world.of(StoreRead)
    world.store.handle_mailbox()
    assert [t.msg_no for t in world.of(StoreRead)] == [9]
    assert world.places()[9] == (0, 1, 2174, 1087)
    assert world.places()[8] == (2, 1, 1087, 1087)
    assert steps == 9
    read_at = world.transitions.index(world.of(StoreRead)[0])
    assert world.transitions[read_at + 1].msg_no == 9, "the read is answered first"  # type: ignore[attr-defined]
    world.store.settle()
    world.check()
