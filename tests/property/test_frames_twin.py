"""Promise 2 as the page keeps it: what socket and session make of a host's frames equals the engine's own snapshot."""

from __future__ import annotations

import random
from typing import Any

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.replay.player import ROWS_IN_A_FRAME, PlayedFrame, PlayedPiece, frame_message, snapshot_message
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError
from tests.helpers.twin import Twin

COMMANDS = 1000
ROWS_FOLDED_AT_LEAST = 2000
TOGETHER = 10
"""Commands whose transitions come in one frame."""
PASSES_US = 20_000


def random_commands(seed: int) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    consumer = {"do": "set_consumer", "name": "c1"}
    makers = (
        lambda: {
            "do": "publish",
            "count": chance.randint(1, 12),
            "size_bytes": chance.choice([0, 16, 900, 4093, 6144]),
            "persistent": chance.random() < 0.5,
            "confirm": chance.random() < 0.5,
        },
        lambda: {"do": "get", "count": chance.randint(1, 9), "ack": chance.random() < 0.5},
        lambda: {"do": "ack", "count": chance.randint(1, 9), "multiple": chance.random() < 0.5},
        lambda: {"do": "requeue", "count": chance.randint(1, 9)},
        lambda: {"do": "set", "name": "target_ram_count", "value": chance.choice([0, 2, 8, None])},
        lambda: {
            **consumer,
            "rate_per_s": chance.choice([5, 50]),
            "prefetch": 4,
            "ack": "each",
            "running": True,
        },
        lambda: {"do": "remove", "name": "c1"},
        lambda: {"do": "publish", "count": 0},
        lambda: {"do": "set", "name": "queue_mode", "value": chance.choice(["lazy", "default"])},
        lambda: {"do": "purge"},
        lambda: {"do": "restart", "kind": chance.choice(["clean", "kill", "power"])},
    )
    weights = (40, 25, 25, 10, 10, 3, 6, 2, 2, 1, 1)
    return [maker() for maker in chance.choices(makers, weights, k=COMMANDS)]


def test_frames_are_folded_to_the_engines_own_snapshot(twin: Twin) -> None:
    node = Cluster(parse({"version": 1, "profile": "classroom"}), LedgerStorage(), keep=1_000_000)

    def snapshot(why: str) -> dict[str, Any]:
        return snapshot_message(node.log.number, node.now_us, node.snapshot(), why, {}, node.log.digest)

    messages, refused, folded = [snapshot("join")], 0, 0
    commands = random_commands(7)
    for at in range(0, COMMANDS, TOGETHER):
        frame = PlayedFrame(node.log.number)
        for command in commands[at : at + TOGETHER]:
            try:
                node.submit(command)
            except CommandError:
                refused += 1
        node.advance(node.now_us + PASSES_US)
        rows = node.log.since(frame.first)
        assert rows is not None
        frame.add(PlayedPiece(frame.first, rows.at_us, rows.rows))
        if frame.fast:
            messages.append(snapshot("fast"))
            continue
        folded += len(frame.rows)
        messages.append(frame_message(frame, node.now_us, digest=node.log.digest, play=True, speed=1))
    assert folded >= ROWS_FOLDED_AT_LEAST
    assert max(len(each.get("rows", ())) for each in messages) <= ROWS_IN_A_FRAME
    assert 0 < refused < COMMANDS / 2
    run = {"messages": messages, "next": node.log.number, "digest": node.log.digest}
    twin.agrees("frames-twin.mjs", [{**run, "state": node.snapshot()}])
