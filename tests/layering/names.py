"""Names: classes that share one, and how many are a single word."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from tests.layering.sources import parsed


def public_classes(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the names of public classes at the top of Python files, each with these files."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path, source in sources.items():
        if path.endswith(".py"):
            for name in {node.name for node in parsed(source).body if isinstance(node, ast.ClassDef)}:
                if not name.startswith("_"):
                    found[name].append(path)
    return found


def shared(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the names of public classes that several Python files have, each with these files."""
    return {name: paths for name, paths in public_classes(sources).items() if len(paths) > 1}


def given_twice(source: str, path: str) -> Iterator[str]:
    """Yield the names of a Python file that are given to two things: the first of them can be had no more.

    Args:
        path: of the file, for the words.
    """
    if not path.endswith(".py"):
        return
    seen: set[str] = set()
    for statement in parsed(source).body:
        targets = statement.targets if isinstance(statement, ast.Assign) else ()
        for target in targets:
            if isinstance(target, ast.Name):
                if target.id in seen:
                    yield f"{path}:{statement.lineno} gives the name {target.id} to a second thing"
                seen.add(target.id)


def words_of(name: str) -> list[str]:
    """Return the words of a class's name: FrameThrottle has two, V2Record and HTTPChannel as well."""
    return re.findall(r"[A-Z]+\d*(?![a-z])|[A-Z][a-z0-9]*", name)


def single_words(names: Iterable[str]) -> float:
    """Return the share of names that are one word."""
    given = list(names)
    return sum(len(words_of(name)) == 1 for name in given) / len(given)
