"""In static/js, the model and the layout compute; only the view knows the page."""

import pytest

from tests.layering.javascript import breaches
from tests.layering.sources import ROOT

SCRIPTS = ROOT / "static" / "js"


def test_model_and_layout_know_no_page() -> None:
    found = [
        breach
        for path in sorted(SCRIPTS.rglob("*.js"))
        for breach in breaches(path.read_text(encoding="utf-8"), path.relative_to(SCRIPTS).as_posix())
    ]
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("model/reduce.js", "const root = document.body;"),
        ("model/reduce.js", "if (typeof window === 'undefined') {}"),
        ("layout/scale.js", "export function width(node) { return node.querySelector('a').clientWidth; }"),
        ("layout/scale.js", "import { ink } from '../view/colors.js';"),
        ("layout/scale.js", 'const late = await import("../view/colors.js");'),
        ("model/state.js", "import { scale } from '../layout/scale.js';"),
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
        ("view/canvas.js", "import { fold } from '../model/reduce.js'; document.title = 'x';"),
    ],
)
def test_pure_code_passes(path: str, source: str) -> None:
    assert list(breaches(source, path)) == []
