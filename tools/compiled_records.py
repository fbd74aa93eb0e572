"""Put the records of a module beside it, in the copy that is compiled: the compiler takes what is left.

A record of msgspec is a class with keywords, which tell its metaclass what to make of it, and the compiler keeps
neither. So in the copy (never in the sources) the records move to a module of their own that stays as it is, with
whatever of the module their lines name, and the module imports them from there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import Final

FUTURE: Final = "from __future__ import annotations"
ENDING: Final = "_records"
"""What the name of a module has behind it in the name of that of its records."""


def is_record(node: ast.stmt) -> bool:
    """Return whether a statement defines a class that msgspec must make."""
    if not isinstance(node, ast.ClassDef):
        return False
    return bool(node.keywords) or any("Struct" in ast.unparse(base) for base in node.bases)


def names_of(node: ast.stmt) -> set[str]:
    """Return what a statement of a module defines; nothing for what it imports."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {
        each.id for target in targets if target for each in ast.walk(target) if isinstance(each, ast.Name)
    }


def moving(body: Iterable[ast.stmt]) -> list[ast.stmt]:
    """Return the records among the statements of a module and all that they name, in the order of the module."""
    defined = {name: node for node in body for name in names_of(node)}
    found: set[ast.stmt] = set()
    left = [node for node in body if is_record(node)]
    while left:
        node = left.pop()
        if node not in found:
            found.add(node)
            used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            left += [defined[name] for name in sorted(used & defined.keys())]
            left += [defined[name] for name in names_of(node)]
    return sorted(found, key=lambda node: node.lineno)


def first_line(node: ast.stmt) -> int:
    """Return the number of a statement's first line, its decorators included."""
    return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])


def put_beside(path: Path, module: str) -> bool:
    """Move the records of a module to a file beside it; return whether anything is left that can be compiled.

    Lines keep their numbers. A record goes on naming `module` as its own, so what was stored of it is read with and
    without the compiled engine.

    Args:
        path: the module's file, which is changed.
        module: its name, with dots.
    """
    text = path.read_text(encoding="utf-8")
    body = ast.parse(text).body
    gone = moving(body)
    if not gone:
        return True
    imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom | ast.If)]
    if not any(isinstance(node, ast.ClassDef | ast.FunctionDef) for node in body if node not in gone):
        return False
    heads = [line for line in map(ast.unparse, imports) if line != FUTURE]
    parts = [FUTURE, *heads, f"__name__ = {module!r}", *map(ast.unparse, gone)]
    path.with_name(f"{path.stem}{ENDING}.py").write_text("\n".join(parts) + "\n", encoding="utf-8")
    lines = text.splitlines()
    for node in gone:
        begin, end = first_line(node), node.end_lineno or node.lineno
        lines[begin - 1 : end] = [""] * (end - begin + 1)
    names = ", ".join(sorted(set().union(*map(names_of, gone))))
    lines[first_line(gone[0]) - 1] = f"from {module}{ENDING} import {names}"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return True
