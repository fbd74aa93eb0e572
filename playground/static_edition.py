"""python -m playground.static_edition DIST: the library and the playground as files for any static host.

Pages come from the same templates as the server's; sessions run in the reader's browser. `make static` adds the engine.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any, Final

FREE: Final[dict[str, Any]] = {
    "version": 1,
    "title": "",
    "profile": "classroom",
    "commands": [],
    "until_us": 0,
    "seed": 1,
}
LEFT_OUT: Final = ("classroom", "exercises", "whatif", "compare")
"""Folders of scripts that only pages with a server use."""


def write(out: Path) -> None:
    """Write all pages, in every language."""
    from django.conf import settings  # noqa: PLC0415 - the settings are named by now
    from django.utils import translation  # noqa: PLC0415

    shutil.copytree(
        settings.BASE_DIR / "static",
        out / "static",
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns(*LEFT_OUT),
    )
    for code, _name in settings.LANGUAGES:
        with translation.override(code):
            _write_language(out / code)
    (out / "index.html").write_text(
        '<!doctype html><meta charset="utf-8"><title>Waterline</title>'
        '<meta http-equiv="refresh" content="0; url=en/index.html"><a href="en/index.html">Waterline</a>\n',
        "utf-8",
    )


def _write_language(folder: Path) -> None:
    from django.template.loader import render_to_string  # noqa: PLC0415

    from playground import library  # noqa: PLC0415
    from playground.doors import door  # noqa: PLC0415
    from playground.storybook.texts import in_language, localized  # noqa: PLC0415
    from playground.web import live_page  # noqa: PLC0415

    (folder / "data").mkdir(parents=True, exist_ok=True)
    cards = []
    runs: list[tuple[str, Any, dict[str, Any] | None]] = [("free", door().check(FREE), None)]
    for entry in library.entries():
        story = entry.story_json()
        runs.append((entry.slug, entry.run, localized(story) if story else None))
        told = {name: in_language(getattr(entry.story, name)) for name in ("question", "watch_for")}
        cards.append({"slug": entry.slug, "title": entry.title, **told})
    for slug, scenario, shown in runs:
        title = shown["title"] if shown else scenario["title"]
        data = {"scenario": scenario, "story": shown, "title": title or "Waterline"}
        (folder / "data" / f"{slug}.json").write_text(json.dumps(data, ensure_ascii=False), "utf-8")
    context = {"base_template": "static_edition/base.html", "csrf_token": "static", "engine": door().version}
    pages = {
        "index.html": render_to_string("static_edition/index.html", {**context, "cards": cards}),
        "play.html": render_to_string("static_edition/play.html", {**context, **_live()}),
    }
    for name, page in pages.items():
        (folder / name).write_text(page.replace('"/static/', '"../static/'), "utf-8")
    (folder / "catalog.js").write_text(live_page.script_texts(), "utf-8")


def _live() -> dict[str, object]:
    """Return what the live page's template needs; the scenario and its story come with the page's address."""
    from playground.web import live_page  # noqa: PLC0415

    data = {
        "story": {"title": "Waterline"},
        "place": {"at_us": None, "number": None, "msg": None, "view": ""},
        "urls": {**live_page.NOWHERE, "past": "#"},
    }
    return live_page.context_of("static", FREE, data)


def main(arguments: list[str] | None = None) -> int:
    """Write the pages."""
    parser = argparse.ArgumentParser(prog="python -m playground.static_edition", description=__doc__)
    parser.add_argument("out", type=Path)
    out: Path = parser.parse_args(arguments).out
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
    import django  # noqa: PLC0415

    django.setup()
    write(out)
    sys.stdout.write(f"{out}: {sum(1 for each in out.rglob('*') if each.is_file())} files\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
