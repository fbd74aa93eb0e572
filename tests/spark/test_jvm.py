"""JVMs start with the classes of the archive where there is one, and without them where it is not their own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from spark_jobs import jvm


def test_without_an_archive_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jvm, "ARCHIVE", tmp_path / "none.jsa")
    assert jvm.jvm_options() == jvm.QUICK_START


def test_a_jvm_that_writes_an_archive_takes_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jvm, "ARCHIVE", tmp_path / "some.jsa")
    jvm.ARCHIVE.touch()
    assert str(jvm.ARCHIVE) in jvm.jvm_options()
    monkeypatch.setenv(jvm.SUBMIT_OPTIONS, "-XX:ArchiveClassesAtExit=new.jsa")
    assert jvm.jvm_options() == jvm.QUICK_START


def test_an_archive_of_something_else_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, java_home: str
) -> None:
    monkeypatch.setattr(jvm, "ARCHIVE", tmp_path / "other.jsa")
    jvm.ARCHIVE.write_bytes(b"no archive at all" * 1000)
    options = [each.strip('"') for each in jvm.jvm_options().split()]
    run = subprocess.run(
        [f"{java_home}/bin/java", *options, "-version"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0
    assert "version" in run.stderr
    assert str(jvm.ARCHIVE) not in run.stdout + run.stderr
