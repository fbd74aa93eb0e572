"""`make check`: the loop while one works. Every kind of check but Spark's and the browser's, in under a minute.

`make test` remains the proof; this finds nearly everything that a change breaks. What takes long for what it finds is
left to it: random programs, damaged files, sockets and whole sessions. The Python tests run beside everything else.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
QUICK_TESTS = (
    "tests/layering",
    "tests/golden",
    "tests/conformance",
    "tests/ctl",
    "tests/amqp",
    "tests/rules",
    "tests/unit",
    "tests/web/test_library.py",
    "tests/web/test_pages.py",
    "tests/web/test_rules.py",
    "tests/web/test_surfaces.py",
    "tests/web/test_translations.py",
    "tests/web/test_wire.py",
)
TINY_TESTS = ("-n", "0", "tests/golden/test_format_vectors.py")
LEFT_OUT = "not soak and not browser and not spark and not slow and not hypothesis"
ASIDE = ("--ignore", "tests/unit/spark_jobs")
"""Cells of the published heatmaps, computed again."""
Steps = Mapping[str, list[str]]


def tests(tiny: bool) -> Steps:
    """Return the one step that keeps all cores busy."""
    which = TINY_TESTS if tiny else ("-n", "auto", "--dist", "worksteal", *ASIDE, *QUICK_TESTS)
    return {"tests": [sys.executable, "-m", "pytest", "-q", "-m", LEFT_OUT, *which]}


def reading_steps(tiny: bool) -> Steps:
    """Return the steps that only read the sources, and the tests of the page's scripts, one after the other."""
    scripts = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "tests" / "js").rglob("*.test.*js"))]
    return {
        "style": [str(BIN / "ruff"), "check", "--quiet", "."],
        "format": [str(BIN / "ruff"), "format", "--check", "--quiet", "."],
        "templates": [str(BIN / "djlint"), "--lint", "--quiet", "templates"],
        "types": [str(BIN / "mypy"), "--no-error-summary", *(("-p", "engine.formats") if tiny else ())],
        "eslint": ["make", "--no-print-directory", "js-lint", *(() if tiny else ("js-types",))],
        "scripts": [_node(), "--test", "--test-reporter=dot", *(scripts[:1] if tiny else scripts)],
    }


def _node() -> str:
    found = subprocess.run([ROOT / "tools" / "ensure_node.sh"], capture_output=True, text=True, check=True)
    return found.stdout.strip()


def run(steps: Steps) -> list[str]:
    """Run every step, however the one before ended; return the names of those that failed."""
    failed = []
    for name, command in steps.items():
        at = time.monotonic()
        done = subprocess.run(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        ended = "ok    " if done.returncode == 0 else "FAILED"
        output = f"\n{done.stdout}{done.stderr}" if done.returncode else ""
        print(f"check: {name:8} {ended} {time.monotonic() - at:5.1f} s{output}", flush=True)
        if done.returncode:
            failed.append(name)
    return failed


def main() -> int:
    """Run all steps; return 0 only if all are well."""
    parser = argparse.ArgumentParser(prog="python -m tools.check", description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="only a little of each step, to see that it runs")
    tiny = parser.parse_args().tiny
    began = time.monotonic()
    with ThreadPoolExecutor() as beside:
        failed = [name for each in beside.map(run, (tests(tiny), reading_steps(tiny))) for name in each]
    outcome = f"failed: {', '.join(failed)}" if failed else "all well"
    print(f"check: {outcome}, {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
