"""Each measure runs something real and returns its counts; nothing here is typed in."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from engine.damage import ReadingOptions
from engine.inspect.command import EVERYTHING
from engine.inspect.directory_kinds import inspect
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from tests.conftest import CALIBRATION, ROOT
from tests.crash.runs import run_seeds
from tests.fuzz import running
from tests.rules import coverage
from tools.proofs.conformance.formats import FORMATS

MOST_NAMED = 20


def recorded(recordings: Path) -> dict[str, list[Path]]:
    """Return the files of all traces by the release whose broker they were recorded in."""
    found = {
        "3.8.9": [*recordings.glob("3.8.9/*.json"), *recordings.glob("3.8.9/crashes/*.json")],
        "3.10.8": list(recordings.glob("[hr]*.json")),
    }
    for folder in sorted(path for path in (recordings / "v2").iterdir() if path.is_dir()):
        if files := list(folder.glob("*.json")):
            found[f"{folder.name}, version 2" if folder.name in found else folder.name] = files
    return {release: sorted(files) for release, files in found.items()}


def listed(recordings: Path) -> dict[str, Any]:
    """Count every recorded trace and its steps by release, without replaying any."""
    found: dict[str, Any] = {}
    for release, files in recorded(recordings).items():
        kept = [json.loads(path.read_text()) for path in files]
        steps = sum(len(trace["steps"]) + ("crashes_at" in trace) for trace in kept)
        found[release] = {"traces": len(files), "steps": steps}
    return found


def traces(recordings: Path, most: int | None = None) -> dict[str, Any]:
    """Replay the recorded traces: all of them, or the first `most` of each release."""
    releases: dict[str, Any] = {}
    differing: list[str] = []
    for release, files in recorded(recordings).items():
        outcomes = []
        for path in files[:most]:
            trace = json.loads(path.read_text())
            outcomes.append(FORMATS[trace["format"]][2](trace, LedgerStorage()))
        differing += [f"{release} {outcome.name}" for outcome in outcomes if not outcome.whole]
        releases[release] = {
            "traces": len(outcomes),
            "whole": sum(outcome.whole for outcome in outcomes),
            "steps": sum(outcome.steps for outcome in outcomes),
            "equal": sum(outcome.equal for outcome in outcomes),
        }
    sums = {
        name: sum(each[name] for each in releases.values()) for name in ("traces", "whole", "steps", "equal")
    }
    return {**sums, "releases": releases, "differing": differing[:MOST_NAMED]}


def directories(recordings: Path) -> dict[str, Any]:
    """Inspect every directory that a broker wrote, and compare each queue's messages with the broker's own list."""
    queues = equal = messages = 0
    places = sorted(path for path in (recordings / "datadirs").iterdir() if path.is_dir())
    for place in places:
        manifest = json.loads((place / "manifest.json").read_text())
        report = inspect(DirectoryStorage(str(place)), ReadingOptions(list_most=EVERYTHING))
        found = {queue["name"]: queue["messages_sha256"] for queue in report["queues"]}
        for queue in manifest["queues"]:
            queues += 1
            messages += queue["live_messages"]
            equal += found.get(queue["name"]) == queue["messages_sha256"]
    return {"directories": len(places), "queues": queues, "equal": equal, "live_messages": messages}


def memory_model() -> dict[str, Any]:
    """Return the error of the RAM model in each situation that was not used to fit it, in percent."""
    calibration = json.loads(CALIBRATION.read_text())
    situations = [
        {"name": each["name"], "error_pct": each["error_pct"]}
        for each in calibration["validation"]
        if each["kind"] == "ram"
    ]
    return {"situations": situations}


def rules() -> dict[str, Any]:
    """Count rules by kind, and those that a test cites."""
    defined = coverage.defined()
    kinds = coverage.classified()
    cited = coverage.cited(ROOT / "tests")
    carried = coverage.on_transitions(ROOT / "engine")
    of_engine = [rule for rule in defined if kinds[rule].kind == coverage.ENGINE]
    return {
        "rules": len(defined),
        "by_kind": dict(Counter(kinds[rule].kind for rule in defined)),
        "engine": len(of_engine),
        "engine_cited": sum(rule in cited for rule in of_engine),
        "engine_by_letter": dict(sorted(Counter(rule[0] for rule in of_engine).items())),
        "uncited": [rule for rule in of_engine if rule not in cited],
        "on_transitions": len(carried),
        "not_covered": {
            rule: {"kind": entry.kind, "why": entry.why}
            for rule, entry in kinds.items()
            if entry.kind in coverage.KINDS[2:] and rule in defined
        },
    }


def crashes(runs: int, place: Path) -> dict[str, Any]:
    """Run seeded programs with crashes; a wrong one raises."""
    outcome = run_seeds(range(runs), place)
    return {
        "runs": outcome.runs,
        "crashes": outcome.crashes,
        "by_kind": dict(sorted(outcome.kinds.items())),
        "messages_back": outcome.survived,
        "uncertain": outcome.uncertain,
        "confirmed_lost_in_combining": outcome.lost_in_combining,
        "confirmed_lost_to_an_old_journal": outcome.lost_in_clearing,
        "unreadable_as_the_rules_say": outcome.unreadable,
    }


def fuzz(inputs: int, recordings: Path) -> dict[str, Any]:
    """Damage, inspect and open real files; a crash raises."""
    seen = [running.run(recordings, seed) for seed in range(inputs)]
    return {
        "inputs": len(seen),
        "damage_reported": sum(damage for damage, _ in seen),
        "openings_refused": sum(refused for _, refused in seen),
    }
