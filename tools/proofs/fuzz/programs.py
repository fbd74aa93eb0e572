"""A random program from a seed: made of the table of verbs, so that a new verb or field joins by itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, Final

from msgspec import inspect

from engine.broker.commands import commands, scenario
from engine.broker.commands.base import FIELD, PROPERTIES, in_a_host
from engine.broker.commands.client_commands import mean_of, pack, pack_expirations, unpack
from engine.broker.commands.settings import NodeSettings
from engine.releases import PROFILES
from engine.values.errors import Refusal

Program = dict[str, Any]
"""A scenario as JSON has it."""

CONSOLE_LINES: Final = Path(__file__).resolve().parents[3] / "tests" / "ctl" / "lines"
LINES: Final = tuple(
    line
    for path in sorted(CONSOLE_LINES.glob("*.txt"))
    for line in path.read_text(encoding="utf-8").splitlines()
    if line.strip() and len(line) <= 255
)
OWN_LINES: Final = (
    "add_vhost v2",
    "delete_vhost v2",
    "stop_app",
    "start_app",
    "purge_queue q1",
    "delete_queue q2",
    "sync_queue q1",
    'set_policy ha .* \'{"ha-mode":"all"}\'',
    "clear_policy ha",
    "close_all_connections bye",
)
QUEUES: Final = ("q1", "q1", "q1", "q2", "orders", "é")
EXCHANGES: Final = ("", "", "ex", "topics", "heads", "amq.topic", "amq.fanout", "gone")
ACTORS: Final = ("t1", "t1", "t2", "p1", "p2", "hand", "x", "x.1", "y.1")
KEYS_OF_MESSAGES: Final = ("q1", "q1", "q2", "orders", "a.b", "a.b.c", "")
COUNTS: Final = (1, 1, 2, 3, 7, 20, 58, 130)
MANY: Final = (600, 2_000, 16_384)
SIZES: Final = (0, 1, 10, 300, 4_000, 5_232, 70_000)
WORDS: Final = ("", "a", "orders", "é", "1", "-1", "x" * 60)
NUMBERS: Final = (0, 1, 2, 3, 5, 10, 13, 100, 500, 5_000, 2**31, 2**53, -1)
PATTERNS: Final = (".*", "^q", "^(?!q1)", "q1|orders", "(?=.*1)q", "^$", "(")

USUAL_OF_FIELDS: Final[dict[str, tuple[Any, ...]]] = {
    "queue": QUEUES,
    "exchange": EXCHANGES,
    "source": EXCHANGES,
    "destination": EXCHANGES,
    "routing_key": KEYS_OF_MESSAGES,
    "channel": ("hand", "hand", "x", "x.1", "y.1"),
    "vhost": ("v2", "v2", "v3", "/"),
    "pattern": PATTERNS,
    "expiration": ("0", "1", "500", "-1", "x", "+5"),
    "type": ("direct", "fanout", "topic", "headers", "x-odd"),
    "count": COUNTS,
    "size_bytes": SIZES,
    "prefetch": (0, 1, 2, 10, 300),
    "channel_prefetch": (0, 0, 1, 5),
    "rate_per_s": (1, 3, 40, 200),
    "tag": (0, 1, 2, 3, 7, 100),
    "tx": (0, 0, 1, 3, 50),
    "expiration_ms": (0, 1, 20, 500, 5_000),
    "priority": (-5, 0, 0, 3, 100),
    "heartbeat_s": (1, 2, 10),
    "every_ms": (10, 300, 2_000),
    "tick_ms": (10, 50, 180),
}
"""What a field of a command may have, by its name; what is not named here follows from its type alone."""
NAMES: Final = {
    "declare_queue": (*QUEUES, ""),
    "delete_queue": QUEUES,
    "declare_exchange": EXCHANGES,
    "delete_exchange": EXCHANGES,
    "set_policy": ("ha", "po"),
    "clear_policy": ("ha", "po"),
}
"""What a command's `name` is of, where it is no actor."""
LEFT_OUT: Final = frozenset({"sizes", "expirations"})
"""Columns that must fit the other fields; `_columns` writes them."""


@lru_cache
def _fields(kind: Any) -> tuple[inspect.Field, ...]:
    return inspect.type_info(kind).fields  # type: ignore[attr-defined, no-any-return]


@lru_cache
def _type_of_setting(name: str) -> inspect.Type:
    return inspect.type_info(commands.SET_VALUES[name])


def program(seed: int) -> Program:
    """Return the program of a seed."""
    return _Writer(Random(seed)).program(seed)


class _Writer:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._timed = False
        self._shapes: dict[type, Callable[[Any, str], Any]] = {
            inspect.UnionType: lambda kind, name: self._value(random.choice(kind.types), name),
            inspect.Metadata: lambda kind, name: self._value(kind.type, name),
            inspect.NoneType: lambda _kind, _name: None,
            inspect.LiteralType: lambda kind, _: random.choice(kind.values),
            inspect.BoolType: lambda _kind, _name: random.random() < 0.5,
            inspect.TupleType: lambda kind, name: [self._value(each, name) for each in kind.item_types],
            inspect.StructType: lambda kind, _: {
                each.encode_name: self._value(each.type, each.encode_name) for each in kind.fields
            },
        }

    def program(self, seed: int) -> Program:
        random = self._random
        profile = random.choice(sorted(PROFILES))
        settings = self._accepted(lambda: {"settings": self._settings(profile)}, profile)["settings"]
        self._timed = settings.get("work_profile", "instant") != "instant"
        until_us = random.randrange(2_000_000, 14_000_000)
        times = sorted(random.randrange(until_us) for _ in range(random.randint(3, 22)))
        written = (self._command() for _ in iter(int, 1))
        return {
            "version": 1,
            "profile": profile,
            "seed": seed,
            "settings": settings,
            **self._accepted(lambda: {"topology": self._topology()}, profile),
            "commands": [{"at_us": at_us, **next(written)} for at_us in times],
            "until_us": until_us,
        }

    def _accepted(self, make: Callable[[], dict[str, Any]], profile: str) -> dict[str, Any]:
        """Return a part of a scenario that is not refused as a whole."""
        while True:
            part = make()
            try:
                scenario.parse({"version": 1, "profile": profile, **part})
            except Refusal:
                continue
            return part

    # --- around the commands -----------------------------------------------------------------------------------------

    def _settings(self, profile: str) -> dict[str, Any]:
        random, release = self._random, PROFILES[profile].release
        found: dict[str, Any] = {}
        if release.mirrors and random.random() < 0.6:
            found["nodes"] = random.choice((2, 3, 3))
        if random.random() < 0.4:
            fields = {each.encode_name: each for each in _fields(NodeSettings)}
            for name in random.sample(sorted(fields), random.randint(1, 3)):
                if name not in found:
                    found[name] = self._value(fields[name].type, name)
        if random.random() < 0.3:
            bounds = release.storage.settings.bounds
            for name in random.sample(sorted(bounds), min(2, len(bounds))):
                low, high = bounds[name]
                found[name] = random.choice(
                    (low, min(high, low + 1), min(high, max(low, 64)), min(high, 4096))
                )
        if found.get("nodes", 1) > 1:
            found.pop("work_profile", None)
        return found

    def _topology(self) -> dict[str, Any]:
        random = self._random
        names = random.sample(("q1", "q2", "orders"), random.randint(1, 3))
        found: dict[str, Any] = {"queues": [{"name": name, **self._of_queue()} for name in names]}
        if random.random() < 0.5:
            kinds = {"ex": "direct", "topics": "topic", "heads": "headers"}
            some = random.sample(sorted(kinds), random.randint(1, 3))
            found["exchanges"] = [{"name": name, "type": kinds[name]} for name in some]
            found["bindings"] = [
                {
                    "exchange": name,
                    "queue": random.choice(names),
                    "routing_key": random.choice(("q1", "a.*", "#")),
                }
                for name in some
            ]
        if random.random() < 0.3:
            definition = self._definition()
            found["policies"] = [
                {"name": "po", "pattern": random.choice(PATTERNS[:-1]), "definition": definition}
            ]
        if random.random() < 0.2:
            found["vhosts"] = [{"name": "v2", "queues": [{"name": "q1", **self._of_queue()}]}]
        return found

    def _of_queue(self) -> dict[str, Any]:
        random, found = self._random, {"arguments": self._arguments()}
        for flag, chance in (("durable", 0.3), ("auto_delete", 0.15)):
            if random.random() < chance:
                found[flag] = random.choice((True, False))
        return {name: value for name, value in found.items() if value != {}}

    # --- commands ----------------------------------------------------------------------------------------------------

    def _command(self) -> dict[str, Any]:
        """Return a command that parses; what is refused at once is no program."""
        while True:
            verb = self._random.choice(commands.VERBS)
            if self._random.random() < 0.35:
                verb = self._random.choice(
                    ("publish", "publish", "get", "set_consumer", "consume", "declare_queue")
                )
            found = self._of_verb(verb)
            try:
                commands.parse(found)
            except Refusal:
                continue
            return found

    def _of_verb(self, verb: str) -> dict[str, Any]:
        random, kind = self._random, commands.KINDS[verb]
        found: dict[str, Any] = {"do": verb}
        for each in _fields(kind):
            name = each.encode_name
            if name in LEFT_OUT or (not each.required and random.random() < 0.6):
                continue
            if verb == "set" and name == "value":
                found[name] = self._value(_type_of_setting(found["name"]), found["name"])
            elif name == "name" and not isinstance(each.type, inspect.LiteralType):
                found[name] = random.choice(NAMES.get(verb, ACTORS))
            elif name == "arguments" and verb != "declare_queue":
                found[name] = random.choice(({}, {"x-match": "any", "h": 1}, {"alternate-exchange": "ex"}))
            elif name not in ("arguments", "definition", "headers", "properties", "line"):
                found[name] = self._value(each.type, name)
            else:
                found[name] = getattr(self, f"_{name}")()
        if in_a_host(kind) and random.random() < 0.1:
            found[FIELD] = random.choice(USUAL_OF_FIELDS[FIELD])
        return self._columns(found) if verb == "publish" else found

    def _columns(self, publish: dict[str, Any]) -> dict[str, Any]:
        random = self._random
        if not self._timed and random.random() < 0.05:
            publish["count"] = random.choice(MANY)
        count = publish["count"]
        if count <= MANY[0] and random.random() < 0.1:
            publish["sizes"] = pack(random.choice(SIZES) for _ in range(count))
            publish["size_bytes"] = mean_of(unpack(publish["sizes"], count))
        if count <= MANY[0] and random.random() < 0.1:
            publish["expirations"] = pack_expirations(
                random.choice((None, 0, 20, 5_000)) for _ in range(count)
            )
            publish.pop("expiration_ms", None)
            publish.pop("expiration", None)
        return publish

    def _value(self, kind: inspect.Type, name: str) -> Any:
        """Return a value of a type, one of those that a field of this name usually has if there are such."""
        shape = self._shapes.get(type(kind))
        if shape is not None:
            return shape(kind, name)
        if name in USUAL_OF_FIELDS:
            return self._random.choice(USUAL_OF_FIELDS[name])
        return (
            self._number(kind)
            if isinstance(kind, inspect.IntType | inspect.FloatType)
            else self._random.choice(WORDS)
        )

    def _number(self, kind: inspect.IntType | inspect.FloatType) -> int | float:
        random, low, high = self._random, kind.ge or 0, kind.le or 2**53
        if isinstance(kind, inspect.FloatType):
            return round(random.uniform(low, high), 3)
        return min(
            int(high), max(int(low), random.choice((low, low + 1, 10, 1_000, 70_000, 10**6, 10**8, high)))
        )

    # --- tables ------------------------------------------------------------------------------------------------------

    def _arguments(self) -> dict[str, Any]:
        random = self._random
        some = random.sample(sorted(OF_QUEUES), random.choice((0, 0, 1, 1, 2, 3)))
        return {name: random.choice(OF_QUEUES[name]) for name in some}

    def _definition(self) -> dict[str, Any]:
        random = self._random
        if random.random() < 0.5:
            return random.choice(MIRRORING)
        some = random.sample(sorted(USUAL), random.choice((1, 1, 2)))
        return {name: random.choice(USUAL[name]) for name in some}

    def _headers(self) -> dict[str, Any]:
        return self._random.choice(
            (
                {},
                {"h": 1},
                {"CC": ["q2", "orders"]},
                {"BCC": ["q2"]},
                {"CC": 5},
                {"x-death": []},
                {"h": {"i": [None, True]}},
            )
        )

    def _properties(self) -> dict[str, Any]:
        random = self._random
        some = random.sample(sorted(PROPERTIES), random.randint(0, 2))
        return {
            name: random.choice((0, 1, 3, 255)) if PROPERTIES[name] != "shortstr" else random.choice(WORDS)
            for name in some
        }

    def _line(self) -> str:
        return self._random.choice(OWN_LINES if self._random.random() < 0.4 else LINES)


LIMITS: Final = (0, 1, 3, 13, 100, 2_614)
USUAL: Final[dict[str, tuple[Any, ...]]] = {
    "message-ttl": (0, 1, 500, 3_000),
    "expires": (1, 800, 4_000),
    "max-length": LIMITS,
    "max-length-bytes": LIMITS,
    "max-priority": (0, 1, 3, 10),
    "overflow": ("drop-head", "reject-publish", "reject-publish-dlx"),
    "dead-letter-exchange": ("", "ex", "topics", "gone"),
    "dead-letter-routing-key": ("q1", "q2", "orders"),
    "dead-letter-strategy": ("at-most-once",),
    "queue-mode": ("lazy", "default"),
    "queue-version": (1, 2),
    "queue-type": ("classic",),
    "single-active-consumer": (True, True, False),
    "queue-master-locator": ("min-masters", "random", "client-local"),
    "alternate-exchange": ("ex", "topics"),
}
"""What these mean to a classic queue; what is not named here gets odd values, which a broker refuses or passes over."""
KINDS: Final = ("expires", "ttl", "text", "key", "natural", "priority", "boolean", "one_of", "version")
OF_QUEUES: Final = {f"x-{name}": values for name, values in USUAL.items() if name != "alternate-exchange"} | {
    name: NUMBERS[:4] for name in KINDS if name.removeprefix("x-") not in USUAL
}
MIRRORING: Final[tuple[dict[str, Any], ...]] = (
    {"ha-mode": "all"},
    {"ha-mode": "all", "ha-sync-mode": "automatic", "ha-sync-batch-size": 3},
    {"ha-mode": "exactly", "ha-params": 2, "ha-sync-mode": "automatic"},
    {"ha-mode": "exactly", "ha-params": 2, "ha-promote-on-shutdown": "always"},
    {"ha-mode": "nodes", "ha-params": ["n2", "n3"]},
    {"ha-mode": "nodes", "ha-params": ["n9"]},
    {"ha-mode": "all", "ha-promote-on-failure": "when-synced"},
)
