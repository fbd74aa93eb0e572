"""Which rules there are, which tests and transitions name them, and which concern the engine.

A test names a rule in its own docstring, in a comment inside it, or in its name (`test_s58_worked_example`); a range
in a module's docstring says what the module is about and counts for nothing.
"""

from __future__ import annotations

import ast
import functools
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from tests.conftest import RULES

LETTERS = "QPKMAFDSHWV"
RULE = re.compile(rf"\b([{LETTERS}])([1-9]\d*)(?:\.\d+)?(?:-[{LETTERS}]?([1-9]\d*))?\b")
IN_NAME = re.compile(rf"(?<=_)([{LETTERS.lower()}])([1-9]\d*)(?=_|$)")
DEFINED = re.compile(rf"^(?:[-*] )?\*\*([{LETTERS}]\d+)\b", re.MULTILINE)
SPECIFICATIONS = ("queue.md", "storage.md", "mirrors.md", "queue-v2.md")
ENGINE = "engine"
KINDS = (ENGINE, "process", "process-later", "not-engine")


class CitingTest(msgspec.Struct, frozen=True):
    """A test function and everything in which it may name rules."""

    path: str
    name: str
    text: str

    @property
    def rules(self) -> set[str]:
        """The rules that it names."""
        named = {f"{letter.upper()}{number}" for letter, number in IN_NAME.findall(self.name)}
        return named | set(rules_in(self.text))


def rules_in(text: str) -> Iterator[str]:
    """Yield every rule named in a text; `S20-S23` names four."""
    for letter, first, last in RULE.findall(text):
        for number in range(int(first), int(last or first) + 1):
            yield f"{letter}{number}"


def defined() -> list[str]:
    """Return the rules of the specification, in its order."""
    found: dict[str, None] = {}
    for name in SPECIFICATIONS:
        text = (RULES / name).read_text(encoding="utf-8")
        found.update(dict.fromkeys(DEFINED.findall(text)))
    return list(found)


@functools.cache
def tests(place: Path) -> tuple[CitingTest, ...]:
    """Return every test function of the test modules below a directory."""
    return tuple(_tests(place))


def _tests(place: Path) -> Iterator[CitingTest]:
    for path in sorted(place.rglob("test_*.py")):
        source = path.read_text(encoding="utf-8")
        comments = [
            (token.start[0], token.string)
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if token.type == tokenize.COMMENT
        ]
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                inside = [text for line, text in comments if node.lineno <= line <= (node.end_lineno or 0)]
                text = " ".join([ast.get_docstring(node) or "", *inside])
                yield CitingTest(str(path.relative_to(place)), node.name, text)


def cited(place: Path) -> dict[str, list[str]]:
    """Return the tests that name each rule."""
    found: dict[str, list[str]] = {}
    for test in tests(place):
        for rule in sorted(test.rules):
            found.setdefault(rule, []).append(f"{test.path}::{test.name}")
    return found


def on_transitions(engine: Path) -> dict[str, list[str]]:
    """Return the modules of the engine that give each rule to a transition, or hand it on to one.

    Every text that is a rule and nothing else is one; no other use of such texts is known.
    """
    found: dict[str, list[str]] = {}
    for path in sorted(engine.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                match = RULE.fullmatch(node.value)
                if match:
                    found.setdefault(f"{match[1]}{match[2]}", []).append(path.stem)
    return found


class Entry(msgspec.Struct, frozen=True):
    """What one rule is to this project.

    Args:
        kind: one of KINDS.
        why: for those that are not the engine's, the reason.
    """

    kind: str
    why: str = ""


def classified() -> dict[str, Entry]:
    """Return what engine_rules.toml says of each rule."""
    data = tomllib.loads((Path(__file__).parent / "engine_rules.toml").read_text(encoding="utf-8"))
    found: dict[str, Entry] = {}
    for kind, section in data.items():
        if kind == ENGINE:
            found.update({rule: Entry(kind) for line in section["rules"] for rule in rules_in(line)})
        else:
            for names, why in section.items():
                found.update({rule: Entry(kind, why) for rule in rules_in(names)})
    return found
