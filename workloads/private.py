"""Leaving personal data out: what a person typed is replaced, what the engine needs stays.

Names of actors, queues, exchanges and policies, routing keys and headers become p1, c1, q1, x1 and so on, the same
name always the same, so that messages go where they went. Titles go. Rates, counts, sizes, times and settings stay:
they are what a workload is.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any, Final

from workloads.errors import WorkloadError
from workloads.workload import Scenario

KEPT: Final = frozenset({"", "orders", "burst", "hand"})
"""Names that the program itself gives."""
BROKERS_OWN: Final = "amq."
"""How the names of exchanges begin that every broker has."""

ACTORS: Final = {"set_publisher": "p", "set_consumer": "c"}
OF_ACTORS: Final = frozenset({*ACTORS, "remove", "cancel", "close_channel"})
KINDS: Final = {"queue": "q", "exchange": "x", "policy": "n"}
"""What commands such as declare_queue or set_policy name, and the letter of its replacement."""

KNOWN_KEYS: Final = frozenset(
    "max-length max-length-bytes message-ttl expires overflow queue-mode dead-letter-exchange "
    "dead-letter-routing-key alternate-exchange".split()
)
KNOWN_WORDS: Final = frozenset(
    "default lazy drop-head reject-publish reject-publish-dlx all any all-with-x any-with-x classic".split()
)


class _Names:
    """Replacements handed out so far, by kind."""

    def __init__(self) -> None:
        self._given: dict[str, dict[str, str]] = {}

    def of(self, letter: str, name: Any) -> Any:
        """Return the replacement of a name; what the program or the broker gives stays."""
        if not isinstance(name, str) or name in KEPT or name.startswith(BROKERS_OWN):
            return name
        given = self._given.setdefault(letter, {})
        return given.setdefault(name, f"{letter}{len(given) + 1}")

    def key(self, text: Any) -> Any:
        """Return the replacement of a routing key: a queue's name, or word by word as topics are matched."""
        if not isinstance(text, str) or text in self._given.get("q", {}):
            return self.of("q", text)
        if text in KEPT:
            return text
        return ".".join(word if word in {"*", "#", ""} else self.of("k", word) for word in text.split("."))

    def pattern(self, text: str) -> str:
        """Return a pattern that matches the queues which the old one matches, under their new names."""
        try:
            matched = [new for old, new in self._given.get("q", {}).items() if re.search(text, old)]
        except re.error:
            return ".*"
        return f"^({'|'.join(matched)})$" if matched else ".*" if text in {"", ".*"} else "^none$"

    def table(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return arguments, headers or a definition: what the broker itself reads stays, the rest is replaced."""
        return {
            key if key.startswith("x-") or key in KNOWN_KEYS else self.of("h", key): self._value(key, value)
            for key, value in values.items()
        }

    def _value(self, key: str, value: Any) -> Any:
        if not isinstance(value, str) or value in KNOWN_WORDS:
            return value
        if key.endswith("exchange"):
            return self.of("x", value)
        return self.key(value) if key.endswith("routing-key") else self.of("v", value)


def without_personal_data(scenario: Scenario) -> Scenario:
    """Return the scenario with everything replaced that a person named.

    Raises:
        WorkloadError: it holds console lines, in which names could stand anywhere.
    """
    changed = copy.deepcopy(scenario)
    changed["title"], changed["digest"] = "", None
    names = _Names()
    topology = changed.get("topology") or {}
    for queue in _queues(changed["commands"], topology):
        names.of("q", queue)
    for kind, letter in (("queues", "q"), ("exchanges", "x"), ("policies", "n")):
        for each in topology.get(kind, ()):
            each["name"] = names.of(letter, each["name"])
            _rename(each, names)
    for each in topology.get("bindings", ()):
        _rename(each, names)
    actors: dict[str, str] = {}
    for command in changed["commands"]:
        verb = command["do"]
        if verb == "ctl":
            raise WorkloadError("console_lines")
        if verb in OF_ACTORS:
            name = command["name"]
            command["name"] = actors.setdefault(name, names.of(ACTORS.get(verb, "a"), name))
        elif verb.partition("_")[2] in KINDS:
            letter = KINDS[verb.partition("_")[2]]
            if "name" in command:
                command["name"] = names.of(letter, command["name"])
        _rename(command, names)
    return changed


def _queues(commands: list[dict[str, Any]], topology: dict[str, Any]) -> Iterator[str]:
    """Yield every name that is a queue's: they come first, since routing keys may be the same names."""
    for each in topology.get("queues", ()):
        yield each["name"]
    for command in commands:
        if command["do"] in {"declare_queue", "delete_queue"}:
            yield command["name"]
        if "queue" in command:
            yield command["queue"]


def _rename(place: dict[str, Any], names: _Names) -> None:
    """Replace the names in a command's, queue's, binding's or policy's fields, beside its own name."""
    for field, letter in (("queue", "q"), ("exchange", "x")):
        if field in place:
            place[field] = names.of(letter, place[field])
    if "routing_key" in place:
        place["routing_key"] = names.key(place["routing_key"])
    for field in ("headers", "arguments", "definition"):
        if field in place:
            place[field] = names.table(place[field])
    if "pattern" in place:
        place["pattern"] = names.pattern(place["pattern"])
