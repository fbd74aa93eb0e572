"""No constructor takes more than eight values: values that always go together are an object of their own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.layering.sources import parse

MOST: Final = 8
ROOMS: Final = ("engine", "playground", "sweeps", "workloads", "spark_jobs")


def long_constructors(root: Path, room: str) -> Iterator[tuple[str, int]]:
    """Yield the classes whose own `__init__` takes more values than that, with how many."""
    for path in sorted((root / room).rglob("*.py")):
        for each in ast.walk(parse(path)):
            for method in each.body if isinstance(each, ast.ClassDef) else ():
                if isinstance(method, ast.FunctionDef) and method.name == "__init__":
                    given = method.args
                    count = len([*given.posonlyargs, *given.args, *given.kwonlyargs]) - 1
                    if count > MOST:
                        yield f"{path.relative_to(root)}: {each.name}", count


def test_no_constructor_takes_more_than_eight_values(repo_root: Path) -> None:
    assert [each for room in ROOMS for each in long_constructors(repo_root, room)] == []


def test_a_longer_one_is_found(tmp_path: Path) -> None:
    names = ", ".join(f"v{at}" for at in range(MOST + 1))
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "one.py").write_text(
        f"class One:\n    def __init__(self, {names}): ...\n", encoding="utf-8"
    )
    assert list(long_constructors(tmp_path, "engine")) == [("engine/one.py: One", 9)]
