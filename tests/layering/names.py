"""Names: verbs that say nothing, and words that have one meaning each."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

EMPTY_VERBS = {
    "tell",
    "tells",
    "told",
    "look",
    "looks",
    "looked",
    "see",
    "sees",
    "say",
    "says",
    "said",
    "does",
    "facts",
}
"""Nobody finds out by such a name what a function does: a verb of the domain goes in its place."""

DEFINED_IN_SCRIPT = re.compile(
    r"^(?:export )?(?:async )?function (?:\*\s*)?(\w+)|^(?:export )?const (\w+) = (?:async )?\(|"
    r"^  (?:static |async |get |set |\*)*#?(\w+)\([^;]*\) \{$",
    re.MULTILINE,
)
NO_NAMES = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
"""Comments and texts of a script."""

WHOLE_SCRIPTS = "static/js/view/"
"""Where no name of any kind is an empty verb: of a function, a variable, an argument or a property."""


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
                "ClusterDoor",
                "NodeDoor",
                "EngineDoor",
                "LedgerDoor",
                "door.py",
                "doors.py",
                "engine_door.py",
            }
        ),
    ),
    "moment": Word("a point in the time of a run; a class that is about it says more", frozenset()),
    "run": Word(
        "a scenario with the commands that were given to it, played from its beginning",
        frozenset({"Run", "RunSoFar", "RunTooLong", "CellRun", "run.py", "runs.py"}),
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


AS_RECORDED = {"engine/conformance/cluster.py": {"_look"}}
"""Methods that are called by the name that recordings give a step."""


def empty_verbs(source: str, name: str) -> Iterator[str]:
    """Yield a sentence for each name that says nothing: of a function, a class, mostly also a variable.

    Args:
        source: of a Python file, or of a script.
        name: the file's path.
    """
    if name.endswith(".py"):
        defined = list(_named_in_python(source))
    elif name.startswith(WHOLE_SCRIPTS):
        defined = list(_named_in_script(source))
    else:
        defined = [
            (source.count("\n", 0, found.start()) + 1, next(filter(None, found.groups())))
            for found in DEFINED_IN_SCRIPT.finditer(source)
        ]
    for number, each in defined:
        if each.strip("_").lower() in EMPTY_VERBS and each not in AS_RECORDED.get(name, ()):
            yield f"{name}:{number} {each}: write a verb of the domain"


def _named_in_python(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and name of each function, class, argument, variable and attribute that a file makes."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case (
                ast.arg(arg=name)
                | ast.Name(id=name, ctx=ast.Store())
                | ast.Attribute(attr=name, ctx=ast.Store())
            ):
                yield node.lineno, name


def _named_in_script(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and name of each place of a script where a name stands outside comments and texts."""
    code = NO_NAMES.sub(lambda found: "\n" * found[0].count("\n"), source)
    for found in re.finditer(r"\b[A-Za-z_]\w*", code):
        yield code.count("\n", 0, found.start()) + 1, found[0]


def classes_of(source: str, name: str) -> Iterator[str]:
    """Yield the names of the classes of a Python file or a script."""
    if name.endswith(".py"):
        yield from (node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef))
    else:
        yield from re.findall(r"^(?:export )?class (\w+)", source, re.MULTILINE)


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
