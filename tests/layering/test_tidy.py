"""Files stay short, functions fit a screen, and nothing unfinished is left behind."""

import ast

import pytest

from tests.layering import tidy
from tests.layering.rules import RIM
from tests.layering.sources import ROOT, module_name, parse, python_files, within

OWN_PYTHON = ("engine", "playground", "sweeps", "spark_jobs", "workloads", "bench", "tools")


def test_files_are_short_and_finished() -> None:
    found = [
        breach
        for path in [*python_files(*OWN_PYTHON), *tidy.own_scripts(ROOT)]
        if "migrations" not in path.parts
        for breach in tidy.file_breaches(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT)))
    ]
    assert not found, "\n".join(["", *found])


def test_lines_of_templates_fit_a_screen() -> None:
    templates = sorted((ROOT / "templates").rglob("*.html"))
    found = [
        breach
        for path in templates
        for breach in tidy.long_lines(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT)))
    ]
    assert len(templates) > 100
    assert not found, "\n".join(["", *found])
    assert list(tidy.long_lines("<p>\n" + "x" * 161, "bad"))


def test_engine_functions_fit_a_screen() -> None:
    found = [
        breach
        for path in python_files("engine")
        for breach in tidy.long_functions(parse(path), str(path.relative_to(ROOT)))
    ]
    assert not found, "\n".join(["", *found])


def test_engine_does_not_print() -> None:
    found = [
        breach
        for path in python_files("engine")
        if not within(module_name(path), *RIM)
        for breach in tidy.prints(parse(path), str(path.relative_to(ROOT)))
    ]
    assert not found, "\n".join(["", *found])


def test_engine_is_documented() -> None:
    found = [
        breach
        for path in python_files("engine")
        for breach in tidy.undocumented(parse(path), str(path.relative_to(ROOT)))
    ]
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize(
    "text",
    ["x = 1\n" * (tidy.LINES_IN_A_FILE + 1), "x = 1  # TO" + "DO later", "// FIX" + "ME: both\n"],
    ids=["long", "python", "js"],
)
def test_an_untidy_file_is_found(text: str) -> None:
    assert list(tidy.file_breaches(text, "bad"))


def test_a_long_function_is_found() -> None:
    body = "    x = 1\n" * 80
    assert list(tidy.long_functions(ast.parse(f"def long():\n{body}"), "bad"))
    assert list(tidy.long_functions(ast.parse(f"def short():\n{body[:-10]}"), "good")) == []


def test_a_print_is_found() -> None:
    assert list(tidy.prints(ast.parse("def f():\n    print(1)"), "bad"))


@pytest.mark.parametrize(
    "source",
    [
        "x = 1",
        '"""Doc."""\nclass C: pass',
        '"""Doc."""\ndef untyped(x): return x',
        '"""Doc."""\nclass C:\n    """Doc."""\n    def declared(self) -> int: ...',
        '"""Doc."""\ndef raising(x: int) -> None:\n    if x: raise ValueError',
        '"""Doc."""\ndef long(x: int) -> None:\n' + "    x += 1\n" * (tidy.LINES_THAT_TELL_THEMSELVES + 1),
    ],
)
def test_a_missing_docstring_is_found(source: str) -> None:
    assert list(tidy.undocumented(ast.parse(source), "bad"))


def test_private_overriding_and_plain_functions_need_no_docstring() -> None:
    source = '"""Doc."""\ndef _f(): pass\n@override\ndef g(): pass\ndef size(of: int) -> int: return of\n'
    assert list(tidy.undocumented(ast.parse(source), "good")) == []
