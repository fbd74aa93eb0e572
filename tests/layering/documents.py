"""What documents name that a program can look up: paths, targets of make, settings, packages."""

import math
import re
from collections.abc import Iterator
from pathlib import Path

QUOTED = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+/?|[\w-]+\.(?:py|js|md|toml|json|html)")
LEFT_BEHIND = ("var", "shared", "r", "x", "embed", "schema")
"""First parts of paths that are not in the repository: what running leaves behind, and addresses of the app."""
REQUIREMENT = re.compile(r"^([A-Za-z0-9_.-]+)(?:\[[\w,]+\])?==", re.MULTILINE)
ROW = re.compile(r"^\| ([a-z0-9_@/, -]+) \| ", re.MULTILINE | re.IGNORECASE)


def unquoted(text: str) -> Iterator[str]:
    """Yield everything that a document has in backticks, and the lines of its blocks of code."""
    parts = text.split("```")
    for at, part in enumerate(parts):
        if at % 2:
            yield from part.splitlines()
        else:
            yield from QUOTED.findall(part)


def missing_paths(text: str, files: set[str]) -> list[str]:
    """Return the paths that a document names and that are not there.

    Args:
        text: the document.
        files: every file of the repository.
    """
    folders = {"/".join(file.split("/")[:depth]) for file in files for depth in range(1, file.count("/") + 1)}
    there = files | folders
    found = []
    for quoted in QUOTED.findall(text):
        path = quoted.rstrip("/")
        if not PATH.fullmatch(path) or path.split("/")[0] in LEFT_BEHIND:
            continue
        if path not in there and not any(each.endswith(f"/{path}") for each in there):
            found.append(quoted)
    return found


def missing_targets(text: str, makefile: str) -> list[str]:
    """Return the targets that a document tells the reader to make and that the Makefile has not."""
    there = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = [each for line in unquoted(text) for each in re.findall(r"\bmake ([a-z][a-z-]*)\b", line)]
    return [each for each in named if each not in there]


def missing_settings(text: str, sources: str) -> list[str]:
    """Return the environment variables that a document names and no source reads."""
    named = {each for line in unquoted(text) for each in re.findall(r"\bWATERLINE_[A-Z_]+\b", line)}
    return sorted(each for each in named if each not in sources)


def settings_read(sources: str) -> dict[str, int | None]:
    """Return the environment variables that sources read, each with its default where that is a number."""
    found = re.findall(r"environment\.\w+\(\s*\"([A-Z_]+)\"(?:, ([\d_ *]+)\))?", sources)
    return {
        name: math.prod(int(each) for each in default.split("*")) if default else None
        for name, default in found
    }


def settings_told(document: str) -> dict[str, str]:
    """Return the variables of the tables of settings, each with its default as it is written there."""
    return dict(re.findall(r"^\| `([A-Z_]+)` \| ([^|]*?) \|", document, re.MULTILINE))


def required(folder: Path) -> set[str]:
    """Return the packages that the requirements files pin."""
    return {
        name.lower()
        for path in folder.glob("requirements*.txt")
        for name in REQUIREMENT.findall(path.read_text(encoding="utf-8"))
    }


def in_table(architecture: str) -> set[str]:
    """Return the packages of the table of dependencies."""
    table = (
        architecture.split("## Dependencies", 1)[1]
        .split("| package | why |\n|---|---|\n", 1)[1]
        .split("\n\n", 1)[0]
    )
    return {name.strip().lower() for row in ROW.findall(table + "\n") for name in row.split(",")}


NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*(?:\(\))?")


def missing_names(text: str, words: set[str]) -> list[str]:
    """Return the names of classes, functions and settings that a document says and no source has.

    Args:
        text: the document.
        words: every word of the sources.
    """
    found = []
    for quoted in QUOTED.findall(text):
        name = quoted.removesuffix("()")
        if NAME.fullmatch(quoted) and (set(name) & set("_.()") or not name.islower()):
            found += [quoted] if any(part not in words for part in name.split(".")) else []
    return found


def layers_told(text: str) -> dict[str, int]:
    """Return how many layers of rooms a document says that parts of the project have, by folder."""
    plain = re.sub(r"\s+", " ", text)
    return {
        folder: int(count)
        for folder, count in re.findall(r"python -m tools\.imports (\S+)` counts: (\d+) layers", plain)
    }
