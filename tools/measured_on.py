"""Which engine a figure was measured with, and whether that is still the engine that there is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine import ENGINE_VERSION

SCENARIOS = Path(__file__).resolve().parent.parent / "playground" / "scenarios"
PROBES = (
    "argument-beats-policy",
    "backlog-drain",
    "confirmed-or-lost",
    "disk-alarm",
    "five-lanes",
    "garbage-collection",
    "lazy-restart-embed",
    "memory-alarm",
    "requeue-storm",
    "restart-matrix",
    "store-credit",
    "store-files",
)
"""Ready scenarios that together go through all of the engine. Tests hold the engine to the digest of each."""


def behaviour() -> str:
    """Return 12 hexadecimal digits that change when the engine does something else in one of the probes.

    A comment, a new name or a file that moved leaves them as they are; so they prove more than a version that somebody
    forgot to raise, and less than a fingerprint of the sources, which nobody could keep up with.
    """
    total = hashlib.blake2b(digest_size=6)
    for name in PROBES:
        scenario = json.loads((SCENARIOS / f"{name}.json").read_text(encoding="utf-8"))
        total.update(f"{name} {scenario['digest']}\n".encode())
    return total.hexdigest()


def measured_on(**values: Any) -> dict[str, Any]:
    """Return what is kept beside a figure: engine and behaviour, and `facts` such as the day or the machine."""
    return {"engine": ENGINE_VERSION, "behaviour": behaviour(), **values}


def stale(name: str, figures: Mapping[str, Any]) -> str | None:
    """Return why figures are older than the engine that they speak of, None if they are not."""
    on = figures.get("measured_on") or {}
    if on.get("engine") != ENGINE_VERSION:
        return f"{name} was measured with engine {on.get('engine')}; this is {ENGINE_VERSION}"
    if on.get("behaviour") != behaviour():
        return f"{name} was measured with an engine of the same version that behaved otherwise"
    return None
