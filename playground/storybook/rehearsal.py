"""Playing a scenario to its end without files, to see what its claims are worth."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from engine.reading.conditions import (
    Condition,
    ConditionReference,
    ConditionWatch,
    comparisons,
    holds,
    names_of,
    references,
    value_at,
)
from engine.replay import RunPlayer, RunWatcher, WatchedRun, WatchedState, on_ledger
from playground.hosting.real_engine import door
from playground.hosting.refusals import message_of
from playground.jobs.job import CHECK, job
from playground.limits import session_limits
from playground.storybook.entry import LibraryEntry, TooNew, migrated, read
from playground.storybook.story import StoryClaim
from playground.texts import RequestRefused


class StoryResult(msgspec.Struct):
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


class StoryRehearsal(WatchedRun):
    """A run on the ledger that stops at given moments, with all that happened counted.

    Args:
        run: the engine's scenario.
        budget_s: most real seconds that it may take.
        watchers: conditions about the past are asked at every moment.
    """

    def __init__(
        self, run: dict[str, Any], budget_s: float = 60.0, watchers: Iterable[RunWatcher] = ()
    ) -> None:
        deadline_s = time.monotonic() + budget_s
        node = on_ledger(run)
        super().__init__(node, RunPlayer(node, give_up=lambda: time.monotonic() > deadline_s), watchers)


def rehearse(entry: LibraryEntry, budget_s: float = 60.0, more: Sequence[StoryClaim] = ()) -> StoryResult:
    """Play a file to its end; return the digest, and which claims and options hold. Raises RunTooLong.

    Args:
        budget_s: most real seconds that it may take.
        more: claims that others make of this run, numbered after its own.
    """
    states: dict[int, WatchedState] = {}

    def earlier(reference: ConditionReference) -> Any:
        return value_at(states.get(reference.at_us or 0, {}), reference.path)

    every = [*entry.story.claims, *more]
    claims = [(claim, ConditionWatch(claim.test, earlier)) for claim in every]
    rehearsal = StoryRehearsal(entry.run, budget_s, [watch for _claim, watch in claims])
    until_us = entry.run["until_us"]
    broken: dict[int, str] = {}
    for at_us in sorted(set(_moments(entry, every))):
        states[at_us] = state = rehearsal.go(at_us)
        for number, (claim, watch) in enumerate(claims):
            here = at_us == (until_us if claim.at_us is None else claim.at_us)
            if here and not watch.holds(state):  # it has the run up to here, and no more
                broken[number] = f"claims[{number}]: {'; '.join(_shown(claim.test, state))}"
    log = rehearsal.node.log
    result = StoryResult(log.digest, log.number, [broken[number] for number in sorted(broken)])
    result.refused = [f"{each.at_us}: {each.message}" for each in rehearsal.node.refused]
    prediction = entry.story.prediction
    if prediction:
        state = states[prediction.at_us]
        right = [at for at, option in enumerate(prediction.options) if holds(option.when, state)]
        if len(right) != 1:
            result.broken.append(f"prediction: {len(right)} options hold: {right}")
        result.answer = right[0] if len(right) == 1 else None
    return result


def _moments(entry: LibraryEntry, claims: Sequence[StoryClaim]) -> Iterator[int]:
    yield entry.run["until_us"]
    for claim in claims:
        if claim.at_us is not None:
            yield claim.at_us
        yield from (each.at_us or 0 for each in references(claim.test))
    if entry.story.prediction:
        yield entry.story.prediction.at_us


def _shown(condition: Condition, state: WatchedState) -> Iterator[str]:
    for each in comparisons(condition):
        path = each.path or ""
        yield f"{'.'.join(names_of(path))} is {value_at(state, path)!r}, and not {each.op} {each.value!r}"


class RunUnrepeatable(RequestRefused):
    """A kept run that this engine does not take."""


@job(CHECK)
def read_file(data: bytes | str | dict[str, Any]) -> LibraryEntry:
    """Return the entry of a file that somebody brings, checked against what this server affords. Raises BadScenario."""
    return read(data, session_limits.current())


@job(CHECK)
def read_kept(data: dict[str, Any]) -> LibraryEntry:
    """Return the entry of a file that is kept here. Raises BadScenario."""
    return read(data)


@job(CHECK)
def check_run(run: dict[str, Any]) -> dict[str, Any]:
    """Return a run in full, or raise the engine's ScenarioError."""
    return door().check(run)


@job(CHECK)
def repeatable(body: dict[str, Any]) -> dict[str, Any]:
    """Return a kept run in the present form. Raises Unrepeatable."""
    try:
        present, _came_from = migrated(body)
        return door().check(present)
    except TooNew as error:
        raise RunUnrepeatable(error.message) from None
    except door().no_scenario as error:
        raise RunUnrepeatable(message_of(error)) from None
