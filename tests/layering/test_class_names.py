"""A public class has a name of its own: whoever reads it knows which of the engine's rooms it comes from."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping

from tests.layering.sources import ROOT, parse, python_files

GENERATIONS = ("engine/classic_v1", "engine/classic_v2")
"""The same shelf of another generation may use the same word; a word of the common rooms has one meaning everywhere."""

TWO_MEANINGS: Mapping[str, str] = {
    **dict.fromkeys(
        ("Ack", "Publish", "Requeue"),
        "a command, and the instruction to mirrors that does the same: digests have both by these names",
    ),
}
"""Names that still have two, with the reason; the list only gets shorter."""


def classes() -> dict[str, set[str]]:
    """Return, for each public class of the engine, the rooms that define it: `common` or a generation."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in python_files("engine"):
        name = path.relative_to(ROOT).as_posix()
        room = next((each for each in GENERATIONS if name.startswith(f"{each}/")), "")
        for node in parse(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].add(f"{room or 'common'}: {name}")
    return found


def twice(found: Mapping[str, set[str]]) -> dict[str, list[str]]:
    """Return names that one room defines twice, or that a generation shares with the common rooms."""
    wrong = {}
    for name, places in found.items():
        rooms = [place.partition(":")[0] for place in places]
        if len(rooms) != len(set(rooms)) or ("common" in rooms and len(rooms) > 1):
            wrong[name] = sorted(places)
    return wrong


def test_no_public_class_has_the_name_of_another() -> None:
    wrong = twice(classes())
    assert {name: wrong[name] for name in wrong if name not in TWO_MEANINGS} == {}
    assert [name for name in TWO_MEANINGS if name not in wrong] == []


def test_a_second_meaning_is_found() -> None:
    in_common = {"common: a.py", "common: b.py"}
    in_both = {"common: a.py", "engine/classic_v1: b.py"}
    assert twice({"Node": in_common, "Row": in_both}).keys() == {"Node", "Row"}
    assert twice({"State": {"engine/classic_v1: a.py", "engine/classic_v2: b.py"}}) == {}
