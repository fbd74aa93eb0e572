"""Leaving personal data out: what a person typed is replaced, what the engine needs to know stays.

Names of actors, queues, exchanges and policies, routing keys and headers become p1, c1, q1, x1 and so on, the same
name always the same. Titles go. Rates, counts, sizes, times and settings stay: they are what a workload is.
"""

from __future__ import annotations

import copy
from typing import Any, Final

from workloads.errors import WorkloadError
from workloads.workload import Scenario

KEPT: Final = frozenset({"", "orders", "burst", "hand"})
"""Names that the program itself gives."""

PREFIXES: Final = {
    "set_publisher": "p",
    "set_consumer": "c",
}
NAMES: Final = {
    "queue": "q",
    "exchange": "x",
    "routing_key": "k",
    "dead_letter": "k",
}
"""Fields of commands that hold a name, and the letter of its replacement."""


class _Names:
    """Replacements handed out so far."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    def of(self, letter: str, name: Any) -> Any:
        if not isinstance(name, str) or name in KEPT:
            return name
        known = self._given.get((letter, name))
        if known is None:
            self._counts[letter] = self._counts.get(letter, 0) + 1
            known = self._given[letter, name] = f"{letter}{self._counts[letter]}"
        return known


def without_personal_data(scenario: Scenario) -> Scenario:
    """Return the scenario with everything replaced that a person named.

    Raises:
        WorkloadError: it holds console lines, in which names could stand anywhere.
    """
    changed = copy.deepcopy(scenario)
    changed["title"], changed["digest"] = "", None
    names = _Names()
    actors: dict[str, str] = {}
    for command in changed["commands"]:
        if command["do"] == "ctl":
            raise WorkloadError("it holds console lines, which may name anything")
        _rename_actor(command, names, actors)
        _rename_places(command, names)
    if "topology" in changed:
        _rename_topology(changed["topology"], names)
    return changed


def _rename_actor(command: dict[str, Any], names: _Names, actors: dict[str, str]) -> None:
    verb = command["do"]
    if verb in PREFIXES:
        actors.setdefault(command["name"], names.of(PREFIXES[verb], command["name"]))
    if verb in PREFIXES or verb in {"remove", "cancel", "close_channel"}:
        command["name"] = actors.get(command["name"], command["name"])


def _rename_places(command: dict[str, Any], names: _Names) -> None:
    verb = command["do"]
    kind = {"queue": "q", "exchange": "x", "policy": "n"}.get(verb.partition("_")[2])
    if kind is not None and verb.startswith(("declare", "delete", "set", "clear")):
        command["name"] = names.of(kind, command["name"])
    routes_to_queue = command.get("exchange", "") == ""
    for field, letter in NAMES.items():
        if field in command:
            to_queue = field == "routing_key" and routes_to_queue
            command[field] = _words(names, "q" if to_queue else letter, command[field])
    for field in ("headers", "arguments", "definition"):
        if field in command:
            command[field] = _values(command[field], names)
    if "pattern" in command:
        command["pattern"] = ".*"


def _rename_topology(topology: dict[str, Any], names: _Names) -> None:
    for kind, letter in (("queues", "q"), ("exchanges", "x"), ("policies", "n")):
        for each in topology.get(kind, ()):
            each["name"] = names.of(letter, each["name"])
            for field in ("arguments", "definition"):
                if field in each:
                    each[field] = _values(each[field], names)
            if "pattern" in each:
                each["pattern"] = ".*"
    for each in topology.get("bindings", ()):
        _rename_places({"do": "bind", **each}, names)
        each["exchange"] = names.of("x", each["exchange"])
        each["queue"] = names.of("q", each["queue"])
        each["routing_key"] = _words(names, "k", each.get("routing_key", ""))
        each["arguments"] = _values(each.get("arguments", {}), names)


def _words(names: _Names, letter: str, text: Any) -> Any:
    """Replace a name, or each word of a topic key: the dots and wildcards decide where messages go."""
    if not isinstance(text, str) or letter == "q" or "." not in text:
        return names.of(letter, text)
    return ".".join(word if word in {"*", "#"} else names.of("k", word) for word in text.split("."))


def _values(table: dict[str, Any], names: _Names) -> dict[str, Any]:
    """Keep what the broker itself knows (x-...); replace the other keys, and every text but a known word."""
    return {
        key if key.startswith("x-") or key in POLICY_KEYS else names.of("h", key): _value(key, value, names)
        for key, value in table.items()
    }


POLICY_KEYS: Final = frozenset(
    "max-length max-length-bytes message-ttl expires overflow queue-mode dead-letter-exchange "
    "dead-letter-routing-key alternate-exchange".split()
)
WORDS: Final = frozenset("default lazy drop-head reject-publish reject-publish-dlx all any classic".split())


def _value(key: str, value: Any, names: _Names) -> Any:
    if not isinstance(value, str) or value in WORDS:
        return value
    if key.endswith("exchange"):
        return names.of("x", value)
    return names.of("q" if key.endswith("routing-key") else "v", value)
