"""One program on both sides: recorded on the broker, replayed on the engine, shortened when they differ."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from engine.storage.ledger import LedgerStorage
from tools.proofs.conformance.replay import Outcome, replay, replay_v2
from tools.proofs.differential.driver import BrokerRefused, Driver
from tools.proofs.differential.files import broker_files, differing_files, engine_files
from tools.proofs.differential.installation import OLD, TODAYS
from tools.proofs.differential.node import PrivateNode
from tools.proofs.differential.programs import ModuleProgram
from tools.proofs.differential.programs_v2 import ProgramV2
from tools.proofs.differential.recording import ANSWERED, answer, blank_trace, question

SHRINK_TRIES = 150
CRASH = re.compile(r"queue_died,\s*\{(?:function_clause,\s*(?=\[)|(?=\{case_clause,))(.*)", re.DOTALL)
"""What the driver says when the queue's process meets a call or a value that no clause matches."""


class Recorded(msgspec.Struct):
    """What the broker did with a program.

    Args:
        trace: its steps, and where its process crashed if it did.
        files: afterwards.
        error: of the driver, if it raised one.
        crashed: whether the process crashed or never came back, so that no files can be compared.
    """

    trace: dict[str, Any]
    files: dict[str, bytes]
    error: str | None = None
    crashed: bool = False


class Comparison:
    """A driver in a private node, and the engine beside it.

    Args:
        node: where the broker's files are.
        driver: a connection to the driver in that node.
    """

    def __init__(self, node: PrivateNode, driver: Driver) -> None:
        self._release = node.release
        self._directory: Path = node.vhost_directory
        self._driver = driver

    def record(self, seed: int) -> Recorded:
        """Run a program on the broker."""
        today = self._release in TODAYS
        program = ProgramV2(seed) if today else ModuleProgram(seed, whole_segments=self._release == OLD)
        about = f"random program, generator seed {seed}"
        trace = blank_trace(f"d{seed}", about, program.config, self._release)
        step: dict[str, Any] = {"op": "init"}
        for _ in range(program.steps):
            try:
                found = self._execute(trace, step)
            except BrokerRefused as error:
                crash = CRASH.search(str(error))
                if crash is None:
                    return Recorded(trace, {}, f"{step}: {error}")
                return Recorded({**trace, "crashes_at": step, "reason": crash[1]}, {}, crashed=True)
            if "after" not in found:
                return Recorded(trace, {}, crashed=True)
            program.seen(found["after"], found["pending_tags"])
            step = program.next()
        return Recorded(trace, broker_files(self._directory))

    def _execute(self, trace: dict[str, Any], step: dict[str, Any]) -> dict[str, Any]:
        found = answer(self._driver, trace["config"], step)
        trace["steps"].append({**step, **{name: found[name] for name in ANSWERED if name in found}})
        return found

    @staticmethod
    def compare(recorded: Recorded) -> Outcome:
        """Replay on the engine: every vector, then the bytes of every file."""
        storage = LedgerStorage()
        if recorded.trace["format"] == "cq-trace/2":
            return replay_v2(recorded.trace, storage)  # each of its vectors has the digests of all files
        outcome = replay(recorded.trace, storage)
        if not outcome.whole or recorded.error is not None or recorded.crashed:
            return outcome
        files = tuple(differing_files(recorded.files, engine_files(storage), outcome.steps - 1))
        equal = outcome.equal - bool(files)
        return Outcome(outcome.name, outcome.steps, equal, outcome.differences + files)

    def shrink(self, recorded: Recorded, outcome: Outcome) -> tuple[dict[str, Any], Outcome]:
        """Leave out steps for as long as the two sides still differ; return the shorter trace and how it differs."""
        if recorded.crashed:
            return recorded.trace, outcome
        best, how = _until_difference(recorded.trace, outcome), outcome
        tries = 0
        width = max(1, len(best["steps"]) // 2)
        while width:
            at = 1
            while at < len(best["steps"]) and tries < SHRINK_TRIES:
                tries += 1
                found = self._still_differs(best, best["steps"][:at] + best["steps"][at + width :])
                if found is None:
                    at += width
                else:
                    best, how = found
            width //= 2
        return best, how

    def _still_differs(
        self, trace: dict[str, Any], steps: list[dict[str, Any]]
    ) -> tuple[dict[str, Any], Outcome] | None:
        again = Recorded({**trace, "steps": []}, {})
        try:
            for step in steps:
                if "after" not in self._execute(again.trace, question(step)):
                    return None  # a step that names tags which are not there any more may end the process
        except BrokerRefused:
            return None
        again.files = broker_files(self._directory)
        outcome = self.compare(again)
        return None if outcome.whole else (_until_difference(again.trace, outcome), outcome)


def _until_difference(trace: dict[str, Any], outcome: Outcome) -> dict[str, Any]:
    last = outcome.differences[0].step
    return {**trace, "steps": trace["steps"][: last + 1]}
