"""The layers hold: each part imports only what its place allows."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.layering import rules
from tests.layering.sources import ROOT, imports, module_name, parse, python_files


def test_engine_imports_only_what_each_layer_allows() -> None:
    breaches = [
        breach
        for path in python_files("engine")
        for breach in rules.engine_import_breaches(parse(path), module_name(path), path.name == "__init__.py")
    ]
    assert not breaches, "\n".join(["", *breaches])


def test_engine_calls_nothing_impure() -> None:
    breaches = [
        breach
        for path in python_files("engine")
        for breach in rules.engine_call_breaches(parse(path), module_name(path))
    ]
    assert not breaches, "\n".join(["", *breaches])


def linted(root: Path) -> str:
    """Return what import-linter says of the packages below a directory, by the contracts of pyproject.toml."""
    command = [
        str(Path(sys.executable).with_name("lint-imports")),
        "--no-cache",
        "--config",
        str(ROOT / "pyproject.toml"),
    ]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False).stdout


def test_every_room_is_listed_and_imports_only_what_lies_below() -> None:
    found = linted(ROOT)
    assert re.search(r"Contracts: \d+ kept, 0 broken\.", found), found


STRAYS = {
    "engine/stray.py": "",
    "engine/broker/stray.py": "",
    "engine/broker/time/stray.py": "import engine.broker.cluster",
    "engine/classic_v2/stray.py": "import engine.classic_v1",
    "spark_jobs/stray.py": "import playground.models\nimport django",
    "playground/stray.py": "import pyspark",
    "workloads/stray.py": "import sweeps.cell",
}
"""Modules of no room, and modules that import what their room may not."""


@pytest.fixture(scope="module")
def strays(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return what import-linter says of the sources with all strays among them; one reading of all costs a second."""
    place = tmp_path_factory.mktemp("strays")
    for package in ("engine", "playground", "spark_jobs", "sweeps", "workloads"):
        shutil.copytree(
            ROOT / package,
            place / package,
            ignore=lambda folder, names: [
                name for name in names if not (Path(folder, name).is_dir() or name.endswith(".py"))
            ],
        )
    for path, source in STRAYS.items():
        assert not (place / path).exists()
        (place / path).write_text(source)
    return " ".join(linted(place).split())


@pytest.mark.parametrize(
    "breach",
    [
        "engine.stray",
        "engine.broker.stray",
        "engine.broker.time is not allowed to import",
        "engine.classic_v2 is not allowed to import",
        "spark_jobs is not allowed to import playground",
        "spark_jobs is not allowed to import django",
        "playground is not allowed to import pyspark",
        "workloads is not allowed to import sweeps",
    ],
)
def test_a_stray_module_is_found(strays: str, breach: str) -> None:
    assert breach in strays


def test_only_the_table_and_the_implementations_compare_releases() -> None:
    breaches = [
        breach
        for path in python_files("engine", "playground", "spark_jobs", "sweeps", "workloads")
        for breach in rules.release_comparisons(parse(path), module_name(path))
    ]
    assert not breaches, "\n".join(["", *breaches])


@pytest.mark.parametrize(
    "source",
    [
        'if release == "3.8": pass',
        'if settings["release"] in ("3.10.8", "4.3.6"): pass',
        'if not "3.8" < release: pass',
        'match release:\n    case "4.0": pass',
        'found = {"3.8": 1}["3.8"]',
    ],
)
def test_a_comparison_of_releases_is_found(source: str) -> None:
    assert list(rules.release_comparisons(ast.parse(source), "engine.broker.control.monitors"))
    assert not list(rules.release_comparisons(ast.parse(source), "engine.releases"))


BAD_IMPORTS = [
    ("engine.formats.rdq", "from engine.storage import port"),
    ("engine.formats.rdq", "import orjson"),
    ("engine.formats.rdq", "from engine.values.extents import Extent"),
    ("engine.storage.ledger", "from engine.classic_v1.index import journal"),
    ("engine.classic_v1.index.actions", "import engine.classic_v1.store.files"),
    ("engine.classic_v1.index.actions", "from ..variable_queue import queue"),
    ("engine.classic_v1.store.gc", "from engine import queue_index"),
    ("engine.classic_v1.queue.queue", "from engine.broker import clock"),
    ("engine.classic_v1.queue.queue", "from engine.storage.directory import Directory"),
    ("engine.report.transitions.base", "from engine.broker import rules"),
    ("engine.broker.control.node_lifecycle", "from engine.ctl import console"),
    ("engine.broker.queues.evictions", "from engine.classic_v1.queue.state import QueueState"),
    ("engine.backing_queue.protocol", "from engine.classic_v1.queue import VariableQueue"),
    ("engine.broker.clock", "import time"),
    ("engine.broker.clock", "def now():\n    from datetime import datetime"),
    ("engine.broker.monitor", "import os.path"),
    ("engine.broker.monitor", "from asyncio import sleep"),
    ("engine.broker.workload", "import random"),
    ("engine.broker", "from . import threading\nimport threading"),
    ("engine.broker.host", "from django.conf import settings"),
    ("engine.broker.host", "from playground.models import Session"),
    ("engine.storage.ledger", "from pathlib import Path"),
    ("engine.storage.directory", "import time"),
    ("engine.cli.inspect", "from playground.models import Session"),
]


@pytest.mark.parametrize(("module", "source"), BAD_IMPORTS)
def test_a_forbidden_import_is_found(module: str, source: str) -> None:
    assert list(rules.engine_import_breaches(ast.parse(source), module))


GOOD_IMPORTS = [
    ("engine.formats.rdq", "import struct\nimport numpy as np\nfrom engine.formats.terms import encode"),
    (
        "engine.classic_v1.index.actions",
        "from engine.formats import idx\nfrom engine.storage.port import Storage",
    ),
    (
        "engine.classic_v1.index.actions",
        "from engine.values.extents import Extent\nfrom engine.classic_v1 import settings",
    ),
    ("engine.classic_v1.queue.queue", "from engine.classic_v1.store.store import StoreClient"),
    ("engine.broker.cluster", "from engine.backing_queue import protocol\nfrom engine import ENGINE_VERSION"),
    ("engine.releases", "from engine.classic_v1.generation import CLASSIC_V1"),
    ("engine.broker.vhost.virtual_hosts", "from engine.releases import Release"),
    ("engine.storage.directory", "import os\nfrom pathlib import Path"),
    ("engine.__main__", "import sys\nfrom engine.cli import inspect"),
]


@pytest.mark.parametrize(("module", "source"), GOOD_IMPORTS)
def test_an_allowed_import_passes(module: str, source: str) -> None:
    assert list(rules.engine_import_breaches(ast.parse(source), module)) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("engine.broker.clock", "data = open('x').read()"),
        ("engine.broker.workload", "import numpy as np\nnp.random.seed(1)"),
        ("engine.classic_v1.store.index", "bucket = hash(name) % 16"),
    ],
)
def test_an_impure_call_is_found(module: str, source: str) -> None:
    assert list(rules.engine_call_breaches(ast.parse(source), module))


def test_the_system_module_may_open_files() -> None:
    tree = ast.parse("data = open('x').read()")
    assert list(rules.engine_call_breaches(tree, "engine.storage.directory")) == []


def test_relative_imports_are_resolved() -> None:
    tree = ast.parse("from . import a\nfrom .b import c\nfrom ..d import e")
    assert [each.module for each in imports(tree, "engine.storage.port")] == [
        "engine.storage.a",
        "engine.storage.b.c",
        "engine.d.e",
    ]
    assert [each.module for each in imports(tree, "engine.storage", is_package=True)] == [
        "engine.storage.a",
        "engine.storage.b.c",
        "engine.d.e",
    ]


def reached(start: str, known: dict[str, ast.Module]) -> dict[str, set[str]]:
    """Return what a module imports at its head, directly and through the project's own modules."""
    found: dict[str, set[str]] = {}
    waiting = [start]
    while waiting:
        module = waiting.pop()
        if module in found or module not in known:
            continue
        heads = ast.Module([each for each in known[module].body if not isinstance(each, ast.If)], [])
        names = {imported for imported, _line in imports(heads, module)}
        found[module] = names
        for name in names:
            parts = name.split(".")
            waiting += [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
    return found


def test_what_plays_a_session_knows_neither_the_web_framework_nor_an_event_loop() -> None:
    known = {
        module_name(path).removesuffix(".__init__"): parse(path)
        for path in python_files("playground", "engine")
    }
    for start in ("playground.hosting.session", "playground.hosting.worker"):
        everything = reached(start, known)
        assert "engine.values.errors" in everything or start.endswith("session")
        breaches = [
            f"{start} reaches {module}, which imports {name}"
            for module, names in everything.items()
            for name in names
            if name.partition(".")[0] in rules.NOT_IN_A_WORKER
        ]
        assert not breaches, "\n".join(["", *breaches])
