"""A public class has a name of its own, of two plain words: whoever reads it knows what it is for."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from tests.layering.sources import ROOT, parse, python_files

DJANGOS_OWN = ("Command", "Meta", "Migration")
"""Names that Django looks up: its management commands, migrations, and the options of a model or a form."""


def classes() -> dict[str, list[str]]:
    """Return, for each public class of engine and playground, the files that define it."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in [*python_files("engine"), *python_files("playground")]:
        for node in parse(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path.relative_to(ROOT).as_posix())
    return found


def twice(found: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the names that two files define, with these files."""
    return {
        name: sorted(files) for name, files in found.items() if len(files) > 1 and name not in DJANGOS_OWN
    }


def single_words(found: Mapping[str, Sequence[str]], room: str) -> float:
    """Return the share of a room's class names that are one word."""
    names = [name for name, files in found.items() if any(file.startswith(f"{room}/") for file in files)]
    return sum(len(re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*", name)) == 1 for name in names) / len(names)


def test_no_public_class_has_the_name_of_another() -> None:
    assert twice(classes()) == {}


def test_a_second_meaning_is_found() -> None:
    assert twice({"Node": ["engine/a.py", "playground/b.py"], "Row": ["engine/a.py"]}).keys() == {"Node"}


def test_names_are_two_words() -> None:
    """The second word says the role. What is left are AMQP's own words, commands, transitions and Django's models."""
    found = classes()
    assert single_words(found, "engine") <= 0.15
    assert single_words(found, "playground") <= 0.08
