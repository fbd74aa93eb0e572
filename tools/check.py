"""`make check`: the loop while one works. Every kind of check but Spark's and the browser's, in under a minute.

Of the Python tests it runs those that changed or whose modules changed, then the quickest, as far as a minute goes;
`tests/seconds.json` has what each took. It says what it leaves to `make test`, which remains the proof. The tests run
beside everything else.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

from tests.helpers.seconds import NOT_IN_CHECK, kept_seconds

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
PROCESSOR_S: Final = 25.0
"""Of the processors, for Python tests: with what starts them and what runs beside them a minute of two cores."""
ELSEWHERE: Final = ("tests/browser/", "tests/spark/")
"""All tests there need a browser or Spark."""
TINY_TYPES: Final = ("tools/check_port.py",)
TINY_SCRIPTS: Final = ("tests/js/hex.test.js",)
TINY_TESTS: Final = ("tests/golden/test_format_vectors.py",)
LEFT_OUT: Final = " and ".join(f"not {mark}" for mark in sorted(NOT_IN_CHECK))
Steps = Mapping[str, list[str]]


class CheckChoice(NamedTuple):
    """Files of tests.

    Args:
        run: those that a check runs.
        left: those that it leaves to `make test`.
    """

    run: list[str]
    left: list[str]


def choose(files: Collection[str], seconds: Mapping[str, float], concerned: Collection[str]) -> CheckChoice:
    """Choose the files of tests that a check runs.

    Args:
        files: all that there are.
        seconds: what each takes; one that has no figure yet is new, and taken for quick.
        concerned: those that come before all others.
    """
    choice, sum_s = CheckChoice([], []), 0.0
    for name in sorted(files, key=lambda each: (each not in concerned, seconds.get(each, 0.0), each)):
        sum_s += seconds.get(name, 0.0)
        (choice.run if sum_s <= PROCESSOR_S else choice.left).append(name)
    return choice


def read_tests() -> dict[str, str]:
    """Return the text of each file of tests by its path, without those that need a browser or Spark."""
    found = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "tests").rglob("test_*.py")}
    return {
        name: path.read_text(encoding="utf-8")
        for name, path in found.items()
        if not name.startswith(ELSEWHERE)
    }


def changed_files() -> list[str]:
    """Return the files that differ from the last commit; where none does, those of the last commit."""
    asked = (("diff", "--name-only", "HEAD"), ("ls-files", "--others", "--exclude-standard"))
    return [name for each in asked for name in _git(*each)] or _git("diff", "--name-only", "HEAD~1")


def _git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


def concerned_by(changed: Sequence[str], files: Mapping[str, str]) -> set[str]:
    """Return the files of tests that changed, and those that import a module that did.

    Args:
        changed: paths of files.
        files: the text of each file of tests by its path.
    """
    found = {name for name in changed if name in files}
    for path in changed:
        if path.endswith(".py"):
            package, _, name = (
                path.removesuffix(".py").removesuffix("/__init__").replace("/", ".").rpartition(".")
            )
            imported = rf"import {re.escape(package)}\.{name}\b|from {re.escape(package)}\.{name} import"
            listed = rf"from {re.escape(package)} import (?:\([^)]*|[^\n(]*)\b{name}\b"
            either = re.compile(rf"{imported}|{listed}")
            found |= {each for each, text in files.items() if either.search(text)}
    return found


def tests(tiny: bool) -> Steps:
    """Return the one step that keeps all cores busy, and say what it leaves to `make test`."""
    if tiny:
        which = ["-n", "0", *TINY_TESTS]
    else:
        files, seconds = read_tests(), kept_seconds().files
        choice = choose(files, seconds, concerned_by(changed_files(), files))
        print(_told(choice, seconds), flush=True)
        which = ["-n", "auto", "--dist", "loadfile", *choice.run]
    return {"tests": [sys.executable, "-m", "pytest", "-q", "-m", LEFT_OUT, *which]}


def _told(choice: CheckChoice, seconds: Mapping[str, float]) -> str:
    left = {each: seconds.get(each, 0.0) for each in choice.left}
    dearest = sorted(left, key=lambda each: -left[each])[:3]
    return (
        f"check: {len(choice.run)} files of tests; left to make test: {len(left)} files, "
        f"of {sum(left.values()):.0f} s of a processor (most: {', '.join(dearest)}), "
        f"and tests marked {', '.join(sorted(NOT_IN_CHECK))}"
    )


def reading_steps(tiny: bool) -> Steps:
    """Return the steps that only read the sources, and the tests of the page's scripts, one after the other."""
    return {
        "style": [str(BIN / "ruff"), "check", "--quiet", "."],
        "format": [str(BIN / "ruff"), "format", "--check", "--quiet", "."],
        "templates": [str(BIN / "djlint"), "--lint", "--quiet", "templates"],
        "types": [str(BIN / "mypy"), "--no-error-summary", *(TINY_TYPES if tiny else ())],
        "eslint": ["make", "--no-print-directory", "js-lint", *(() if tiny else ("js-types",))],
        "scripts": [
            _node(),
            "--test-reporter=dot",
            "tools/script_tests.mjs",
            *(TINY_SCRIPTS if tiny else ()),
        ],
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
