"""Session directories come and go with their process."""

import subprocess
import sys
from pathlib import Path

import pytest

from playground.hosting.directories import ProcessDirectory, sweep

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "sessions"


def run_elsewhere(root: Path, ending: str) -> None:
    """Let another process make a session's directory, and end in some way."""
    program = f"""
import os, pathlib
from playground.hosting.directories import ProcessDirectory
directory = ProcessDirectory(pathlib.Path({str(root)!r}))
(directory.fresh("one") / "file").write_text("x")
{ending}
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False)


def test_a_session_gets_an_empty_directory(root: Path) -> None:
    directory = ProcessDirectory(root)
    (directory.fresh("one") / "file").write_text("x")
    assert list(directory.fresh("one").iterdir()) == []
    directory.forget("one")
    assert not directory.of("one").exists()
    directory.remove()
    assert list(root.iterdir()) == []


def test_a_living_process_keeps_its_directory(root: Path) -> None:
    directory = ProcessDirectory(root)
    directory.fresh("one")
    assert sweep(root) == []
    assert directory.of("one").is_dir()
    directory.remove()


def test_a_killed_process_is_cleaned_up_after(root: Path) -> None:
    run_elsewhere(root, "os.kill(os.getpid(), 9)")
    assert len(list(root.glob("process-*/one/file"))) == 1
    ProcessDirectory(root).remove()
    assert list(root.iterdir()) == []


def test_a_process_that_ends_removes_its_directory(root: Path) -> None:
    run_elsewhere(root, "")
    assert list(root.iterdir()) == []
