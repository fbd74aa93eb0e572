"""Bands, and how sure a metric is: from the phases of a cell's runs and the measured error."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.test import Client

from playground.web import fidelity_figures
from playground.whatif import shipped
from playground.whatif.query import (
    ErrorBand,
    HeatmapQuery,
    answer,
    band,
    band_words,
    base_place,
    certainty,
    held_back,
    read_query,
)
from playground.whatif.shipped import ShippedHeatmap
from tests.web.whatif_data import heatmap, write

MEASURED = {"cells": 10, "median_pct": 20.0, "worst_pct": 40.0, "inside": 7, "tau": 0.9, "floor": 1.0}


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = {
        "measured_on": {"engine": "0.3.0", "date": "2026-01-31"},
        "reference": "RabbitMQ 3.10.8",
        "machine": "two cores",
        "phases": 5,
        "cells": [],
        "metrics": {
            "blocked_s": {**MEASURED, "verdict": "rough"},
            "peak_ram_bytes": {**MEASURED, "verdict": "none"},
        },
    }
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps(document))
    monkeypatch.setattr(fidelity_figures, "PREDICTIONS", path)


def published(phases: list[float]) -> ShippedHeatmap:
    """Return a heatmap whose first place has a run for each phase."""
    made = heatmap()
    first = made["cells"][0]
    runs = [
        [f"{n:016x}", first[1], n + 1, first[3], first[4], None, [value, *first[6][1:]], *first[7:]]
        for n, value in enumerate(phases)
    ]
    return msgspec.convert({**made, "cells": [*runs, *made["cells"][1:]]}, ShippedHeatmap)


@pytest.mark.usefixtures("measured")
def test_a_band_holds_the_phases_and_the_error_around_them() -> None:
    made = published([4.0, 6.0])
    found = band(made, list(made.cells[:2]), "blocked_s")
    assert found == ErrorBand(pytest.approx(3.2), pytest.approx(7.2))
    assert band_words(found, "blocked_s") == "3.2 to 7.2\u202fs"


@pytest.mark.usefixtures("measured")
def test_never_blocked_may_be_a_part_of_a_second() -> None:
    made = published([0.0])
    assert band(made, list(made.cells[:1]), "blocked_s") == ErrorBand(0.0, pytest.approx(0.2))


@pytest.mark.usefixtures("measured")
def test_what_is_not_predicted_has_no_error_around_it_and_says_so() -> None:
    made = published([4.0])
    found = band(made, list(made.cells[:1]), "peak_ram_bytes")
    assert found is not None
    assert found.low == found.high
    assert "not predicted" in certainty("peak_ram_bytes").words()
    assert "never compared with" in certainty("paged_out").words()


@pytest.mark.usefixtures("measured")
def test_errors_are_those_of_work_that_takes_no_time() -> None:
    path = fidelity_figures.PREDICTIONS
    document = json.loads(path.read_text())
    swept = {"blocked_s": {**document["metrics"]["blocked_s"], "worst_pct": 77.0}}
    path.write_text(json.dumps({**document, "swept": swept}))
    assert certainty("blocked_s").worst_pct == 77.0
    assert certainty("peak_ram_bytes").verdict == ""


def test_bands_that_share_a_value_are_no_cliff() -> None:
    assert ErrorBand(1, 2).apart_from(ErrorBand(2.1, 3))
    assert not ErrorBand(1, 2).apart_from(ErrorBand(2, 3))


@pytest.mark.usefixtures("measured")
def test_the_page_shows_the_answer_its_error_and_the_lines_that_set_it(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    folder = tmp_path / "heatmaps"
    folder.mkdir()
    settings.VAR_DIR = tmp_path / "var"
    monkeypatch.setattr(shipped, "DIRECTORY", folder)
    write(folder, heatmap())
    page = client.get("/whatif/", {"ram": "", "blocked": ""}).content.decode()
    assert "When will publishers be blocked?" in page
    assert ": “time publishers are blocked” is 0\u202fs (0 to 200\u202fms) instead of" in html.unescape(page)
    assert "rough: ± 20 % (median of 10 measured runs), at worst 40 %" in page
    assert "rabbitmqctl set_vm_memory_high_watermark" in page
    assert "1*</th>" in page  # a paging ratio of 1 is marked


def asked(made: dict[str, Any], **wanted: str) -> HeatmapQuery:
    known = msgspec.convert(made, ShippedHeatmap)
    return read_query({"w": "backlog-drain", **wanted}, {known.name: known})[0]


@pytest.mark.usefixtures("measured")
def test_the_answer_names_what_to_set_its_range_and_what_does_not_matter() -> None:
    made = heatmap()
    for cell in made["cells"]:
        ratio, watermark = cell[3]
        cell[6][0] = 5.0 if watermark < 0.6 else 1.0 if ratio <= 0.7 else 3.0
    [advice] = answer(asked(made))["sentences"]
    assert advice == (
        "Raise the high watermark to 0.6: “time publishers are blocked” is 1.0\u202fs (0.8 to 1.2\u202fs) instead of "
        "5.0\u202fs (4.0 to 6.0\u202fs); the paging ratio does not matter up to 0.7."
    )
    for cell in made["cells"]:
        cell[6][0] = 5.0
    [advice] = answer(asked(made))["sentences"]
    assert advice.startswith("Leave the settings as they are")
    assert "the paging ratio does not matter; the high watermark does not matter." in advice


def test_a_property_of_the_workload_is_no_advice() -> None:
    made = heatmap()
    made["axes"][0]["parameter"], made["axes"][1]["parameter"] = "consumer_rate_per_s", "message_size_bytes"
    made["home"] = {"consumer_rate_per_s": 0.5, "message_size_bytes": 0.4}
    first = answer(asked(made))
    assert "there is nothing to set" in first["sentences"][0]
    assert (first["commands"], first["conf"]) == ([], [])


def test_a_number_that_is_better_because_publishers_are_blocked_says_so() -> None:
    made = heatmap()
    for cell in made["cells"]:
        lower = cell[3][1] < 0.4
        cell[6] = [9.0 if lower else 1.0, 100 if lower else 200, *cell[6][2:]]
    query = asked(made, m="peak_ram_bytes")
    base = base_place(query)
    worse = query.heatmap.places["backlog-drain", 0.5, 0.2]
    assert "blocked publishers hold messages back: 9.0\u202fs instead of 1.0\u202fs" in held_back(
        query, base, worse
    )
    assert held_back(query, base, query.heatmap.places["backlog-drain", 0.5, 0.7]) == ""
    assert held_back(asked(made), base, worse) == "", "of the time itself"
