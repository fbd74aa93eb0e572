"""docs/whatif.md is followed literally: its files are written, its commands typed, what they print is compared."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.test import Client

from spark_jobs.publish import MOST_PAGE_CELLS
from tests.spark.conftest import ROOT, environment

PAGE = ROOT / "docs" / "whatif.md"
BLOCK = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDED = (
    "engine",
    "playground",
    "spark_jobs",
    "sweeps",
    "workloads",
    "manage.py",
    "templates",
    "static",
    "locale",
)
"""What a checkout has and the commands use; the place where they are typed is a checkout, but for its size."""


class Block(NamedTuple):
    """A block of code: what stands behind the backquotes, and its lines."""

    info: list[str]
    body: str


def blocks() -> list[Block]:
    """Return the page's blocks of code in order."""
    return [Block(found["info"].split(), found["body"]) for found in BLOCK.finditer(PAGE.read_text("utf-8"))]


def commands(body: str) -> list[tuple[str, list[str]]]:
    """Return each command of a console with the lines that the document shows as its output."""
    typed: list[tuple[str, list[str]]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            typed.append((line[2:], []))
        else:
            typed[-1][1].append(line)
    return typed


def matches(expected: str, line: str) -> bool:
    """Return whether a printed line is the expected one; … stands for anything."""
    return re.fullmatch(".*".join(map(re.escape, expected.split("…"))), line) is not None


def test_the_limit_of_a_page_is_that_of_the_code() -> None:
    written = re.findall(r"shows at most ([\d ]+) cells", " ".join(PAGE.read_text("utf-8").split()))
    assert [int(each.replace(" ", "")) for each in written] == [MOST_PAGE_CELLS]


@pytest.mark.soak
@pytest.mark.django_db
def test_the_page_is_true(tmp_path: Path, java_home: str, settings: Any) -> None:
    for name in NEEDED:
        (tmp_path / name).symlink_to(ROOT / name)
    variables = {
        **environment(java_home),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(tmp_path),
        "WATERLINE_VAR": str(tmp_path / "var"),
    }
    migrate = [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity", "0"]
    subprocess.run(migrate, cwd=tmp_path, env=variables, check=True)
    typed = 0
    for info, body in blocks():
        if len(info) == 2 and info[0] in {"csv", "json"}:
            (tmp_path / info[1]).write_text(body)
        if info[:1] != ["console"]:
            continue
        for command, expected in commands(body):
            run = subprocess.run(
                ["bash", "-c", command],
                cwd=tmp_path,
                env=variables,
                capture_output=True,
                text=True,
                timeout=900,
                check=False,
            )
            typed += 1
            printed = (run.stderr if "fails" in info else run.stdout).splitlines()
            assert (run.returncode != 0) == ("fails" in info), f"{command}\n{run.stdout}{run.stderr}"
            for line in expected:
                assert any(matches(line, each) for each in printed), (
                    f"{command}\nnever says {line!r}, but {printed}"
                )
    assert typed >= 6
    settings.VAR_DIR = tmp_path / "var"
    page = Client().get("/whatif/?h=mine", headers={"HX-Request": "true"}).content.decode()
    assert "My morning" in page
    assert "whatif-cliff" in page
    assert "★" in page


def test_the_page_is_followed_from_end_to_end() -> None:
    infos = [info[0] for info, _body in blocks() if info]
    assert infos.count("console") >= 4
    assert {"csv", "json"} <= set(infos)
