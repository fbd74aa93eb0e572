"""The engine does without numpy, and in WebAssembly it reaches the digests that it reaches natively."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ("first-burst", "journal-flush", "mirrors-failover", "five-lanes")
"""A quick sample; `make wasm-digests` plays all. Starting Pyodide takes most of the time."""

PLAY = """
import json, sys
sys.modules["numpy"] = None
from pathlib import Path
from engine.replay import Player, on_ledger
scenario = json.loads(sys.stdin.read())
node = on_ledger(scenario)
for piece in Player(node).play(scenario["until_us"]):
    pass
print(node.log.digest)
"""


def test_the_ledger_needs_no_numpy() -> None:
    from playground import library

    entry = library.entry("first-burst")
    assert entry is not None
    played = subprocess.run(
        [sys.executable, "-c", PLAY],
        input=json.dumps(entry.run),
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert played.stdout.strip() == entry.run["digest"]


def test_a_sample_has_the_same_digests_in_webassembly(tmp_path: Path) -> None:
    node = shutil.which("node")
    assert node is not None, "make test installs Node.js"
    assert (ROOT / "node_modules" / "pyodide").is_dir(), "make test installs Pyodide"
    out = tmp_path / "wasm"
    subprocess.run([sys.executable, "-m", "tools.wasm", "--out", str(out)], cwd=ROOT, check=True)
    told = subprocess.run(
        [node, "tests/wasm/digests.mjs", str(out), *SAMPLE],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    rows = [json.loads(line) for line in told.stdout.splitlines()]
    assert told.returncode == 0, told.stderr[-2000:]
    assert {row["name"] for row in rows} == set(SAMPLE)
    _the_desk_answers(node, out)
    sizes = sum(path.stat().st_size for path in out.iterdir())
    assert sizes < 20_000_000


def _the_desk_answers(node: str, out: Path) -> None:
    """Ask the static edition's desk: an exercise answered wrong and right, and begun again; searches; a link."""
    work = {"exercise": "first-in"}
    shown = _ask(node, out, {"q": "task", "exercise": "first-in"}, {"q": "library", "query": "q=mirror"})
    assert 'value="q4"' in shown[0]["html"]
    assert 'id="mirrors-failover"' in shown[1]["html"]
    assert 'id="first-burst"' not in shown[1]["html"]
    log = {"commands": [], "until_us": 0}
    wrong, right, link, heatmap = _ask(
        node,
        out,
        {"q": "task", "work": work, "do": "answer", "form": [["answer", "q1"]], "log": log},
        {
            "q": "task",
            "work": work,
            "do": "answer",
            "form": [["answer", "q4"]],
            "log": log,
            "lang": "zh-hans",
        },
        {"q": "share", "scenario": {**shown[0]["scenario"], "title": ""}},
        {"q": "whatif", "query": "h=lazy-default"},
    )
    assert (wrong["score"], right["score"]) == (0.0, 1.0), (wrong["problem"], right["problem"])
    assert "Not quite" in wrong["html"]
    assert "Right or not" not in right["html"]
    assert "<table" in heatmap["html"]
    again, opened = _ask(
        node,
        out,
        {"q": "task", "work": wrong["work"], "do": "again"},
        {"q": "link", "packed": link["packed"]},
    )
    assert again["work"]["variant"] > 0
    assert opened["scenario"] == {**shown[0]["scenario"], "title": opened["title"]}


def _ask(node: str, out: Path, *questions: dict[str, Any]) -> list[dict[str, Any]]:
    command = [node, "tests/wasm/desk.mjs", str(out), json.dumps(questions)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr[-2000:]
    answers: list[dict[str, Any]] = json.loads(told.stdout)
    return answers
