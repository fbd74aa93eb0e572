"""`make check`: the loop while one works. Every kind of check but Spark's and the browser's, in under a minute.

`make test` remains the proof; this finds nearly everything that a change breaks. What takes long for what it finds is
left to it: random programs, damaged files, sockets and whole sessions.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
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
    "tests/web/test_pages.py",
    "tests/web/test_rules.py",
    "tests/web/test_translations.py",
    "tests/web/test_wire.py",
)
TINY_TESTS = ("tests/golden",)
LEFT_OUT = "not soak and not browser and not spark and not slow"


def steps(tests: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the command of each step by its name.

    Args:
        tests: the folders and files of Python tests to run.
    """
    scripts = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "tests" / "js").rglob("*.test.*js"))]
    return {
        "style": [str(BIN / "ruff"), "check", "--quiet", "."],
        "format": [str(BIN / "ruff"), "format", "--check", "--quiet", "."],
        "types": [str(BIN / "mypy"), "--no-error-summary"],
        "eslint": ["make", "--no-print-directory", "js-lint", "js-types"],
        "scripts": [_node(), "--test", "--test-reporter=dot", *scripts],
        "tests": [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n",
            "auto",
            "--dist",
            "worksteal",
            "-m",
            LEFT_OUT,
            *tests,
        ],
    }


def _node() -> str:
    found = subprocess.run([ROOT / "tools" / "ensure_node.sh"], capture_output=True, text=True, check=True)
    return found.stdout.strip()


def main() -> int:
    """Run every step, however the one before ended; return 0 only if all are well."""
    parser = argparse.ArgumentParser(prog="python -m tools.check", description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="only a few tests, to see that every step runs")
    options = parser.parse_args()
    began, failed = time.monotonic(), []
    for name, command in steps(TINY_TESTS if options.tiny else QUICK_TESTS).items():
        at = time.monotonic()
        done = subprocess.run(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        print(
            f"check: {name:8} {'ok    ' if done.returncode == 0 else 'FAILED'} {time.monotonic() - at:5.1f} s",
            flush=True,
        )
        if done.returncode:
            failed.append(name)
            print(done.stdout + done.stderr, flush=True)
    told = f"failed: {', '.join(failed)}" if failed else "all well"
    print(f"check: {told}, {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
