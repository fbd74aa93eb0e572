"""What executors get: a workload's commands once, and of each cell what is its own."""

from __future__ import annotations

import random
from array import array
from typing import Any

import msgspec

from engine import ENGINE_VERSION
from engine.broker.commands.client_commands import mean_of, pack, pack_expirations
from spark_jobs.parcels import packed, unpacked
from sweeps.document import page
from sweeps.grid import Axis, Grid, Spec, make_spec
from sweeps.plan import make_plan
from sweeps.states import STATES
from workloads.workload import checked


def log(bursts: int) -> dict[str, Any]:
    """Return a scenario like that of an imported log."""
    draw = random.Random(31)
    commands: list[dict[str, Any]] = [
        {"at_us": 0, "do": "set_consumer", "name": "c1", "rate_per_s": 50, "prefetch": 9, "ack": "multiple"}
    ]
    for number in range(bursts):
        sizes = array("I", (draw.randint(1, 9000) for _ in range(20)))
        publish = {"do": "publish", "count": 20, "size_bytes": mean_of(sizes), "sizes": pack(sizes)}
        publish["expirations"] = pack_expirations(draw.choice([None, 700, 9000]) for _ in range(20))
        commands.append({"at_us": number * 1000, **publish, "persistent": bool(number % 2)})
    return {"version": 1, "profile": "real", "settings": {}, "commands": commands, "until_us": bursts * 1000}


def sweep(bursts: int) -> Spec:
    """Return a sweep of a log over a setting, a command's field, and a command that an axis adds."""
    axes = (
        Axis(parameter="vm_memory_high_watermark", values=(0.2, 0.4)),
        Axis(parameter="consumer_prefetch", values=(10, 100)),
        Axis(parameter="queue_mode", values=("default", "lazy")),
    )
    return make_spec((checked("log", log(bursts)),), Grid(version=1, name="log", title="Log", axes=axes))


def test_every_cell_comes_out_as_it_went_in() -> None:
    cells = make_plan(sweep(50), ENGINE_VERSION).cells
    shared, texts = packed(cells)
    assert [unpacked(shared, text) for text in texts] == list(cells)


def test_commands_travel_once_a_workload() -> None:
    cells = make_plan(sweep(500), ENGINE_VERSION).cells
    shared, texts = packed(cells)
    commands = len(msgspec.json.encode(cells[0].scenario["commands"]))
    assert len(shared) < commands + 1000
    assert max(map(len, texts)) < 2000 < commands


def test_cells_share_the_commands_that_no_axis_touches() -> None:
    first, *others = make_plan(sweep(50), ENGINE_VERSION).cells
    publishes = [each for each in first.scenario["commands"] if each["do"] == "publish"]
    for cell in others:
        own = [each for each in cell.scenario["commands"] if each["do"] == "publish"]
        assert all(mine is theirs for mine, theirs in zip(own, publishes, strict=True))


def test_a_workload_keeps_its_commands_when_an_axis_changes_them() -> None:
    workload = checked("log", log(20))
    before = msgspec.json.encode(workload.scenario)
    grid = Grid(
        version=1,
        name="log",
        title="Log",
        axes=(
            Axis(parameter="burst_count", values=(5, 7)),
            Axis(parameter="persistent", values=(False, True)),
        ),
    )
    cells = make_plan(make_spec((workload,), grid), ENGINE_VERSION).cells
    assert msgspec.json.encode(workload.scenario) == before
    counts = [[each["count"] for each in cell.scenario["commands"][1:]] for cell in cells]
    assert counts == [[5] * 20, [5] * 20, [7] * 20, [7] * 20]
    published = [each for cell in cells for each in cell.scenario["commands"]]
    assert not any(name in each for each in published for name in ("sizes", "expirations"))


def test_the_page_is_the_same_where_rows_keep_no_scenario() -> None:
    spec = sweep(10)
    cells = make_plan(spec, ENGINE_VERSION).cells
    rows = [_row(cell) for cell in cells]
    bare = [{**row, "scenario": ""} for row in rows]
    assert page(spec, bare, ENGINE_VERSION) == page(spec, rows, ENGINE_VERSION)


def _row(cell: Any) -> dict[str, Any]:
    names = ("ram_bytes", "ready", *STATES)
    return {
        "cell_id": cell.cell_id,
        "workload": cell.workload,
        "seed": cell.seed,
        "scenario": msgspec.json.encode(cell.scenario).decode(),
        "error": "x",
        "digest": None,
        **cell.values,
        **{f"series_{name}": [] for name in names},
    }
