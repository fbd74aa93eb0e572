"""Documents name nothing that is not there."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.layering import documents
from tests.layering.graph import figures
from tests.layering.rooms import rooms_of
from tests.layering.rules import ENGINE_PACKAGES
from tests.layering.sources import ROOT, file_imports

FILES = set(
    subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
)
DOCUMENTS = sorted(
    each for each in FILES if re.fullmatch(r"[A-Z]+\.md|docs/[\w-]+\.md", each) and each != "CHANGELOG.md"
)


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", DOCUMENTS)
def test_paths_targets_and_settings_are_there(path: str) -> None:
    text = read(path)
    sources = "".join(
        read(each) for each in FILES if each.endswith((".py", ".sh", "Makefile", ".yml", ".yaml"))
    )
    assert documents.missing_paths(text, FILES) == []
    assert documents.missing_targets(text, read("Makefile")) == []
    assert documents.missing_settings(text, sources) == []


def test_what_is_missing_is_found() -> None:
    text = "`engine/cli` and `engine/node`, `nowhere.py`; `make tea` with `WATERLINE_SUGAR=2`\n```\nmake cake\n```\n"
    assert documents.missing_paths(text, {"engine/node/node.py"}) == ["engine/cli", "nowhere.py"]
    assert documents.missing_targets(text, "test: lint\n") == ["tea", "cake"]
    assert documents.missing_settings(text, "") == ["WATERLINE_SUGAR"]


@pytest.mark.parametrize("path", ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"])
def test_names_are_those_of_the_sources(path: str) -> None:
    files = [
        each
        for each in FILES
        if each.endswith((".py", ".js", ".toml", ".json", "Makefile")) and "vendor" not in each
    ]
    words = {
        word
        for each in files
        if not each.startswith("tests/recordings")
        for word in re.findall(r"\w+", read(each))
    }
    names = {each.rpartition("/")[2] for each in FILES}
    assert [each for each in documents.missing_names(read(path), words) if each not in names] == []


def test_the_layers_are_as_many_as_is_told() -> None:
    told = documents.layers_told(read("ARCHITECTURE.md"))
    assert told
    assert told == {folder: figures(rooms_of(file_imports(folder, ROOT))).layers for folder in told}


def test_a_name_that_no_source_has_is_found() -> None:
    text = "`VariableQueue`, `QueueSettings.release`, `Nobody`, `no_such_verb`, `plain`, `a.tell()`"
    words = {"VariableQueue", "QueueSettings", "release", "a"}
    assert documents.missing_names(text, words) == ["Nobody", "no_such_verb", "a.tell()"]
    assert documents.layers_told("`python -m tools.imports\n  a/b` counts: 3 layers") == {"a/b": 3}


def test_every_setting_is_told_with_its_default() -> None:
    """A new setting gets a row in docs/settings.md."""
    sources = "".join(read(each) for each in FILES if re.match(r"playground/.*\.py$", each))
    there, told = documents.settings_read(sources), documents.settings_told(read("docs/settings.md"))
    there["WATERLINE_SECRET_KEY"] = None  # read beside the others, in playground/environment.py
    assert set(told) == set(there)
    assert {name: told[name] for name, default in there.items() if default is not None} == {
        name: str(default) for name, default in there.items() if default is not None
    }


def test_a_setting_that_is_not_told_is_found() -> None:
    source = 'environment.integer("WATERLINE_SUGAR", 2 * 1_024) + environment.flag("WATERLINE_TEA")'
    assert documents.settings_read(source) == {"WATERLINE_SUGAR": 2048, "WATERLINE_TEA": None}
    assert documents.settings_told("| `WATERLINE_SUGAR` | 2048 | lumps |") == {"WATERLINE_SUGAR": "2048"}


def test_the_table_of_dependencies_is_the_requirements() -> None:
    scripts = json.loads(read("package.json")).get("devDependencies", {})
    assert documents.in_table(read("ARCHITECTURE.md")) == documents.required(ROOT) | set(scripts)


def test_the_engine_imports_what_it_may_import() -> None:
    sources = "".join(read(each) for each in FILES if re.match(r"engine/.*\.py$", each))
    unused = {
        name
        for name in ENGINE_PACKAGES
        if not re.search(rf"^\s*(?:import|from) {name}\b", sources, re.MULTILINE)
    }
    assert not unused


def test_exceptions_for_files_have_their_files() -> None:
    ignores = tomllib.loads(read("pyproject.toml"))["tool"]["ruff"]["lint"]["per-file-ignores"]
    assert [pattern for pattern in ignores if not any(ROOT.glob(pattern))] == []


@pytest.mark.parametrize("path", [each for each in DOCUMENTS if "/" in each])
def test_links_lead_somewhere(path: str) -> None:
    folder = Path(path).parent
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", read(path))
    assert [each for each in targets if not (ROOT / folder / each).exists()] == []
