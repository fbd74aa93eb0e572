"""`python -m tests.ctl.helps`: ask the tools of an installed RabbitMQ for their help, and write engine/ctl/helps.

No node is needed. The texts are the tools' own (Mozilla Public License 2.0), and the engine's files say so.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from tests.programs.differential.installation import LATEST, installation

INTO: Final = Path(__file__).resolve().parents[2] / "engine" / "ctl" / "helps"
BOLD: Final = re.compile("\x1b\\[[0-9]*m")
PROGRAMS: Final = ("rabbitmqctl", "rabbitmq-diagnostics")
ROW: Final = re.compile(r"   ([a-z_]+)\s")
GENERAL: Final = "General Options"
WIDTH: Final = 96
ROOM: Final = 380
"""Lines of texts in one file."""

Ask = Callable[[str, str], str]
"""Returns what a program says on a command; "" asks for its overview."""


def of_installation() -> Ask:
    """Return what asks the installed tools."""
    home = tempfile.mkdtemp(prefix="waterline-helps-")
    environment = {**os.environ, "HOME": home, "LANG": "C.UTF-8", "RABBITMQ_ENABLED_PLUGINS": ""}
    sbin = installation(LATEST).home / "sbin"

    def ask(program: str, command: str) -> str:
        words = [str(sbin / program), "help", *([command] if command else [])]
        return subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout

    return ask


def of_directory(place: Path) -> Ask:
    """Return what reads answers that were kept as PROGRAM and PROGRAM.COMMAND."""
    return lambda program, command: place.joinpath(f"{program}.{command}".rstrip(".")).read_text()


def overviews(ask: Ask) -> dict[str, str]:
    """Return the overview of each program."""
    return {program: BOLD.sub("", ask(program, "")).rstrip("\n") + "\n" for program in PROGRAMS}


def texts(ask: Ask, overview: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each command and its help: how it is called, and what it does, without what all commands share."""
    seen: set[str] = set()
    for program in PROGRAMS:
        for name in ROW.findall(overview[program]):
            if name in seen:
                continue
            seen.add(name)
            text = BOLD.sub("", ask(program, name)).partition(GENERAL)[0].strip("\n")
            head, _, rest = text.removeprefix("Usage\n\n").partition("\n")
            yield name, f"{head.partition('[--quiet] ')[2]}\n{rest}".rstrip("\n") + "\n"


def general(ask: Ask) -> str:
    """Return what the help of each command ends with."""
    return GENERAL + BOLD.sub("", ask(PROGRAMS[0], "list_queues")).partition(GENERAL)[2].rstrip("\n") + "\n"


def _literals(text: str, indent: str) -> str:
    """Return a text as literals of Python, one for each line or part of a long one."""
    pieces: list[str] = []
    for line in text.splitlines():
        if not line and pieces:
            pieces[-1] += "\n"
            continue
        rest = line
        while len(rest) > WIDTH:
            cut = rest.rfind(" ", 0, WIDTH) + 1 or WIDTH
            pieces.append(rest[:cut])
            rest = rest[cut:]
        pieces.append(f"{rest}\n")
    return "".join(f"{indent}{_literal(piece)}\n" for piece in pieces)


def _literal(piece: str) -> str:
    quoted = piece.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
    if '"' in quoted and "'" not in quoted:
        return f"'{quoted}'"
    return '"' + quoted.replace('"', '\\"') + '"'


def write(ask: Ask) -> None:
    """Write the package anew."""
    found = overviews(ask)
    head = (
        '"""What the tools of RabbitMQ 3.10.8 say{}; their text, Mozilla Public License 2.0. By tests.ctl.helps."""\n'
        "\nfrom __future__ import annotations\n\nfrom typing import Final\n\n"
    )
    parts = {"GENERAL": general(ask), "CTL": found[PROGRAMS[0]], "DIAGNOSTICS": found[PROGRAMS[1]]}
    named = "".join(f"{name}: Final = (\n{_literals(text, '    ')})\n" for name, text in parts.items())
    INTO.joinpath("overviews.py").write_text(head.format(" of all commands") + named)
    files: list[list[str]] = [[]]
    lines = 0
    for name, text in sorted(texts(ask, found)):
        entry = f'    "{name}": (\n{_literals(text, "        ")}    ),\n'
        if lines + entry.count("\n") > ROOM:
            files.append([])
            lines = 0
        lines += entry.count("\n")
        files[-1].append(entry)
    for number, entries in enumerate(files, 1):
        place = INTO.joinpath(f"texts_{number}.py")
        place.write_text(f"{head.format(' of each command')}TEXTS: Final = {{\n{''.join(entries)}}}\n")
    imports = "".join(f"from engine.ctl.helps import texts_{at}\n" for at in range(1, len(files) + 1))
    whole = " | ".join(f"texts_{at}.TEXTS" for at in range(1, len(files) + 1))
    INTO.joinpath("__init__.py").write_text(
        '"""The help of each command of rabbitmqctl and rabbitmq-diagnostics. Written by tests.ctl.helps."""\n\n'
        f"from typing import Final\n\n{imports}\nTEXTS: Final = {whole}\n"
    )


def main() -> None:
    """Write the package from the installed tools, or from answers that were kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kept", type=Path, help="directory with answers")
    given = parser.parse_args()
    INTO.mkdir(exist_ok=True)
    write(of_directory(given.kept) if given.kept else of_installation())


if __name__ == "__main__":
    main()
