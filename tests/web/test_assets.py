"""Static files are collected under names that browsers may keep for ever."""

import posixpath

from playground.server.static_assets import IMPORTED, imported_first
from tests.conftest import ROOT
from tests.layering.graph import circles


def test_a_module_gets_its_name_after_those_that_it_imports() -> None:
    texts = {
        "js/page.js": 'import { a } from "./model/a.js";',
        "js/model/a.js": 'export * from "./b.js";\nconst later = () => import("../../other/c.js");',
        "js/model/b.js": 'import "./not-there.js";',
        "other/c.js": "",
        "css/page.css": "",
    }
    assert imported_first(texts) == [
        "js/model/b.js",
        "other/c.js",
        "js/model/a.js",
        "js/page.js",
        "css/page.css",
    ]


def test_modules_that_import_each_other_are_taken_once() -> None:
    texts = {"a.js": 'import "./b.js";', "b.js": 'import "./a.js";'}
    assert imported_first(texts) == ["b.js", "a.js"]


def test_no_scripts_name_each_other_so_that_all_get_their_names_in_one_pass() -> None:
    """A type as `import("./other.js").Name` in a comment is rewritten as well; `@import` in a head is not."""
    texts = {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in (ROOT / "static").rglob("*.js")
    }
    named = {
        name: {
            posixpath.normpath(posixpath.join(posixpath.dirname(name), each))
            for each in IMPORTED.findall(text)
        }
        for name, text in texts.items()
    }
    assert circles({name: named[name] & texts.keys() for name in texts}) == []


def test_style_sheets_are_taken_before_those_that_import_them() -> None:
    texts = {"css/base.css": '@import "tokens.css";', "css/tokens.css": "@font-face { src: url(a.woff2) }"}
    assert imported_first(texts) == ["css/tokens.css", "css/base.css"]
