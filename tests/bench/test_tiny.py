"""Every measurement runs end to end, with little work: what `make bench TINY=1` runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.__main__ import BENCHES

MARKS = {"frames": pytest.mark.browser, "static_edition": pytest.mark.browser, "sweep": pytest.mark.spark}
SECONDS = 480
"""A run that hangs ends; a machine with other work may take long to start a browser with an engine in it."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=MARKS.get(name, ())) for name in BENCHES])
def test_a_tiny_run_ends_with_its_verdict(name: str, repo_root: Path) -> None:
    kept = repo_root / "bench" / "results.json"
    before = kept.read_bytes()
    java = subprocess.run(
        [sys.executable, "tools/ensure_java.py"], cwd=repo_root, capture_output=True, text=True, check=True
    )
    done = subprocess.run(
        [sys.executable, "-m", "bench", "--tiny", name],
        cwd=repo_root,
        env={**os.environ, "JAVA_HOME": java.stdout.strip()},
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.stdout.splitlines()[-1:] == ["bench: 1 of 1 ran, all within their bounds"], (
        done.stdout + done.stderr
    )
    assert done.returncode == 0
    assert kept.read_bytes() == before, "a tiny run is not kept"
