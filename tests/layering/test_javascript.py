"""In static/js, the model and the layout compute, only the view knows the page, and imports run one way."""

import re
from collections.abc import Collection, Mapping

import pytest

from tests.layering.graph import circles
from tests.layering.javascript import MAY_IMPORT, breaches, comments, room_of
from tests.layering.sources import ROOT, file_imports

SCRIPTS = ROOT / "static" / "js"


def test_scripts_import_only_what_their_room_allows() -> None:
    found = [
        breach
        for path in sorted(SCRIPTS.rglob("*.js"))
        for breach in breaches(path.read_text(encoding="utf-8"), path.relative_to(SCRIPTS).as_posix())
    ]
    assert not found, "\n".join(["", *found])


def test_every_script_is_in_a_room_of_the_table() -> None:
    assert [name for name in file_imports("static/js") if room_of(name) not in MAY_IMPORT] == []


def test_no_scripts_import_each_other_in_a_circle() -> None:
    assert circles(file_imports("static/js")) == []
    assert circles({"a.js": {"b.js"}, "b.js": {"a.js"}, "c.js": {"a.js"}}) == [["a.js", "b.js"]]


def test_every_page_that_has_a_state_knows_all_kinds_of_queues() -> None:
    imports = file_imports("static/js")
    imported = {target for targets in imports.values() for target in targets}
    forgotten = []
    for page in sorted(set(imports) - imported):
        reached = _reached(imports, page)
        if "model/reduce.js" in reached and "generations/usual.js" not in reached:
            forgotten.append(f"{page} imports neither generations/all.js nor generations/usual.js")
        if "view/files/files.js" in reached and "generations/views.js" not in reached:
            forgotten.append(f"{page} does not import generations/views.js")
    assert not forgotten, "\n".join(["", *forgotten])


def _reached(imports: Mapping[str, Collection[str]], page: str) -> set[str]:
    reached: set[str] = set()
    waiting = [page]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += imports.get(name, ())
    return reached


def test_what_draws_and_measures_asks_the_table_for_lanes() -> None:
    """Only sentences name lanes, inside their text, so that another kind of queue is one table more."""
    spelt = [
        f"{path.relative_to(SCRIPTS)}:{number}: {line.strip()}"
        for room in ("layout", "view", "model")
        for path in sorted((SCRIPTS / room).rglob("*.js"))
        if path.parent.name != "catalogue"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(r"""["'](?:q1|q2|q3|q4)["']""", line)
    ]
    assert not spelt, "\n".join(["", *spelt])


def test_every_panel_follows_the_run_by_update() -> None:
    panels = {
        f"{path.name}: {name}": "\n  update()" in body or "\n  update =" in body
        for path in sorted((SCRIPTS / "view" / "panels").glob("*.js"))
        for name, body in re.findall(
            r"^export class (\w+)(.*?)^\}", path.read_text("utf-8"), re.DOTALL | re.MULTILINE
        )
    }
    assert len(panels) > 15
    # The one that is not a panel of its own gets the figures from the controls around it.
    assert [name for name, follows in panels.items() if not follows] == ["controls-memory.js: MemoryControls"]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("model/reduce.js", "const root = document.body;"),
        ("model/reduce.js", "if (typeof window === 'undefined') {}"),
        ("layout/scale.js", "export function width(node) { return node.querySelector('a').clientWidth; }"),
        ("layout/scale.js", "import { ink } from '../view/colors.js';"),
        ("layout/scale.js", 'const late = await import("../view/colors.js");'),
        ("model/state.js", "import { scale } from '../layout/scale.js';"),
        ("model/state.js", "import { fold } from '../elsewhere/fold.js';"),
        ("net/engine.js", "import { el } from '../view/base/dom.js';"),
        ("view/base/canvas.js", "import { StageView } from '../stage/stage.js';"),
        ("view/stage/stage.js", "import { ChartsView } from '../time/charts.js';"),
        ("view/files/files.js", "import { WhyPanel } from '../panels/why.js';"),
        ("view/panels/why.js", "import { bindKeys } from '../page/keys.js';"),
        ("view/time/charts.js", 'await import("../../../vendor/uplot/uplot.js");'),
        ("view/page/keys.js", "import { start } from '../../pages/live.js';"),
        ("model/reduce.js", "import { VERSION_1 } from '../generations/v1/model/generation.js';"),
        ("model/reduce.js", "import '../generations/all.js';"),
        ("view/files/files.js", "import { INDEX_MAP } from '../../generations/v1/view/index-map.js';"),
        ("pages/live.js", "import { VERSION_1 } from '../generations/v1/model/generation.js';"),
        ("generations/v1/model/bytes.js", "import { hexRows } from '../../../layout/hex.js';"),
        ("model/state.js", "const text = `width ${window.innerWidth}`;"),
        ("model/state.js", "globalThis.document.title = 'x';"),
    ],
)
def test_a_breach_is_found(path: str, source: str) -> None:
    assert list(breaches(source, path))


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("model/reduce.js", "// the window of the document\nimport { empty } from './state.js';"),
        ("layout/scale.js", "import { fold } from '../model/reduce.js'; /* document */"),
        ("layout/scale.js", "const label = 'window'; const at = span.location;"),
        ("layout/scale.js", "return { location: extent.location, screen: 3 };"),
        ("view/base/canvas.js", "import { fold } from '../../model/reduce.js'; document.title = 'x';"),
        (
            "view/page/keys.js",
            "import { Zoom } from '../stage/zoom.js'; import { act } from '../base/scheduler.js';",
        ),
        (
            "pages/live.js",
            "import { Zoom } from '../view/stage/zoom.js'; import { Engine } from '../net/engine.js';",
        ),
    ],
)
def test_pure_code_passes(path: str, source: str) -> None:
    assert list(breaches(source, path)) == []


ANY = re.compile(r"(?<=[{<(\[:| ])any(?=[\]\[>)}|,])")
"""The type that switches the checker off."""


def test_every_type_is_named() -> None:
    """A table whose values have no types of their own is `Values`, which the catalogue declares."""
    found = [
        f"{path.relative_to(SCRIPTS)}:{number} {line.strip()}"
        for path in sorted(SCRIPTS.rglob("*.js"))
        if path.parent.name != "catalogue"
        for number, line in comments(path.read_text(encoding="utf-8"))
        if ANY.search(line)
    ]
    assert not found, "\n".join(["", *found])
    assert [bool(ANY.search(text)) for text in ("{any} x", "{(a: any, b) => any[]}", "{boolean} any")] == [
        True,
        True,
        False,
    ]


POSITION = re.compile(r"\b(row|extent|entry|file|delta|t)\??\.?\[\d\]")
"""A field of a row read by its position; names come from static/js/model/catalogue/rows.js."""
OWN_RUNS = {"model/numbers.js", "model/unsynced.js"}
"""Their rows are no rows of the wire."""


def test_rows_are_read_by_name() -> None:
    found = [
        f"{path.relative_to(SCRIPTS)}: {line.strip()}"
        for folder in ("model", "layout", "view", "compare", "pages")
        for path in sorted((SCRIPTS / folder).rglob("*.js"))
        if path.parent.name != "catalogue" and path.relative_to(SCRIPTS).as_posix() not in OWN_RUNS
        for line in path.read_text(encoding="utf-8").splitlines()
        if POSITION.search(line)
    ]
    assert not found, "\n".join(["", *found])
