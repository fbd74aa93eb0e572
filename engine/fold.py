"""State after = fold(state before, transitions), for the transitions of every kind of queue.

The common tables are in `engine.report.fold`; each kind of queue has tables for transitions that only its queues have,
and the own part of its queues' state. This module is the list of these kinds, and the only one that imports them all.
"""

from __future__ import annotations

from engine.backing_queue.places import CLASSIC_V2, VARIABLE_QUEUE, VARIABLE_QUEUE_V2
from engine.classic_v1.fold import own as version_1
from engine.classic_v2.fold import own as version_2
from engine.report.fold.queue_table import rows_of
from engine.report.fold.state import State, empty_state, fold, fold_all, to_json
from engine.report.fold.tables import own_part, register
from engine.version_choice.fold import BothOwnPart

__all__ = ["State", "empty_state", "fold", "fold_all", "own_part", "rows_of", "to_json"]

register(version_1.TABLES, VARIABLE_QUEUE, version_1.V1OwnPart)
register({}, VARIABLE_QUEUE_V2, BothOwnPart)
register(version_2.TABLES, CLASSIC_V2, version_2.V2OwnPart)
