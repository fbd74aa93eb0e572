"""Surfaces read facts (static/js/model/facts.js): none of them looks into the state for what a fact says."""

import re
from pathlib import Path
from typing import Final

from tests.layering.sources import ROOT

SURFACES: Final = (
    *("view", "layout", "pages", "compare", "classroom", "exercises", "edition"),
    *("generations/v1/view", "generations/v1/layout", "generations/v2/view", "generations/v2/layout"),
)
WORDS: Final = re.compile(r"(?:words|situation|restarted|followed|lead|poster|instruments|samples)[^/]*\.js$")
"""Modules of the model that say something of a moment."""
OF_A_FACT: Final = re.compile(
    r"counters\??\.(?!window)(?P<counter>\w+)"
    r"|\bnode\.(?:memory|alarms|disk|clock)\b"
    r"|\bmemory\.(?:limit|paging_at|process_memory)\b(?! <)"
    r"|\bqueue_process ==="
    r"|\bhand\??\.unacked"
)
"""Readings of the state that a fact answers. `window` belongs to version 2 alone, whose own model reads it."""
OF_A_TRANSITION: Final = {"static/js/model/why-words.js"}
"""It describes transitions, whose values are named like the state's."""


def surfaces() -> list[Path]:
    folder = ROOT / "static/js"
    found = [path for name in SURFACES for path in sorted((folder / name).rglob("*.js"))]
    words = [path for path in sorted(folder.rglob("model/*.js")) if WORDS.search(path.name)]
    return [path for path in (*found, *words) if path.relative_to(ROOT).as_posix() not in OF_A_TRANSITION]


def readings(text: str) -> list[str]:
    """Return the lines of a module that read the state for what a fact says."""
    return [line.strip() for line in text.splitlines() if OF_A_FACT.search(line)]


def test_surfaces_read_facts() -> None:
    found = {path.relative_to(ROOT).as_posix(): readings(path.read_text("utf-8")) for path in surfaces()}
    assert len(found) > 100
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_a_reading_is_seen() -> None:
    for line in (
        "const target = queue.counters.target_ram_count;",
        "queue?.counters.ram_msg_count ?? 0",
        "if (state.node.alarms.memory) paint();",
        "const { limit } = this.playhead.state.node.disk;",
        "at: ({ memory }) => memory.limit,",
        "const held = state.node.actors?.hand?.unacked ?? 0;",
    ):
        assert readings(line)
