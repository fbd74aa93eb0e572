"""A fingerprint of what a program computes: its own modules and all that they import, as the interpreter reads them.

Comments, layout, docstrings and texts for people do not take part, nor do modules that the program never imports: they
cannot change a result. Anything else does.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

TEXTS = "gettext_noop"
"""What marks a text for people; the engine imports it under the name `_` as well."""
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""The fields in which a statement has others."""


def fingerprint(root: Path, *modules: str) -> str:
    """Return 12 hexadecimal digits for what these modules and all that they import compute.

    Args:
        root: the directory that holds the packages; what is imported from elsewhere does not take part.
        modules: dotted names to begin with.
    """
    total = hashlib.sha256()
    for name, tree in sorted(reached(root, *modules).items()):
        total.update(f"{name}\n{normal_form(tree)}\n".encode())
    return total.hexdigest()[:12]


def reached(root: Path, *modules: str) -> dict[str, ast.Module]:
    """Return the modules below `root` that these import, directly or through others, and their own, by name."""
    found: dict[str, ast.Module] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        path = None if name in found else _file_of(root, name)
        if path is None:
            continue
        found[name] = tree = ast.parse(path.read_bytes())
        # The packages around a module run first.
        parents = name.split(".")[:-1]
        waiting += [".".join(parents[: depth + 1]) for depth in range(len(parents))]
        waiting += _imports(tree, name, is_package=path.name == "__init__.py")
    return found


def normal_form(tree: ast.AST) -> str:
    """Return the program as text that is the same for every layout, comment, docstring and text for people."""
    parts: list[str] = []
    _write_tree(tree, _names_of_texts(tree), parts.append)
    return "".join(parts)


def _write_tree(node: object, texts: frozenset[str], write: Callable[[str], None]) -> None:
    if isinstance(node, list):
        for each in node:
            if not _is_remark(each):
                _write_tree(each, texts, write)
    elif not isinstance(node, ast.AST):
        write(f"{node!r};")
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in texts:
        write("text;")
    else:
        write(f"({type(node).__name__} ")
        for name, before in _fields_of(node._fields):
            value = getattr(node, name, None)
            # What is absent differs from one version of Python to the next.
            if value is not None and value != []:
                write(before)
                _write_tree(value, texts, write)
        write(")")


@cache
def _fields_of(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the fields of a node that take part, each with what is written before it."""
    return tuple((name, f"{name}=") for name in names if name not in {"kind", "type_comment"})


def _is_remark(node: object) -> bool:
    """Return whether a statement is a string and nothing else: a docstring, or a remark below a constant."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _names_of_texts(tree: ast.AST) -> frozenset[str]:
    """Return the names by which a module calls the function that marks texts for people."""
    return frozenset(
        alias.asname or alias.name
        for node in _statements(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name == TEXTS
    )


def _imports(tree: ast.Module, module: str, *, is_package: bool) -> Iterator[str]:
    """Yield what a module may import, wherever in the file; `from a import b` may name a module or a value."""
    package = module if is_package else module.rpartition(".")[0]
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield a program and every statement in it, however deep; expressions, the most of a tree, hold none."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for name in BLOCKS:
            waiting += getattr(node, name, ())


def _file_of(root: Path, module: str) -> Path | None:
    """Return the file of a module, None if it is not below `root`."""
    place = root.joinpath(*module.split("."))
    return next((path for path in (place / "__init__.py", place.with_suffix(".py")) if path.is_file()), None)
