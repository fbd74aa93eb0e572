"""Reading what the environment decides. Everything has a default with which the app simply starts."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import tempfile
from pathlib import Path


def text(name: str, default: str = "") -> str:
    """Return an environment variable without surrounding spaces; an empty one counts as not set."""
    return os.environ.get(name, "").strip() or default


def flag(name: str, default: bool = False) -> bool:
    """Return whether a variable is set to yes."""
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
    """Return the parts of a comma-separated variable."""
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


def secret_key(var_dir: Path) -> str:
    """Return WATERLINE_SECRET_KEY, or the key kept in a file that the first start makes."""
    given = text("WATERLINE_SECRET_KEY")
    if given:
        return given
    path = var_dir / "secret_key"
    var_dir.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        made = path.with_suffix(f".{os.getpid()}")
        with os.fdopen(
            os.open(made, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "w", encoding="ascii"
        ) as file:
            file.write(secrets.token_urlsafe(50))
        # Two processes may start at once: the first one's file gets the name, whole, and the other reads it.
        with contextlib.suppress(FileExistsError):
            os.link(made, path)
        made.unlink()
    key = path.read_text(encoding="ascii").strip()
    if not key:
        raise SystemExit(f"{path} is empty: remove it, and the next start makes a new key")
    return key
