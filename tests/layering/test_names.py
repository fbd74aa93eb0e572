"""Functions are named by verbs that can be searched for, and seven words have one meaning each."""

import pytest

from tests.layering import names, tidy
from tests.layering.sources import ROOT, python_files
from tests.layering.test_tidy import OWN_PYTHON

SOURCES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [*python_files(*OWN_PYTHON), *tidy.own_scripts(ROOT)]
    if path.suffix in {".py", ".js"} and "migrations" not in path.parts and "tests" not in path.parts
}


OTHERS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for pattern in (
        "tests/**/*.py",
        "tests/**/*.js",
        "tests/**/*.mjs",
        "templates/**/*.html",
        "static/css/*.css",
        "static/js/**/*.d.ts",
    )
    for path in sorted(ROOT.glob(pattern))
}
"""Tests, templates, style sheets and declarations of types."""


def test_names_are_of_the_domain() -> None:
    found = [
        breach for path, source in (SOURCES | OTHERS).items() for breach in names.empty_verbs(source, path)
    ]
    assert not found, "\n".join(["", *found])


def test_scripts_and_styles_are_no_people() -> None:
    found = [
        breach
        for path, source in (SOURCES | OTHERS).items()
        if path.startswith(("static/js/", "static/css/"))
        for breach in names.of_people(source, path)
    ]
    assert not found, "\n".join(["", *found])


def test_a_word_has_one_meaning() -> None:
    there = {path.rpartition("/")[2] for path in SOURCES if not path.startswith("bench/")}
    there |= {each for path, source in SOURCES.items() for each in names.classes_of(source, path)}
    found = list(names.second_meanings(there))
    assert not found, "\n".join(["", *found])
    assert [each for word in names.WORDS.values() for each in word.names if each not in there] == []


def test_no_name_is_given_twice() -> None:
    found = [breach for path, source in SOURCES.items() for breach in names.given_twice(source, path)]
    assert not found, "\n".join(["", *found])
    assert list(names.given_twice("A = 1\nB = 2\nA = 3\n", "a.py")) == [
        "a.py:3 gives the name A to a second thing"
    ]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.py", "def tell() -> None: ..."),
        ("a.py", "class A:\n    async def _look(self) -> None: ..."),
        ("a.py", "told = 1"),
        ("a.py", "def answer(said: str) -> None: ..."),
        ("a.py", "class A:\n    facts: int"),
        ("a.py", "def answer(self) -> None:\n    self._told = 1"),
        ("a.js", "export class A {\n  see(state) {\n  }\n}"),
        ("static/js/view/a.js", "const { told } = record;"),
        ("static/js/view/a.js", "export const found = { text: 1, facts: [] };"),
        ("static/js/view/a.js", "/* a\n * comment */ this.said = 1; // that tells"),
        ("a.js", "export function said(text) {\n}"),
        ("a.js", "export const told = (text) => text;"),
        ("tests/js/a.test.js", "const texts = `${worker.said} is not 'said'`;"),
        ("a.html", '<p data-goal-said id="goal">{{ said }}</p>'),
        ("a.html", '<p class="dim said">what is said</p>'),
        ("a.py", "class A:\n    def begin(self) -> None:\n        told_exercises = 1"),
        ("a.py", "def test_a_link_is_told() -> None: ..."),
        ("a.js", "this.toldFrom = Infinity;"),
        ("a.js", "/** @typedef {{ first: number }} ToldStretch as the host told it */"),
        ("a.css", ".embed .facts { margin: 0; }  /* says */"),
    ],
)
def test_an_empty_verb_is_found(path: str, source: str) -> None:
    assert len(list(names.empty_verbs(source, path))) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.js", "ask(question) {"),
        ("a.js", "/** What the server says. */"),
        ("a.js", "go(); // the host is asked again"),
        ("a.css", "p { margin: 0; } /* nobody looks here */"),
        ("a.js", "/**\n * A window.\n * It knows its size.\n */"),
    ],
)
def test_a_word_of_people_is_found(path: str, source: str) -> None:
    assert len(list(names.of_people(source, path))) == 1


def test_words_of_people_in_a_text_for_them_are_free() -> None:
    text = 'gettext("You see what the server says."); const story = { ask_at_us: 1, seen: true };'
    assert list(names.of_people(text, "a.js")) == []


def test_a_second_meaning_is_found() -> None:
    assert [
        each.split(":")[0] for each in names.second_meanings({"StoreRun", "wire.js", "Runs", "Rung"})
    ] == [
        "Runs",
        "StoreRun",
        "wire.js",
    ]
