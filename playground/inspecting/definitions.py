"""definitions.json, as a broker exports it: its virtual hosts as a scenario, and everything else named."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import msgspec

from engine.amqp.arguments import NOT_HERE
from engine.broker.commands.base import MAX_SHORT_BYTES
from engine.broker.commands.scenario import MAX_QUEUES, MAX_VHOSTS, parse
from engine.releases import PROFILES
from engine.values.errors import EngineError
from engine.values.labels import FIRST_HOST
from playground.inspecting import next_release
from playground.inspecting.uploads import UnreadableInput, Why, profile_of, why
from playground.typed_texts import given_text

MOST_BYTES: Final = 1024 * 1024
MOST_EACH: Final = 64
"""Of a table: more are counted, and not tried."""
MOST_NAMED: Final = 100
MOST_VHOSTS: Final = MAX_VHOSTS
"""With the first one, which is there in any case."""
UNTIL_US: Final = 1_000_000
UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
"""How a file begins that PowerShell has written."""
TYPES: Final = frozenset({"direct", "fanout", "topic", "headers"})
HEAD: Final = frozenset(
    "rabbit_version rabbitmq_version product_name product_version original_vhost_name explanation metadata "
    "default_queue_type rabbitmq_definition_format original_cluster_name".split()
)
"""What only says where the file comes from."""
OTHERS: Final = frozenset(
    "users permissions topic_permissions parameters global_parameters operator_policies".split()
)
"""Sections of a broker's that a topology has no place for."""
FIELDS: Final[dict[str, frozenset[str]]] = {
    "queues": frozenset("name vhost durable auto_delete exclusive arguments type".split()),
    "exchanges": frozenset("name vhost type durable auto_delete internal arguments".split()),
    "bindings": frozenset(
        "source vhost destination destination_type routing_key arguments properties_key".split()
    ),
    "policies": frozenset("name vhost pattern definition priority apply-to".split()),
}
OF_PLUGIN: Final = frozenset(
    {"federation-upstream", "federation-upstream-set", "federation-upstream-pattern"}
)
"""Keys of policies that a node has only with the federation plugin."""
APPLIES_TO: Final = {"classic_queues": "queues"}
"""What a policy of today's releases applies to, as 3.10 says it."""
OTHER_QUEUES: Final = ("quorum_queues", "streams")
VHOST_FIELDS: Final = frozenset({"name", "default_queue_type"})
VERSIONS: Final = ("rabbitmq_version", "rabbit_version", "product_version")
"""Where a file says which release wrote it."""

BEGINS: Final = re.compile(r'\s*\{(?=[^\0]*"(?:queues|exchanges|policies|vhosts|parameters)"\s*:\s*\[)')
"""A text with a section of definitions, which an object of the HTTP API lacks."""

Item = dict[str, Any]
LeftOut = tuple[str, Why]


class TakenDefinitions(msgspec.Struct, frozen=True):
    """What of the definitions the engine can play.

    Args:
        scenario: with their topology; None where no queue is played.
        vhost: the virtual host that a page of it shows first: the first with queues; "" where there is none.
        vhosts: all that the scenario has, each with how many queues it has there.
        left_out: names of what is not played, each with the reason.
        left_out_count: of all: only the first ones are named.
        next: what today's releases refuse, or take without effect; see `next_release`.
        outcomes: how far each of today's releases gets with the whole file.
    """

    scenario: dict[str, Any] | None
    vhost: str
    vhosts: list[tuple[str, int]]
    left_out: list[LeftOut]
    left_out_count: int
    next: list[dict[str, Any]]
    outcomes: list[dict[str, Any]]


def read(data: bytes) -> TakenDefinitions:
    """Return a scenario of definitions; raise Unreadable where they are none."""
    if len(data) > MOST_BYTES:
        raise UnreadableInput("definitions_bytes", most=MOST_BYTES)
    if data[:2] in UTF_16:
        data = data.decode("utf-16", "replace").encode(errors="replace")
    try:
        found = msgspec.json.decode(given_text(data), type=dict[str, Any])
    except UnicodeDecodeError as bad:
        raise UnreadableInput("definitions_encoding", byte=bad.start + 1) from None
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        raise UnreadableInput("definitions") from None
    if not any(_objects(found.get(table)) for table in {*FIELDS, *OTHERS, "vhosts"}):
        raise UnreadableInput("definitions")
    reader = _Reader(found)
    reader.read()
    vhosts = [(name, len(host.topology["queues"])) for name, host in reader.hosts.items()]
    vhost = next((name for name, queues in vhosts if queues), "")
    return TakenDefinitions(
        parse(reader.scenario()).to_json() if vhost else None,
        vhost,
        vhosts,
        reader.left_out[:MOST_NAMED],
        len(reader.left_out),
        next_release.of_definitions(found),
        next_release.outcomes(found),
    )


class _Host:
    """One virtual host: what of it can be played.

    Args:
        untyped: type of its queues that name none.
    """

    def __init__(self, profile: str, untyped: str) -> None:
        self.untyped = untyped
        self._profile = profile
        self.topology: dict[str, list[Item]] = {table: [] for table in FIELDS}
        self.commands: list[Item] = []
        self.missing: set[tuple[str, str]] = set()
        """Kind and name of queues and exchanges that are left out: what binds them is left out for that reason."""

    def take(self, table: str, wanted: Item) -> None:
        """Take an object; raises EngineError where the engine does not play it beside those that are taken."""
        mine = table in FIELDS
        topology = {**self.topology, table: [*self.topology[table], wanted]} if mine else self.topology
        parse(_run(self._profile, topology, self.commands if mine else [*self.commands, wanted]))
        (self.topology[table] if mine else self.commands).append(wanted)


def _run(profile: str, topology: Item, commands: list[Item]) -> Item:
    return {
        "version": 1,
        "title": "definitions.json",
        "profile": profile,
        "seed": 1,
        "topology": topology,
        "commands": commands,
        "until_us": UNTIL_US,
    }


class _Reader:
    """Takes what can be played, one object after the other."""

    def __init__(self, found: Item) -> None:
        self._found = found
        self.left_out: list[LeftOut] = []
        version = next((found[each] for each in VERSIONS if found.get(each)), None)
        self._profile = profile_of(version)
        self._validation = PROFILES[self._profile].release.amqp.validation
        types = {str(each.get("name")): _default_type(each) for each in _objects(found.get("vhosts"))}
        whole = _default_type(found)
        self.hosts = {name: _Host(self._profile, types.get(name) or whole) for name in self._names()}

    def _names(self) -> list[str]:
        """Return the virtual hosts that are played: the first one, and those that the file names."""
        named: dict[str, None] = {FIRST_HOST: None}
        for each in _objects(self._found.get("vhosts")):
            if isinstance(each.get("name"), str):
                named[each["name"]] = None
        for table in FIELDS:
            for each in _objects(self._found.get(table)):
                named[_vhost(each)] = None
        playable = [name for name in named if _is_name(name)]
        for name in playable[MOST_VHOSTS:]:
            self._leave(name[:255], "vhosts_beyond", most=MOST_VHOSTS)
        return playable[:MOST_VHOSTS]

    def scenario(self) -> Item:
        first, *others = self.hosts.items()
        topology: Item = {**first[1].topology}
        if others:
            topology["vhosts"] = [{"name": name, **host.topology} for name, host in others]
        commands = [
            {**each, **({} if name == FIRST_HOST else {"vhost": name})}
            for name, host in self.hosts.items()
            for each in host.commands
        ]
        return _run(self._profile, topology, commands)

    def read(self) -> None:
        self._vhosts()
        shapes: dict[str, Callable[[Item], None]] = {
            "queues": self._queue,
            "exchanges": self._exchange,
            "bindings": self._binding,
            "policies": self._policy,
        }
        for table, shape in shapes.items():
            self._table(table, shape)
        for section, value in self._found.items():
            if section in FIELDS or section in HEAD or section == "vhosts" or value in ([], {}, None, ""):
                continue
            self._section(section, value)

    def _section(self, section: str, value: Any) -> None:
        """Name a section that a topology has no place for; of parameters each component, and each operator policy."""
        objects = _objects(value)
        if section == "operator_policies":
            for each in objects:
                self._leave(_name(each, section), "operator_policy", pattern=str(each.get("pattern"))[:80])
        elif section == "parameters":
            for each in objects:
                policy = each.get("value") if each.get("component") == "operator_policy" else None
                if isinstance(policy, dict):
                    pattern = str(policy.get("pattern"))[:80]
                    self._leave(_name(each, section), "operator_policy", pattern=pattern)
            others = [str(each.get("component"))[:80] for each in objects]
            for component, count in Counter(others).items():
                if component != "operator_policy":
                    self._leave(f"{section}: {component}", "section", count=count)
        else:
            objects = []
        rest = (len(value) if isinstance(value, list | dict) else 1) - len(objects)
        if rest:
            self._leave(section, "section" if section in OTHERS else "section_unknown", count=rest)

    def _table(self, table: str, shape: Callable[[Item], None]) -> None:
        listed = self._found.get(table)
        if listed is not None and not isinstance(listed, list):
            self._leave(table, "no_list")
        every = listed if isinstance(listed, list) else []
        wrong = sum(not isinstance(each, dict) for each in every)
        if wrong:
            self._leave(table, "no_objects", count=wrong)
        mine = [each for each in _objects(every) if _vhost(each) in self.hosts]
        elsewhere = len(every) - wrong - len(mine)
        if elsewhere:
            self._leave(table, "other_vhosts", count=elsewhere)
        seen: Counter[str] = Counter()
        for each in mine:
            seen[_vhost(each)] += 1
            if seen[_vhost(each)] > MOST_EACH:
                continue
            unknown = [str(field) for field in each if field not in FIELDS[table]]
            if unknown:
                self._leave(_name(each, table), "fields_unread", names=", ".join(unknown)[:200])
            shape(each)
        beyond = sum(max(0, count - MOST_EACH) for count in seen.values())
        if beyond:
            self._leave(table, "beyond", count=beyond, most=MOST_EACH)

    def _vhosts(self) -> None:
        """Name what of the section of virtual hosts is not read: limits, tags, descriptions."""
        listed = self._found.get("vhosts")
        if listed is not None and not isinstance(listed, list):
            self._leave("vhosts", "no_list")
            return
        wrong = sum(not isinstance(each, dict) for each in listed or ())
        if wrong:
            self._leave("vhosts", "no_objects", count=wrong)
        for each in _objects(listed):
            unread = [str(field) for field, value in each.items() if field not in VHOST_FIELDS and value]
            if unread:
                self._leave(_name(each, "vhosts"), "fields_unread", names=", ".join(unread)[:200])

    def _leave(self, name: str, code: str, /, **values: object) -> None:
        self.left_out.append((name, {"code": code, "values": values}))

    def _take(self, each: Item, table: str, wanted: Item) -> bool:
        """Take an object, or note why not; return whether it was taken."""
        try:
            self.hosts[_vhost(each)].take(table, wanted)
        except EngineError as error:
            self.left_out.append((_name(each, table), _placed(why(error))))
            return False
        return True

    def _miss(self, each: Item, kind: str) -> None:
        self.hosts[_vhost(each)].missing.add((kind, str(each.get("name", ""))))

    # --- the tables ---

    def _queue(self, each: Item) -> None:
        arguments = each.get("arguments") or {}
        kind = each.get("type")
        if isinstance(kind, str) and isinstance(arguments, dict):
            arguments = {"x-queue-type": kind, **arguments}
        wanted = {
            "name": each.get("name"),
            "durable": each.get("durable", True),
            "auto_delete": each.get("auto_delete", False),
            "arguments": arguments,
        }
        if isinstance(arguments, dict) and arguments.get("x-queue-type") == "classic":
            wanted["arguments"] = {name: arguments[name] for name in arguments if name != "x-queue-type"}
        if each.get("exclusive"):
            wanted["exclusive"] = each["exclusive"]
        given = arguments if isinstance(arguments, dict) else {}
        other = next(((n, v, code) for n, v, code in NOT_HERE if given.get(n) == v), None)
        untyped = self.hosts[_vhost(each)].untyped if _takes_default_type(wanted, given) else ""
        count = sum(len(host.topology["queues"]) for host in self.hosts.values())
        full = other is None and not untyped and count >= MAX_QUEUES
        if other is not None:
            self._leave(_name(each, "queues"), other[2], name=other[0], value=other[1])
        elif untyped:
            self._leave(_name(each, "queues"), "type_by_default", type=untyped, vhost=_vhost(each)[:255])
        elif full:
            self._leave(_name(each, "queues"), "queues_beyond", most=MAX_QUEUES)
        if other is not None or untyped or full or not self._take(each, "queues", wanted):
            self._miss(each, "queue")

    def _exchange(self, each: Item) -> None:
        name = str(each.get("name", ""))
        if name == "" or name.startswith("amq."):
            return  # every virtual host has these
        taken = False
        if str(each.get("type")) in TYPES:
            wanted = {field: each[field] for field in FIELDS["exchanges"] - {"vhost"} if field in each}
            taken = self._take(each, "exchanges", wanted)
        else:
            self._leave(_name(each, "exchanges"), "exchange_type", type=str(each.get("type"))[:80])
        if not taken:
            self._miss(each, "exchange")

    def _binding(self, each: Item) -> None:
        source, destination = str(each.get("source", "")), str(each.get("destination", ""))
        kind = each.get("destination_type", "queue")
        if source == "":
            return  # every queue is bound to the default exchange by its name
        for end in (("exchange", source), (str(kind), destination)):
            if end in self.hosts[_vhost(each)].missing:
                self._leave(_name(each, "bindings"), f"binding_of_{end[0]}", name=end[1][:255])
                return
        found: Item = {"routing_key": each.get("routing_key", "")}
        if each.get("arguments"):
            found["arguments"] = each["arguments"]
        if kind == "queue":
            self._take(each, "bindings", {**found, "exchange": source, "queue": destination})
        elif kind == "exchange":
            ends = {"source": source, "destination": destination}
            self._take(each, "commands", {"at_us": 0, "do": "bind_exchange", **ends, **found})
        else:
            self._leave(_name(each, "bindings"), "destination_type", type=str(kind)[:80])

    def _policy(self, each: Item) -> None:
        applies, definition = each.get("apply-to", "queues"), each.get("definition") or {}
        if applies in OTHER_QUEUES:
            self._leave(_name(each, "policies"), "policy_of_other_queues", type=applies)
            return
        plugins = [key for key in definition if key in OF_PLUGIN] if isinstance(definition, dict) else []
        if plugins:
            self._leave(_name(each, "policies"), "policy_of_plugin", names=", ".join(plugins))
            definition = {key: value for key, value in definition.items() if key not in OF_PLUGIN}
            if not definition:
                return
        foreign = (
            sorted(self._validation.not_for_classic & definition.keys())
            if isinstance(definition, dict)
            else []
        )
        if foreign and applies != "exchanges":
            names = ", ".join(foreign)
            self._leave(_name(each, "policies"), "policy_not_for_classic", names=names)
            if applies != "all":
                return
        wanted = {
            "name": each.get("name"),
            "pattern": each.get("pattern"),
            "definition": definition,
            "priority": each.get("priority", 0),
            "apply_to": APPLIES_TO.get(applies, applies) if isinstance(applies, str) else applies,
        }
        self._take(each, "policies", wanted)


def _default_type(each: Item) -> str:
    """Return the type that a virtual host, or a file of one, gives queues without one, where it is not played here."""
    metadata = each.get("metadata")
    given = each.get("default_queue_type")
    if given is None and isinstance(metadata, dict):
        given = metadata.get("default_queue_type")
    return str(given) if given in ("quorum", "stream") else ""


def _takes_default_type(wanted: Item, arguments: Item) -> bool:
    """Return whether a queue gets its virtual host's type: it names none, and could be of that type."""
    return (
        "x-queue-type" not in arguments
        and wanted["durable"] is True
        and not wanted["auto_delete"]
        and not wanted.get("exclusive")
    )


def _vhost(each: Item) -> str:
    """Return the virtual host of an object, "" where that is not a name; a file of a single one names none."""
    vhost = each.get("vhost", FIRST_HOST)
    return vhost if isinstance(vhost, str) else ""


def _is_name(name: str) -> bool:
    return (
        bool(name)
        and "\n" not in name
        and "\r" not in name
        and len(name.encode(errors="replace")) <= MAX_SHORT_BYTES
    )


def _objects(value: Any) -> list[Item]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _name(each: Item, table: str) -> str:
    """Return what an object is called in the list of what is left out."""
    if table in ("bindings", "commands"):
        return f"{each.get('source', '')} → {each.get('destination', '')}"[:255]
    return str(each.get("name", table))[:255]


def _placed(reason: Why) -> Why:
    """Return a reason without the place in the scenario that was tried, which nobody has seen."""
    values = dict(reason["values"])
    if isinstance(values.get("place"), str):
        values["place"] = values["place"].rpartition("].")[2]
    return {**reason, "values": values}
