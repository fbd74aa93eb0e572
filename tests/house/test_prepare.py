"""What is prepared already is not prepared again: `make run` starts at once the second time."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tools import prepare


class Preparation:
    """Stands for the steps: makes what they make, and counts them."""

    def __init__(self, place: Path) -> None:
        self.place, self.steps, self.fails = place, 0, False

    def run(self, command: list[str], **_named: object) -> subprocess.CompletedProcess[str]:
        """Make an empty database and a list of static files."""
        self.steps += 1
        (self.place / "static").mkdir(exist_ok=True)
        (self.place / "static" / "staticfiles.json").touch()
        with closing(sqlite3.connect(self.place / "waterline.sqlite3")) as database:
            database.execute("create table if not exists kept (id)")
        return subprocess.CompletedProcess(command, int(self.fails))

    def again(self) -> int:
        """Prepare; return how many steps that took."""
        before = self.steps
        prepare.main()
        return self.steps - before


@pytest.fixture
def preparation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Preparation:
    made = Preparation(tmp_path)
    monkeypatch.setattr(subprocess, "run", made.run)
    monkeypatch.setenv("WATERLINE_VAR", str(tmp_path))
    for name in prepare.OTHERWISE:
        monkeypatch.delenv(name, raising=False)
    return made


def test_a_second_start_prepares_nothing(
    preparation: Preparation, capsys: pytest.CaptureFixture[str]
) -> None:
    assert preparation.again() == 2
    assert preparation.again() == 0
    assert capsys.readouterr().out == "Everything is prepared already.\n"


def test_other_sources_are_prepared(preparation: Preparation, monkeypatch: pytest.MonkeyPatch) -> None:
    preparation.again()
    monkeypatch.setattr(prepare, "content_of", lambda *_given: "0123456789abcdef")
    assert preparation.again() == 2
    assert preparation.again() == 0


def test_an_older_database_that_is_put_back_is_prepared(preparation: Preparation, tmp_path: Path) -> None:
    preparation.run([])
    shutil.copy(tmp_path / "waterline.sqlite3", tmp_path / "backup")
    preparation.again()
    shutil.copy(tmp_path / "backup", tmp_path / "waterline.sqlite3")
    assert preparation.again() == 2


@pytest.mark.parametrize("gone", ["waterline.sqlite3", "static/staticfiles.json"])
def test_what_was_deleted_is_made_again(preparation: Preparation, tmp_path: Path, gone: str) -> None:
    preparation.again()
    (tmp_path / gone).unlink()
    assert preparation.again() == 2


def test_a_database_elsewhere_is_prepared_at_each_start(
    preparation: Preparation, monkeypatch: pytest.MonkeyPatch
) -> None:
    preparation.again()
    monkeypatch.setenv("DATABASE_URL", "postgres://school")
    assert preparation.again() == 2


def test_a_step_that_fails_is_tried_again(preparation: Preparation) -> None:
    preparation.fails = True
    assert preparation.again() == 1
    preparation.fails = False
    assert preparation.again() == 2


def test_a_file_that_is_no_database_is_left_to_the_steps(preparation: Preparation, tmp_path: Path) -> None:
    preparation.again()
    (tmp_path / "waterline.sqlite3").write_text("x" * 4096)
    with pytest.raises(sqlite3.DatabaseError):
        preparation.again()
    assert preparation.steps == 3
