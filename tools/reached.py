"""Print where the engine was found, and the digest that each scenario reaches on it: reached FOLDER NAME..."""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path

import engine
from engine.broker.commands.scenario import Scenario
from engine.replay import Player, on_ledger

PARTS = {"version", *Scenario.__struct_fields__} - {"title", "digest"}
"""What the engine plays of a ready scenario's file."""


def digest(path: Path) -> str:
    """Play a scenario on the ledger to its end; return the digest of all transitions.

    Halfway it becomes bytes and is made of them again, as at a checkpoint.
    """
    written = json.loads(path.read_text(encoding="utf-8"))
    scenario = {name: written[name] for name in PARTS if name in written}
    cluster = on_ledger(scenario)
    Player(cluster).finish(scenario["until_us"] // 2)
    cluster = pickle.loads(pickle.dumps(cluster))
    Player(cluster).finish(scenario["until_us"])
    return cluster.log.digest


if __name__ == "__main__":
    print(Path(engine.__file__).resolve().parents[1])
    for name in sys.argv[2:]:
        print(name, digest(Path(sys.argv[1]) / f"{name}.json"), flush=True)
