"""Every number of a hint is one of its exercise: of the run, the task, the goals, or a setting; and one is played."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from engine.replay import on_ledger
from tests.web.test_notes_hold import SMALL, leaves, numbers_of

FILES = {path.stem: path for path in sorted(Path("playground/exercises/data").glob("*/*.toml"))}


def exercise(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))


def others(path: Path) -> list[float]:
    """Return the numbers of an exercise and of its settings, without those of its hints."""
    found = exercise(path)
    english = {name: text for name, text in found["en"].items() if name != "hints"}
    run = found.get("scenario", {})
    settings = on_ledger(
        {"version": 1, "profile": run.get("profile", "classroom"), "commands": [], "until_us": 0}
    ).snapshot()
    told = [number.value for text in leaf_texts(english) for number in numbers_of(text)]
    return [*leaves({**found, "en": english}), *leaves(settings["node"]["settings"]), *told]


def leaf_texts(value: Any) -> list[str]:
    """Return every text of a plain value."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in leaf_texts(part)]


@pytest.mark.parametrize("slug", FILES)
def test_each_number_of_a_hint_is_one_of_its_exercise(slug: str) -> None:
    hints = exercise(FILES[slug])["en"].get("hints", [])
    known = others(FILES[slug]) if hints else []
    numbers = [number for hint in hints for number in numbers_of(hint) if number.shown[0].isdigit()]
    free = [number.shown for number in numbers if number.value > SMALL and number.value not in known]
    assert free == [], hints


@pytest.mark.parametrize("persistent", [True, False])
def test_a_burst_of_50_passes_the_upper_line_at_once(persistent: bool) -> None:
    node = on_ledger({"version": 1, "profile": "classroom", "commands": [], "until_us": 9_000_000})
    node.advance(1_000_000)
    node.submit({"do": "publish", "count": 50, "size_bytes": 6000, "persistent": persistent})
    node.advance(1_100_000)
    assert node.snapshot()["node"]["alarms"]["memory"]
