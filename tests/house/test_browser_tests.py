"""A test in a browser costs what a hundred in Node.js do: each file says what only it can prove."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "browser"
FILES = sorted(FOLDER.glob("test_*.py"))
SAYS = "Only a browser: "


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.stem))
def test_a_file_says_what_only_a_browser_proves(path: Path) -> None:
    lines = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").splitlines()
    assert [line for line in lines if len(line) > len(SAYS) + 20 and line.startswith(SAYS)], lines


def test_there_are_some() -> None:
    assert len(FILES) > 20
