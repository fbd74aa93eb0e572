"""Print where the engine was found, and what each scenario reaches on it, digest and metrics: reached FOLDER NAME..."""

from __future__ import annotations

import hashlib
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import engine
from engine.broker.commands.scenario import ParsedScenario
from engine.replay import RunPlayer, on_ledger
from sweeps.cell import Cell, outcome

PARTS = {"version", *ParsedScenario.__struct_fields__} - {"title", "digest"}
"""What the engine plays of a ready scenario's file."""


def digest(scenario: dict[str, Any]) -> str:
    """Play a scenario on the ledger to its end; return the digest of all transitions.

    Halfway it becomes bytes and is made of them again, as at a checkpoint.
    """
    cluster = on_ledger(scenario)
    RunPlayer(cluster).finish(scenario["until_us"] // 2)
    cluster = pickle.loads(pickle.dumps(cluster))
    RunPlayer(cluster).finish(scenario["until_us"])
    return cluster.log.digest


def counted(scenario: dict[str, Any]) -> str:
    """Return 16 hexadecimal digits of what a cell of a sweep with this scenario counts, to the type of each number."""
    row = outcome(Cell(cell_id="", workload="", values={}, seed=1, scenario=scenario, series_points=4))
    return hashlib.sha256(json.dumps(row).encode()).hexdigest()[:16]


if __name__ == "__main__":
    print(Path(engine.__file__).resolve().parents[1])
    for name in sys.argv[2:]:
        written = json.loads((Path(sys.argv[1]) / f"{name}.json").read_text(encoding="utf-8"))
        played = {part: written[part] for part in PARTS if part in written}
        print(name, digest(played), counted(played), flush=True)
