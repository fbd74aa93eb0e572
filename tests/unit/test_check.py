"""`make check` takes what changed and what is quick, and says what it leaves; both together are all tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.helpers.seconds import kept_seconds
from tools.check import ELSEWHERE, PROCESSOR_S, choose, concerned_by, read_tests


def test_every_file_of_tests_is_run_or_left(repo_root: Path) -> None:
    """The others are marked as a whole, by their folder: `make test` runs them with what needs a browser or Spark."""
    files, took = read_tests(), kept_seconds().files
    choice = choose(files, took, set())
    assert sorted([*choice.run, *choice.left]) == sorted(files)
    assert sum(took.get(name, 0.0) for name in choice.run) <= PROCESSOR_S
    there = {path.relative_to(repo_root).as_posix() for path in (repo_root / "tests").rglob("test_*.py")}
    assert all(name.startswith(ELSEWHERE) for name in there - files.keys())
    assert set(took) <= there, "a file that is gone: record the seconds again"
    for folder in ELSEWHERE:
        mark = f"pytest.mark.{folder.split('/')[1]}"
        assert f"item.add_marker({mark})" in (repo_root / folder / "conftest.py").read_text("utf-8")


def test_what_changed_comes_first_then_the_quickest() -> None:
    took = {"slow.py": 0.6 * PROCESSOR_S, "quick.py": 0.1, "changed.py": 0.5 * PROCESSOR_S}
    choice = choose([*took, "new.py"], took, {"changed.py"})
    assert choice == (["changed.py", "new.py", "quick.py"], ["slow.py"])


def test_a_test_that_changed_and_one_of_a_module_that_changed_are_concerned() -> None:
    files = {
        "tests/a.py": "from engine.values.sizes import Size",
        "tests/b.py": "from engine.values import (\n    each,\n    sizes,\n)",
        "tests/c.py": "import engine.values.sizes",
        "tests/d.py": "from engine.values import errors, sizes_of",
        "tests/e.py": "from engine.values.sizes_of import Size",
        "tests/f.py": "",
    }
    changed = ["engine/values/sizes.py", "tests/f.py", "docs/rules/a.md"]
    assert concerned_by(changed, files) == {"tests/a.py", "tests/b.py", "tests/c.py", "tests/f.py"}


LEARNS = """
from itertools import count
from pathlib import Path
from tests.helpers import seconds
seconds.processor_seconds = count(0, 3).__next__
seconds.ROOT = Path(__file__).parent
seconds.KEPT = seconds.ROOT / "tests" / "seconds.json"
def pytest_configure(config):
    config.addinivalue_line("markers", "slow: left out")
    config.pluginmanager.register(seconds.SecondsRecorder(writes=not hasattr(config, "workerinput")))
def pytest_runtest_makereport(item, call):
    call.duration = seconds.LONG_S * 2 if item.name == "test_long" else 0
"""
TESTS = """
import pytest
def test_long(): ...
def test_quick_now(): ...
@pytest.mark.slow
def test_left_out(): ...
"""


def test_a_run_keeps_what_its_tests_took(repo_root: Path, tmp_path: Path) -> None:
    """A file that is gone is dropped, and a test that takes no long time any more; what does not run stays."""
    folder = tmp_path / "tests"
    folder.mkdir()
    (tmp_path / "conftest.py").write_text(LEARNS)
    (folder / "test_some.py").write_text(TESTS)
    (folder / "test_other.py").write_text("")
    before = {
        "files": {"tests/test_gone.py": 1.0, "tests/test_other.py": 2.0},
        "long_tests": {"tests/test_some.py::test_quick_now": 9.0, "tests/test_other.py::test_left": 8.0},
    }
    (folder / "seconds.json").write_text(json.dumps(before))
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "1", "-p", "no:django", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(repo_root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    kept = json.loads((folder / "seconds.json").read_text())
    assert kept["files"] == {"tests/test_some.py": 6.0, "tests/test_other.py": 2.0}, (
        "two tests, three seconds each"
    )
    assert kept["long_tests"].keys() == {
        "tests/test_some.py::test_long",
        "tests/test_other.py::test_left",
    }
