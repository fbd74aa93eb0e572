"""The same commands on another release: the scenario as that release takes it, and what of it does not exist there.

Commands all stay: one that the other release refuses is refused when its time comes, and the run says so. Only
settings with which a run could not begin are left out, by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from django.utils.translation import gettext_lazy as _

from engine.broker.commands.settings import NODE_NAMES, RULES, release_of
from engine.releases import PROFILES, RELEASES, BrokerRelease, Feature
from playground.texts import PageMessage

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
    """A scenario on another release.

    Args:
        scenario: in full; its digest is not known.
        said: what of it does not exist there.
    """

    scenario: Scenario
    said: list[PageMessage]


def shown_release(scenario: Scenario) -> BrokerRelease:
    return release_of(scenario["profile"], scenario["settings"])


def taken_to(series: str, scenario: Scenario) -> TakenScenario:
    """Return the same commands on another release, at the same scale.

    Args:
        series: a key of the table of releases.
        scenario: in full, and checked.
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
    said = [
        PageMessage(GONE[feature], release=release.name, rule=release.gone[feature])
        for feature in used(scenario)
        if feature in release.gone
    ]
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
    if name in storage.bounds:
        least, most = storage.bounds[name]
        return bool(least <= value <= most)
    return name in NODE_NAMES or name in storage.chosen


def where_it_works(name: str) -> list[PageMessage]:
    """Return on which releases a setting has an effect, and what takes its place on the others; nothing if on all."""
    feature = next((each for each, words in WORDS.items() if name in words), None)
    has = [each for each in RELEASES.values() if feature not in each.gone and _knows(each, name)]
    if len(has) == len(RELEASES):
        return []
    text = _("%(name)s has an effect in %(releases)s.")
    said = [PageMessage(text, name=name, releases=", ".join(each.name for each in has))]
    last = next((each for each in reversed(RELEASES.values()) if feature in each.gone), None)
    if feature is not None and last is not None:
        said.append(PageMessage(GONE[feature], release=last.name, rule=last.gone[feature]))
    return said


def _knows(release: BrokerRelease, name: str) -> bool:
    chosen = frozenset().union(*(each.storage.chosen for each in RELEASES.values()))
    return name not in chosen or name in release.storage.chosen


def used(scenario: Scenario) -> list[Feature]:
    found = frozenset(_words(scenario))
    return [feature for feature, words in WORDS.items() if words & found]


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
