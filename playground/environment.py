"""Reading what the environment decides. Everything has a default with which the app simply starts."""

from __future__ import annotations

import os
import re
import secrets
import tempfile
import time
from pathlib import Path


def text(name: str, default: str = "") -> str:
    """Return an environment variable without surrounding spaces; an empty one counts as not set."""
    return os.environ.get(name, "").strip() or default


def flag(name: str, default: bool = False) -> bool:
    value = text(name).lower()
    return value in {"1", "true", "yes", "on"} if value else default


def integer(name: str, default: int) -> int:
    """Return a whole number of at least 0, or say which variable is wrong."""
    value = text(name)
    if not value:
        return default
    if not value.isdecimal():
        raise SystemExit(f"{name} must be a whole number of at least 0, not {value!r}")
    return int(value)


def name(variable: str) -> str:
    """Return a name of a few letters that may be in addresses, nothing if there is none, or say what is wrong."""
    value = text(variable)
    if value and not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", value):
        raise SystemExit(f"{variable} must be up to 40 small letters, digits and hyphens, not {value!r}")
    return value


def listed(name: str, default: str = "") -> list[str]:
    return [part.strip() for part in text(name, default).split(",") if part.strip()]


def writable(directory: Path) -> Path:
    """Return a directory that is there and may be written, or say in words which variable names another one."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise SystemExit(
            f"Waterline keeps its database and the files of sessions in {directory}, and cannot write there: "
            f"{error.strerror or error}. Set WATERLINE_VAR to a directory that it may write."
        ) from None
    return directory


KEY_LOOKS, KEY_REST_S = 40, 0.05
"""How often, and after which rests, a key is looked for that another process is writing."""


def secret_key(var_dir: Path) -> str:
    """Return WATERLINE_SECRET_KEY, or the key kept in a file that the first start makes."""
    given = text("WATERLINE_SECRET_KEY")
    if given:
        return given
    path = var_dir / "secret_key"
    var_dir.mkdir(parents=True, exist_ok=True)
    try:
        # Two processes may start at once: only one creates the file, the other reads it when it is written.
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        for _look in range(KEY_LOOKS):
            if key := path.read_text(encoding="ascii").strip():
                return key
            time.sleep(KEY_REST_S)
        raise SystemExit(f"{path} is empty: remove it, and the next start makes a new key") from None
    key = secrets.token_urlsafe(50)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(key)
    return key
