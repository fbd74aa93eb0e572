"""Names: verbs that say nothing, and words that have one meaning each."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from tests.layering.javascript import code_only, comments

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

EMPTY_PARTS = {"tell", "tells", "told", "retell", "said"}
"""Verbs that no longer name has as a part either: toldFrom, ToldPast, told_exercises."""

OF_PEOPLE = set(
    "know knows knew say says said see sees saw tell tells told look looks looked hear hears heard "
    "ask asks asked asking want wants wanted speak speaks spoke spoken talk talks".split()
)
"""What people do and programs do not: the page's scripts and styles have no such word in a name or a comment."""

OF_PEOPLE_NAME = re.compile(rf"\b_*(?:{'|'.join(sorted(OF_PEOPLE - {'see', 'saw'}))})_*\b")
OF_PEOPLE_WORD = re.compile(rf"\b(?:{'|'.join(sorted(OF_PEOPLE - {'wanted'}))})\b", re.IGNORECASE)
EMPTY_NAME = re.compile(rf"\b_*(?:{'|'.join(sorted(EMPTY_VERBS))})_*\b", re.IGNORECASE)
WRITTEN = re.compile(rf"{EMPTY_NAME.pattern}(?=\s*[:=,()\[\].{{}}]| in | as )", re.IGNORECASE)
"""Where a Python file may name something so; most files have no such place, and need not be parsed."""
LONGER = re.compile(r"\w*(?:tell|told|said)\w*", re.IGNORECASE)
"""Names that may have one of EMPTY_PARTS."""
IN_MARKUP = re.compile(
    r"""\bdata-[a-z-]+|\b(?:id|class|aria-labelledby)="([^"{]*)\"|[.#]([a-z][\w-]*)(?=[^{};]*\{)"""
)
"""Data attributes, ids and classes, as templates and style sheets write them."""


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
                "ClusterDoor",
                "NodeDoor",
                "EngineDoor",
                "LedgerDoor",
                "door.py",
                "door_v2.py",
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
    """Yield a sentence for each name that says nothing: of a function, class, variable, property or data attribute.

    Args:
        source: of a Python file, a script, a template or a style sheet.
        name: the file's path.
    """
    if name.endswith(".py"):
        defined = list(_named_in_python(source)) if WRITTEN.search(source) or LONGER.search(source) else []
    elif name.endswith((".html", ".css")):
        defined = list(_named_in_markup(source))
    else:
        defined = list(_named_in_script(source))
    for number, each in defined:
        if _is_empty(each) and each not in AS_RECORDED.get(name, ()):
            yield f"{name}:{number} {each}: write a verb of the domain"


def of_people(source: str, name: str) -> Iterator[str]:
    """Yield a sentence for each name and each comment of a script or a style sheet that speaks of it as of a person.

    Args:
        source: of the file; words inside its texts are for the reader and are free.
        name: the file's path.
    """
    code = "" if name.endswith(".css") else code_only(source)
    for number, line in enumerate(code.splitlines(), start=1):
        for found in OF_PEOPLE_NAME.findall(line):
            yield f"{name}:{number} {found}: write a verb of the domain"
    for number, line in comments(source):
        for found in OF_PEOPLE_WORD.findall(line):
            yield f"{name}:{number} {found}: write what the program does"


def _is_empty(name: str) -> bool:
    """Return whether a name is such a verb, or has one of those that may not be a part of it."""
    return name.strip("_").lower() in EMPTY_VERBS or not EMPTY_PARTS.isdisjoint(parts_of(name))


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
    """Yield line and name of each place of a script where an empty verb stands outside comments and texts."""
    for number, line in enumerate(code_only(source).splitlines(), start=1):
        yield from ((number, name) for name in EMPTY_NAME.findall(line))
    for number, line in enumerate(source.splitlines(), start=1):  # types are named in comments
        yield from ((number, name) for name in LONGER.findall(line) if len(parts_of(name)) > 1)


def _named_in_markup(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and each word of the data attributes, ids and classes of a template or a style sheet."""
    for number, line in enumerate(source.splitlines(), start=1):
        for found in IN_MARKUP.finditer(line):
            words = re.findall(r"[a-z]+", found[1] or found[2] or found[0])
            yield from ((number, word) for word in words)


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
