"""Session directories come and go with their process."""

import subprocess
import sys
from pathlib import Path

from playground.hosting.directories import ProcessDirectory, sweep

ROOT = Path(__file__).resolve().parents[2]


def test_a_session_gets_an_empty_directory(tmp_path: Path) -> None:
    directory = ProcessDirectory(tmp_path / "s")
    (directory.fresh("one") / "file").write_text("x")
    assert list(directory.fresh("one").iterdir()) == []
    directory.forget("one")
    assert not directory.of("one").exists()
    directory.remove()
    assert list((tmp_path / "s").iterdir()) == []


def test_a_living_process_keeps_its_directory(tmp_path: Path) -> None:
    directory = ProcessDirectory(tmp_path / "s")
    directory.fresh("one")
    assert sweep(tmp_path / "s") == []
    assert directory.of("one").is_dir()
    directory.remove()


def test_a_killed_process_is_cleaned_up_after(tmp_path: Path) -> None:
    program = (
        "import os, sys, pathlib; from playground.hosting.directories import ProcessDirectory;"
        f"d = ProcessDirectory(pathlib.Path({str(tmp_path / "s")!r})); (d.fresh('one') / 'f').write_text('x');"
        "os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False)
    assert len(list((tmp_path / "s").glob("process-*/one/f"))) == 1
    ProcessDirectory(tmp_path / "s").remove()
    assert list((tmp_path / "s").iterdir()) == []


def test_a_process_that_ends_removes_its_directory(tmp_path: Path) -> None:
    program = (
        "import pathlib; from playground.hosting.directories import ProcessDirectory;"
        f"ProcessDirectory(pathlib.Path({str(tmp_path / "s")!r})).fresh('one')"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
    assert list((tmp_path / "s").iterdir()) == []
