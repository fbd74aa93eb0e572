"""Names in documents that a program can check: paths, targets of make, settings, packages."""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Set
from pathlib import Path
from posixpath import dirname, join, normpath

QUOTED = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"(?!\w+/\d+$)[\w.*-]+(?:/[\w.*-]+)+/?|[\w*-]+\.(?:py|js|md|toml|json|html)")
IN_A_LINE = re.compile(r"(?<![\w./:…*<$@-])[\w.-]+/[\w./*-]*")
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
MADE_AT_RUN_TIME = {
    "var/": "what running the app leaves behind",
}
"""Paths that documents name and that no clone has, by their beginning: a program makes them."""
REQUIREMENT = re.compile(r"^([A-Za-z0-9_.-]+)(?:\[[\w,]+\])?==", re.MULTILINE)
ROW = re.compile(r"^\| ([a-z0-9_@/, -]+) \| ", re.MULTILINE | re.IGNORECASE)


def paragraphs(text: str) -> Iterator[list[str]]:
    """Yield each paragraph, row of a table and block of code: all that it has in backticks, or the block's lines."""
    for at, part in enumerate(text.split("```")):
        if at % 2:
            yield part.replace("\\\n", " ").splitlines()[1:]
        else:
            for paragraph in re.split(r"\n\s*\n|\n(?=\|)", part):
                yield QUOTED.findall(paragraph)


def unquoted(text: str) -> Iterator[str]:
    """Yield everything that a document has in backticks, and the lines of its blocks of code."""
    for quoted in paragraphs(text):
        yield from quoted


def missing_paths(text: str, files: set[str]) -> list[str]:
    """Return the paths that a document names and that are not there; `*` stands for any part of a name.

    A whole quotation may leave out the first folders of a path. Elsewhere in a line a path begins with a folder of the
    repository, or it is taken for something else.

    Args:
        text: the document.
        files: every file of the repository.
    """
    folders = {"/".join(file.split("/")[:depth]) for file in files for depth in range(1, file.count("/") + 1)}
    there = files | folders
    found = []
    for quoted in QUOTED.findall(text):
        path = quoted.rstrip("/")
        if PATH.fullmatch(path) and not quoted.startswith(tuple(MADE_AT_RUN_TIME)):
            pattern = re.compile(f"(?:.*/)?{re.escape(path)}".replace(r"\*", "[^/]*"))
            found += [quoted] if not any(map(pattern.fullmatch, there)) else []
    for path in (each.rstrip("./") for each in IN_A_LINE.findall(text)):
        if path.split("/")[0] in folders and path not in found:
            pattern = re.compile(re.escape(path).replace(r"\*", "[^/]*"))
            found += [path] if not any(map(pattern.fullmatch, there)) else []
    return found


def broken_links(text: str, name: str, headings: Mapping[str, set[str]]) -> list[str]:
    """Return the links of a document to a file or a heading that is not there.

    Args:
        text: the document.
        name: its path.
        headings: by the path of each file of the repository, the anchors of its headings.
    """
    found = []
    for path, anchor in LINK.findall(text):
        if ":" in path:
            continue
        target = normpath(join(dirname(name), path)) if path else name
        if target not in headings or (anchor and anchor not in headings[target]):
            found.append(f"{path}#{anchor}" if anchor else path)
    return found


def anchors(text: str) -> set[str]:
    """Return the anchors that the headings of a document get: small letters, hyphens for spaces, no other signs."""
    return {
        re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in HEADING.findall(text)
    }


def missing_targets(text: str, makefile: str) -> list[str]:
    """Return the targets that a document names and that the Makefile has not."""
    there = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = [each for line in unquoted(text) for each in re.findall(r"\bmake ([a-z][a-z-]*)\b", line)]
    return [each for each in named if each not in there]


def missing_variables(text: str, makefile: str) -> list[str]:
    """Return the variables that a document gives to make and that no target named with them reads, as `target VAR`.

    A variable that stands in backticks of its own belongs to the targets of its paragraph or row.
    """
    found = []
    for quoted in paragraphs(text):
        named = [
            (target, words)
            for line in quoted
            for target, words in re.findall(r"\bmake ([a-z][a-z-]*)((?: +[A-Z]+=\S*)*)", line)
        ]
        reads = {target: variables_read(makefile, target) for target, _words in named}
        found += [
            f"{target} {name}"
            for target, words in named
            for name in re.findall(r"([A-Z]+)=", words)
            if name not in reads[target]
        ]
        alone = [line for line in quoted if re.fullmatch(r"(?:[A-Z]+=\S* ?)+", line)]
        found += [
            f"{' '.join(reads)} {name}"
            for line in alone
            for name in re.findall(r"([A-Z]+)=", line)
            if not any(name in each for each in reads.values())
        ]
    return found


def variables_read(makefile: str, target: str) -> set[str]:
    """Return the variables that a target's recipe, or one that it needs, reads, also through other variables."""
    rules = {
        name: needs + recipe
        for name, needs, recipe in re.findall(r"^([a-z-]+):(.*\n)((?:\t.*\n)*)", makefile, re.MULTILINE)
    }
    given: dict[str, str] = {}
    for name, value in re.findall(r"^([A-Z_]+) *[:?]?= *(.*)$", makefile, re.MULTILINE):
        given[name] = f"{given.get(name, '')} {value}"
    read: set[str] = set()
    texts, taken = [rules.get(target, ""), *re.findall(r"^ifn?eq .*$", makefile, re.MULTILINE)], {target}
    while texts:
        text = texts.pop()
        for name in set(re.findall(r"\$\(([A-Z_]+)\)", text)) - read:
            read.add(name)
            texts.append(given.get(name, ""))
        for need in (
            set(re.findall(r"[a-z-]+", text.partition("##")[0].partition("\n")[0])) & set(rules) - taken
        ):
            taken.add(need)
            texts.append(rules[need])
    return read


def missing_settings(text: str, settings: Collection[str]) -> list[str]:
    """Return the environment variables of the app that a document names and that the table of settings has not."""
    named = {each for line in unquoted(text) for each in re.findall(r"\bWATERLINE_[A-Z_]+\b", line)}
    return sorted(named - set(settings))


def settings_read(sources: str) -> dict[str, int | None]:
    """Return the environment variables that sources read, each with its default where that is a number."""
    found = re.findall(r"environment\.\w+\(\s*\"([A-Z_]+)\"(?:, ([\d_ *]+)\))?", sources)
    return {
        name: math.prod(int(each) for each in default.split("*")) if default else None
        for name, default in found
    }


def settings_listed(document: str) -> dict[str, str]:
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


def missing_names(text: str, words: Set[str]) -> list[str]:
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


def layers_claimed(text: str) -> dict[str, int]:
    """Return how many layers of rooms a document says that parts of the project have, by folder."""
    plain = re.sub(r"\s+", " ", text)
    return {
        folder: int(count)
        for folder, count in re.findall(r"python -m tools\.imports (\S+)` counts: (\d+) layers", plain)
    }
