"""What nothing uses goes; what is called by a name that is made up on the way has its reason on a list."""

import functools
from pathlib import Path

from tests.layering import dead_code
from tests.layering.sources import ROOT


@functools.cache
def scripts() -> dict[str, str]:
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in (ROOT / "static" / "js").rglob("*.js")
    }


@functools.cache
def unused() -> list[tuple[str, str]]:
    return [*dead_code.in_python(ROOT), *dead_code.in_javascript(scripts())]


def test_nothing_is_defined_that_nothing_uses() -> None:
    found = [f"{path}: {name}" for path, name in unused() if dead_code.reason(path, name) is None]
    assert not found, "\n".join(["nothing but a test uses", *found])


def test_every_exception_is_still_needed() -> None:
    reasons = {dead_code.reason(path, name) for path, name in unused()}
    assert [why for _, _, why in dead_code.ALLOWED if why not in reasons] == []


def test_what_is_exported_is_imported() -> None:
    readers = [*ROOT.glob("templates/**/*.html"), *ROOT.glob("tests/**/*.py"), *ROOT.glob("bench/**/*.*")]
    readers += [*ROOT.glob("tests/js/*.*js"), *ROOT.glob("tools/**/*.py"), *ROOT.glob("tools/*.mjs")]
    others = [path.read_text("utf-8") for path in readers if path.suffix in {".html", ".py", ".js", ".mjs"}]
    assert list(dead_code.exported_in_vain(scripts(), others)) == []


def test_an_export_in_vain_is_found() -> None:
    one = "export const used = 1;\nexport const own = 2;\nexport function inTests() {\n  return own;\n}\n"
    other = 'import { used } from "./a.js";\n// own\n'
    assert list(dead_code.exported_in_vain({"a.js": one, "b.js": other}, ["m.inTests()"])) == [
        ("a.js", "own")
    ]


def test_dead_python_is_found(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "page.html").write_text("{{ thing.shown }}")
    (tmp_path / "part.py").write_text(
        "class Thing:\n    def shown(self): ...\n    def dead(self): ...\n\n\ndef lost(): ...\n\n\nprint(Thing())\n"
    )
    assert sorted(dead_code.in_python(tmp_path, ["part.py"])) == [("part.py", "dead"), ("part.py", "lost")]


def test_dead_javascript_is_found() -> None:
    one = "// lost\nexport const used = 1;\nexport function lost(at) {\n  return used;\n}\n"
    other = "class Box {\n  open() {\n  }\n  #shut() {\n  }\n}\nnew Box().open();\n"
    assert sorted(dead_code.in_javascript({"a.js": one, "b.js": other})) == [
        ("a.js", "lost"),
        ("b.js", "#shut"),
    ]
