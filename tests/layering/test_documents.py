"""Documents name nothing that is not there."""

import json
import re
import subprocess
import tomllib
from functools import cache

import pytest

from tests.layering import documents, programs
from tests.layering.graph import figures
from tests.layering.rooms import rooms_of
from tests.layering.rules import ENGINE_PACKAGES
from tests.layering.sources import ROOT, file_imports
from tools.catalogue.written_files import FILES as FILES_WRITTEN

FILES = set(
    subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
)
DOCUMENTS = sorted(
    each
    for each in FILES
    if re.fullmatch(r"[A-Z]+\.md|docs/(?:(?:internals|adding)/)?[\w-]+\.md|tests/.*README\.md", each)
    and each != "CHANGELOG.md"
)
NEED_SPARK = ("spark_jobs",)
"""Programs whose modules import Spark; tests/unit/spark_jobs asks them for their options."""


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", DOCUMENTS)
def test_paths_targets_and_settings_are_there(path: str) -> None:
    text, makefile = read(path), read("Makefile")
    assert documents.missing_paths(text, FILES) == []
    assert documents.missing_targets(text, makefile) == []
    assert documents.missing_variables(text, makefile) == []
    assert documents.missing_settings(text, documents.settings_listed(read("docs/settings.md"))) == []


@pytest.mark.parametrize("path", DOCUMENTS)
def test_programs_and_their_options_are_there(path: str) -> None:
    assert programs.not_there(read(path), ROOT) == []
    assert programs.not_accepted(read(path), ROOT, NEED_SPARK) == []


def test_every_picture_is_shown_by_a_document() -> None:
    shown = {name for each in DOCUMENTS for name in re.findall(r"img/([\w-]+\.png)", read(each))}
    assert {each.rpartition("/")[2] for each in FILES if each.startswith("docs/img/")} == shown


def test_every_path_that_a_program_makes_is_named_by_a_document() -> None:
    texts = "".join(read(each) for each in DOCUMENTS)
    assert [each for each in documents.MADE_AT_RUN_TIME if f"`{each}" not in texts] == []


def test_the_first_page_is_read_in_fifteen_minutes_and_leads_to_all_others() -> None:
    first = read("ARCHITECTURE.md")
    assert len(first.split()) < 1500
    led_to = set(re.findall(r"\]\((docs/internals/[^)#]+)", first))
    assert led_to == {each for each in DOCUMENTS if each.startswith("docs/internals/")}
    recipes = {each for each in DOCUMENTS if each.startswith("docs/adding/")}
    assert set(re.findall(r"\]\((docs/adding/[^)#]+)", read("CONTRIBUTING.md"))) == recipes


def test_what_is_missing_is_found() -> None:
    text = "`engine/cli` and `engine/broker`, `nowhere.py`; `make tea` with `WATERLINE_SUGAR=2`\n```\nmake cake\n```\n"
    assert documents.missing_paths(text, {"engine/broker/node.py"}) == ["engine/cli", "nowhere.py"]
    assert documents.missing_targets(text, "test: lint\n") == ["tea", "cake"]
    assert documents.missing_settings(text, ["WATERLINE_TEA"]) == ["WATERLINE_SUGAR"]


def test_a_path_of_a_line_and_a_pattern_are_looked_up() -> None:
    text = "`broker/*.py`, `broker/*.js`; docs/a.md, and `python tools/b.py and/or` (see [c](engine/d.md))."
    files = {"engine/broker/node.py", "docs/b.md", "tools/a.py"}
    assert documents.missing_paths(text, files) == ["broker/*.js", "docs/a.md", "tools/b.py", "engine/d.md"]


def test_a_variable_that_no_target_reads_is_found() -> None:
    makefile = "A ?= 1\nLEAST := --a $(A)\nrun: env ## with B\n\t@app $(LEAST)\nenv:\n\t@pip $(ARGS)\n"
    text = "`make run A=2 ARGS=x B=3`\n\n| `make env` | `A=2` |\n\n```\nmake env ARGS=1\n```\n"
    assert documents.missing_variables(text, makefile) == ["run B", "env A"]
    assert documents.variables_read("ifneq ($(TINY),)\n" + makefile, "env") == {"TINY", "ARGS"}


def test_a_program_or_an_option_that_is_not_there_is_found() -> None:
    text = "`python -m tools.tea`, `python -m tools.figures --check`, `manage.py sugar`, `manage.py teachers --lumps 2`"
    assert programs.not_there(text, ROOT) == ["manage.py sugar", "tools.tea"]
    assert programs.not_accepted(text, ROOT) == ["manage.py teachers  --lumps"]
    text = "```\npython -m engine inspect DIR [--json] [--tea]   prints\n```\n`--json`, `--tea`, `--sugar`"
    assert programs.not_accepted(text, ROOT) == ["engine inspect --tea", "--tea", "--sugar"]


def test_a_link_that_leads_nowhere_is_found() -> None:
    headings = {"README.md": documents.anchors("# Tea, and `sugar`\n## Two"), "docs/a.md": set()}
    text = (
        "[1](docs/a.md) [2](#tea-and-sugar) [3](#three) [4](docs/b.md) [5](docs/a.md#two) [6](https://a.b/#c)"
    )
    assert documents.broken_links(text, "README.md", headings) == ["#three", "docs/b.md", "docs/a.md#two"]


@cache
def words_of_the_sources() -> frozenset[str]:
    """Return every word of the sources; all documents are held to the same."""
    files = [
        each
        for each in FILES
        if each.endswith((".py", ".js", ".toml", ".json", "Makefile")) and "vendor" not in each
    ]
    return frozenset(
        word
        for each in files
        if not each.startswith("tests/recordings")
        for word in re.findall(r"\w+", read(each))
    )


@pytest.mark.parametrize(
    "path", [each for each in DOCUMENTS if re.match(r"[A-Z]|docs/(internals|adding)/", each)]
)
def test_names_are_those_of_the_sources(path: str) -> None:
    names = {each.rpartition("/")[2] for each in FILES}
    missing = documents.missing_names(read(path), words_of_the_sources())
    assert [each for each in missing if each not in names] == []


def test_the_layers_are_as_many_as_the_document_claims() -> None:
    claimed = documents.layers_claimed(read("docs/internals/layers.md"))
    assert claimed
    assert claimed == {folder: figures(rooms_of(file_imports(folder, ROOT))).layers for folder in claimed}


def test_a_name_that_no_source_has_is_found() -> None:
    text = "`VariableQueue`, `QueueSettings.release`, `Nobody`, `no_such_verb`, `plain`, `a.tell()`"
    words = {"VariableQueue", "QueueSettings", "release", "a"}
    assert documents.missing_names(text, words) == ["Nobody", "no_such_verb", "a.tell()"]
    assert documents.layers_claimed("`python -m tools.imports\n  a/b` counts: 3 layers") == {"a/b": 3}


def test_every_setting_is_listed_with_its_default() -> None:
    """A new setting gets a row in docs/settings.md."""
    sources = "".join(read(each) for each in FILES if re.match(r"playground/.*\.py$", each))
    there, listed = documents.settings_read(sources), documents.settings_listed(read("docs/settings.md"))
    there["WATERLINE_SECRET_KEY"] = None  # read beside the others, in playground/environment.py
    assert set(listed) == set(there)
    assert {name: listed[name] for name, default in there.items() if default is not None} == {
        name: str(default) for name, default in there.items() if default is not None
    }


def test_a_setting_that_is_not_listed_is_found() -> None:
    source = 'environment.integer("WATERLINE_SUGAR", 2 * 1_024) + environment.flag("WATERLINE_TEA")'
    assert documents.settings_read(source) == {"WATERLINE_SUGAR": 2048, "WATERLINE_TEA": None}
    assert documents.settings_listed("| `WATERLINE_SUGAR` | 2048 | lumps |") == {"WATERLINE_SUGAR": "2048"}


def test_the_table_of_dependencies_is_the_requirements() -> None:
    scripts = json.loads(read("package.json")).get("devDependencies", {})
    assert documents.in_table(read("docs/internals/dependencies.md")) == documents.required(ROOT) | set(
        scripts
    )


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


@pytest.mark.parametrize("path", DOCUMENTS)
def test_links_lead_somewhere(path: str) -> None:
    headings = {each: documents.anchors(read(each)) if each.endswith(".md") else set() for each in FILES}
    assert documents.broken_links(read(path), path, headings) == []


def test_the_recipe_of_a_generation_names_each_registry() -> None:
    """What `engine/generations.py` gathers, somebody who adds a generation has to write."""
    recipe = read("docs/adding/queue-generation.md")
    gathered = re.findall(r"from engine\.classic_v2(?:\.| import )([a-z]+)", read("engine/generations.py"))
    shelves = set(gathered)
    assert {"fold", "inspect", "metrics", "status", "transitions"} <= shelves
    assert [each for each in sorted(shelves) if not re.search(rf"`(?:\w+/)*{each}(?:\.py)?`", recipe)] == []
    readers = set(re.findall(r"\b([A-Z]\w+Reader)\b", read("engine/generations.py")))
    common = {each for each in readers if not re.match(r"V\d", each)}
    assert common == {"HostReader", "FileReader", "StatusReader"}
    assert all(each in recipe for each in common)


def test_the_recipe_of_a_transition_names_what_is_written_and_what_is_measured_again() -> None:
    recipe = read("docs/adding/transition.md")
    of_kinds = [path for path in FILES_WRITTEN if "place" not in path and "coverage" not in path]
    assert len(of_kinds) == 4
    assert [
        each for each in of_kinds if f"`{each.rpartition('/')[2]}`" not in recipe and each not in recipe
    ] == []
    targets = re.findall(r"\bmake ((?:[a-z-]+ ?)+)", recipe)
    named = {each for group in targets for each in group.split()}
    keepers = {
        "digests",
        "heatmaps",
        "wasm-digests",
        "static-digests",
        "predict",
        "fidelity",
        "surfaces",
        "bench",
    }
    assert keepers <= named, "what keeps digests or a stamp of the engine"


def test_the_recipe_of_a_session_message_has_three_places_and_each_message_is_declared_once() -> None:
    places = read("docs/adding/session-message.md").split("## When you need more", 1)[0]
    assert len(re.findall(r"^\d\. ", places, re.MULTILINE)) == 3
    tags = re.findall(r'tag_field="t", tag="(\w+)"', read("playground/hosting/protocol.py"))
    assert len(tags) == len(set(tags)) > 5
    declared = re.findall(r'\btag="(\w+)"', read("playground/hosting/protocol.py"))
    assert len(declared) == len(set(declared)) >= len(tags)
