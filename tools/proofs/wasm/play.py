"""Played by the Python in WebAssembly, in Node.js and in Chromium's worker: scenarios, and what became of them."""

import json
import time
from pathlib import Path

from engine.replay import RunPlayer, on_ledger

SCENARIOS = Path("/waterline/scenarios")


def play(path: Path) -> dict[str, object]:
    """Return a scenario's digest here, and the one that it has natively."""
    began = time.perf_counter()
    scenario = json.loads(path.read_text())
    node = on_ledger(scenario)
    RunPlayer(node).finish(scenario["until_us"])
    took = round(time.perf_counter() - began, 3)
    return {"name": path.stem, "digest": node.log.digest, "native": scenario["digest"], "s": took}


def played(names: str) -> str:
    """Play scenarios and exercises by their names, separated by spaces; all without a name. JSON: a list of rows."""
    files = sorted(SCENARIOS.glob("*.json"))
    return json.dumps([play(path) for path in files if not names or path.stem in names.split()])


played  # noqa: B018 - what JavaScript gets of it
