"""How far a sweep is: time left by the messages of what has ended, the middle and the slowest cell, and what failed."""

from __future__ import annotations

import pytest

from engine import ENGINE_VERSION
from sweeps.grid import Axis, Grid, make_spec
from sweeps.plan import make_plan
from sweeps.progress import SweepProgress
from workloads.workload import checked

SCENARIO = {
    "version": 1,
    "profile": "classroom",
    "commands": [{"at_us": 0, "do": "publish", "count": 9, "size_bytes": 60}],
    "until_us": 1_000_000,
}


def test_the_time_left_follows_the_messages_of_the_cells_that_have_ended() -> None:
    axes = (
        Axis(parameter="vm_memory_high_watermark", values=(0.2, 0.4)),
        Axis(parameter="message_size_bytes", values=(10, 5000)),
    )
    spec = make_spec((checked("w", SCENARIO),), Grid(version=1, name="g", title="G", axes=axes))
    cells = make_plan(spec, ENGINE_VERSION).cells
    clock = [100.0]
    progress = SweepProgress(cells, lambda: clock[0])
    assert progress.standing.done == 0
    clock[0] += 3
    rows = [
        {"cell_id": cell.cell_id, "cost_s": cost_s, "error": None}
        for cell, cost_s in zip(cells, (1.0, 2.0, 6.0, 0.5), strict=True)
    ]
    progress.note(rows[:1])
    now = progress.standing
    assert (now.done, now.taken_s, now.middle_s, now.slowest_s) == (1, 1.0, 1.0, 1.0)
    assert now.left_s == pytest.approx(9.0)
    assert now.guessed_s == pytest.approx(4.0)
    clock[0] += 3
    progress.note([rows[1], {**rows[2], "error": "why"}])
    now = progress.standing
    assert (now.done, now.failed, now.failure) == (3, 1, "why")
    assert (now.taken_s, now.middle_s, now.slowest_s) == (9.0, 2.0, 6.0)
    assert now.left_s == pytest.approx(2.0)
    assert now.guessed_s == pytest.approx(4.0), "by the first alone"
    progress.note(rows[3:])
    assert (progress.standing.done, progress.standing.left_s) == (4, 0.0)
