"""Play programs that come in, one a line, and answer how each ended: `python -m tools.proofs.fuzz.play`.

It runs on the engine that Python finds first: the sources, or what was compiled of them.
"""

from __future__ import annotations

import json
import pickle
import sys
import traceback
from pathlib import Path
from typing import Any, Final

import engine
from engine.ctl.console import ask_node
from engine.replay import on_ledger
from engine.values.errors import Refusal

MOST: Final = 3_000
"""Transitions after which a program has shown enough."""
LINES: Final = ("list_queues name messages arguments policy", "status", "list_consumers", "report")


def played(program: dict[str, Any]) -> dict[str, Any]:
    """Play a program to its end; return its digest, with which refusal it was refused, or the error that ended it.

    Halfway it becomes bytes and is made of them again, as at a checkpoint. At the end files, tables and counts are
    compared with one another, and the console is asked.
    """
    try:
        cluster = on_ledger(program)
        if cluster.advance(program["until_us"] // 2, MOST):
            cluster = pickle.loads(pickle.dumps(cluster))
            cluster.advance(program["until_us"], MOST)
        cluster.verify()
        cluster.snapshot()
        ask_node(cluster, LINES[program["seed"] % len(LINES)])
    except Refusal as refusal:
        return {"refused": refusal.code}
    except Exception as error:  # noqa: BLE001 - whatever it is: this is what is looked for
        *_, last = traceback.extract_tb(error.__traceback__)
        place = f"{Path(last.filename).name}: {last.name}"
        return {"error": f"{type(error).__name__}: {error}", "place": place}
    return {"digest": cluster.log.digest, "transitions": cluster.log.number}


if __name__ == "__main__":
    print(Path(engine.__file__).resolve().parents[1], flush=True)
    for line in sys.stdin:
        print(json.dumps(played(json.loads(line))), flush=True)
