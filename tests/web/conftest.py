"""What tests of the web side share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from playground.hosting.host import HostRegistry
from playground.limits import rate_limits
from playground.models import Scenario
from playground.records import database_record, kept_bytes, kept_runs
from playground.sessions import live_hosts
from playground.storybook.ready_scenarios import files, load
from tests.fuzz.damage import load as load_files

PLAIN_NAMES = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
"""The storage of static files that changes no name."""


@pytest.fixture(autouse=True)
def _quiet_app(settings: Any, tmp_path: Path) -> Iterator[None]:
    """Serve static files by their plain names, and keep everything that is written in a directory of the test."""
    settings.STORAGES = {**settings.STORAGES, **PLAIN_NAMES}
    (tmp_path / "static").mkdir()
    settings.STATIC_ROOT = tmp_path / "static"
    settings.SESSIONS_DIR = tmp_path / "sessions"
    settings.WATERLINE = {**settings.WATERLINE, "workers": 0}
    rate_limits.forget()
    kept_bytes.forget()
    with translation.override("en"):
        yield
    rate_limits.forget()


@pytest.fixture
def mixed(recordings: Path) -> dict[str, bytes]:
    """Return the files that a real broker left after a clean stop."""
    return load_files(recordings / "datadirs" / "clean-mixed")


@pytest.fixture
def library(db: None) -> list[Scenario]:
    """Return the ready scenarios, see `put_in_library`."""
    put_in_library()
    return kept_runs.library()


def put_in_library() -> None:
    """Keep the ready scenarios, without the time that running them takes: their digests are made up."""
    for path in files():
        entry = load(path)
        kept_runs.put_in_library(path.stem, {**entry.run, "digest": "0" * 32}, entry.story_json())


@pytest.fixture
def limit(settings: Any) -> Any:
    """Return a function that sets limits for one test, before anything reads them."""

    def set_limits(**values: int) -> None:
        settings.WATERLINE = {**settings.WATERLINE, **values}

    return set_limits


@pytest.fixture(autouse=True)
def fresh_registry() -> Iterator[type[HostRegistry]]:
    """Begin every test without hosts, and leave no directory behind."""
    live_hosts._registry.cache_clear()
    yield HostRegistry
    if live_hosts._registry.cache_info().currsize:
        live_hosts._registry().stop()
    live_hosts._registry.cache_clear()
    database_record.release()
