"""Finding the project's own source files, and reading what they import and call."""

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.layering.javascript import imported_paths

ROOT = Path(__file__).resolve().parents[2]


class Import(NamedTuple):
    """One imported module (absolute, even where the source says `from . import x`) and where it stands."""

    module: str
    line: int


def python_files(*folders: str, root: Path = ROOT) -> list[Path]:
    """Return the .py files below the given folders, those that exist."""
    return sorted(path for folder in folders for path in (root / folder).rglob("*.py"))


def module_name(path: Path, root: Path = ROOT) -> str:
    """Return `engine.storage.port` for engine/storage/port.py, `engine.storage` for its __init__.py."""
    parts = list(path.relative_to(root).with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


@functools.cache
def parsed(source: str) -> ast.Module:
    """Return the syntax tree of a source, only to be read: parsed once for all tests, as many read all the files."""
    return ast.parse(source)


def parse(path: Path) -> ast.Module:
    """Return the syntax tree of one file, only to be read."""
    return parsed(path.read_text(encoding="utf-8"))


def imports(tree: ast.Module, module: str, is_package: bool = False) -> Iterator[Import]:
    """Yield every module that the tree imports, wherever in the file.

    `from a import b` may name a module or a value; it is yielded as `a.b`, which the rules match by prefix.
    """
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                above = parents[: len(parents) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            yield from (Import(f"{base}.{alias.name}", node.lineno) for alias in node.names)


def within(module: str, *packages: str) -> bool:
    """Return whether `module` is one of the packages or lies inside one."""
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def file_imports(folder: str, root: Path = ROOT) -> dict[str, set[str]]:
    """Return which files below a folder import which others there, Python or JavaScript, by paths inside the folder.

    An import that only a type checker reads counts like any other. Empty `__init__.py` files are left out.
    """
    base = root / folder
    python = {module_name(path, root): path for path in python_files(folder, root=root)}
    trees = {path: parse(path) for path in python.values()}
    named = {path: path.relative_to(base).as_posix() for path, tree in trees.items() if tree.body[1:]}
    found: dict[str, set[str]] = {name: set() for name in named.values()}
    for module, path in python.items():
        if path not in named:
            continue
        for imported, _ in imports(trees[path], module, path.name == "__init__.py"):
            target = python.get(imported) or python.get(imported.rpartition(".")[0])
            if target is not None and target in named and target != path:
                found[named[path]].add(named[target])
    for path in sorted(base.rglob("*.js")):
        targets = (path.parent / each for each in imported_paths(path.read_text(encoding="utf-8")))
        inside = {each.resolve() for each in targets if each.suffix == ".js"}
        found[path.relative_to(base).as_posix()] = {
            each.relative_to(base).as_posix()
            for each in inside
            if each.is_relative_to(base) and each.exists()
        }
    return found
