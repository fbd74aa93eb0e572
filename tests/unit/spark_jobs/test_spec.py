"""The description of a sweep: what is accepted, and what the refusals say."""

import json
from pathlib import Path
from typing import Any

import pytest

from spark_jobs.spec import read_grid, read_spec, read_workloads
from sweeps.errors import SweepError
from sweeps.grid import Axis
from sweeps.parameters import PARAMETERS, PHASE_MS, with_values

WORKLOAD = {
    "version": 1,
    "title": "Two bursts",
    "profile": "classroom",
    "commands": [
        {"at_us": 0, "do": "publish", "count": 10, "size_bytes": 100},
        {"at_us": 5, "do": "set", "name": "vm_memory_high_watermark", "value": 0.9},
        {"at_us": 9, "do": "set_consumer", "name": "c1", "rate_per_s": 5},
    ],
    "until_us": 1_000_000,
}
GRID = {
    "version": 1,
    "name": "tiny",
    "title": "Tiny",
    "axes": [
        {"parameter": "vm_memory_high_watermark", "values": [0.2, 0.4]},
        {"parameter": "message_size_bytes", "first": 10, "last": 1000, "steps": 3, "scale": "log"},
    ],
}


def files(folder: Path, workload: Any = WORKLOAD, grid: Any = GRID) -> tuple[Path, Path]:
    """Write both files of a sweep and return their paths."""
    paths = folder / "workload.json", folder / "grid.json"
    for path, content in zip(paths, (workload, grid), strict=True):
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return paths


def test_a_sweep_is_every_combination_the_last_axis_fastest(tmp_path: Path) -> None:
    spec = read_spec(*files(tmp_path))
    assert [tuple(each.values()) for each in spec.combinations()] == [
        (0.2, 10),
        (0.2, 100),
        (0.2, 1000),
        (0.4, 10),
        (0.4, 100),
        (0.4, 1000),
    ]


def test_linear_ranges_have_round_values_and_both_ends() -> None:
    axis = Axis(parameter="vm_memory_high_watermark", first=0.2, last=0.7, steps=6)
    assert axis.points() == (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)


def test_a_directory_holds_one_workload_in_each_file(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.json").write_text(json.dumps(WORKLOAD))
    assert [each.name for each in read_workloads(tmp_path)] == ["a", "b"]


def refused(tmp_path: Path, workload: Any = WORKLOAD, grid: Any = GRID) -> str:
    """Return what the refusal of a sweep says."""
    with pytest.raises(SweepError) as caught:
        read_spec(*files(tmp_path, workload, grid))
    return str(caught.value)


@pytest.mark.parametrize(
    ("axis", "message"),
    [
        ({"parameter": "color", "values": [1]}, "known: vm_memory_high_watermark"),
        ({"parameter": "persistent", "values": [1]}, "use one of: False, True"),
        ({"parameter": "queue_mode", "values": ["eager"]}, "use one of: default, lazy"),
        ({"parameter": "ram_bytes", "values": ["1 GB"]}, "without quotes"),
        ({"parameter": "ram_bytes", "values": [1]}, "out of range"),
        ({"parameter": "segment_entry_count", "values": [2.5]}, "whole numbers"),
        ({"parameter": "segment_entry_count", "values": [2, 2.0]}, "twice"),
        ({"parameter": "segment_entry_count"}, "needs `values`"),
        ({"parameter": "segment_entry_count", "first": 0, "last": 9, "steps": 3, "scale": "log"}, "above 0"),
        ({"parameter": "segment_entry_count", "first": 1, "last": 9, "steps": 1}, "2 to 1000"),
        ({"parameter": "segment_entry_count", "values": [1], "colour": "red"}, "colour"),
        ({"parameter": "message_size_bytes", "values": [1]}, "on two axes"),
    ],
)
def test_impossible_axes_are_refused_with_the_fix(tmp_path: Path, axis: dict[str, Any], message: str) -> None:
    assert message in refused(tmp_path, grid={**GRID, "axes": [axis, GRID["axes"][1]]})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"axes": GRID["axes"][:1]}, "two or more"),
        ({"version": 2}, "version"),
        ({"name": "../up"}, "file name"),
        ({"seeds": []}, "seeds"),
        ({"metrics": ["joy"]}, "known: blocked_s"),
        ({"home": {"ram_bytes": 1}}, "no axis"),
        ({"series_points": 0}, "2 to 200"),
    ],
)
def test_impossible_grids_are_refused_with_the_fix(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    assert message in refused(tmp_path, grid={**GRID, **change})


def test_a_sweep_has_an_upper_bound(tmp_path: Path) -> None:
    axes = [
        {"parameter": name, "first": 1, "last": 9000, "steps": 1000}
        for name in ("segment_entry_count", "message_size_bytes", "queue_index_embed_msgs_below")
    ]
    assert "at most 1000000" in refused(tmp_path, grid={**GRID, "axes": axes})


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    workload, grid = files(tmp_path, grid="{")
    with pytest.raises(SweepError, match=r"grid\.json"):
        read_grid(grid)
    with pytest.raises(SweepError, match="does not exist"):
        read_grid(tmp_path / "none.json")
    with pytest.raises(SweepError, match="is a directory"):
        read_grid(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(SweepError, match="holds no"):
        read_workloads(tmp_path / "empty")
    workload.write_text('{"version": 1, "profile": "real", "commands": [{"at_us": 0, "do": "dance"}]}')
    with pytest.raises(SweepError, match=r"workload\.json: commands"):
        read_workloads(workload)


def test_a_parameter_changes_a_copy_of_the_scenario() -> None:
    values = {"vm_memory_high_watermark": 0.25, "message_size_bytes": 7, "consumer_rate_per_s": 30}
    before = json.dumps(WORKLOAD)
    changed = with_values(WORKLOAD, values, seed=9)
    assert json.dumps(WORKLOAD) == before
    assert changed["seed"] == 9
    assert changed["settings"] == {"vm_memory_high_watermark": 0.25, "running_since_ms": 8 * PHASE_MS}
    assert [each["do"] for each in changed["commands"]] == [
        "publish",
        "set_consumer",
    ]  # no later `set` undoes it
    assert changed["commands"][0]["size_bytes"] == 7
    assert changed["commands"][1]["rate_per_s"] == 30


def test_a_workload_must_have_what_an_axis_varies() -> None:
    with pytest.raises(SweepError, match="no set_publisher command"):
        with_values(WORKLOAD, {"publisher_rate_per_s": 5}, seed=1)


def test_the_queue_mode_is_set_before_anything_else() -> None:
    changed = with_values(WORKLOAD, {"queue_mode": "lazy"}, seed=1)
    assert changed["commands"][0] == {"at_us": 0, "do": "set", "name": "queue_mode", "value": "lazy"}


def test_every_parameter_says_what_it_allows() -> None:
    for name, parameter in PARAMETERS.items():
        assert parameter.name == name
        assert parameter.choices or parameter.low is not None


def test_a_sweep_may_vary_the_machine() -> None:
    changed = with_values(WORKLOAD, {"work_profile": "hdd"}, seed=1)
    assert changed["settings"]["work_profile"] == "hdd"
    with pytest.raises(SweepError, match="floppy"):
        PARAMETERS["work_profile"].check("floppy")
