"""The what-if page: reading heatmaps, asking for views, opening cells."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from playground.models import Session
from playground.records import kept_runs
from playground.whatif import shipped, table
from playground.whatif.shipped import NumberUnit
from tests.web import whatif_data
from tests.web.whatif_data import RATIO, WATERMARK, heatmap, write

HTMX = {"HX-Request": "true"}


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Path:
    """Return an empty directory that takes the place of the shipped heatmaps."""
    folder = tmp_path / "heatmaps"
    folder.mkdir()
    settings.VAR_DIR = tmp_path / "var"
    monkeypatch.setattr(shipped, "DIRECTORY", folder)
    return folder


@pytest.fixture
def made_up(published: Path) -> dict[str, Any]:
    """Publish one made-up heatmap and return it."""
    made = heatmap()
    write(published, made)
    return made


def cells(page: str) -> list[list[str]]:
    """Return the texts of the heatmap's cells, row by row from the top."""
    body = page.split('<tbody role="rowgroup">')[1].split("</tbody>", maxsplit=1)[0]
    return [re.findall(r'">([^<]*)</button>', row) for row in body.split("</tr>")[:-1]]


# --- the page ---


def test_the_page_shows_every_cell_as_a_number(client: Client, made_up: dict[str, Any]) -> None:
    response = client.get("/whatif/")
    shown = cells(response.content.decode())
    assert response.status_code == 200
    assert [len(row) for row in shown] == [14] * 11
    assert shown[0][0] == "0"  # high watermark on top
    worst = whatif_data.metrics(1.0, 0.2, 1.0)[0]
    assert shown[-1][-1] == shipped.short(worst, NumberUnit(1, "s"))


def test_a_metric_and_swapped_axes_are_a_link(client: Client, made_up: dict[str, Any]) -> None:
    shown = cells(client.get(f"/whatif/?m=disk_writes&x={WATERMARK}&y={RATIO}").content.decode())
    assert [len(row) for row in shown] == [11] * 14
    ratio_on_top, lowest_watermark = 1.0, 0.2
    value = whatif_data.metrics(ratio_on_top, lowest_watermark, 1.0)[3]
    assert shown[0][0] == shipped.grouped(int(value))


def test_a_picker_that_takes_the_other_axis_swaps_them(client: Client, made_up: dict[str, Any]) -> None:
    asked = {"x": WATERMARK, "y": WATERMARK, "was_x": RATIO, "was_y": WATERMARK}
    response = client.get("/whatif/", asked, headers=HTMX)
    assert f"x={WATERMARK}&y={RATIO}" in response["HX-Push-Url"]
    asked = {"x": RATIO, "y": RATIO, "was_x": RATIO, "was_y": WATERMARK}
    assert f"x={WATERMARK}&y={RATIO}" in client.get("/whatif/", asked, headers=HTMX)["HX-Push-Url"]


def test_htmx_gets_the_part_that_changes(client: Client, made_up: dict[str, Any]) -> None:
    fragment = client.get("/whatif/?m=paged_out", headers=HTMX)
    page = fragment.content.decode()
    assert page.startswith('<div class="whatif"')
    assert "<html" not in page
    assert fragment["HX-Push-Url"].startswith("/whatif/?h=paging-watermark&w=backlog-drain&m=paged_out")
    assert "HX-Request" in fragment["Vary"]
    whole = client.get(fragment["HX-Push-Url"]).content.decode()
    assert "<html" in whole
    assert cells(whole) == cells(page)


def test_a_third_swept_parameter_is_fixed_by_a_picker(client: Client, published: Path) -> None:
    write(published, heatmap("three", third_axis=True))
    page = client.get(f"/whatif/?x={RATIO}&y={WATERMARK}&at_queue_mode=lazy").content.decode()
    assert '<option value="lazy" selected>' in page
    by_mode = client.get("/whatif/?x=queue_mode").content.decode()
    assert [len(row) for row in cells(by_mode)] == [2] * 11


def test_differences_are_signed_and_zero_at_the_defaults(client: Client, made_up: dict[str, Any]) -> None:
    page = client.get("/whatif/?m=peak_ram_bytes&mode=difference").content.decode()
    home = re.search(r'<button\s+class="whatif-cell\s+(\w+)\s+home[^>]*>([^<]*)<', page)
    assert home is not None
    assert home.groups() == ("d4", "0")
    assert "+" in cells(page)[0][-1]


def test_the_borders_of_blocking_and_paging_are_drawn(client: Client, made_up: dict[str, Any]) -> None:
    page = client.get("/whatif/").content.decode()
    assert "blocked-right" in page
    assert "blocked-top" in page
    assert "paging-right" in page
    assert "publishers become blocked" in page


def test_a_failed_cell_is_marked_and_the_rest_is_there(client: Client, published: Path) -> None:
    write(published, heatmap(fail=0))
    page = client.get("/whatif/").content.decode()
    assert cells(page)[-1][0] == "×"
    assert "out of paper" in page


def test_everything_can_be_read_without_a_script(client: Client, made_up: dict[str, Any]) -> None:
    page = client.get("/whatif/").content.decode()
    assert "<details" in page  # the twin: a plain table
    assert 'role="grid"' in page
    assert "paging ratio 0.5, high watermark 0.4: " in page  # each cell says where it is
    assert "<noscript><button" in page
    assert " style=" not in page  # the content security policy allows none
    assert "<script>" not in page


def test_a_stale_link_says_what_it_shows_instead(client: Client, made_up: dict[str, Any]) -> None:
    response = client.get("/whatif/?h=gone&w=<b>&m=nothing")
    page = response.content.decode()
    assert response.status_code == 200
    assert page.count('class="whatif-notice') == 3
    assert "<b>" not in page.split("whatif-notice")[2]


def test_without_heatmaps_the_page_says_how_to_make_them(client: Client, published: Path) -> None:
    response = client.get("/whatif/")
    assert response.status_code == 503
    assert "make heatmaps" in response.content.decode()


def test_a_damaged_file_is_logged_and_left_out(
    client: Client, made_up: dict[str, Any], published: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (published / "a-broken.json").write_text("{")
    assert client.get("/whatif/").status_code == 200
    assert "a-broken.json" in caplog.text


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_the_page_is_for_reading(client: Client, made_up: dict[str, Any], method: str) -> None:
    assert getattr(client, method)("/whatif/").status_code == 405


def test_csv_holds_every_run_of_the_workload(client: Client, made_up: dict[str, Any]) -> None:
    response = client.get("/whatif/table.csv?w=burst")
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert response["Content-Disposition"] == 'attachment; filename="paging-watermark-burst.csv"'
    assert len(rows) == 14 * 11
    first = next(each for each in made_up["cells"] if each[1] == "burst")
    assert rows[0][RATIO] == str(first[3][0])
    assert rows[0]["digest"] == first[4]
    assert float(rows[0]["peak_ram_bytes"]) == first[6][1]


# --- opening a cell ---


@pytest.mark.django_db
def test_a_cell_opens_its_very_run_with_its_digest(client: Client, made_up: dict[str, Any]) -> None:
    cell = made_up["cells"][20]
    view = f"h={made_up['name']}&m=blocked_s"
    response = client.post("/whatif/open/", {"heatmap": made_up["name"], "cell": cell[0], "view": view})
    session = Session.objects.select_related("origin").get()
    series, until_us = cell[8], session.scenario["until_us"]
    peak_us = min(until_us * (series.index(max(series)) + 1) // len(series), until_us - 1_000_000)
    assert response["Location"].startswith(f"/s/{session.public_id}/?at={peak_us}&cell=")
    page = client.get(response["Location"]).content.decode()
    assert "where memory peaks" in page, "what to watch for"
    back = f'href="/whatif/?{view}#cell-{cell[0]}"'.replace("&", "&amp;")
    assert back in page, "the way back"
    assert session.reached_us == peak_us, "a cell opens at its interesting second"
    ratio, watermark = cell[3]
    assert session.scenario["settings"] == {"ram_bytes": 268_435_456, RATIO: ratio, WATERMARK: watermark}
    assert session.scenario["digest"] == cell[4]
    assert session.origin is not None
    assert session.origin.engine_version == made_up["engine_version"]
    assert session.scenario["title"] == "backlog-drain: paging ratio 0.2, high watermark 0.65"
    assert kept_runs.owns(client.session, session.public_id)


@pytest.mark.django_db
def test_cells_that_cannot_be_opened_say_why(client: Client, published: Path) -> None:
    made = heatmap(fail=3)
    write(published, made)
    gone = client.post("/whatif/open/", {"heatmap": made["name"], "cell": "f" * 16})
    assert gone.status_code == 404
    assert "computed again" in gone.content.decode()
    failed = client.post("/whatif/open/", {"heatmap": made["name"], "cell": made["cells"][3][0]})
    assert failed.status_code == 409
    assert "out of paper" in failed.content.decode()
    assert client.post("/whatif/open/", {}).status_code == 404
    assert client.get("/whatif/open/").status_code == 405
    assert not Session.objects.exists()


def test_opening_needs_our_own_form(made_up: dict[str, Any]) -> None:
    stranger = Client(enforce_csrf_checks=True)
    answer = stranger.post("/whatif/open/", {"heatmap": made_up["name"], "cell": made_up["cells"][0][0]})
    assert answer.status_code == 403


# --- numbers and colours ---


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0, NumberUnit(1, "s"), "0"),
        (0.004, NumberUnit(1, "s"), "<0.1"),
        (2.84, NumberUnit(1, "s"), "2.8"),
        (9.97, NumberUnit(1, "s"), "10"),
        (1234567, NumberUnit(1, ""), "1\u202f234\u202f567"),
        (3 * 1024**2, NumberUnit(1024**2, "MiB"), "3.0"),
    ],
)
def test_numbers_in_cells_are_short(value: float, unit: NumberUnit, text: str) -> None:
    assert shipped.short(value, unit) == text


def test_settings_are_written_as_people_write_them() -> None:
    assert shipped.setting("message_size_bytes", 4096) == "4\u202fKiB"
    assert shipped.setting("message_size_bytes", 4092) == "4\u202f092\u202fB"
    assert shipped.setting(RATIO, 0.5) == "0.5"
    assert shipped.setting("consumer_rate_per_s", 1200) == "1\u202f200\u202f/s"
    assert shipped.setting("persistent", True) == "persistent"


def test_zero_has_a_colour_of_its_own() -> None:
    edges = table.boundaries([0, 1, 5, 10])
    assert table.step_of(0, edges) == 0
    assert table.step_of(0.01, edges) == 1
    assert table.step_of(10, edges) == 8


@pytest.mark.parametrize(
    "values",
    [[1, 2], [100, 101, 150], [0.001, 5000], [0, 3, 3], [7.5, 8.25, 9], list(range(1, 500)), [0, 1e-9, 1e9]],
)
def test_scales_ascend_and_use_both_ends(values: list[float]) -> None:
    edges = table.boundaries(values)
    steps = [table.step_of(value, edges) for value in sorted(values)]
    assert edges == sorted(set(edges))
    assert len(edges) <= 8
    assert steps == sorted(steps)
    assert steps[0] == 0
    assert steps[-1] == len(edges)


def test_equal_values_need_no_scale() -> None:
    assert table.boundaries([4, 4, 4]) == []
    assert table.boundaries([]) == []
    assert table.difference_edges([0, 0]) == []


def test_differences_are_symmetric_around_the_middle_colour() -> None:
    edges = table.difference_edges([-50, 0, 10])
    assert [table.difference_step(value, edges) for value in (-50, 0, 50)] == [0, 4, 8]
