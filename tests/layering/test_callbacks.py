"""What a part of the engine calls it gets when it is made; nobody hangs a function on another object later."""

import ast
import re
from collections.abc import Iterable, Iterator

import pytest

from tests.layering.sources import ROOT, parse, python_files

OBSERVING = {"engine/replay/survival.py"}
"""What follows a run from outside, and is no part of it."""
COMES_AND_GOES = {
    ("engine/broker/clients/consumers.py", "observer"): "whoever records deliveries begins to at some moment",
    (
        "engine/broker/mirrors/mirrored_queues.py",
        "observer",
    ): "whoever records mirrors begins to at some moment",
    ("engine/broker/mirrors/mirrored_queues.py", "copies"): "a queue sends copies as long as it has mirrors",
    ("engine/broker/mirrors/nodes.py", "copies"): "a queue sends copies as long as it has mirrors",
    ("engine/broker/time/scheduler.py", "action"): "a timer that is cancelled lets go of what it would call",
}
"""Callbacks that are there for a while, as what they are for is there for a while."""


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


def declared(trees: Iterable[ast.Module]) -> set[str]:
    """Return the attributes that hold what is called: annotated so, or set to a parameter that is."""
    found: set[str] = set()
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute):
                if _is_called(node.annotation):
                    found.add(node.target.attr)
            elif isinstance(node, ast.ClassDef):  # the fields of a record
                fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
                found |= {ast.unparse(each.target) for each in fields if _is_called(each.annotation)}
            elif isinstance(node, ast.FunctionDef) and node.name == "__init__":
                every = [*node.args.args, *node.args.kwonlyargs]
                called = {each.arg for each in every if each.annotation and _is_called(each.annotation)}
                found |= {
                    target.attr
                    for each in ast.walk(node)
                    if isinstance(each, ast.Assign)
                    and isinstance(each.value, ast.Name)
                    and each.value.id in called
                    for target in each.targets
                    if isinstance(target, ast.Attribute)
                }
    return found


def _is_called(annotation: ast.expr) -> bool:
    """Return whether a value with this annotation is a function, or one or none."""
    return re.fullmatch(r"Callable\[.*\]( \| None)?", ast.unparse(annotation), re.DOTALL) is not None


def hung_on_others(tree: ast.Module, callbacks: set[str]) -> Iterator[tuple[int, str]]:
    """Yield line and name of each callback that is set on another object than `self`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and target.attr in callbacks and _of_another(target):
                    yield node.lineno, target.attr


def test_nobody_hangs_a_callback_on_another_object() -> None:
    trees = {path.relative_to(ROOT).as_posix(): parse(path) for path in python_files("engine")}
    callbacks = declared(trees.values())
    assert len(callbacks) > 30
    found = {
        (path, name)
        for path, tree in trees.items()
        if path not in OBSERVING
        for _, name in hung_on_others(tree, callbacks)
    }
    assert found == COMES_AND_GOES.keys()


def test_a_callback_that_is_hung_on_another_object_is_found() -> None:
    text = (
        "class A:\n def __init__(self, gone: Callable[[], None]):\n  self.gone = gone\n"
        "def late(a):\n a.gone = print\n"
    )
    tree = ast.parse(text)
    assert list(hung_on_others(tree, declared([tree]))) == [(5, "gone")]


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
