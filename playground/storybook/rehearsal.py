"""A scenario without a page: played to its end without files, for what its claims are worth; and on another release.

There commands all stay: one that the other release refuses is refused when its time comes, and the run says so. Only
settings with which a run could not begin are left out, by name.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from django.utils.translation import gettext_lazy as _

from engine.broker.commands.settings import NODE_NAMES, RULES, release_of
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
from engine.releases import PROFILES, RELEASES, BrokerRelease, Feature
from engine.replay import RunPlayer, RunWatcher, WatchedRun, WatchedState, on_ledger
from playground.hosting.real_engine import door
from playground.hosting.refusals import message_of
from playground.jobs import CHECK, job
from playground.limits import session_limits
from playground.storybook.entry import LibraryEntry, TooNew, migrated, read
from playground.storybook.story import StoryClaim
from playground.texts import PageMessage, RequestRefused

Scenario = dict[str, Any]

CLUSTER: Final = frozenset({"nodes", "ring_hop_us", "queue_master_locator"})
"""Settings of a cluster, which only makes sense where queues can have mirrors."""

WORDS: Final[dict[Feature, frozenset[str]]] = {
    "mirrors": CLUSTER
    | {"ha-mode", "ha-params", "ha-sync-mode", "ha-promote-on-shutdown", "ha-promote-on-failure"}
    | {"ha-sync-batch-size", "queue-master-locator", "x-queue-master-locator"}
    | {"connect", "kill_node", "stop_node", "start_node", "sync_queue", "cancel_sync_queue", "move_master"},
    "queue_mode": frozenset({"queue_mode", "queue-mode", "x-queue-mode"}),
    "paging": frozenset(
        {"vm_memory_high_watermark_paging_ratio", "memory_monitor_interval_ms", "memory_monitor_after_ms"}
    ),
    "target_ram_count": frozenset({"target_ram_count"}),
}
"""By which words of a scenario one sees that it uses a feature: settings, verbs, arguments, keys of policies."""

GONE: Final[dict[Feature, Any]] = {
    "mirrors": _(
        "%(release)s has no mirrored queues (%(rule)s): one node runs, and what only a cluster can do is refused when "
        "its time comes. Quorum queues take their place."
    ),
    "queue_mode": _(
        "Lazy mode has no effect in %(release)s (%(rule)s): every queue keeps in memory only what its consumers "
        "soon need."
    ),
    "paging": _(
        "The paging ratio has no effect in %(release)s (%(rule)s): memory pressure moves no message to disk, and only "
        "the watermark is left."
    ),
    "target_ram_count": _(
        "%(release)s has no target_ram_count (%(rule)s): the limit L, which follows the rate of deliveries, takes "
        "its place."
    ),
}
"""What is said of a feature that a release has no more, by the feature."""


class TakenScenario(NamedTuple):
    """A scenario on another release. `scenario`: in full; its digest is not known. `said`: what of it does not
    exist there.
    """

    scenario: Scenario
    said: list[PageMessage]


def shown_release(scenario: Scenario) -> BrokerRelease:
    return release_of(scenario["profile"], scenario["settings"])


def taken_to(series: str, scenario: Scenario) -> TakenScenario:
    """Return the same commands on another release, at the same scale. `series`: a key of the table of releases.
    `scenario`: in full, and checked.
    """
    release = RELEASES[series]
    scale = PROFILES[scenario["profile"]].scale
    kept, without = {}, []
    for name, value in scenario["settings"].items():
        if name == RULES or (name in CLUSTER and not release.mirrors):
            continue
        if _takes(release, name, value):
            kept[name] = value
        else:
            without.append(name)
    taken = {**scenario, "profile": release.profiles[scale], "settings": kept, "digest": None}
    said = gone_of(scenario, release)
    if without:
        text = _("%(release)s has no such setting, so the run goes without it: %(names)s.")
        said.append(PageMessage(text, release=release.name, names=", ".join(sorted(without))))
    return TakenScenario(taken, said)


def asked_for(series: str, scenario: Scenario) -> TakenScenario | None:
    """Return a scenario on the release that a form or a link names; None where that is none, or the scenario's own."""
    if series not in RELEASES or shown_release(scenario).series == series:
        return None
    return taken_to(series, scenario)


def _takes(release: BrokerRelease, name: str, value: Any) -> bool:
    storage = release.storage
    if name in storage.settings.bounds:
        least, most = storage.settings.bounds[name]
        return bool(least <= value <= most)
    return name in NODE_NAMES or name in storage.chosen


def where_it_works(name: str) -> list[PageMessage]:
    """Return on which releases a setting has an effect, and what takes its place on the others; nothing if on all."""
    feature = next((each for each, words in WORDS.items() if name in words), None)
    chosen = frozenset().union(*(each.storage.chosen for each in RELEASES.values()))
    has = [
        each
        for each in RELEASES.values()
        if feature not in each.gone and (name not in chosen or name in each.storage.chosen)
    ]
    if len(has) == len(RELEASES):
        return []
    text = _("%(name)s has an effect in %(releases)s.")
    said = [PageMessage(text, name=name, releases=", ".join(each.name for each in has))]
    last = next((each for each in reversed(RELEASES.values()) if feature in each.gone), None)
    if feature is not None and last is not None:
        said.append(_gone(feature, last))
    return said


def gone_of(scenario: Scenario, release: BrokerRelease) -> list[PageMessage]:
    """Return what is said of the features that a scenario uses and a release does not have."""
    found = frozenset(_words(scenario))
    used = [feature for feature, words in WORDS.items() if words & found]
    return [_gone(feature, release) for feature in used if feature in release.gone]


def _gone(feature: Feature, release: BrokerRelease) -> PageMessage:
    return PageMessage(GONE[feature], release=release.name, rule=release.gone[feature])


def _words(scenario: Scenario) -> Iterator[str]:
    yield from (name for name, value in scenario["settings"].items() if (name, value) != ("nodes", 1))
    topology = scenario.get("topology") or {}
    for each in (*topology.get("queues", ()), *topology.get("policies", ())):
        yield from _keys(each)
    for command in scenario["commands"]:
        yield command["do"]
        yield from _keys(command)
        if command["do"] == "set":
            yield command["name"]
        elif command["do"] == "ctl":
            yield from re.findall(r"[a-z]+(?:[_-][a-z]+)+", command["line"])


def _keys(each: dict[str, Any]) -> Iterator[str]:
    yield from each.get("arguments") or {}
    yield from each.get("definition") or {}


class StoryResult(msgspec.Struct):
    """How a rehearsal came out. `digest`: of the whole run. `transitions`: how many there were. `broken`: which
    claims do not hold, in words. `answer`: which option of the prediction is right, None if there is no prediction.
    `refused`: commands of the file that the node could not do.
    """

    digest: str
    transitions: int
    broken: list[str] = []
    answer: int | None = None
    refused: list[str] = []


class StoryRehearsal(WatchedRun):
    """A run on the ledger that stops at given moments, with all that happened counted. `run`: the engine's
    scenario. `budget_s`: most real seconds that it may take. `watchers`: conditions about the past are asked at
    every moment.
    """

    def __init__(
        self, run: dict[str, Any], budget_s: float = 60.0, watchers: Iterable[RunWatcher] = ()
    ) -> None:
        deadline_s = time.monotonic() + budget_s
        node = on_ledger(run)
        super().__init__(node, RunPlayer(node, give_up=lambda: time.monotonic() > deadline_s), watchers)


def rehearse(entry: LibraryEntry, budget_s: float = 60.0, more: Sequence[StoryClaim] = ()) -> StoryResult:
    """Play a file to its end; return the digest, and which claims and options hold. Raises RunTooLong. `budget_s`:
    most real seconds that it may take. `more`: claims that others make of this run, numbered after its own.
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
