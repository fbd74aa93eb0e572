"""The what-if page beyond values: differences between views, clamps, pins, findings, the best setting, downloads."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from playground.models import Scenario
from playground.whatif import shipped, table
from playground.whatif.query import GridBounds, best_cell, feasible, read_bounds, read_query
from tests.web.test_whatif import cells
from tests.web.whatif_data import METRICS, RATIO, WATERMARK, heatmap, write


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Path:
    """Return an empty directory that takes the place of the shipped heatmaps."""
    settings.VAR_DIR = tmp_path / "var"
    monkeypatch.setattr(shipped, "DIRECTORY", tmp_path)
    return tmp_path


@pytest.fixture
def made_up(published: Path) -> dict[str, Any]:
    """Publish one made-up heatmap and its findings, and return it."""
    made = heatmap()
    write(published, made)
    (published / f"{made['name']}.findings.json").write_text(json.dumps(findings_of(made)))
    (published / f"{made['name']}.parquet").write_bytes(b"PAR1")
    return made


def findings_of(made: dict[str, Any]) -> dict[str, Any]:
    """Return findings: one cliff along the watermark, two strengths, no front."""
    cliff = [
        "backlog-drain",
        "blocked_s",
        WATERMARK,
        "0.35",
        "0.4",
        json.dumps({RATIO: 0.5}),
        9.0,
        2.5,
        -6.5,
        1,
        0.4,
    ]
    return {
        "version": 1,
        "name": made["name"],
        "aggregates": {
            "columns": ["workload", "metric", "least", "median", "greatest"],
            "rows": [["backlog-drain", "blocked_s", 0.0, 1.5, 16.4]],
        },
        "sensitivity": {
            "columns": ["workload", "metric", "parameter", "mean_range", "share"],
            "rows": [
                ["backlog-drain", "blocked_s", RATIO, 1.0, 0.12],
                ["backlog-drain", "blocked_s", WATERMARK, 8, 0.8],
            ],
        },
        "cliffs": {
            "columns": "workload metric parameter below above at before after change rank share".split(),
            "rows": [cliff],
        },
        "pareto": {"columns": ["workload", "cell_id"], "rows": []},
        "best": {"columns": ["workload"], "rows": []},
    }


def texts(page: str) -> list[str]:
    """Return the texts of all cells."""
    return [text for row in cells(page) for text in row]


def test_another_workload_can_be_taken_away(client: Client, made_up: dict[str, Any]) -> None:
    mine = cells(client.get("/whatif/?w=burst&m=paged_out").content.decode())
    page = client.get("/whatif/?w=burst&m=paged_out&minus=w:steady").content.decode()
    assert set(texts(page)) == {"0"}  # pages out the same, whatever the workload
    assert mine != cells(page)
    assert '<option value="w:steady" selected>' in page
    blocked = texts(client.get("/whatif/?w=burst&minus=w:steady").content.decode())
    assert any(text.startswith("+") for text in blocked)
    back = texts(client.get("/whatif/?w=steady&minus=w:burst").content.decode())
    assert any(text.startswith("\u2212") for text in back)


def test_lazy_minus_default_is_one_link_where_both_were_swept(client: Client, published: Path) -> None:
    write(published, heatmap("three", third_axis=True))
    page = client.get(f"/whatif/?x={RATIO}&y={WATERMARK}").content.decode()
    address = re.search(r'href="\?([^"]*minus=queue_mode%3Adefault[^"]*)"[^>]*>Lazy minus default', page)
    assert address is not None
    lazy = client.get(f"/whatif/?{address[1].replace('&amp;', '&')}").content.decode()
    assert '<option value="lazy" selected>' in lazy
    assert 'aria-current="true">Lazy minus default' in lazy
    assert set(texts(lazy)) == {"0"}


def test_nothing_can_be_taken_away_from_itself(made_up: dict[str, Any]) -> None:
    query, _notices = read_query({"w": "steady", "minus": "w:steady"}, shipped.heatmaps())
    assert query.minus is None
    assert "minus" not in query.address()


def test_a_clamp_keeps_colours_for_the_small_ones(client: Client, made_up: dict[str, Any]) -> None:
    values = [0, 1, 2, 3, 4, 5, 6, 7, 8, 1000]
    assert max(table.clamped(values, 90)) < 1000
    assert table.clamped(values, 100) == values
    assert table.clamped([0, 0, 0], 90) == [0, 0, 0]
    assert len(table.boundaries(table.clamped(values, 90))) >= 5
    page = client.get("/whatif/?clamp=90").content.decode()
    assert '<option value="90" selected>' in page
    assert cells(page) == cells(client.get("/whatif/").content.decode())  # the numbers stay


def test_pins_are_a_part_of_the_link(client: Client, made_up: dict[str, Any]) -> None:
    first, second, third = (made_up["cells"][n][0] for n in (3, 40, 200))
    page = client.get(f"/whatif/?pin={first},{second},{third},nonsense").content.decode()
    pins = page.split('class="whatif-pins"')[1].split("</ul>")[0]
    assert pins.count("<li>") == 2  # the latest two
    assert "A consumer that keeps up" in pins
    assert page.count(" pinned") >= 1
    assert "Compare A and B" in page
    assert "Compare A and B" not in client.get(f"/whatif/?pin={first}").content.decode()


@pytest.mark.django_db
def test_two_pinned_cells_open_side_by_side(client: Client, made_up: dict[str, Any]) -> None:
    a, b = made_up["cells"][3], made_up["cells"][40]
    asked = {"heatmap": made_up["name"], "a": a[0], "b": b[0]}
    response = client.post("/whatif/compare/", asked)
    kept = {each.short_id: each for each in Scenario.objects.all()}
    assert response.status_code == 302
    one, two = re.findall(r"[ab]=([2-9a-z]+)", response["Location"])
    assert (kept[one].digest, kept[two].digest) == (a[4], b[4])
    assert client.post("/whatif/compare/", {**asked, "b": "gone"}).status_code == 404
    assert client.get("/whatif/compare/").status_code == 405


def test_findings_are_written_and_marked(client: Client, made_up: dict[str, Any]) -> None:
    page = client.get("/whatif/").content.decode()
    assert "High watermark 0.35 → 0.4" in page.replace("<b>h", "<b>H")
    assert "9.0\u202fs → 2.5\u202fs" in page
    assert page.count('class="whatif-cliff top"') == 1
    cliffs = page.partition("whatif-cliff top")[2]
    assert cliffs.index("80 %") < cliffs.index("12 %")
    other = client.get("/whatif/?m=paged_out").content.decode()
    assert "whatif-cliff top" not in other
    assert "the same in every cell" in other


def test_without_findings_the_panel_says_how_to_make_them(client: Client, published: Path) -> None:
    write(published, heatmap())
    page = client.get("/whatif/").content.decode()
    assert "python -m spark_jobs analyse" in page


def test_damaged_findings_are_logged_and_left_out(
    client: Client, made_up: dict[str, Any], published: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (published / f"{made_up['name']}.findings.json").write_text("{")
    assert client.get("/whatif/").status_code == 200
    assert "findings" in caplog.text


def test_the_best_setting_keeps_the_bounds_of_the_form(client: Client, made_up: dict[str, Any]) -> None:
    known = shipped.heatmaps()[made_up["name"]]
    runs = [run for run in known.cells if run.workload == "burst"]
    found = best_cell(known, "burst", GridBounds(blocked_s=2.0, least="disk_writes"))
    kept = [each for each in runs if each.metrics is not None and (each.metrics[0] or 0) <= 2.0]
    assert found is not None
    [run] = found
    assert run.metrics is not None
    assert run.metrics[3] == min(each.metrics[3] or 0 for each in kept if each.metrics)
    page = client.get("/whatif/?w=burst&blocked=2&least=disk_writes").content.decode()
    assert "★" in page
    assert f'value="{run.cell_id}"' in page
    assert client.get("/whatif/?w=burst&blocked=0").content.decode().count("(best setting)") == 1
    never = best_cell(known, "burst", GridBounds(blocked_s=-1.0))
    assert never is None


def test_the_best_setting_is_a_cell_by_its_median_and_never_a_lucky_run(
    client: Client, published: Path
) -> None:
    made = heatmap()
    cells = made["cells"]
    for cell in cells:
        cell[6] = [2.0, 100, 50, 9]
    lucky = next(cell for cell in cells if cell[1] == "burst")
    steady = next(cell for cell in reversed(cells) if cell[1] == "burst")
    again = [copy.deepcopy(each) for each in (lucky, lucky, steady, steady)]
    for number, each in enumerate(again):
        each[0] = f"{10**6 + number:016x}"
    lucky[6] = [0.0, 100, 50, 9]
    for each in (steady, *again[2:]):
        each[6] = [1.0, 100, 50, 9]
    made["cells"] = [*cells, *again]
    write(published, made)
    known = shipped.heatmaps()[made["name"]]
    best = best_cell(known, "burst", GridBounds(ram_percent=None, blocked_s=5.0, least="blocked_s"))
    assert best is not None
    assert {run.cell_id for run in best} == {steady[0], again[2][0], again[3][0]}
    page = client.get("/whatif/?w=burst&m=blocked_s&blocked=5&least=blocked_s").content.decode()
    drawn = re.search(r'class="whatif-cell[^"]* best"[^>]*>([^<]*)<', page)
    answered = re.search(r'whatif-answer.*?<dd class="num">([^<]*)</dd>', page, re.DOTALL)
    assert drawn is not None, "the star that the legend names is drawn"
    assert answered is not None
    assert float(answered[1].split()[0]) == float(drawn[1].split()[0]) == 1.0
    assert page.count("(best setting)") == 1


@pytest.mark.parametrize(
    ("asked", "bounds"),
    [
        ({}, GridBounds()),
        ({"ram": "", "blocked": "-"}, GridBounds(ram_percent=None, blocked_s=None)),
        ({"ram": "75.5", "wait": "3", "least": "disk_writes"}, GridBounds(75.5, 0.0, 3.0, "disk_writes")),
        ({"ram": "nan", "wait": "-3", "least": "colour"}, GridBounds(None, 0.0, None, "")),
    ],
)
def test_bounds_come_from_the_address_and_go_back_into_it(asked: dict[str, str], bounds: GridBounds) -> None:
    read = read_bounds(asked, METRICS)
    assert read == bounds
    assert read_bounds({key: str(value) for key, value in read.asked().items()}, METRICS) == read


def test_where_no_run_keeps_the_usual_bounds_the_most_frugal_one_sets_them(published: Path) -> None:
    made = heatmap()
    for cell in made["cells"]:
        cell[6] = [cell[6][0] + 2, *cell[6][1:]]
    write(published, made)
    known = shipped.heatmaps()[made["name"]]
    assert best_cell(known, "burst", GridBounds()) is None
    hard = GridBounds(ram_percent=50.0, blocked_s=0.5)
    assert feasible(known, "burst", hard) == hard, "the answer says that there is none"
    usual = feasible(known, "burst", GridBounds())
    assert usual.blocked_s == 2.0
    assert best_cell(known, "burst", usual) is not None
    assert feasible(known, "no such workload", GridBounds()) == GridBounds()


def test_ones_own_sweeps_stand_behind_the_projects(
    client: Client, made_up: dict[str, Any], settings: Any
) -> None:
    own = settings.VAR_DIR / "heatmaps"
    own.mkdir(parents=True)
    mine = heatmap("mine")
    write(own, mine)
    (own / "mine.parquet").write_bytes(b"mine")
    assert list(shipped.heatmaps()) == ["paging-watermark", "mine"]
    assert client.get("/whatif/?h=mine").status_code == 200
    assert b"".join(client.get("/whatif/table.parquet?h=mine").streaming_content) == b"mine"  # type: ignore[attr-defined]


def test_the_table_of_the_sweep_can_be_downloaded(
    client: Client, made_up: dict[str, Any], published: Path
) -> None:
    response = client.get("/whatif/table.parquet")
    assert b"".join(response.streaming_content) == b"PAR1"  # type: ignore[attr-defined]
    assert response["Content-Disposition"] == 'attachment; filename="paging-watermark.parquet"'
    (published / "paging-watermark.parquet").unlink()
    assert client.get("/whatif/table.parquet").status_code == 404
