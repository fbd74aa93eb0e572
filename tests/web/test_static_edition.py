"""The static edition: pages in three languages from the server's own templates, with relative addresses only."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playground import library, static_edition


def test_pages_scenarios_and_scripts_are_written(tmp_path: Path) -> None:
    static_edition.write(tmp_path)
    for code in ("en", "zh-hans", "zh-hant"):
        for name in ("index.html", "play.html"):
            page = (tmp_path / code / name).read_text("utf-8")
            assert f'lang="{code}"' in page
            found = re.findall(r'(?:href|src)="([^"#?]+)', page)
            assert [
                each for each in found if each.startswith("/") and not each.startswith("/s/static/")
            ] == []
            for each in found:
                if each.startswith("../static/"):
                    assert (tmp_path / code / each).resolve().is_file(), each
    kept = {path.stem for path in (tmp_path / "en" / "data").glob("*.json")}
    assert kept == {entry.slug for entry in library.entries()} | {"free"}
    burst = json.loads((tmp_path / "en" / "data" / "first-burst.json").read_text("utf-8"))
    assert burst["scenario"]["digest"]
    assert burst["story"]["title"] == "First burst"
    assert "nothing that you do leaves it" in (tmp_path / "en" / "index.html").read_text("utf-8")
