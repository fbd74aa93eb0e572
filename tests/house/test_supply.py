"""What is installed is locked by hash for every platform, and what is built on has support for a year and more."""

from __future__ import annotations

import re
import shutil
from datetime import date
from pathlib import Path

import pytest

from tools import lock, support

LOCKED = ("app", "dev", "spark")


@pytest.fixture
def place(repo_root: Path, tmp_path: Path) -> Path:
    """Return a directory with the files that say what is installed and built on."""
    for name in ("requirements.txt", "requirements-dev.txt", "requirements-spark.txt", "constraints.txt"):
        shutil.copy(repo_root / name, tmp_path)
    for name in (*support.IMAGES_IN, "pyproject.toml"):
        shutil.copy(repo_root / name, tmp_path)
    shutil.copytree(repo_root / "locked", tmp_path / "locked")
    return tmp_path


def test_every_pin_is_locked_with_hashes_and_no_place_is_named(place: Path) -> None:
    assert list(lock.problems(place)) == []
    for name in LOCKED:
        text = (place / "locked" / f"{name}.txt").read_text()
        assert "://" not in text
        assert not re.search(r"^\s*-(?!-hash)", text, re.MULTILINE), "no option, so no index"


@pytest.mark.parametrize("name", LOCKED)
def test_a_lock_is_read_and_written_as_it_is(place: Path, name: str) -> None:
    text = (place / "locked" / f"{name}.txt").read_text()
    assert lock.write(lock.read(text)) == text


def test_several_platforms_and_pythons_are_locked(place: Path) -> None:
    """numpy has a wheel for each Python and platform, and a source archive: no single machine has all these hashes."""
    numpy = lock.read((place / "locked" / "app.txt").read_text())["numpy"]
    assert len(lock.HASH.findall(numpy)) > 20


@pytest.mark.parametrize(
    ("file", "change", "complaint"),
    [
        ("requirements.txt", ("Django==5.2.", "Django==5.3."), "has not"),
        ("constraints.txt", ("asgiref==", "asgiref==9"), "is not locked"),
        ("locked/app.txt", ("sha256:", "sha1:"), "has no hash"),
    ],
)
def test_what_is_changed_and_not_locked_is_a_complaint(
    place: Path, file: str, change: tuple[str, str], complaint: str
) -> None:
    text = (place / file).read_text()
    assert change[0] in text
    (place / file).write_text(text.replace(*change))
    assert any(complaint in each for each in lock.problems(place))


def test_make_installs_only_what_is_locked(repo_root: Path) -> None:
    makefile, dockerfile = (repo_root / "Makefile").read_text(), (repo_root / "Dockerfile").read_text()
    installs = re.findall(r"\$\(PIP\) (.*?) \|", makefile)
    assert [each for each in installs if "--require-hashes" not in each] == [
        "-r requirements.txt -r requirements-dev.txt -r requirements-spark.txt"
    ], "only who locks anew installs what is not locked yet"
    assert "--require-hashes -r app.txt" in dockerfile


def test_everything_in_containers_has_support_for_all_of_2027(place: Path) -> None:
    found = [each for each in support.complaints(date(2027, 12, 31), place) if "pyproject" not in each]
    assert found == []
    assert any("bookworm" not in use.release for use in support.uses(place))


def test_what_has_no_support_and_what_nobody_wrote_down_are_complaints(place: Path) -> None:
    late = list(support.complaints(date(2031, 1, 1), place))
    assert any("debian trixie has no support since" in each for each in late)
    assert any(each.startswith("pyproject.toml: python 3.11") for each in late)
    dockerfile = place / "Dockerfile"
    dockerfile.write_text(dockerfile.read_text().replace("debian:trixie-slim", "alpine:3.99"))
    assert any("alpine 3.99" in each for each in support.complaints(date(2027, 1, 1), place))


def test_the_program_fails_when_something_has_no_support(capsys: pytest.CaptureFixture[str]) -> None:
    assert support.main(["--date", "2027-06-30"]) == 0
    assert support.main(["--date", "2031-01-01"]) == 1
    assert "without support on 2031-01-01" in capsys.readouterr().out
