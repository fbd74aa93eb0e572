"""Numbers that documents write of the code are those of the code; measured ones stand in docs/figures.md alone."""

import math
import re
from typing import Final

import pytest

from engine.broker.commands.settings import resolve
from engine.broker.time.process import QUANTUM_NS
from engine.broker.time.processes import REPORT_EVERY_US
from playground.classroom import rooms
from playground.exercises import catalog
from playground.hosting import pacer, pool, run, worker
from playground.offline.recording import MOST_ROWS
from playground.sessions import scenario_links, session_sockets
from playground.storybook.cards import SUBJECTS
from tests.layering.sources import ROOT
from tests.layering.tidy import LINES_IN_A_FILE

REAL, CLASSROOM = (resolve(profile, {})[1] for profile in ("real", "classroom"))
WORDS: Final = {"two": 2, "third": 3, "fourth": 4, "eight": 8, "ten": 10, "twelve": 12, "thirty": 30}

TIMETABLES: Final = [
    getattr(unit, each).timing for unit in catalog.units() for each in ("en", "zh_hans", "zh_hant")
]
(MINUTES_OF_A_UNIT,) = {int(re.findall(r"–(\d+) ", " ".join(timing))[-1]) for timing in TIMETABLES}
"""Where the timetable of every unit ends, in each language."""

NUMBERS: Final = [
    ("ARCHITECTURE.md", r"acknowledge every (\w+) frame", run.ASKED),
    ("docs/internals/time.md", r"a quantum of (\d+) ms", QUANTUM_NS / 1e6),
    ("docs/internals/time.md", r"at most (\w+) updates? a second for each process", 1e6 / REPORT_EVERY_US),
    (
        "ARCHITECTURE.md",
        r"frames of rows, at most (\d+) a second",
        1 / (math.ceil(pacer.TICK_S / worker.GRID_S) * worker.GRID_S),
    ),
    ("docs/internals/hosting.md", r"turns of (\d+) ms", worker.TURN_S * 1000),
    ("docs/internals/hosting.md", r"turn takes (\d+) s of processor time", worker.OVERRUN_S),
    ("docs/internals/hosting.md", r"could have answered for (\d+) s", pool.SILENT_S),
    ("docs/internals/hosting.md", r"to the owner \((\d+), \"moved\"\)", session_sockets.MOVED),
    ("docs/internals/classes.md", r"without one after (\w+) seconds", rooms.CHECK_S),
    ("docs/internals/links.md", r"at most ([\d ]+) characters\)", scenario_links.LONGEST),
    ("docs/internals/without-a-server.md", r"the first ([\d ]+) transitions one by one", MOST_ROWS),
    ("CONTRIBUTING.md", r"a test fails above (\d+) lines", LINES_IN_A_FILE),
    ("README.md", r"reports its rates \(after (\d+) ms\)", CLASSROOM.rate_timer_ms),
    ("README.md", r"goes to sleep \(after (\d+) ms\)", CLASSROOM.hibernate_after_ms),
    ("README.md", r"sleeps first \(after (\d+) s\)", REAL.hibernate_after_ms / 1000),
    ("README.md", r"reports later \(after (\d+) s\)", REAL.rate_timer_ms / 1000),
    ("README.md", r"(\w+) units of up to \d+ minutes", len(catalog.units())),
    ("README.md", r"units of up to (\d+) minutes", MINUTES_OF_A_UNIT),
    ("templates/exercises/units.html", r"Units of (\d+) minutes", MINUTES_OF_A_UNIT),
    ("README.md", r"(\w+) claims that articles make", len(SUBJECTS)),
    ("docs/lms.md", r"right later ([\d.]+\d)", catalog.LATER),
    ("docs/operations.md", r"closes the socket with code (\d+)", session_sockets.MOVED),
    ("docs/operations.md", r"from the database (\w+) seconds later", rooms.CHECK_S),
]
"""Document, how it writes the number (in the group), and what the code has."""


def value(written: str) -> float:
    """Return the value of a number in digits, with thousands apart, or in words."""
    return WORDS[written] if written in WORDS else float(written.replace(" ", ""))


@pytest.mark.parametrize(("path", "pattern", "in_the_code"), NUMBERS)
def test_a_number_of_a_document_is_that_of_the_code(path: str, pattern: str, in_the_code: float) -> None:
    text = re.sub(r"\s+", " ", (ROOT / path).read_text(encoding="utf-8"))
    found = [value(each) for each in re.findall(pattern, text)]
    assert found
    assert found == [pytest.approx(in_the_code)] * len(found)


def test_numbers_are_read_as_documents_write_them() -> None:
    assert [value(each) for each in ("ten", "8 000", "0.6")] == [10, 8000, 0.6]
