"""State after = fold(state before, transitions)."""

from engine.fold.state import State, empty_state, fold, fold_all, rows_of, to_json

__all__ = ["State", "empty_state", "fold", "fold_all", "rows_of", "to_json"]
