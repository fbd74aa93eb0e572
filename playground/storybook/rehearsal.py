"""Playing a scenario to its end without files, to see what its claims are worth."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import msgspec

from engine.replay import Player, Tally
from playground.doors import door
from playground.storybook.entry import Entry
from playground.storybook.predicate import Reference, Test, holds, look, names_of, references


class Result(msgspec.Struct):
    """How a rehearsal came out.

    Args:
        digest: of the whole run.
        transitions: how many there were.
        broken: which claims do not hold, in words.
        answer: which option of the prediction is right, None if there is no prediction.
        refused: commands of the file that the node could not do.
    """

    digest: str
    transitions: int
    broken: list[str] = []
    answer: int | None = None
    refused: list[str] = []


class Rehearsal:
    """A run on the ledger that stops at given moments, with all that happened counted.

    Args:
        run: the engine's scenario.
        budget_s: most real seconds that it may take.
    """

    def __init__(self, run: dict[str, Any], budget_s: float = 60.0) -> None:
        self.node = door().rehearse(run)
        self._tally = Tally()
        deadline_s = time.monotonic() + budget_s
        self._player = Player(self.node, give_up=lambda: time.monotonic() > deadline_s)

    def go(self, at_us: int) -> dict[str, Any]:
        """Play up to a time; return the state there with `happened` and `figures`. Raises RunTooLong."""
        for piece in self._player.play(at_us):
            self._tally.add(piece)  # one event that is larger than the log is not counted by kind
        figures = self._tally.meter.row(at_us)
        return {**self.node.snapshot(), "happened": dict(self._tally.happened), "figures": figures}


def rehearse(entry: Entry, budget_s: float = 60.0) -> Result:
    """Play a file to its end; tell the digest, and which claims and options hold. Raises RunTooLong."""
    rehearsal = Rehearsal(entry.run, budget_s)
    states: dict[int, dict[str, Any]] = {}
    for at_us in sorted(_moments(entry)):
        states[at_us] = rehearsal.go(at_us)
    log = rehearsal.node.log
    result = Result(log.digest, log.number)
    result.refused = [f"{each.at_us}: {each.message}" for each in rehearsal.node.refused]

    def earlier(reference: Reference) -> Any:
        return look(states[reference.at_us or 0], reference.path)

    until_us = entry.run["until_us"]
    for number, claim in enumerate(entry.story.claims):
        state = states[until_us if claim.at_us is None else claim.at_us]
        if not holds(claim.test, state, earlier):
            result.broken.append(f"claims[{number}]: {'; '.join(_shown(claim.test, state))}")
    prediction = entry.story.prediction
    if prediction:
        state = states[prediction.at_us]
        right = [at for at, option in enumerate(prediction.options) if holds(option.when, state)]
        if len(right) != 1:
            result.broken.append(f"prediction: {len(right)} options hold: {right}")
        result.answer = right[0] if len(right) == 1 else None
    return result


def _moments(entry: Entry) -> Iterator[int]:
    yield entry.run["until_us"]
    for claim in entry.story.claims:
        if claim.at_us is not None:
            yield claim.at_us
        yield from (each.at_us or 0 for each in references(claim.test))
    if entry.story.prediction:
        yield entry.story.prediction.at_us


def _shown(test: Test, state: dict[str, Any]) -> Iterator[str]:
    if test.path is not None:
        path = ".".join(names_of(test.path))
        yield f"{path} is {look(state, test.path)!r}, and not {test.op} {test.value!r}"
    for part in test.all or test.any or []:
        yield from _shown(part, state)
