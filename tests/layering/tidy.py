"""What keeps files readable, as functions that find a breach."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

LINES_IN_A_FILE = 800
LINES_IN_A_FUNCTION = 80
LINES_THAT_TELL_THEMSELVES = 8
"""Of a function's body: longer ones are told in a docstring, whatever their names and types say."""
LETTERS_IN_A_LINE = 160
"""Of a template, which no formatter wraps."""
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def file_breaches(text: str, name: str) -> Iterator[str]:
    """Yield a sentence if the file is too long, and for each mark of unfinished work."""
    lines = text.splitlines()
    if len(lines) > LINES_IN_A_FILE:
        yield f"{name} has {len(lines)} lines; past {LINES_IN_A_FILE} a file holds two ideas"
    for number, line in enumerate(lines, start=1):
        if UNFINISHED.search(line):
            yield f"{name}:{number} leaves work behind: {line.strip()}"


def long_lines(text: str, name: str) -> Iterator[str]:
    """Yield a sentence for each line of a template that does not fit a screen."""
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > LETTERS_IN_A_LINE:
            yield f"{name}:{number} has {len(line)} letters; break it inside a tag, or a text in blocktrans trimmed"


def long_functions(tree: ast.Module, name: str) -> Iterator[str]:
    """Yield a sentence for each function that does not fit a screen."""
    for node in ast.walk(tree):
        if isinstance(node, Function):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > LINES_IN_A_FUNCTION:
                yield f"{name}:{node.lineno} {node.name} has {length} lines"


def prints(tree: ast.Module, name: str) -> Iterator[str]:
    """Yield a sentence for each call of print."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            yield f"{name}:{node.lineno} prints"


def undocumented(tree: ast.Module, name: str) -> Iterator[str]:
    """Yield a sentence for the module, each public class, and each public function that does not say itself what it
    does, without a docstring. A function does not if it has no body, is long, raises, or leaves out a type.
    """
    if not ast.get_docstring(tree):
        yield f"{name} has no docstring"
    yield from _undocumented_in(tree.body, name, "")


def _undocumented_in(body: list[ast.stmt], name: str, owner: str) -> Iterator[str]:
    for node in body:
        if not isinstance(node, Function | ast.ClassDef) or node.name.startswith("_") or _inherits_text(node):
            continue
        if not ast.get_docstring(node) and not (isinstance(node, Function) and _tells_itself(node)):
            yield f"{name}:{node.lineno} {owner}{node.name} has no docstring"
        if isinstance(node, ast.ClassDef):
            yield from _undocumented_in(node.body, name, f"{owner}{node.name}.")


def _tells_itself(node: Function) -> bool:
    """Name and types say it all: the body is short and not left to others, all is typed, and nothing is raised."""
    first, last = node.body[0], node.body[-1]
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return (
        (last.end_lineno or last.lineno) - first.lineno < LINES_THAT_TELL_THEMSELVES
        and ast.unparse(first) not in {"...", "pass"}
        and node.returns is not None
        and all(each.annotation or each.arg in {"self", "cls"} for each in given)
        and not any(isinstance(each, ast.Raise) for each in ast.walk(node))
    )


def _inherits_text(node: Function | ast.ClassDef) -> bool:
    """An overload, a property's setter or an override is documented where it is first declared."""
    names = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    return bool(names & {"overload", "override", "setter", "deleter"})


def own_scripts(root: Path) -> list[Path]:
    """Return the page's own scripts, without the vendored libraries."""
    return sorted(path for path in (root / "static" / "js").rglob("*.js") if "vendor" not in path.parts)
