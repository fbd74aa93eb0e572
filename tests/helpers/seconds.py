"""What tests took where all of them ran: the longest begin first, and `make check` takes the quickest.

`make test PYTEST_ARGS=--record-seconds` writes it anew.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
KEPT: Final = ROOT / "tests" / "seconds.json"
LONG_S: Final = 5.0
"""A test that takes longer is kept with its name."""
NOT_IN_CHECK: Final = frozenset({"soak", "browser", "spark", "slow", "hypothesis"})
"""Marks of tests that `make check` leaves out of a file that it runs."""
PROPERTY: Final = "processor_s"


class TestSeconds(NamedTuple):
    """Seconds as they were kept.

    Args:
        files: of each file of tests the processor's, of all that `make check` may run in it.
        long_tests: of each test that takes long the clock's, with all that it waits for.
    """

    files: Mapping[str, float]
    long_tests: Mapping[str, float]


def kept_seconds() -> TestSeconds:
    """Return the seconds that were kept."""
    return TestSeconds(**json.loads(KEPT.read_text(encoding="utf-8")))


def processor_seconds() -> float:
    """Return what this process, and those that it started and that have ended, took of the processors."""
    return sum(os.times()[:4])


class SecondsRecorder:
    """A plugin that measures each test, and writes the sums at the end.

    Args:
        writes: whether this process hears of all tests: in a run with workers only the one that leads them.
    """

    def __init__(self, writes: bool) -> None:
        self._writes = writes
        self._began = 0.0
        self._files: defaultdict[str, float] = defaultdict(float)
        self._tests: defaultdict[str, float] = defaultdict(float)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        """Note where a test begins."""
        self._began = processor_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Send along what the test took, when it has ended."""
        report = yield
        if call.when == "teardown":
            report.user_properties.append((PROPERTY, processor_seconds() - self._began))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up what comes."""
        self._tests[report.nodeid] += report.duration
        if NOT_IN_CHECK.isdisjoint(report.keywords):
            took = sum(float(str(value)) for name, value in report.user_properties if name == PROPERTY)
            self._files[report.nodeid.partition("::")[0]] += took

    def pytest_sessionfinish(self) -> None:
        """Put the sums of this run in the place of those that were kept of the same files and tests."""
        if self._writes:
            before = kept_seconds()
            long = {name: took for name, took in self._tests.items() if took > LONG_S}
            old = {name: took for name, took in before.long_tests.items() if name not in self._tests}
            write_seconds({**before.files, **self._files}, {**old, **long})


def write_seconds(files: Mapping[str, float], long_tests: Mapping[str, float]) -> None:
    """Keep the seconds of all files that are there, the dearest first."""
    there = {each.relative_to(ROOT).as_posix() for each in (ROOT / "tests").rglob("test_*.py")}
    kept: dict[str, Any] = {
        name: {
            test: round(took, 1)
            for test, took in sorted(seconds.items(), key=lambda item: -item[1])
            if test.partition("::")[0] in there
        }
        for name, seconds in (("files", files), ("long_tests", long_tests))
    }
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
