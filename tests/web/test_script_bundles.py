"""Scripts and style sheets that are put together for pages."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from playground.server import static_assets
from playground.server.static_assets import IMPORTED, bundle, entries, imported_first

MOST_FILES = {False: 16, True: 24}
"""Scripts of one page: of the server, and of the edition without one."""


@pytest.fixture(scope="module", params=[False, True])
def edition(request: pytest.FixtureRequest) -> bool:
    """Return whether it is the edition without a server."""
    return bool(request.param)


@pytest.fixture(scope="module")
def bundled(repo_root: Path, tmp_path_factory: pytest.TempPathFactory, edition: bool) -> Path:
    """Return a directory with all bundles."""
    out = tmp_path_factory.mktemp("bundles") / "out"
    sources = repo_root / "static"
    written = bundle(entries(repo_root / "templates", sources, edition), sources, out)
    assert {"js/pages/live.js", "css/session.css"} <= set(written)
    return out


def test_each_script_that_a_template_names_is_put_together(repo_root: Path) -> None:
    """What only the edition without a server has is left to it, and so is what is no module."""
    names = entries(repo_root / "templates", repo_root / "static")
    assert {"js/pages/base.js", "js/pages/live.js", "js/whatif/page.js", "css/session.css"} <= set(names)
    assert not [
        name
        for name in names
        if (name.startswith("js/edition/") and name not in static_assets.SERVED)
        or not (repo_root / "static" / name).is_file()
    ]
    assert set(names) >= static_assets.SERVED


def test_the_edition_names_no_script_that_it_leaves_out(repo_root: Path, tmp_path: Path) -> None:
    """One that is not there would fail them all, and the edition would serve hundreds of files one by one."""
    assert entries(repo_root / "templates", tmp_path, edition=True) == []


def test_a_page_loads_a_dozen_scripts(bundled: Path, edition: bool) -> None:
    texts = {
        path.relative_to(bundled).as_posix(): path.read_text(encoding="utf-8")
        for path in bundled.rglob("*.js")
    }
    for page in (name for name in texts if "chunks" not in name):
        needed: set[str] = set()
        wanted = [page]
        while wanted:
            name = wanted.pop()
            needed.add(name)
            found = {str(Path(name).parent.joinpath(each)) for each in IMPORTED.findall(texts[name])}
            named = {str((bundled / each).resolve().relative_to(bundled.resolve())) for each in found}
            wanted.extend(named - needed)
        assert len(needed) <= MOST_FILES[edition], (page, sorted(needed))


def test_names_of_bundles_settle_in_one_pass(bundled: Path) -> None:
    texts = {
        path.relative_to(bundled).as_posix(): path.read_text(encoding="utf-8")
        for path in bundled.rglob("*.js")
    }
    assert sorted(imported_first(texts)) == sorted(texts)


def test_a_style_sheet_holds_what_it_imports(bundled: Path) -> None:
    text = (bundled / "css" / "session.css").read_text(encoding="utf-8")
    assert "@import" not in text
    assert ".uplot" in text


def test_without_a_bundler_there_are_no_bundles(repo_root: Path, tmp_path: Path, settings: object) -> None:
    settings.BASE_DIR = tmp_path  # type: ignore[attr-defined]
    assert bundle(["js/pages/live.js"], repo_root / "static", tmp_path / "out") == []


def test_what_cannot_be_bundled_is_served_one_by_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, repo_root: Path
) -> None:
    (tmp_path / "broken.js").write_text("import {")
    logging.getLogger(static_assets.__name__).propagate = True
    assert bundle(["broken.js"], tmp_path, tmp_path / "out") == []
    assert "one by one" in caplog.text
