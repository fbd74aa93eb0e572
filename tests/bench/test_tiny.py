"""Every measurement runs end to end, with little work: what `make bench TINY=1` runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.__main__ import BENCHES

APART = {
    "frames": [pytest.mark.browser],
    "static_edition": [pytest.mark.browser, pytest.mark.soak],
    "sweep": [pytest.mark.spark, pytest.mark.soak],
    "school": [pytest.mark.soak],
}
"""What needs a browser or Spark, each on its own; the others run in one process, as `make bench` runs them.

`school` is `classroom` with more students; tests/browser and tests/spark go the ways of the other long ones.
"""
TOGETHER = [name for name in BENCHES if name not in APART]
SECONDS = 900
"""A run that hangs ends; a machine with other work may take long to start a browser with an engine in it."""


@pytest.mark.parametrize(
    "names", [TOGETHER, *(pytest.param([name], id=name, marks=marks) for name, marks in APART.items())]
)
def test_a_tiny_run_ends_with_its_verdict(names: list[str], repo_root: Path) -> None:
    kept = repo_root / "bench" / "results.json"
    before = kept.read_bytes()
    java = subprocess.run(
        [sys.executable, "tools/ensure_java.py"], cwd=repo_root, capture_output=True, text=True, check=True
    )
    done = subprocess.run(
        [sys.executable, "-m", "bench", "--tiny", *names],
        cwd=repo_root,
        env={**os.environ, "JAVA_HOME": java.stdout.strip()},
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    verdict = f"bench: {len(names)} of {len(names)} ran, all within their bounds"
    assert done.stdout.splitlines()[-1:] == [verdict], done.stdout + done.stderr
    assert done.returncode == 0
    assert kept.read_bytes() == before, "a tiny run is not kept"
