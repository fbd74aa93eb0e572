"""Docstrings keep their form: a section's heading has a line of its own, and a member that a base class documents is
not documented again in the same words: it inherits, marked `@override`.
"""

import ast
import re
from collections.abc import Iterator

from tests.layering.sources import ROOT, parse, python_files

Docs = dict[str, str]
"""The docstrings of a class's members by their names, but for members that have nothing else."""


HEADING = re.compile(r"\b(Args|Returns|Raises):(?=\s|$)")


def run_in(source: ast.Module, name: str) -> Iterator[str]:
    """Yield a sentence for each heading of a section that stands within a line of text."""
    for node in ast.walk(source):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for line in (ast.get_docstring(node) or "").split("\n"):
                if (found := HEADING.search(line)) and line.strip() != found[0]:
                    yield f"{name}:{node.lineno} {node.name}: {found[0]} is within a line"


def classes(source: ast.Module) -> Iterator[tuple[str, list[str], Docs, Docs]]:
    """Yield each class: name, names of its bases, docstrings of all its members, and of those that do something."""
    for node in ast.walk(source):
        if isinstance(node, ast.ClassDef):
            bases = [ast.unparse(each).split("[")[0].rpartition(".")[2] for each in node.bases]
            members = [each for each in node.body if isinstance(each, ast.FunctionDef)]
            told = {each.name: text for each in members if (text := ast.get_docstring(each))}
            busy = {
                each.name: told[each.name] for each in members if each.name in told and len(each.body) > 1
            }
            yield node.name, bases, told, busy


def copied(sources: dict[str, ast.Module]) -> list[str]:
    """Return the members whose docstring a class that they come from has too, word for word."""
    found = {
        name: (path, bases, told, busy)
        for path, source in sources.items()
        for name, bases, told, busy in classes(source)
    }

    def above(name: str) -> Iterator[str]:
        for base in found[name][1]:
            if base in found and base != name:
                yield base
                yield from above(base)

    return [
        f"{path}: {name}.{member}"
        for name, (path, _, _, busy) in found.items()
        for member, text in busy.items()
        if any(found[base][2].get(member) == text for base in above(name))
    ]


def test_no_docstring_is_a_copy_of_the_one_it_would_inherit() -> None:
    assert copied({path.relative_to(ROOT).as_posix(): parse(path) for path in python_files("engine")}) == []


def test_the_heading_of_a_section_has_a_line_of_its_own() -> None:
    paths = [
        path
        for room in ("engine", "playground", "sweeps", "workloads", "spark_jobs")
        for path in python_files(room)
    ]
    found = [each for path in paths for each in run_in(parse(path), path.relative_to(ROOT).as_posix())]
    assert found == []


def test_a_heading_within_a_line_is_found() -> None:
    source = '''
def grow(by):
    """Let it grow. Args: by: how much."""
def shrink(by):
    """Let it shrink.

    Args:
        by: how much.
    """
'''
    assert list(run_in(ast.parse(source), "a.py")) == ["a.py:2 grow: Args: is within a line"]


def test_a_copy_is_found() -> None:
    source = '''
class Base:
    def size(self):
        """Return the bytes."""
class Middle(Base): ...
class Copy(Middle):
    def size(self):
        """Return the bytes."""
        return 1
class Own(Middle):
    def size(self):
        """Return the bytes of both files."""
        return 2
'''
    assert copied({"a.py": ast.parse(source)}) == ["a.py: Copy.size"]
