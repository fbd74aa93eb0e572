"""Names: words that have one meaning each, and classes that share a name."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple


class Word(NamedTuple):
    """A word that stands in names of classes and files.

    Args:
        meaning: the only one.
        names: the classes and files that may have it.
    """

    meaning: str
    names: frozenset[str]


WORDS: dict[str, Word] = {
    "door": Word(
        "a way to drive the engine from outside: by a queue's verbs or by a node's commands",
        frozenset(
            {
                "BackingQueueDoor",
                "V2Door",
                "BothDoor",
                "ClusterDoor",
                "NodeDoor",
                "EngineDoor",
                "LedgerDoor",
                "door.py",
                "door_both.py",
                "door_v2.py",
                "doors.py",
                "engine_door.py",
            }
        ),
    ),
    "moment": Word("a point in the time of a run; a class that is about it says more", frozenset()),
    "run": Word(
        "a scenario with the commands that were given to it, played from its beginning",
        frozenset(
            {"Run", "RunBuilder", "RunSoFar", "RunTooLong", "CellRun", "run.py", "run_builder.py", "runs.py"}
        ),
    ),
    "limits": Word(
        "what one visitor may take of the server",
        frozenset({"Limits", "limits.py"}),
    ),
    "picture": Word("an image file of a state", frozenset({"picture.py"})),
    "wire": Word("the bytes between the server and a page", frozenset({"wire.py"})),
    "palette": Word(
        "the list of all actions that a key opens", frozenset({"CommandPalette", "command-palette.js"})
    ),
}


def classes_of(source: str, name: str) -> Iterator[str]:
    """Yield the names of the classes of a Python file or a script."""
    if name.endswith(".py"):
        yield from (node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef))
    else:
        yield from re.findall(r"^(?:export )?class (\w+)", source, re.MULTILINE)


def shared(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the names of public classes that several Python files have, each with these files."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path, source in sources.items():
        if path.endswith(".py"):
            names = {node.name for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}
            for name in names:
                if not name.startswith("_"):
                    found[name].append(path)
    return {name: paths for name, paths in found.items() if len(paths) > 1}


def given_twice(source: str, path: str) -> Iterator[str]:
    """Yield the names of a Python file that are given to two things: the first of them can be had no more.

    Args:
        path: of the file, for the words.
    """
    if not path.endswith(".py"):
        return
    seen: set[str] = set()
    for statement in ast.parse(source).body:
        targets = statement.targets if isinstance(statement, ast.Assign) else ()
        for target in targets:
            if isinstance(target, ast.Name):
                if target.id in seen:
                    yield f"{path}:{statement.lineno} gives the name {target.id} to a second thing"
                seen.add(target.id)


def second_meanings(names: set[str]) -> Iterator[str]:
    """Yield a sentence for each name of a class or file that has one of the words without being in its row."""
    for name in sorted(names):
        for part in parts_of(name):
            word = WORDS.get(part) or WORDS.get(part.removesuffix("s"))
            if word is not None and name not in word.names:
                yield f"{name}: {part} means {word.meaning}"


def parts_of(name: str) -> list[str]:
    """Return the words of a name: RunTooLong has run, too and long, frame_sender.py frame and sender."""
    stem = name.rpartition(".")[0] or name
    return [part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", stem)]
