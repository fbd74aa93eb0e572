"""What the compiler does otherwise than Python: none of it is in the modules that are compiled.

mypyc's own list is in its documentation (*Differences from Python*). What it refuses when it compiles needs no test;
here is what it lets pass, and what then differs or breaks when it runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

import pytest

from tools.compiled import chosen
from tools.compiled_pickles import OWN_WAY
from tools.compiled_records import is_record

ITERABLE = {"__iter__", "__getitem__"}
WITH_CONTAINS = {"Mapping", "MutableMapping", "Sequence", "Set", "dict", "list", "tuple", "set", "deque"}
WITHOUT_DICT = {"cached_property", "weakref", "__dict__", "vars", "delattr"}
"""What needs a dictionary of attributes, or references that do not keep: an object of a compiled class has neither."""

BOUNDED = {
    "field": "a header's tables and lists, of which a command's check allows four in each other",
    "_scan": "folders in each other, of which a path has room for few",
}
"""Functions that may call themselves, each with what bounds how deep."""

Trees = dict[str, ast.Module]


def _methods(node: ast.ClassDef) -> set[str]:
    return {each.name for each in node.body if isinstance(each, ast.FunctionDef)}


def _last_name(node: ast.expr | None) -> str:
    """Return the name in which an expression ends: `parked` of `self.queue.parked`."""
    if isinstance(node, ast.Subscript):
        return _last_name(node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _classes(trees: Trees) -> dict[str, ast.ClassDef]:
    return {
        node.name: node
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }


def _only_iterable(classes: dict[str, ast.ClassDef]) -> set[str]:
    """Return the classes of which Python finds something by going through them, as they have no `__contains__`."""

    def has(name: str, wanted: set[str]) -> bool:
        node = classes.get(name)
        return node is not None and (
            bool(wanted & _methods(node)) or any(has(_last_name(base), wanted) for base in node.bases)
        )

    def contains(name: str) -> bool:
        node = classes.get(name)
        bases = [] if node is None else [_last_name(base) for base in node.bases]
        return has(name, {"__contains__"}) or any(each in WITH_CONTAINS or contains(each) for each in bases)

    return {name for name in classes if has(name, ITERABLE) and not contains(name)}


def _named_for(classes: set[str], trees: Iterable[ast.Module]) -> set[str]:
    """Return what is called by an object of such a class: attributes, arguments, properties, variables."""

    def is_one(hint: ast.expr | None) -> bool:
        return hint is not None and any(
            isinstance(each, ast.Name | ast.Attribute) and _last_name(each) in classes
            for each in ast.walk(hint)
        )

    found: set[str] = set()
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                if _last_name(node.value.func) in classes:
                    found |= {_last_name(target) for target in node.targets}
            elif isinstance(node, ast.AnnAssign) and is_one(node.annotation):
                found.add(_last_name(node.target))
            elif isinstance(node, ast.arg) and is_one(node.annotation):
                found.add(node.arg)
            elif isinstance(node, ast.FunctionDef) and is_one(node.returns):
                found.add(node.name)
    return found - {""}


def searched_without_contains(compiled: Trees, every: Trees) -> list[str]:
    """Return where `in` asks an object whose class has no `__contains__`: the compiler calls that one and no other."""
    names = _named_for(_only_iterable(_classes(every)), every.values())
    return [
        f"{path}:{node.lineno} {ast.unparse(node)}"
        for path, tree in compiled.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for operator, asked in zip(node.ops, node.comparators, strict=True)
        if isinstance(operator, ast.In | ast.NotIn) and _last_name(asked) in names - _own_tables(path, every)
    ]


def _own_tables(path: str, every: Trees) -> set[str]:
    """Return the attributes that a module's folder declares as what the compiler can search."""
    return {
        _last_name(node.target)
        for other, tree in every.items()
        if Path(other).parent == Path(path).parent
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.annotation, ast.Subscript)
        and _last_name(node.annotation) in WITH_CONTAINS
    }


def made_floats(compiled: Trees) -> list[str]:
    """Return what is said to be a float: a whole number in it becomes one, and is written as one."""
    return [
        f"{path}:{node.lineno} {ast.unparse(node)}"
        for path, tree in compiled.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign)
        and ast.unparse(node.annotation) == "float"
        and not _in_record(node, tree)
    ]


def _in_record(node: ast.AnnAssign, tree: ast.Module) -> bool:
    """Return whether a field is one of a class that Python makes: its metaclass or base says so."""
    return any(
        node in each.body and (each.keywords or any("Tuple" in ast.unparse(base) for base in each.bases))
        for each in ast.walk(tree)
        if isinstance(each, ast.ClassDef)
    )


def without_truth(compiled: Trees) -> list[str]:
    """Return final classes with a length and no `__bool__`: beside None the compiler takes each for true."""
    return [
        f"{path}:{node.lineno} {node.name}"
        for path, tree in compiled.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(_last_name(each) == "final" for each in node.decorator_list)
        and "__len__" in _methods(node)
        and "__bool__" not in _methods(node)
    ]


def needing_a_dictionary(compiled: Trees) -> list[str]:
    """Return what asks an object for its dictionary of attributes, or refers to one without keeping it."""
    return [
        f"{path}:{node.lineno} {_last_name(node)}"
        for path, tree in compiled.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.Attribute) and _last_name(node) in WITHOUT_DICT
    ]


def calling_themselves(compiled: Trees) -> list[str]:
    """Return functions that call themselves: nothing counts how deep, and the process ends where the stack does."""
    return [
        f"{path}:{node.lineno} {node.name}"
        for path, tree in compiled.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and node.name not in BOUNDED
        and any(
            isinstance(each, ast.Call) and ast.unparse(each.func) == f"{_through(node)}{node.name}"
            for each in ast.walk(node)
        )
    ]


def held_slices(compiled: Trees) -> list[str]:
    """Return slices that a function makes before it uses them: the compiler takes one for a place in bytes."""
    return [
        f"{path}:{node.lineno} {ast.unparse(node)}"
        for path, tree in compiled.items()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "slice"
    ]


def second_names(compiled: Trees) -> list[str]:
    """Return methods with a second name: the compiler looks for the first one among the module's names.

    Classes of records are left out, as Python makes them.
    """
    return [
        f"{path}:{each.lineno} {ast.unparse(each)}"
        for path, tree in compiled.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and not node.keywords
        for each in node.body
        if isinstance(each, ast.Assign)
        and isinstance(each.value, ast.Name)
        and each.value.id in _methods(node)
    ]


def inherited_outside(compiled: Trees, every: Trees) -> list[str]:
    """Return classes of Python whose base is compiled: a checkpoint would lack what they add to it.

    A record is not compiled, and so is no base of one (`put_beside`).
    """
    found = []
    for path, tree in every.items():
        modules = {
            name.asname or name.name: f"{node.module.replace('.', '/')}.py"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for name in node.names
        }
        found += [
            f"{path}:{node.lineno} {node.name}({base})"
            for node in tree.body
            if isinstance(node, ast.ClassDef) and path not in compiled and not is_record(node)
            for base in (ast.unparse(each).split("[")[0] for each in node.bases)
            if modules.get(base) in compiled and not base.endswith(OWN_WAY)
        ]
    return found


def _through(function: ast.FunctionDef) -> str:
    """Return what stands before a function's name where it calls itself."""
    first = function.args.args[0].arg if function.args.args else ""
    return f"{first}." if first in ("self", "cls") else ""


@pytest.fixture(scope="module")
def every(repo_root: Path) -> Trees:
    paths = sorted((repo_root / "engine").rglob("*.py"))
    return {path.relative_to(repo_root).as_posix(): ast.parse(path.read_text("utf-8")) for path in paths}


@pytest.fixture(scope="module")
def compiled(repo_root: Path, every: Trees) -> Trees:
    found = {name: every[name] for name in chosen(repo_root)}
    assert len(found) > 70
    return found


def test_nothing_is_searched_that_cannot_say_what_it_holds(compiled: Trees, every: Trees) -> None:
    assert searched_without_contains(compiled, every) == []


@pytest.mark.parametrize(
    "find", [made_floats, without_truth, needing_a_dictionary, calling_themselves, held_slices, second_names]
)
def test_nothing_compiled_does_otherwise(compiled: Trees, find) -> None:
    assert find(compiled) == []


def test_what_inherits_from_what_is_compiled_is_compiled_too(compiled: Trees, every: Trees) -> None:
    assert inherited_outside(compiled, every) == []


SEARCHED = """
class Line:
    def __iter__(self): ...
class Row(Line): ...
class Held(Line):
    def __contains__(self, each): ...
class Board(Mapping[str, int]):
    def __iter__(self): ...
class Ring:
    def __init__(self, row: Row | None, held: Held, board: Board):
        self.parked = Line()
    @property
    def turns(self) -> Line: ...
    def next(self, consumer):
        return consumer in self.parked or consumer not in self.ring.turns or consumer in row
    def other(self, consumer):
        return consumer in self.held, consumer in board, consumer in self.members
"""


def test_the_searches_find_what_they_look_for() -> None:
    def tree(text: str) -> Trees:
        return {"m.py": ast.parse(text)}

    found = searched_without_contains(tree(SEARCHED), tree(SEARCHED))
    assert [each.split(" ", 1)[1] for each in found] == [
        "consumer in self.parked",
        "consumer not in self.ring.turns",
        "consumer in row",
    ]
    assert made_floats(
        tree("class A:\n x: float = 0\n y: float | None = 0\nclass B(NamedTuple):\n z: float")
    ) == ["m.py:2 x: float = 0"]
    sized = "class A:\n def __len__(self): ...\n"
    assert without_truth(tree(f"@final\n{sized}")) == ["m.py:2 A"]
    assert without_truth(tree(sized)) == []
    assert set(needing_a_dictionary(tree("def f(a):\n vars(a)\n a.__dict__\n a.dict"))) == {
        "m.py:2 vars",
        "m.py:3 __dict__",
    }
    deep = "def f(a):\n return f(a)\nclass A:\n def g(self):\n  self.g()\n def h(self):\n  self.other.h()"
    assert calling_themselves(tree(deep)) == ["m.py:1 f", "m.py:4 g"]
    assert held_slices(tree("def f(a):\n at = slice(1, 2)\n return a[at], a[1:2]")) == ["m.py:2 slice(1, 2)"]
    assert second_names(tree("class A:\n def f(self): ...\n g = f\n h = k")) == ["m.py:3 g = f"]
    base = tree("class A:\n x = 1")
    sub = {"n.py": ast.parse("from m import A\nclass B(A[int]):\n y = 1")}
    assert inherited_outside(base, {**base, **sub}) == ["n.py:2 B(A)"]
    assert inherited_outside({**base, **sub}, {**base, **sub}) == []
