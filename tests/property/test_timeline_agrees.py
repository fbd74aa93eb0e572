"""One run has one time line, live, recorded, offline, by link, woken or forked: the dock says what the stage shows."""

from __future__ import annotations

from tests.helpers.twin import Twin
from tests.helpers.word_runs import gathered
from tools import timelines


def test_a_run_has_one_time_line_however_its_rows_came(twin: Twin) -> None:
    runs = gathered(21)
    assert sum(len(run["rows"]) for run in runs) > 1000
    twin.agrees("timeline-twin.mjs", runs)


def test_the_picture_of_the_documents_shows_one_time_line(twin: Twin) -> None:
    """As a walk found them the three differed: bursts, ramps of seconds, and one ramp over the whole run."""
    live, *others = timelines.drawn(twin.node_js)
    assert live["top"] == 52
    assert [way["layers"] for way in others] == [live["layers"]] * 2
