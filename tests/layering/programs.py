"""Programs that documents ask the reader to run, and the options that each of them accepts."""

import contextlib
import functools
import io
import re
import runpy
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from django.core.management import get_commands, load_command_class

from tests.layering.documents import unquoted

MODULE = re.compile(r"\bpython3? -m ([\w.]+)(.*)")
COMMAND = re.compile(r"\bmanage\.py ([a-z]\w*)(.*)")
OPTION = re.compile(r"(?<![\w-])--?[a-z][\w-]*")
ALONE = re.compile(r"--[a-z][\w-]*(?: [A-Z]+)?")


class Program(NamedTuple):
    """A program as a document writes it.

    Args:
        name: a module, or `manage.py` and a command.
        verb: the word behind it, which may be one of the program's own commands; empty for none.
    """

    name: str
    verb: str


def named(text: str) -> Iterator[tuple[Program, set[str]]]:
    """Yield each program that a document names, with the options that stand behind it."""
    for line in unquoted(text):
        for pattern, prefix in ((MODULE, ""), (COMMAND, "manage.py ")):
            for name, rest in pattern.findall(line):
                verb = re.match(r" ([a-z]+)\b(?![./=:-])", rest)
                # What a program does stands behind two spaces, and arguments in quotation marks are the reader's.
                words = re.sub(r"'[^']*'", "", rest.split("   ")[0])
                yield Program(prefix + name, verb[1] if verb else ""), set(OPTION.findall(words))


def not_there(text: str, root: Path) -> list[str]:
    """Return the programs of a document that cannot be run: no module with a main, no command of manage.py."""
    return sorted({program.name for program, _options in named(text) if not _is_there(program.name, root)})


def not_accepted(text: str, root: Path, left_out: tuple[str, ...] = ()) -> list[str]:
    """Return the options that a document gives to its programs and that these do not accept.

    An option in backticks of its own belongs to any of the programs that the document names.

    Args:
        text: the document.
        root: the folder of the repository.
        left_out: programs that are not asked.
    """
    accepted: dict[Program, set[str]] = {}
    foreign = {
        option for line in unquoted(text) for option in OPTION.findall(line) if not ALONE.fullmatch(line)
    }
    found = []
    for program, options in named(text):
        foreign -= options
        if program.name in left_out or not _is_there(program.name, root):
            continue
        accepted[program] = accepts(program, root)
        found += [f"{program.name} {program.verb} {each}" for each in sorted(options - accepted[program])]
    everything = set().union(foreign, *accepted.values())
    if not any(program.name in left_out for program, _options in named(text)):
        alone = [line.split()[0] for line in unquoted(text) if ALONE.fullmatch(line)]
        found += [each for each in alone if each not in everything]
    return found


@functools.cache
def accepts(program: Program, root: Path) -> set[str]:
    """Return the options of a program: those of its own help, or those that its source reads where it has no help."""
    if program.name.startswith("manage.py "):
        name = program.name.removeprefix("manage.py ")
        command = load_command_class(get_commands()[name], name)
        return set(OPTION.findall(command.create_parser("manage.py", name).format_help()))
    source = _main_of(program.name, root).read_text(encoding="utf-8")
    if "argparse" not in source and "--help" not in source:
        return set(OPTION.findall(source))
    printed = io.StringIO()
    words = [program.name, *([program.verb] if program.verb else []), "--help"]
    with (
        patch.object(sys, "argv", words),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
        warnings.catch_warnings(),
        contextlib.suppress(SystemExit),
    ):
        warnings.simplefilter("ignore", RuntimeWarning)  # the module may have been imported by another test
        runpy.run_module(program.name, run_name="__main__")
    return set(OPTION.findall(printed.getvalue()))


def _main_of(module: str, root: Path) -> Path:
    place = root / module.replace(".", "/")
    return place / "__main__.py" if place.is_dir() else place.with_suffix(".py")


def _is_there(name: str, root: Path) -> bool:
    if name.startswith("manage.py "):
        return name.removeprefix("manage.py ") in get_commands()
    path = _main_of(name, root)
    return path.is_file() and 'if __name__ == "__main__":' in path.read_text(encoding="utf-8")
