"""What is shown of single slots and bodies is what the files have (W83, W84, W86, W112, W113, W116, W119)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.classic_v2.files_table import ACKED, ERASED, HOLE, LIVE, WAITING, WRITTEN, KnownBodies
from engine.classic_v2.formats.layout import entry_layout, header_layout, slot_layout
from engine.classic_v2.settings import V4_0, V4_3
from engine.classic_v2.transitions import FilesFound
from engine.values.errors import ProcessCrashed
from tests.unit.classic_v2.world import World, small

HEADER, SLOT = 64, 32


def files_of(world: World) -> dict[str, Any]:
    found: dict[str, Any] = world.queue.snapshot()["own"]["files"]
    return found


def codes(rows: list[list[int]]) -> dict[int, int]:
    """Return for each position its code, which a row of slots has last, and one of bodies before the message number."""
    return {seq: row[4 if len(row) > 4 else 2] for row in rows for seq in range(row[0], row[0] + row[1])}


def inside(ranges: list[list[int]]) -> set[int]:
    return {seq for start, count in ranges for seq in range(start, start + count)}


def hold_to_files(world: World, whole: bool = True) -> None:
    """Compare every slot and every body that is shown with the bytes that the files have.

    Args:
        whole: the queue never stopped, so that every live slot is shown.
    """
    shown = files_of(world)
    size = world.settings.segment_entry_count
    buffered, acks = inside(shown["buffered"]), inside(shown["acks"])
    indexes = {number: world.read(f"{number}.qi") for number in world.files(".qi")}
    live = dict.fromkeys(indexes, 0)
    for seq, code in codes(shown["slots"]).items():
        data = indexes[seq // size]
        slot = data[HEADER + seq % size * SLOT :][:SLOT]
        on_disk = bool(slot) and slot[0] == 1
        live[seq // size] += code == LIVE
        assert on_disk == ((code == LIVE and seq not in buffered) or (code == ACKED and seq in acks)), (
            seq,
            code,
        )
        if not on_disk:
            assert not any(slot), seq
    for number, _bytes, count in shown["segments"]:
        assert live[number] == count if whole else live[number] <= count
    bodies = {number: world.read(f"{number}.qs") for number in world.files(".qs")}
    for run in (KnownBodies(*row) for row in shown["places"]):
        for body in (run.part(skip, 1) for skip in range(run.count)):
            found = bodies.get(body.start // size, b"")[body.offset :][: body.size_bytes]
            if body.code == WRITTEN:
                assert entry_layout(found).size == body.size_bytes, body
            else:
                assert not any(found), body


@pytest.mark.parametrize("seed", range(12))
def test_slots_and_bodies_are_those_of_the_files(seed: int) -> None:
    source = random.Random(seed)
    base = source.choice((V4_0, V4_3))
    world = World(
        small(
            base,
            segment_entry_count=source.choice((4, 8)),
            store_max_cache_size=source.choice((900, 512_000)),
        ),
        out_rate=source.choice((0.0, 3.0, 20.0)),
    )
    pending: list[int] = []
    whole = True
    for _ in range(80):
        match source.choice("publish publish fetch fetch ack ack sync restart crash".split()):
            case "publish":
                world.publish(source.randrange(1, 9), source.choice((0, 100, 5000)), source.random() < 0.8)
                sizes = [source.choice((0, 7, 100, 333, 5000)) for _ in range(source.randrange(1, 9))]
                column = world.codec.column(world.next_no, sizes)
                world.publish(len(sizes), column, source.random() < 0.8)
            case "fetch":
                try:
                    pending += world.fetch(source.randrange(1, 5))
                except ProcessCrashed:  # W202: a load goes through a segment without small bodies
                    return
            case "ack" if pending:
                taken = source.sample(pending, source.randrange(1, len(pending) + 1))
                pending = [seq for seq in pending if seq not in taken]
                world.ack(*sorted(taken))
            case "sync":
                world.queue.timeout()
            case "restart" | "crash" as kind if source.random() < 0.3 and not pending:
                (world.restart if kind == "restart" else world.crash)()
                whole = False
        world.settle()
        hold_to_files(world, whole)


def test_an_ack_empties_the_buffers_and_the_place_stays_empty() -> None:
    """W64, W86, W116: what is acknowledged before the sync never reaches a disk."""
    world = World(small())
    world.publish(3)
    shown = files_of(world)
    assert (codes(shown["slots"]), codes(shown["places"])) == (
        dict.fromkeys(range(3), LIVE),
        dict.fromkeys(range(3), WAITING),
    )
    world.fetch(2)
    world.ack(1)
    shown = files_of(world)
    assert codes(shown["slots"]) == {0: LIVE, 1: ERASED, 2: LIVE}
    assert codes(shown["places"]) == {0: WAITING, 1: HOLE, 2: WAITING}
    world.queue.timeout()
    assert codes(files_of(world)["places"]) == {0: WRITTEN, 1: HOLE, 2: WRITTEN}
    hold_to_files(world)
    world.ack(0)
    shown = files_of(world)
    assert codes(shown["slots"])[0] == ACKED
    assert codes(shown["places"])[0] == WRITTEN  # the dead body stays (W119)


@pytest.mark.parametrize("how", ["restart", "crash"])
def test_a_start_tells_what_it_found(how: str) -> None:
    """W96, W97: live slots and their bodies are known again, in runs; of a gap between bodies nothing is known."""
    world = World(small())
    world.publish(5)
    world.queue.timeout()
    world.fetch(2)
    world.ack(1)
    world.queue.timeout()
    getattr(world, how)()
    shown = files_of(world)
    each = (shown["bodies"][0][1] - HEADER) // 5
    assert shown["slots"] == [[0, 1, LIVE], [2, 3, LIVE]]
    assert shown["places"] == [
        [0, 1, HEADER, each, WRITTEN, 0],
        [2, 3, HEADER + 2 * each, each, WRITTEN, 0],
    ]
    assert shown["unread"] == shown["bodies"]
    assert [row[2] for row in shown["segments"]] == [4]
    hold_to_files(world)


def test_a_start_leaves_out_transient_messages() -> None:
    """W95, W96: after an orderly stop they have slots that count, and no message."""
    world = World(small())
    world.publish(3)
    world.publish(2, persistent=False)
    world.restart()
    shown = files_of(world)
    assert shown["slots"] == [[0, 3, LIVE]]
    assert [row[2] for row in shown["segments"]] == [5]


def test_a_start_on_a_million_messages_is_told_in_runs() -> None:
    world = World(V4_3)
    world.publish(1_000_000)
    world.restart()
    found = [t for t in world.emitted if isinstance(t, FilesFound)][-1]
    assert [(each.start, each.count) for each in found.live] == [(0, 1_000_000)]
    assert len(found.places) == len(found.bodies)


def test_bytes_of_the_files_are_named_field_by_field() -> None:
    world = World(small())
    world.publish(2)
    world.publish(1, size=5000)
    world.queue.timeout()
    index, store = world.read("0.qi"), world.read("0.qs")
    assert header_layout(index).kind == header_layout(store).kind == "header"
    assert [slot_layout(index[HEADER + at * SLOT :], at).kind for at in range(3)] == ["slot"] * 3
    named = {field.name: field.value for field in slot_layout(index[HEADER:], 0).fields}
    assert named["offset in .qs"] == f"0x{HEADER:X}"
    assert entry_layout(store[HEADER:]).msg_id == world.codec.id_bytes(0)
    assert slot_layout(index[HEADER + 2 * SLOT :], 2).msg_id == world.codec.id_bytes(2)
