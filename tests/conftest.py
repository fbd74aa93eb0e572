"""What every kind of test may use."""

import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.contenttypes.management import create_contenttypes
from django.db import connection
from django.db.models.signals import post_migrate
from hypothesis import HealthCheck, settings

from tests.helpers.long_first import dealt, longest_files
from tests.helpers.seconds import SecondsRecorder, kept_seconds
from tests.helpers.twin import Twin
from tools.compile_messages import compile_messages
from tools.live_server import manage
from tools.prepared import PREPARED, content_of, made_once

ROOT = Path(__file__).resolve().parent.parent
RECORDINGS = ROOT / "tests" / "recordings"
"""What the real broker did, trace by trace and directory by directory; its README describes how it was recorded."""
RULES = ROOT / "docs" / "rules"
"""The specification, whose rules tests and transitions cite by number."""
CALIBRATION = ROOT / "docs" / "calibration.json"
"""The bytes and microseconds measured on the real broker; calibration.md beside it describes how."""

# A machine that is shared may be slow at any moment; that says nothing about what is tested.
settings.register_profile("shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what the tests in a browser take; options must be known before their folder is read."""
    parser.addoption(
        "--throttle", type=float, default=1, help="make the pages' processor so many times slower"
    )
    parser.addoption(
        "--long-first",
        choices=["tests", "files"],
        help="begin with what takes long: each of the workers with its share of tests, or the run with files",
    )
    parser.addoption(
        "--record-seconds",
        action="store_true",
        help="write what the tests take into tests/seconds.json",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Prepare what a plain `pytest` needs as well as `make test` does."""
    # Spark's workers must run the same Python as the program that starts them.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    if config.getoption("record_seconds"):
        config.pluginmanager.register(SecondsRecorder(writes="PYTEST_XDIST_WORKER" not in os.environ))
    if "PYTEST_XDIST_WORKER" not in os.environ:  # once, before the workers of a parallel run begin
        compile_messages()
    if (
        PREPARED not in os.environ
    ):  # the workers of a parallel run, and runs that tests start, share this one's
        os.environ[PREPARED] = tempfile.mkdtemp(prefix="waterline-prepared-")
        config.add_cleanup(lambda: shutil.rmtree(os.environ.pop(PREPARED)))


@pytest.hookimpl(trylast=True)  # after tests were left out: what remains is dealt
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put what takes long where each worker begins, so that no core is without work at the end."""
    if given := config.getoption("long_first"):
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        names, seconds = [item.nodeid for item in items], kept_seconds().long_tests
        order = dealt(names, workers, seconds) if given == "tests" else longest_files(names, seconds)
        found = {item.nodeid: item for item in items}
        items[:] = [found[name] for name in order]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage among the tests: thousands come, and all of them stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Take tables that are there already; the directory in which they lie goes when the run ends."""
    return connection.vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None, django_db_keepdb: bool) -> None:
    """Begin with the tables that one process of the run has made: making them takes each two seconds."""
    if django_db_keepdb:
        name = f"tables-{content_of(ROOT, ('playground', 'requirements.txt', 'constraints.txt'))}"
        made = made_once(
            Path(os.environ[PREPARED]), name, lambda place: manage(place, "migrate", "--verbosity", "0")
        )
        shutil.copy(made / "waterline.sqlite3", connection.settings_dict["TEST"]["NAME"])


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> None:
    """Write the rows of rights and types once, and not after each of the hundreds of tests that empty all tables.

    Nothing asks for these rows; writing them again was a twelfth of what such tests cost.
    """
    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
    post_migrate.disconnect(create_contenttypes)


@pytest.fixture(scope="session")
def repo_root() -> Path:
    """Return the directory that holds the Makefile."""
    return ROOT


@pytest.fixture(scope="session")
def recordings() -> Path:
    """Return the directory of traces and data directories recorded from the real broker."""
    return RECORDINGS


@pytest.fixture(scope="session")
def calibration_file() -> dict[str, Any]:
    """Return what was measured of the real broker's memory and time."""
    found: dict[str, Any] = json.loads(CALIBRATION.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="session")
def twin(repo_root: Path) -> Twin:
    """Return the page's modules to be asked; Node.js is installed where there is none."""
    found = subprocess.run(
        [repo_root / "tools" / "ensure_node.sh"], capture_output=True, text=True, check=True
    )
    return Twin(found.stdout.strip(), repo_root)


@pytest.fixture(scope="session")
def engine_for_browsers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the engine as WebAssembly, only to be read."""
    assert (ROOT / "node_modules" / "pyodide").is_dir(), "make test installs Pyodide"
    out = tmp_path_factory.mktemp("engine") / "wasm"
    subprocess.run([sys.executable, "-m", "tools.wasm", "--out", str(out)], cwd=ROOT, check=True)
    return out
