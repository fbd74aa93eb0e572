"""The worked examples of queue.md section 25, which are outputs of the real broker."""

from __future__ import annotations

from typing import Any

import pytest

from engine.storage.ledger import LedgerStorage
from tests.helpers.door_config import DEFAULTS
from tools.proofs.conformance.door import BackingQueueDoor


def door(**config: Any) -> BackingQueueDoor:
    return BackingQueueDoor({**DEFAULTS, **config}, LedgerStorage())


def classroom(**config: Any) -> BackingQueueDoor:
    return door(
        segment_entry_count=4, msg_store_io_batch_size=1, explicit_gc_run_operation_threshold=0, **config
    )


def shown(d: BackingQueueDoor) -> str:
    """Write the lanes in section 25's notation: a body in RAM, b on disk, i indexed, S also in the store."""
    q = d.queue.state
    words = []
    for lane in ("q1", "q2", "q3", "q4"):
        messages = [
            f"{extent.start + i}{'a' if extent.in_ram else 'b'}{'i' if extent.indexed else ''}"
            f"{'S' if extent.in_ram and extent.in_store else ''}"
            for extent in q.extents_of(lane)
            for i in range(extent.count)
        ]
        if messages:
            words.append(f"{lane}: {' '.join(messages)}")
        if lane == "q2" and not q.delta.blank:
            words.append(f"delta: {q.delta.start}/{q.delta.count}/{q.delta.transient}/{q.delta.end}")
    return "; ".join(words)


def target(d: BackingQueueDoor, count: int) -> None:
    d.step({"op": "set_target", "target": count})


def publish(
    d: BackingQueueDoor, size: int, count: int = 1, persistent: bool = False, **more: Any
) -> dict[str, Any]:
    return d.step({"op": "publish", "count": count, "size": size, "persistent": persistent, **more})


def fetch(d: BackingQueueDoor, count: int = 1, ack: bool = True) -> dict[str, Any]:
    return d.step({"op": "fetch", "count": count, "ack": ack})


def ack(d: BackingQueueDoor, *tags: list[int]) -> dict[str, Any]:
    return d.step({"op": "ack", "tags": list(tags), "multiple": True})


def test_a_small_messages_slide_to_q3_without_freeing_ram() -> None:
    """Q46: embedded bodies stay in RAM."""
    d = door(explicit_gc_run_operation_threshold=0)
    target(d, 4)
    seen = []
    for _ in range(10):
        after = publish(d, 100)["after"]
        seen.append((shown(d), after["ram_msg_count"], after["ram_bytes"]))
    assert seen[3] == ("q4: 0a 1a 2a 3a", 4, 400)
    assert seen[4] == ("q3: 4a; q4: 0a 1a 2a 3a", 5, 500)
    assert seen[5] == ("q3: 3a 4a 5a; q4: 0a 1a 2a", 6, 600)
    assert seen[6] == ("q3: 1a 2a 3a 4a 5a 6a; q4: 0a", 7, 700)
    assert seen[9] == ("q3: 0a 1a 2a 3a 4a 5a 6a 7a 8a 9a", 10, 1000)
    after = fetch(d)["after"]
    assert after["pending"] == [0, 0, 1]
    assert after["ram_bytes"] == 1000
    assert after["disk_write_count"] == 0


def test_b_large_messages_become_betas() -> None:
    """Q15, Q38, Q46, Q47."""
    d = door(explicit_gc_run_operation_threshold=0)
    target(d, 4)
    publish(d, 5000, 5)
    assert shown(d) == "q3: 4b; q4: 0a 1a 2a 3a"
    after = publish(d, 5000, 5)["after"]
    assert shown(d) == "q3: 4b 5b 6b 7b 8b 9b; q4: 0a 1a 2a 3a"
    assert (after["ram_msg_count"], after["bytes"], after["ram_bytes"], after["disk_write_count"]) == (
        4,
        50000,
        20000,
        6,
    )
    after = fetch(d, 4)["after"]
    assert (after["ram_msg_count"], after["bytes"], after["ram_bytes"], after["pending"]) == (
        0,
        30000,
        20000,
        [4, 0, 0],
    )
    after = fetch(d)["after"]
    assert (after["pending"], after["disk_read_count"]) == ([4, 1, 0], 1)
    after = ack(d, [0, 2])["after"]
    assert (after["ram_bytes"], after["unacked_bytes"]) == (5000, 10000)


def test_c_only_every_1001st_publish_reduces() -> None:
    """Q44."""
    d = door()
    target(d, 100)
    after = publish(d, 20, 1000)["after"]
    assert (after["q4"], after["reduce_run_count"]) == (1000, 1000)
    after = publish(d, 20)["after"]
    assert (after["q3"], after["q4"], after["ram_msg_count"], after["reduce_run_count"]) == (
        901,
        100,
        1001,
        0,
    )
    after = publish(d, 20)["after"]
    assert (after["q1"], after["q3"], after["q4"]) == (1, 901, 100)


def test_d_delta_on_a_small_scale() -> None:
    """Q34, Q48, Q49."""
    d = classroom()
    target(d, 2)
    publish(d, 5000, 6)
    assert shown(d) == "q3: 2b 3b 4b 5b; q4: 0a 1a"
    expected = {
        6: "delta: 6/1/1/7; q3: 2b 3b 4b 5b; q4: 0a 1a",
        7: "q2: 7b; delta: 5/2/2/7; q3: 2b 3b 4b; q4: 0a 1a",
        8: "q2: 7b 8b; delta: 4/3/3/7; q3: 2b 3b; q4: 0a 1a",
        9: "q2: 8b 9b; delta: 4/4/4/8; q3: 2b 3b; q4: 0a 1a",
        10: "q2: 9b 10b; delta: 4/5/5/9; q3: 2b 3b; q4: 0a 1a",
        13: "q2: 12b 13b; delta: 4/8/8/12; q3: 2b 3b; q4: 0a 1a",
    }
    for seq in range(6, 14):
        publish(d, 5000)
        if seq in expected:
            assert shown(d) == expected[seq], seq
    fetch(d, 3)
    assert shown(d) == "q2: 12b 13b; delta: 4/8/8/12; q3: 3b"
    fetch(d)
    assert shown(d) == "q2: 12b 13b; delta: 8/4/4/12; q3: 4bi 5bi 6bi 7bi"
    fetch(d, 3)
    assert shown(d) == "q2: 12b 13b; delta: 8/4/4/12; q3: 7bi"
    fetch(d)
    assert shown(d) == "q3: 8bi 9bi 10bi 11bi 12b 13b"
    fetch(d, 6)
    assert shown(d) == ""


def test_e_small_bodies_leave_ram_only_in_delta() -> None:
    """Q46, Q49, Q34."""
    d = classroom()
    target(d, 2)
    publish(d, 100, 3)
    assert shown(d) == "q3: 2a; q4: 0a 1a"
    publish(d, 100)
    assert shown(d) == "q3: 1a 2a 3a; q4: 0a"
    publish(d, 100)
    assert shown(d) == "delta: 4/1/1/5; q3: 0a 1a 2a 3a"
    after = publish(d, 100, 4)["after"]
    assert after["ram_msg_count"] == 4
    after = fetch(d, 4)["after"]
    assert shown(d).endswith("q3: 4ai 5ai 6ai 7ai")
    assert (after["ram_msg_count"], after["disk_read_count"]) == (4, 4)


def test_f_confirms_follow_the_disk_not_the_state() -> None:
    """K3-K7."""
    d = door()
    publish(d, 100, persistent=True, confirm=True)
    after = publish(d, 5000, persistent=True, confirm=True)["after"]
    assert (after["unconfirmed"], after["disk_write_count"], after["msgs_on_disk"]) == (2, 2, 1)
    publish(d, 100)
    assert shown(d) == "q4: 0ai 1aiS 2a"
    after = d.step({"op": "timeout"})["after"]
    assert (after["unconfirmed"], after["confirmed"]) == (0, 2)
    assert shown(d) == "q4: 0ai 1aiS 2a"


def test_g_lazy_queue_puts_everything_in_delta() -> None:
    """Q20, Q30, Q36, Q40."""
    d = door(mode="lazy")
    publish(d, 100, 2)
    after = publish(d, 5000, 2)["after"]
    assert shown(d) == "delta: 0/4/4/4"
    assert (after["ram_msg_count"], after["disk_write_count"]) == (0, 4)
    after = fetch(d)["after"]
    assert shown(d) == "q3: 1ai 2bi 3bi"
    assert (after["ram_msg_count"], after["ram_bytes"], after["disk_read_count"]) == (1, 200, 2)
    fetch(d)
    assert fetch(d)["after"]["disk_read_count"] == 3
    assert shown(d) == "q3: 3bi"
    d.step({"op": "dropwhile", "now_ms": 0})
    assert shown(d) == "delta: 3/1/1/4"
    d.step({"op": "requeue", "tags": [[0, 0], [2, 2]], "multiple": True})
    assert shown(d) == "delta: 3/1/1/4; q3: 0ai 2bi"


def test_h_requeue_restores_the_order() -> None:
    """Q40."""
    d = classroom()
    publish(d, 5000, 12)
    fetch(d, 3)
    target(d, 2)
    assert shown(d) == "delta: 9/3/3/12; q3: 5b 6b 7b 8b; q4: 3a 4a"
    d.step({"op": "requeue", "tags": [[1, 1]], "multiple": True})
    assert shown(d) == "delta: 8/4/4/12; q3: 4b 5b 6b 7b; q4: 1aS 3a"
    d.step({"op": "requeue", "tags": [[0, 0], [2, 2]], "multiple": True})
    assert shown(d) == "delta: 6/6/6/12; q3: 2b 3b 4b 5b; q4: 0aS 1aS"


def test_i_restart_clean_and_dirty() -> None:
    """Q33, Q62."""
    d = door(segment_entry_count=4)
    publish(d, 100, persistent=True)
    publish(d, 100)
    publish(d, 5000, persistent=True)
    publish(d, 100, persistent=True)
    fetch(d, 2)
    after = d.step({"op": "restart"})["after"]
    assert shown(d) == "q3: 0ai 2bi 3ai"
    names = ("len", "ram_msg_count", "next_seq_id", "next_deliver_seq_id", "disk_read_count")
    assert [after[name] for name in names] == [3, 2, 4, 2, 2]
    assert fetch(d, 3)["result"]["delivered"] == [[True, 1], [False, 2]]
    d.step({"op": "requeue", "tags": [[0, 3]], "multiple": True})
    publish(d, 10, persistent=True)
    d.step({"op": "timeout"})
    fetch(d, 4)
    after = d.step({"op": "crash_restart"})["after"]
    assert shown(d) == "delta: 4/1/0/8; q3: 0ai 2bi 3ai"
    assert after["next_seq_id"] == after["next_deliver_seq_id"] == 8
    assert publish(d, 10)["result"] == {"seq": [8, 8]}
    assert shown(d).startswith("q1: 8a")


def test_j_default_constants_and_a_bump() -> None:
    """Q45, Q49, Q52."""
    d = door()
    publish(d, 20, 12000, persistent=True)
    d.queue.set_target(0)
    assert shown_lengths(d) == (0, 0, 2048, 4000)
    assert list(msgs(d)) == [6048, 5952, 0, 12000]
    assert d.queue.state.waiting_bump
    d.queue.drain_mailbox()
    assert shown_lengths(d) == (0, 0, 6048, 0)
    assert d.queue.state.ram_msg_count == 6048
    publish(d, 20, 300)
    d.step({"op": "resume"})
    assert shown_lengths(d) == (0, 0, 2048, 0)
    assert list(msgs(d)) == [2048, 10252, 300, 12300]


def shown_lengths(d: BackingQueueDoor) -> tuple[int, int, int, int]:
    q = d.queue.state
    return (q.q1.total, q.q2.total, q.q3.total, q.q4.total)


def msgs(d: BackingQueueDoor) -> tuple[int | None, int, int, int | None]:
    delta = d.queue.state.delta
    return (delta.start, delta.count, delta.transient, delta.end)


@pytest.mark.parametrize(("size", "store"), [(4092, False), (4093, True)])
def test_embed_threshold_counts_the_property_block(size: int, store: bool) -> None:
    """Q12: three bytes of properties decide between 4092 and 4093."""
    d = door()
    publish(d, size)
    assert d.queue.state.q4.first.home_store is store
