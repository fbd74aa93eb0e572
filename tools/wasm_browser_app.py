"""What the browser's app of the static edition needs in a browser: Django's templates, ours, the texts, and data."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
DATA: Final = (
    *("docs/rules/*.md", "fidelity/*.json", "templates/**/*.html", "locale/*/LC_MESSAGES/django.mo"),
    *("playground/exercises/data/**/*.toml", "playground/heatmaps/*.json", "playground/scenarios/*.json"),
    *("playground/storybook/*.json", "playground/verdicts/**/*.json"),
)
DJANGO: Final = ("en", "zh_Hans", "zh_Hant")
PACKAGES: Final = (
    "django",
    "asgiref",
    "sqlparse",
    "markdown_it",
    "mdurl",
    "playground",
    "engine",
    "sweeps",
    "workloads",
)
TRACE: Final = """
import json, sys
from pathlib import Path
root = Path(sys.argv[1])
sys.path.insert(0, sys.argv[2])
sys.modules.update(dict.fromkeys(("numpy", "greenlet", "orjson", "sqlite3", "_sqlite3")))
from playground.browser_app import begin
begin(root)
from playground.browser_app import browser_app
from playground.whatif.shipped import heatmaps
ask = lambda **question: json.loads(browser_app.ask(json.dumps(question)))
shown = ask(q="task", exercise=sys.argv[3], lang="zh-hans")
assert shown["scenario"] and "<section" in shown["html"], shown
for question in ({"q": "whatif", "query": ""}, {"q": "library", "query": ""}, {"q": "rules", "query": "q=Q3"}):
    assert "<" in ask(**question, lang="zh-hant")["html"]
packed = ask(q="share", scenario=shown["scenario"])["packed"]
assert ask(q="link", packed=packed)["scenario"] == shown["scenario"]
cell = next(iter(heatmaps()["ram-rate"].runs))
assert ask(q="cell", heatmap="ram-rate", cell=cell)["scenario"]["digest"]
sweep = ask(q="sweep", kind="perf-test", text="perf-test --rate 9 --time 1", x="queue_mode", y="persistent")["sweep"]
row = ask(q="sweep_row", sweep=sweep, number=0)["row"]
assert row["digest"], row
assert ask(q="kept", scenario=shown["scenario"], story=None, made_with="")["scenario"]
for module in list(sys.modules.values()):
    if getattr(module, "__file__", None):
        print(module.__name__, module.__file__)
"""
"""Asks one question of each kind where there is no server, and prints what it needed."""


def files(exercise: str) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file; `exercise` is asked for once to see what that needs."""
    with tempfile.TemporaryDirectory(prefix="waterline-browser-app-") as folder:
        root = Path(folder)
        for name, data in _data():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            yield name, data
        yield from _modules(root, exercise)


def _data() -> Iterator[tuple[str, bytes]]:
    import django  # noqa: PLC0415 - set up by now
    from django.conf import settings  # noqa: PLC0415

    for pattern in DATA:
        for path in sorted(ROOT.glob(pattern)):
            yield path.relative_to(ROOT).as_posix(), path.read_bytes()
    own = Path(django.__file__).parent
    for code in DJANGO:
        path = own / "conf" / "locale" / code / "LC_MESSAGES" / "django.mo"
        yield path.relative_to(own.parent).as_posix(), path.read_bytes()
    yield "addresses.json", json.dumps(list(_addresses())).encode()
    yield "limits.json", json.dumps(settings.WATERLINE).encode()


def _addresses() -> Iterator[tuple[str, str, bool]]:
    """Yield each address of the edition: its name, its pattern, and whether that is a regular expression."""
    from django.urls import get_resolver  # noqa: PLC0415
    from django.urls.resolvers import RegexPattern, URLPattern  # noqa: PLC0415

    def walk(patterns: list[Any], before: str) -> Iterator[tuple[str, str, bool]]:
        for each in patterns:
            part = str(each.pattern)
            if not isinstance(each, URLPattern):
                yield from walk(each.url_patterns, before + part)
            elif each.name and isinstance(each.pattern, RegexPattern):
                yield each.name, f"^{before}{part.removeprefix('^')}", True
            elif each.name:
                yield each.name, before + part, False

    yield from walk(get_resolver("playground.static_edition.write").url_patterns, "")


def _modules(root: Path, exercise: str) -> Iterator[tuple[str, bytes]]:
    """Yield the modules that answering needs, of Django and of ours."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    traced = subprocess.run(
        [sys.executable, "-c", TRACE, str(root), str(ROOT), exercise],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if traced.returncode:
        raise SystemExit(f"the browser's app cannot be packed:\n{traced.stderr[-3000:]}")
    rows = (line.partition(" ") for line in traced.stdout.splitlines())
    for name, path in sorted({(name, path) for name, _space, path in rows if path.endswith(".py")}):
        if name.partition(".")[0] in PACKAGES:
            inside = name.replace(".", "/") + ("/__init__.py" if path.endswith("__init__.py") else ".py")
            yield inside, Path(path).read_bytes()
    shutil.rmtree(root / "playground" / "__pycache__", ignore_errors=True)
