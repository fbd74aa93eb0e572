"""What was measured of the engine's fidelity: commands write it, pages show it, nobody types it in."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from django.conf import settings

FOLDER = Path(settings.BASE_DIR) / "fidelity"
RESULTS = FOLDER / "results.json"
PREDICTIONS = FOLDER / "predictions.json"


@functools.lru_cache(maxsize=4)
def _read(path: Path, changed_ns: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _latest(path: Path) -> dict[str, Any] | None:
    try:
        return _read(path, path.stat().st_mtime_ns)
    except FileNotFoundError:
        return None


def latest(name: str) -> dict[str, Any] | None:
    """Return what a file of this name has, None where there is none."""
    return _latest(FOLDER / name)


def results() -> dict[str, Any] | None:
    """Return the latest results of `make fidelity`, None where none were made."""
    return _latest(RESULTS)


def of_other_releases(proof: str) -> list[dict[str, Any]]:
    """Return what runs on nodes of other releases than the reference counted, by release.

    Args:
        proof: `differential` and `stories` count programs, `interop` readings of queues, both ways together.

    Returns:
        release, equal, of how many, and what it was measured on.
    """
    found = []
    for path in sorted(FOLDER.glob(f"{proof}-*.json")):
        kept = _latest(path) or {}
        counts = {"equal": kept.get("equal"), "all": kept.get("programs", kept.get("stories"))}
        if proof == "interop":
            ways = [kept["engine_to_node"], kept["node_to_engine"]]
            every = sum(way["queues"] for way in ways)
            counts = {"equal": every - sum(len(way["differing"]) for way in ways), "all": every}
        release = path.stem.removeprefix(f"{proof}-")
        found.append({"release": release, **counts, "measured_on": kept["measured_on"]})
    return found


def predictions() -> dict[str, Any] | None:
    """Return how far predictions were from a real node (`make predict`), None where nobody looked."""
    return _latest(PREDICTIONS)
