"""A published heatmap gets the stamp of a changed engine only after cells were run again and found equal."""

import shutil
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_jobs import restamp as restamping
from spark_jobs.dataset import known_rows
from spark_jobs.engine_build import engine_build
from spark_jobs.restamp import COMPARED, restamp
from spark_jobs.shipped import DESCRIPTIONS, PUBLISHED, _take_published
from sweeps.errors import SweepError

NAME = "several-queues"
"""The smallest of the shipped heatmaps."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory with one published heatmap whose cells an older engine computed."""
    descriptions = tmp_path / "sweeps"
    shutil.copytree(DESCRIPTIONS / NAME, descriptions / NAME)
    monkeypatch.setattr(restamping, "DESCRIPTIONS", descriptions)
    published = tmp_path / "published"
    published.mkdir()
    shutil.copyfile(PUBLISHED / f"{NAME}.parquet", published / f"{NAME}.parquet")
    _replace(published, "engine_build", "before")
    return published


def _replace(published: Path, column: str, value: object) -> None:
    path = published / f"{NAME}.parquet"
    table = pq.read_table(path)
    number = table.schema.get_field_index(column)
    field = table.schema.field(number)
    changed = table.set_column(number, field, pa.array([value] * table.num_rows, field.type))
    pq.write_table(changed, path)


def test_equal_cells_are_stamped_and_the_table_has_how_many_were_compared(
    place: Path, tmp_path: Path
) -> None:
    lines: list[str] = []
    restamp(place, 2, lines.append)
    table = pq.read_table(place / f"{NAME}.parquet")
    assert set(table.column("engine_build").to_pylist()) == {engine_build()}
    assert msgspec.json.decode(table.schema.metadata[COMPARED]) == {
        "before": ["before"],
        "after": engine_build(),
        "compared": 2,
        "cells": table.num_rows,
    }
    assert lines == [f"{NAME}: 2 of {table.num_rows} cells run again and equal; stamped {engine_build()}"]
    _take_published(place / f"{NAME}.parquet", tmp_path / "out")
    version = table.column("engine_version").to_pylist()[0]
    assert len(known_rows(str(tmp_path / "out" / "cells"), version, engine_build())) == table.num_rows


def test_a_cell_that_differs_is_never_stamped(place: Path) -> None:
    _replace(place, "paged_out", 123_456)
    with pytest.raises(SweepError, match="differs now in paged_out; compute it anew"):
        restamp(place, 1, print)
    assert set(pq.read_table(place / f"{NAME}.parquet").column("engine_build").to_pylist()) == {"before"}


def test_a_heatmap_without_a_metric_is_never_stamped(place: Path) -> None:
    path = place / f"{NAME}.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["fsyncs"]), path)
    with pytest.raises(SweepError, match="lacks the metric fsyncs"):
        restamp(place, 1, print)
