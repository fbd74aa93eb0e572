"""`waterline-inspect.pyz` with nothing but Python: verdict, status, advice, and messages as a consumer got them."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tools import inspect_file
from tools.proofs.interop import directories

pytestmark = pytest.mark.sources  # the file is built of them

DAY = "2026-11-29"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return inspect_file.build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def given() -> tuple[dict[str, Any], dict[str, dict[str, bytes]]]:
    answers = json.loads((directories.PLACE / "answers.json").read_text())
    return answers, directories.directories((directories.PLACE / "directories.tar.xz").read_bytes())


def placed(files: dict[str, bytes], place: Path) -> Path:
    for path, data in directories.as_of_node(files).items():
        target = place / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return place


def run(built: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run it with the plain interpreter: -I and -S keep every installed package away."""
    plain = getattr(sys, "_base_executable", sys.executable)
    command = [plain, "-I", "-S", built, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_it_says_first_what_comes_back(built: Path, given: Any, tmp_path: Path) -> None:
    whole = run(built, placed(given[1]["4.3.6-stop-basic"], tmp_path), "--day", DAY)
    assert whole.returncode == 0, whole.stdout + whole.stderr
    assert whole.stdout.startswith("ALL BACK: 4.3 starts on virtual host '/' and has 137 of 137 messages")
    assert "  orders: 61 of 61 back, 0 redelivered" in whole.stdout


def test_it_says_what_to_do_about_damage_and_what_that_costs(built: Path, given: Any, tmp_path: Path) -> None:
    """S206, W205: with `clean.dot` away a start scans the store, as the recorded node of the same damage did."""
    broken = run(built, placed(given[1]["dmg-4.3.6-stop/d26"], tmp_path), "--day", DAY, "--what-to-do")
    assert broken.returncode == 1
    assert broken.stdout.startswith("LOSES: ")
    assert "large: 5 of 12 back, 5 redelivered" not in broken.stdout
    assert "lists 12, and a read ends its queue after 5" in broken.stdout
    assert "41 can then be read, instead of 35" in broken.stdout
    assert run(built, tmp_path / "no").returncode == 2


@pytest.mark.parametrize(
    ("name", "queue"),
    [
        ("3.8.9-stop-basic", "orders"),
        ("3.10.8-stop-basic", "orders"),
        ("3.10.8-stop-basic-v2", "orders"),
        ("4.0.5-kill-basic", "orders"),
        ("4.3.6-stop-basic", "orders"),
        ("4.3.6-kill-prio-ttl", "prio"),
    ],
)
def test_every_message_comes_out_as_a_consumer_got_it(
    built: Path, given: Any, tmp_path: Path, name: str, queue: str
) -> None:
    """Also a priority queue's: highest priority first."""
    real = given[0]["directories"][name]["starts"]["same"]["queues"][queue]
    done = run(built, placed(given[1][name], tmp_path), "--extract", queue)
    back = [each for each in map(json.loads, done.stdout.splitlines()) if each["comes_back"]]
    assert [each["properties"]["message_id"] for each in back] == real["ids"], done.stderr
    bodies = [base64.b64decode(each["body"]) for each in back]
    assert [len(each) for each in bodies] == real["sizes"]
    assert directories.digest_of(bodies) == real["crc32"]


def test_a_message_that_has_expired_is_printed_and_marked(built: Path, given: Any, tmp_path: Path) -> None:
    """P17: the real start dropped ten of twenty as their turn came, and its consumer got the others."""
    name, queue = "3.10.8-stop-prio-ttl-v2", "ttl.each"
    start = given[0]["directories"][name]["starts"]["same"]
    done = run(built, placed(given[1][name], tmp_path), "--extract", queue, "--day", "2026-11-29T10:51")
    rows = [*map(json.loads, done.stdout.splitlines())]
    back = [each["properties"]["message_id"] for each in rows if each["comes_back"]]
    assert back == start["queues"][queue]["ids"]
    assert [each["why"] for each in rows if not each["comes_back"]] == ["expired"] * (len(rows) - len(back))
    assert len(rows) == 2 * len(back)
    assert all(each["body"] for each in rows)
