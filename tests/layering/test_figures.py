"""The page of figures is what the measurements say."""

import json
import shutil
from pathlib import Path

from tests.layering.sources import ROOT
from tools import figures


def test_the_page_of_figures_is_what_was_measured() -> None:
    assert (ROOT / figures.PAGE).read_text(encoding="utf-8") == figures.page(ROOT), "python -m tools.figures"


def test_another_measurement_is_another_page(tmp_path: Path) -> None:
    (tmp_path / "bench").mkdir()
    (tmp_path / "tests").mkdir()
    shutil.copytree(ROOT / figures.PROOFS, tmp_path / figures.PROOFS)
    results = json.loads((ROOT / figures.BENCHES).read_text(encoding="utf-8"))
    results["burst"]["ledger_messages_per_s"] = 1234567
    (tmp_path / figures.BENCHES).write_text(json.dumps(results), encoding="utf-8")
    reached = {"measured_on": {"engine": "9.9"}, "parts": {"engine": 99.5}}
    (tmp_path / figures.COVERAGE).write_text(json.dumps(reached), encoding="utf-8")
    page = figures.page(tmp_path)
    assert "| 1 234 567 |" in page
    assert "Engine 9.9." in page
    assert "| lines and branches of `engine` that tests reach without browser and Spark | 99.5 % |" in page
