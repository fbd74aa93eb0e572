"""Templates lie in a folder that is called like the feature they belong to, so that both are found by one word."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.layering.sources import ROOT

TEMPLATES = ROOT / "templates"
NAMED = re.compile(r"[\"']([a-z_]+)/[a-z_/]+\.html[\"']")


def homes(folder: str) -> Iterator[Path]:
    """Yield where the Python of a folder of templates may lie; the site's own pages are views of `playground`."""
    yield ROOT / "playground" / ("views" if folder == "playground" else folder)
    yield ROOT / "playground" / "views" / f"{folder}.py"


def modules(place: Path) -> list[Path]:
    return sorted(place.rglob("*.py")) if place.is_dir() else [place] * place.exists()


def test_a_folder_of_templates_is_called_like_its_feature() -> None:
    folders = sorted(path.name for path in TEMPLATES.iterdir() if path.is_dir())
    assert "whatif" in folders
    lost = [
        folder
        for folder in folders
        if not any(
            folder in NAMED.findall(module.read_text(encoding="utf-8"))
            for place in homes(folder)
            for module in modules(place)
        )
    ]
    assert not lost, "no module of a feature of that name has a template there"


def test_a_template_that_is_named_is_there() -> None:
    names = re.compile(r"[\"']([a-z_]+/[a-z_/]+\.html)[\"']")
    texts = [*(ROOT / "playground").rglob("*.py"), *TEMPLATES.rglob("*.html")]
    named = {name for path in texts for name in names.findall(path.read_text(encoding="utf-8"))}
    folders = {path.name for path in TEMPLATES.iterdir()}
    assert not [
        each for each in sorted(named) if each.split("/")[0] in folders and not (TEMPLATES / each).exists()
    ]
