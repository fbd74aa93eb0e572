"""State after = fold(state before, transitions)."""

from engine.report.fold.queue_table import rows_of
from engine.report.fold.state import State, empty_state, fold, fold_all, to_json

__all__ = ["State", "empty_state", "fold", "fold_all", "rows_of", "to_json"]
