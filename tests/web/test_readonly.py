"""A checkout, or a disk, that may not be written is reported in a sentence and not by a traceback."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import polib
import pytest

from playground import environment
from tools import compile_messages

ROOT = Path(__file__).resolve().parents[2]


def test_a_place_that_cannot_be_written_is_reported_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    run = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={**os.environ, "WATERLINE_VAR": str(tmp_path / "file" / "var")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode != 0
    assert "Set WATERLINE_VAR" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_directory_that_is_there_but_read_only_is_reported_as_well(
    tmp_path: Path, monkeypatch: Any
) -> None:
    def refuse(*_arguments: Any, **_named: Any) -> Any:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(environment.tempfile, "TemporaryFile", refuse)
    with pytest.raises(SystemExit, match=r"Read-only file system\. Set WATERLINE_VAR"):
        environment.writable(tmp_path)


def test_translations_that_cannot_be_compiled_are_missed_and_no_more(
    tmp_path: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "locale" / "de" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "django.po").write_text('msgid ""\nmsgstr ""\n')

    def refuse(*_arguments: Any, **_named: Any) -> Any:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(polib.POFile, "save_as_mofile", refuse)
    compile_messages.main(tmp_path / "locale")
    assert "Read-only file system" in capsys.readouterr().out
