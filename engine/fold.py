"""State after = fold(state before, transitions), for the transitions of every kind of queue.

The common tables are in `engine.folding`; each kind of queue has tables for transitions that only its queues have,
and the own part of its queues' state (`engine.generations`).
"""

from __future__ import annotations

from engine import generations  # noqa: F401 - each registers its own
from engine.folding import RunState, empty_state, fold, fold_all, own_part, rows_of, to_json

__all__ = ["RunState", "empty_state", "fold", "fold_all", "own_part", "rows_of", "to_json"]
