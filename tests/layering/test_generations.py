"""Version 1 of classic queues is known in its own rooms: what else names its lanes is counted, and may only sink."""

import re
from pathlib import Path
from typing import Final

from tests.layering.sources import ROOT, python_files

LANES: Final = re.compile(r"\b(?:q[1-4]|delta|ram_pending|disk_pending|index_pending)\b")
MOST: Final = {"static/js": 27, "templates": 3, "playground": 9, "engine": 17}
"""Lines that name a lane of version 1; `delta` is the Greek letter too, as in colours. Lower a number when it sinks."""
OF_GENERATION: Final = re.compile(
    r"^ *(?:from|import) engine\.(?:classic_v1|classic_v2|version_choice)\b", re.MULTILINE
)
OWN_ROOMS: Final = ("generations", "catalogue", "migrations", "classic_v1", "classic_v2", "version_choice")
"""Folders of the generations, and files that programs write."""


def naming(room: str) -> list[str]:
    """Return the lines of scripts, templates and modules below a room that name a lane of version 1."""
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / room).rglob("*"))
        if path.suffix in {".js", ".html", ".py"} and not set(OWN_ROOMS) & set(_folders(path))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if LANES.search(line)
    ]


def _folders(path: Path) -> tuple[str, ...]:
    return path.relative_to(ROOT).parts[:-1]


def test_common_code_names_lanes_of_version_1_in_few_lines() -> None:
    found = {room: naming(room) for room in MOST}
    assert not {room: lines for room, lines in found.items() if len(lines) > MOST[room]}


ABOVE: Final = (
    "playground",
    "workloads",
    "sweeps",
    "spark_jobs",
    "engine/inspect",
    "engine/reading",
    "engine/replay",
)
"""Who asks registries what a generation brings (`engine/generations.py`)."""
NAMING_ONE: Final = {
    "playground/whatif/table.py": "heatmaps outline where paging begins",
}


def test_what_stands_above_asks_registries() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for path in python_files(*ABOVE)
        if OF_GENERATION.search(path.read_text("utf-8"))
    }
    assert found == NAMING_ONE.keys()
