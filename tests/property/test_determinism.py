"""One scenario gives one digest, in every process (promise 1)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.broker.commands.scenario import parse
from engine.ctl.console import operated
from engine.storage.ledger import LedgerStorage

STORY = {
    "version": 1,
    "title": "a burst, a steady publisher, a consumer, a restart",
    "profile": "classroom",
    "seed": 7,
    "commands": [
        {"at_us": 500_000, "do": "publish", "count": 40, "size_bytes": 6144},
        {"at_us": 2_000_000, "do": "set_publisher", "name": "p1", "rate_per_s": 30, "size_bytes": 900,
         "persistent": True, "confirm": True},
        {"at_us": 3_000_000, "do": "set_consumer", "name": "c1", "rate_per_s": 50, "prefetch": 7},
        {"at_us": 3_000_000, "do": "set_consumer", "name": "c2", "rate_per_s": 9, "ack": "auto"},
        {"at_us": 6_000_000, "do": "restart", "kind": "kill"},
        {"at_us": 6_500_000, "do": "set", "name": "vm_memory_high_watermark", "value": 0.3},
    ],
    "until_us": 9_000_000,
}  # fmt: skip

PROGRAM = """
import sys
from engine.ctl.console import operated
from engine.broker.commands.scenario import parse
from engine.storage.ledger import LedgerStorage
node = operated(parse(sys.stdin.read()), LedgerStorage())
print(node.run(), node.log.number)
"""


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242"])
def test_digest_is_the_same_in_other_processes(repo_root: Path, hash_seed: str) -> None:
    scenario = parse(STORY)
    node = operated(scenario, LedgerStorage())
    expected = f"{node.run()} {node.log.number}"
    assert node.log.number > 500
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=scenario.encode(),
        capture_output=True,
        check=True,
        cwd=repo_root,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )
    assert found.stdout.decode().strip() == expected


def test_the_seed_matters_only_to_message_ids() -> None:
    one, other = (operated(parse({**STORY, "seed": seed}), LedgerStorage()) for seed in (1, 2))
    assert one.run() == other.run()
