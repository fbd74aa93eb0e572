"""What a part of the engine calls it gets when it is made; no constructor hangs a function of its own on another."""

import ast
from collections.abc import Iterator

import pytest

from tests.layering.sources import ROOT, parse, python_files

OBSERVING = {"engine/replay/witness.py"}
"""What follows a run from outside, and is no part of it."""


def assigned_late(tree: ast.Module) -> Iterator[int]:
    """Yield the lines on which a constructor sets an attribute of another object to a method of its own."""
    for made in ast.walk(tree):
        if not isinstance(made, ast.ClassDef):
            continue
        methods = {each.name: each for each in made.body if isinstance(each, ast.FunctionDef)}
        if "__init__" not in methods:
            continue
        for node in ast.walk(methods["__init__"]):
            if isinstance(node, ast.Assign) and any(map(_of_another, node.targets)):
                names = {each.attr for each in ast.walk(node.value) if isinstance(each, ast.Attribute)}
                if names & methods.keys():
                    yield node.lineno


def _of_another(target: ast.expr) -> bool:
    return isinstance(target, ast.Attribute) and not (
        isinstance(target.value, ast.Name) and target.value.id == "self"
    )


def test_no_constructor_hangs_a_function_on_another_object() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in python_files("engine")
        if path.relative_to(ROOT).as_posix() not in OBSERVING
        for line in assigned_late(parse(path))
    ]
    assert found == []


@pytest.mark.parametrize("value", ["self._gone", "partial(self._gone, 1)"])
def test_one_that_does_is_found(value: str) -> None:
    text = f"class A:\n def __init__(self, b):\n  b.hooks.gone = {value}\n def _gone(self): ...\n"
    assert list(assigned_late(ast.parse(text))) == [3]
