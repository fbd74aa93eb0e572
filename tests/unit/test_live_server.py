"""What a server needs is made once for a run of many tests; each server has a copy of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import live_server
from tools.prepared import PREPARED

MADE = "db.sqlite3"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return the directories in which the real command would have run, in order."""
    where: list[Path] = []

    def manage(var_dir: Path, *arguments: str, root: Path) -> None:
        assert arguments == ("prepare",)
        where.append(var_dir)
        (var_dir / MADE).write_text(str(root))

    monkeypatch.setattr(live_server, "manage", manage)
    return where


def test_the_second_server_of_the_same_sources_begins_with_a_copy(
    made: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept").mkdir()
    monkeypatch.setenv(PREPARED, str(tmp_path / "kept"))
    for root, source in (("here", "a = 1"), ("copy", "a = 1"), ("changed", "a = 2")):
        (tmp_path / root / "playground").mkdir(parents=True)
        (tmp_path / root / "playground" / "a.py").write_text(source)
    for name, root, begun in (
        ("one", "here", "here"),
        ("two", "copy", "here"),
        ("other", "changed", "changed"),
    ):
        live_server.prepare(tmp_path / name, tmp_path / root)
        assert (tmp_path / name / MADE).read_text() == str(tmp_path / begun)
        (tmp_path / name / MADE).write_text("in use")
    assert len(made) == 2


def test_a_server_with_another_database_is_prepared_itself(
    made: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PREPARED, str(tmp_path))
    (tmp_path / live_server.DATABASE_URL_FILE).write_text("postgresql://nowhere")
    live_server.prepare(tmp_path)
    assert made == [tmp_path]


def test_outside_of_tests_every_server_is_prepared_itself(
    made: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(PREPARED)
    live_server.prepare(tmp_path)
    assert made == [tmp_path]
