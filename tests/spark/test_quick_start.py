"""Spark starts from an archive of its classes where there is one that fits, and without a word where there is none."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from spark_jobs import quick_start


def test_a_session_maps_the_archive_that_was_made(session: Any) -> None:
    arguments = session._jvm.java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments()
    mapped = f"-XX:SharedArchiveFile={quick_start.ARCHIVE}" in list(arguments)
    assert mapped == quick_start.ARCHIVE.exists()


def test_a_java_starts_silently_with_an_archive_that_does_not_fit(
    tmp_path: Path, java_home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick_start, "ARCHIVE", tmp_path / "another.jsa")
    assert quick_start.options_here() == quick_start.OPTIONS
    quick_start.ARCHIVE.write_bytes(b"of another Java")
    options = quick_start.options_here().replace('"', "").split()
    assert len(options) > len(quick_start.OPTIONS.split())
    run = subprocess.run(
        [f"{java_home}/bin/java", *options, "-version"], capture_output=True, text=True, check=True
    )
    assert run.stdout == ""
    assert "warning" not in run.stderr


def test_where_no_archive_can_be_made_none_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick_start, "ARCHIVE", tmp_path / "java" / "spark.jsa")
    monkeypatch.setattr(quick_start, "TRAINING", "raise SystemExit(1)")
    assert not quick_start.make_archive()
    assert list(quick_start.ARCHIVE.parent.iterdir()) == []
