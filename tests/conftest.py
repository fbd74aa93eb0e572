"""What every kind of test may use."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tools.compile_messages import compile_messages

ROOT = Path(__file__).resolve().parent.parent

# A machine that is shared may be slow at any moment; that says nothing about what is tested.
settings.register_profile("shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared machine")


def pytest_configure() -> None:
    """Prepare what a plain `pytest` needs as well as `make test` does."""
    # Spark's workers must run the same Python as the program that starts them.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    if "PYTEST_XDIST_WORKER" not in os.environ:  # once, before the workers of a parallel run begin
        compile_messages()


@pytest.fixture(scope="session")
def repo_root() -> Path:
    """Return the directory that holds the Makefile."""
    return ROOT


def find_shared() -> Path:
    """Return the directory of what was recorded from the real broker, or raise with what to do."""
    place = Path(os.environ.get("WATERLINE_SHARED") or ROOT.parent / "shared").resolve()
    if not (place / "conformance").is_dir():
        raise RuntimeError(
            f"The recordings of the real broker are not in {place / 'conformance'}. They lie in a directory "
            "`shared` beside the repository; WATERLINE_SHARED names another place. Without them nothing is "
            "proved, so this fails instead of being skipped."
        )
    return place


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Return the directory `shared`; fail, never skip, where it is missing."""
    return find_shared()


@pytest.fixture(scope="session")
def conformance_dir(shared_dir: Path) -> Path:
    """Return the directory of traces and data directories recorded from the real broker."""
    return shared_dir / "conformance"
