"""The engine does without numpy, and in WebAssembly it reaches the digests that it reaches natively."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from tools.measured_on import stale

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = ("first-burst", "journal-flush", "mirrors-failover", "five-lanes")
"""A quick sample; `make wasm-digests` plays all."""
MOST_BYTES = 35_000_000
"""Of all files, also those of a start without a snapshot, which no browser loads that can take it up."""

PLAY = """
import json, sys
sys.modules["numpy"] = None
from pathlib import Path
from engine.replay import RunPlayer, on_ledger
scenario = json.loads(sys.stdin.read())
node = on_ledger(scenario)
for piece in RunPlayer(node).play(scenario["until_us"]):
    pass
print(node.log.digest)
"""


def test_the_ledger_needs_no_numpy() -> None:
    from playground.storybook import ready_scenarios

    entry = ready_scenarios.entry("first-burst")
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


def test_all_of_them_had_the_same_digests_in_node_and_in_chromium(repo_root: Path) -> None:
    """`make wasm-digests static-digests` play them anew, and keep what they found."""
    from playground.exercises.catalog import exercises
    from playground.storybook import ready_scenarios

    kept = json.loads((repo_root / "fidelity" / "webassembly.json").read_text("utf-8"))
    ready = {entry.slug: entry.run["digest"] for entry in ready_scenarios.entries()}
    assert set(kept["digests"]) == ready.keys() | {f"exercise-{name}" for name in exercises()}
    assert {name: kept["digests"][name] for name in ready} == ready
    for place in ("node", "chromium"):
        assert stale(place, kept[place]) is None
        assert (kept[place]["played"], kept[place]["different"]) == (len(kept["digests"]), [])


class AskPython(Protocol):
    """Asks one thing of the Python in Node.js, see asked.mjs."""

    def __call__(self, **asked: Any) -> Any:
        """Return what the program printed."""


@pytest.fixture(scope="module")
def ask_python(engine_for_browsers: Path) -> Iterator[AskPython]:
    """Yield what asks one Python in WebAssembly: starting it takes most of the time."""
    node = shutil.which("node")
    assert node is not None, "make test installs Node.js"
    command = [node, "tools/proofs/wasm/asked.mjs", str(engine_for_browsers)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdin
        assert run.stdout

        def send(**asked: Any) -> Any:
            print(json.dumps(asked), file=run.stdin, flush=True)
            line = run.stdout.readline()
            assert line, "Python ended"
            answer = json.loads(line)
            assert "result" in answer, answer["error"]
            return answer["result"]

        yield send
        run.stdin.close()


def test_a_sample_has_the_same_digests_in_webassembly(
    engine_for_browsers: Path, ask_python: AskPython
) -> None:
    rows = ask_python(play=SAMPLE)
    assert {row["name"] for row in rows} == set(SAMPLE)
    assert [row["digest"] for row in rows] == [row["native"] for row in rows]
    assert sum(path.stat().st_size for path in engine_for_browsers.iterdir()) < MOST_BYTES


def test_the_app_grades_an_exercise_and_begins_it_again(ask_python: AskPython) -> None:
    shown = ask_python(ask={"q": "task", "exercise": "first-in"})
    assert 'value="q4"' in shown["html"]
    answer = {
        "q": "task",
        "work": {"exercise": "first-in"},
        "do": "answer",
        "log": {"commands": [], "until_us": 0},
    }
    wrong = ask_python(ask={**answer, "form": [["answer", "q1"]]})
    right = ask_python(ask={**answer, "form": [["answer", "q4"]], "lang": "zh-hans"})
    assert (wrong["score"], right["score"]) == (0.0, 1.0), (wrong["problem"], right["problem"])
    assert "Not quite" in wrong["html"]
    assert "Right or not" not in right["html"]
    again = ask_python(ask={"q": "task", "work": wrong["work"], "do": "again"})
    assert again["work"]["variant"] > 0


def test_the_app_searches_and_shows_heatmaps(ask_python: AskPython) -> None:
    found = ask_python(ask={"q": "library", "query": "q=mirror"})
    assert 'id="mirrors-failover"' in found["html"]
    assert 'id="first-burst"' not in found["html"]
    assert "<table" in ask_python(ask={"q": "whatif", "query": "h=lazy-default"})["html"]


def test_a_link_that_the_app_makes_opens_the_same_run(ask_python: AskPython) -> None:
    scenario = ask_python(ask={"q": "task", "exercise": "first-in"})["scenario"]
    link = ask_python(ask={"q": "share", "scenario": {**scenario, "title": ""}})
    opened = ask_python(ask={"q": "link", "packed": link["packed"]})
    assert opened["scenario"] == {**scenario, "title": opened["title"]}
