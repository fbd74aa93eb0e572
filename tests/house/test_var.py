"""Tests see nothing of var/: what `make run` left there decides nothing, and they leave it as it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.settings import GIVEN

HASHED = "css/tokens.0123456789ab.css"
ASK = """
import django
django.setup()
from django.conf import settings
from django.templatetags.static import static
print(static("css/tokens.css"), settings.VAR_DIR, settings.DATABASES["default"]["NAME"])
"""


@pytest.fixture
def after_make_run(tmp_path: Path) -> dict[str, str]:
    """Return the environment of somebody whose server has collected its static files, before tests begin."""
    (tmp_path / "static").mkdir()
    manifest = {"paths": {"css/tokens.css": HASHED}, "version": "1.1", "hash": ""}
    (tmp_path / "static" / "staticfiles.json").write_text(json.dumps(manifest))
    own = {name: value for name, value in os.environ.items() if name not in (GIVEN, "DATABASE_URL")}
    return {**own, "WATERLINE_VAR": str(tmp_path), "WATERLINE_STATIC": str(tmp_path / "static")}


def asked(root: Path, environment: dict[str, str], module: str) -> str:
    """Return which name of a style sheet, which directory and which database a process with these settings uses."""
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        cwd=root,
        env={**environment, "DJANGO_SETTINGS_MODULE": module},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_the_server_uses_what_it_collected_and_tests_do_not(
    repo_root: Path, after_make_run: dict[str, str]
) -> None:
    theirs = asked(repo_root, after_make_run, "playground.settings")
    assert HASHED in theirs
    assert theirs.count(after_make_run["WATERLINE_VAR"]) == 2
    ours = asked(repo_root, after_make_run, "tests.settings")
    assert "/css/tokens.css" in ours
    assert after_make_run["WATERLINE_VAR"] not in ours


def test_this_run_writes_and_reads_elsewhere(repo_root: Path, settings: Any) -> None:
    var = repo_root / "var"
    database = settings.DATABASES["default"]
    names = [settings.VAR_DIR, settings.STATIC_ROOT, settings.SESSIONS_DIR, os.environ["WATERLINE_VAR"]]
    if database["ENGINE"].endswith("sqlite3"):
        names += [database["NAME"], database["TEST"]["NAME"]]
    assert [name for name in names if Path(name).is_relative_to(var)] == []
