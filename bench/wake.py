"""How long a session of some hundred thousand transitions takes to wake: from a checkpoint, and by repeating it all."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from bench.measure import Result, seconds
from engine.broker.cluster import Cluster
from engine.storage.directory import DirectoryStorage
from playground.hosting import real_engine
from playground.hosting.run import RunReplay, SessionRun
from playground.hosting.session_files import CheckpointStore
from playground.hosting.session_record import RecordedSession

COMMANDS: list[tuple[int, dict[str, Any]]] = [
    (0, {"do": "set_publisher", "name": "p1", "rate_per_s": 2000, "size_bytes": 600, "persistent": True}),
    (5_000_000, {"do": "set_consumer", "name": "c1", "rate_per_s": 1990, "prefetch": 50, "ack": "each"}),
]
UNTIL_US = 60_000_000
TINY_UNTIL_US = 8_000_000
DISK_BYTES = 1 << 40


def run(tiny: bool) -> Result:
    """Repeat steady work, keep it, bring it back, and compare both."""
    until_us = TINY_UNTIL_US if tiny else UNTIL_US
    door = real_engine.door()
    blank = door.check({"version": 1, "profile": "real", "until_us": 0})
    record = RecordedSession(blank, COMMANDS)
    with tempfile.TemporaryDirectory(prefix="waterline-bench-") as scratch:
        root = Path(scratch)
        (root / "again").mkdir()
        (root / "back").mkdir()
        node, files = door.open(blank, str(root / "again"), DISK_BYTES)
        replay = RunReplay(SessionRun(node, files, DISK_BYTES), COMMANDS, until_us)
        kept = CheckpointStore(root / "kept", door=door, key=b"bench", build="bench", most_bytes=DISK_BYTES)
        found: list[tuple[Cluster, DirectoryStorage, int] | None] = []

        def repeat() -> None:
            while not replay.go_on(60):
                pass

        repeated_s = seconds(repeat)
        saved_s = seconds(lambda: kept.save("one", node, files, root / "again", record))
        size = sum(path.stat().st_size for path in (root / "kept").rglob("*.checkpoint"))
        restored_s = seconds(lambda: found.append(kept.restore("one", record, until_us, root / "back")))
    alike = found[0] is not None and found[0][0].log.digest == node.log.digest
    return {
        "transitions": node.log.number,
        "repeated_s": round(repeated_s, 3),
        "restored_s": round(restored_s, 3),
        "saved_s": round(saved_s, 3),
        "checkpoint_bytes": size,
        "times_faster": round(repeated_s / restored_s, 1),
        "same_digest": alike,
        "passed": alike and repeated_s > restored_s,
    }
