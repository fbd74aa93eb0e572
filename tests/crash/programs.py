"""Random programs with crashes in them, drawn from a seed."""

from __future__ import annotations

from random import Random
from typing import Any

Program = dict[str, Any]
"""`config` as in a golden trace (with `write_buffer_bytes`, `slow` and `journaling`), and `steps`."""

SIZES = (0, 16, 150, 400, 900)
MOST_AT_ONCE = 24


def draw(seed: int) -> Program:
    """Return the program of a seed."""
    chance = Random(seed)
    if chance.random() < 0.25:
        return _collecting(chance)
    crashes = chance.randint(1, 3)
    steps: list[dict[str, Any]] = []
    for number in range(crashes):
        steps += [_step(chance) for _ in range(chance.randint(2, 12))]
        steps.append(_crash(chance))
        if number + 1 < crashes and chance.random() < 0.5:
            steps.append({"op": "restart"})
    steps += [_step(chance) for _ in range(chance.randint(0, 4))]
    return {"config": _config(chance), "steps": steps}


def _config(chance: Random) -> dict[str, Any]:
    return {
        "durable": True,
        "explicit_gc_run_operation_threshold": chance.choice([0, 3, 1000]),
        "mode": chance.choice(["default", "default", "lazy"]),
        "msg_store_credit_disc_bound": chance.choice([[8, 2], [40, 8], [4000, 800]]),
        "msg_store_file_size_limit": chance.choice([1200, 2500, 6000, 16777216]),
        "msg_store_io_batch_size": chance.choice([1, 4, 16]),
        "queue_index_embed_msgs_below": chance.choice([0, 100, 300]),
        "queue_index_max_journal_entries": chance.choice([5, 20, 100, 32768]),
        "rates": [0.5, 0.5, 0, 0],
        "segment_entry_count": chance.choice([4, 8, 64]),
        "queue": "q",
        "vhost": "/",
        "write_buffer_bytes": chance.choice([0, 700, 3000, 1048576]),
        "slow": chance.choice([None, None, chance.randint(1, 1 << 30)]),
        "journaling": chance.random() < 0.5,
    }


def _collecting(chance: Random) -> Program:
    """Return a program whose consumer leaves holes in the store files, so that a crash meets combinations (S183)."""
    config = _config(chance) | {
        "mode": "default",
        "msg_store_file_size_limit": chance.choice([2500, 6000]),
        "queue_index_embed_msgs_below": 0,
    }
    steps: list[dict[str, Any]] = [
        {"op": "publish", "count": chance.randint(15, 40), "size": size, "persistent": True, "confirm": True}
        for size in chance.sample([150, 400, 900], 2)
    ]
    steps += [{"op": "timeout"}, {"op": "fetch", "count": chance.randint(20, 80), "ack": True}]
    for _ in range(chance.randint(1, 2)):
        steps += [_hole(chance) for _ in range(chance.randint(0, 2))]
        steps.append(_crash(chance) | {"calls": chance.randint(1, 60), "steps": 2})
        steps += [_hole(chance) for _ in range(2)]
        steps += [{"op": "fetch", "count": 80, "ack": True}, _hole(chance)]
    return {"config": config, "steps": steps}


def _hole(chance: Random) -> dict[str, Any]:
    return {
        "op": "ack",
        "from": chance.randint(0, 300),
        "every": chance.choice([1, 2, 3]),
        "count": chance.randint(5, 40),
        "multiple": chance.random() < 0.5,
    }


def _step(chance: Random) -> dict[str, Any]:
    count = chance.choice([1, 2, chance.randint(1, MOST_AT_ONCE)])
    kind = chance.choices(
        ["publish", "fetch", "drop", "ack", "requeue", "settings", "timeout", "other"],
        [30, 14, 6, 16, 6, 8, 14, 6],
    )[0]
    if kind == "publish":
        return {
            "op": "publish",
            "count": count,
            "size": chance.choice(SIZES),
            "persistent": chance.random() < 0.85,
            "confirm": chance.random() < 0.8,
        }
    if kind in ("fetch", "drop"):
        return {"op": kind, "count": count, "ack": chance.random() < 0.7}
    if kind in ("ack", "requeue"):
        # Which of the pending messages, as parts of a thousand: the program does not know their tags.
        return {
            "op": kind,
            "from": chance.randint(0, 999),
            "every": chance.choice([1, 1, 2, 3]),
            "count": count,
            "multiple": chance.random() < 0.5,
        }
    if kind == "settings":
        return chance.choice(
            [
                {"op": "set_target", "target": chance.choice([0, 3, 20, "infinity"])},
                {"op": "set_mode", "mode": chance.choice(["default", "lazy"])},
            ]
        )
    if kind == "timeout":
        return {"op": "timeout"}
    return {"op": chance.choice(["purge", "pre_hibernate", "resume"])}


def _crash(chance: Random) -> dict[str, Any]:
    """Return a crash: how, and at which call of the storage within how many steps at the latest."""
    crash = _death(chance)
    crash |= {"op": "crash", "steps": chance.choice([0, 1, 1, 2, 4])}
    if chance.random() < 0.25:
        crash["again"] = [_death(chance) for _ in range(chance.randint(1, 2))]
    return crash


def _death(chance: Random) -> dict[str, Any]:
    how = chance.choice(["kill", "kill", "power", "torn"])
    # A process that is killed between two calls of the system leaves none of them half done, but for large copies.
    part = chance.choice([0.0, 0.0, 0.3, 0.99]) if how != "power" else 0.0
    return {"how": how, "calls": chance.randint(1, 40), "part": part, "torn": chance.randint(1, 1 << 30)}
