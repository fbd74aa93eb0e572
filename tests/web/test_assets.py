"""Static files are collected under names that browsers may keep for ever."""

from playground.server.static_assets import imported_first


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
