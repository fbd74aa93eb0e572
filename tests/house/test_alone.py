"""A clone that stands alone: tests are collected, and the broker compared with, in a directory of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.files import copy_repository, repository_files

OUTSIDE = re.compile(r"\.\./shared|/shared/|WATERLINE_SHARED|find_shared")
TEXT = {"", ".py", ".md", ".js", ".mjs", ".html", ".css", ".toml", ".json", ".txt", ".sh", ".yml", ".erl"}


@pytest.fixture(scope="session")
def clone(repo_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the repository in an empty directory, with nothing beside it."""
    place = tmp_path_factory.mktemp("alone") / "clone"
    copy_repository(repo_root, place)
    for words in (["init", "--quiet"], ["add", "--all", "--force"]):  # a clone knows its files
        subprocess.run(["git", *words], cwd=place, check=True)
    return place


def test_nothing_names_a_place_outside(repo_root: Path) -> None:
    found = [
        f"{name}:{number}: {line.strip()[:100]}"
        for name in repository_files(repo_root)
        if name.suffix in TEXT and name.name != Path(__file__).name
        for number, line in enumerate((repo_root / name).read_text(encoding="utf-8").splitlines(), start=1)
        if OUTSIDE.search(line)
    ]
    assert not found


def test_a_copy_in_an_empty_directory(clone: Path) -> None:
    """All comparisons with the broker are collected there, and some are made; CI runs all tests in a clone."""
    arguments = ["tests/golden", "tests/conformance", "-x", "-k", "h01 or m01"]
    assert [path.name for path in clone.parent.iterdir()] == ["clone"]
    outside = ("WATERLINE_", "PYTEST_", "DJANGO_", "DATABASE_URL")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(outside)}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *arguments]
    run = subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-2000:]
