"""What was measured of the engine's fidelity: commands write it, pages show it, nobody types it in."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.utils.translation import gettext_lazy

from engine.backing_queue.heap import MEASURED_3_10 as OLD
from engine.broker.memory import model

FOLDER = Path(settings.BASE_DIR) / "fidelity"
RESULTS = FOLDER / "results.json"
PREDICTIONS = FOLDER / "predictions.json"
ON_NODES: Final = ("differential", "stories", "interop")
"""Proofs that a run on a real node makes, each with a file of its own."""


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
    return _latest(FOLDER / name)


def results() -> dict[str, Any] | None:
    """Return the results of `make fidelity` and of runs on nodes of the reference, None without the first."""
    measured = _latest(RESULTS)
    return measured and {**measured, **{name: latest(f"{name}.json") for name in ON_NODES}}


def of_other_releases(proof: str) -> list[dict[str, Any]]:
    """Return what runs on nodes of other releases than the reference counted, by release. `proof`: `differential` and
    `stories` count programs, `interop` readings of queues, both ways together. Returns release, equal, of how many,
    and what it was measured on.
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


def predictions_of_other_releases() -> list[dict[str, Any]]:
    """Return the same for each release that a node was driven of beside the reference."""
    return [found for path in sorted(FOLDER.glob("predictions-*.json")) if (found := _latest(path))]


RELEASE: Final = "4.3.6"
SMALL_BYTES: Final = 16
ROWS: Final = (
    (
        gettext_lazy("message in memory, with its body of 16 bytes"),
        f"head {SMALL_BYTES}",
        OLD.alpha_small + 1000 * SMALL_BYTES,
    ),
    (gettext_lazy("message in memory, beside a body of 1000 bytes"), "head 1000", OLD.alpha_large),
    (
        gettext_lazy("unacknowledged message, in the queue, beside its body"),
        "unacked 1000",
        OLD.alpha_large + OLD.pending,
    ),
    (gettext_lazy("unacknowledged message, in the channel"), "channel_unacked 1000", OLD.channel_pending),
    (
        gettext_lazy("entry of the index's write buffer"),
        "index_buffer 1000",
        model.JOURNAL_HEAP_STORE + model.JOURNAL_BUFFER_HEAP,
    ),
    (gettext_lazy("entry of the index's cache"), "index_cache 1000", None),
    (gettext_lazy("entry of the queue's .qs buffer, beside its body"), "body_buffer 1000", None),
    (gettext_lazy("entry of the queue's .qs cache, beside its body"), "body_cache 1000", None),
    (gettext_lazy("row of the shared store's index"), "rabbit_msg_store_ets_index", OLD.store_row),
    (
        gettext_lazy("row of the current store file's cache, beside its body"),
        "rabbit_msg_store_cur_file",
        OLD.cache_row,
    ),
)
"""Names, what was measured, and thousandths of a byte that are counted on 3.10.8; None for what it does not have."""


def todays_memory() -> dict[str, Any] | None:
    """Return the figures as a table, None where nothing was measured."""
    found = latest(f"calibration-{RELEASE}.json")
    if found is None:
        return None
    rows = [
        {"name": name, "counted": None if counted is None else counted / 1000, **found["ram"][key]}
        for name, key, counted in ROWS
    ]
    return {"release": RELEASE, "rows": rows, "measured_on": found["measured_on"]}
