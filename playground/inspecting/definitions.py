"""definitions.json, as a broker exports it: one virtual host of it as a scenario, and everything else named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import msgspec

from engine.amqp.arguments import NOT_HERE
from engine.broker.commands.scenario import parse
from engine.broker.commands.topology import MAX_QUEUES
from engine.values.errors import EngineError
from playground.inspecting.unreadable import Unreadable, Why, why

MOST_BYTES: Final = 1024 * 1024
MOST_EACH: Final = 64
"""Of a table: more are counted, and not tried."""
MOST_NAMED: Final = 100
MOST_VHOSTS: Final = 32
UNTIL_US: Final = 1_000_000
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
TYPES: Final = frozenset({"direct", "fanout", "topic", "headers"})
HEAD: Final = frozenset(
    "rabbit_version rabbitmq_version product_name product_version original_vhost_name explanation metadata "
    "default_queue_type".split()
)
"""What only says where the file comes from."""
OTHERS: Final = frozenset(
    "users vhosts permissions topic_permissions parameters global_parameters operator_policies".split()
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

Item = dict[str, Any]
LeftOut = tuple[str, Why]


class Taken(msgspec.Struct, frozen=True):
    """What of the definitions the engine can play.

    Args:
        scenario: with their topology.
        vhost: the virtual host that it is of; None where the file names none.
        vhosts: all that the file has something of, each with its queues.
        left_out: names of what is not played, each with the reason.
        left_out_count: of all: only the first ones are named.
    """

    scenario: dict[str, Any]
    vhost: str | None
    vhosts: list[tuple[str, int]]
    left_out: list[LeftOut]
    left_out_count: int


def read(data: bytes, vhost: str | None = None) -> Taken:
    """Return a scenario of definitions; raise Unreadable where they are none.

    Args:
        data: the file.
        vhost: which virtual host is meant; None for the first that has a queue.
    """
    if len(data) > MOST_BYTES:
        raise Unreadable("definitions_bytes", most=MOST_BYTES)
    try:
        found = msgspec.json.decode(data.removeprefix(BYTE_ORDER_MARK), type=dict[str, Any])
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        raise Unreadable("definitions") from None
    if not isinstance(found.get("queues"), list):
        raise Unreadable("definitions")
    reader = _Reader(found, vhost)
    reader.read()
    if not reader.topology["queues"]:
        raise Unreadable("definitions_queues", most=MAX_QUEUES)
    scenario = parse(reader.scenario()).to_json()
    vhosts = list(reader.vhosts.items())[:MOST_VHOSTS]
    return Taken(scenario, reader.vhost, vhosts, reader.left_out[:MOST_NAMED], len(reader.left_out))


class _Reader:
    """Takes what can be played, one object after the other.

    Args:
        found: the file.
        vhost: which virtual host is meant.
    """

    def __init__(self, found: Item, vhost: str | None) -> None:
        self._found = found
        self.vhosts = self._counted()
        self.vhost = vhost if vhost in self.vhosts else next(iter(self.vhosts), None)
        self.topology: dict[str, list[Item]] = {table: [] for table in FIELDS}
        self.left_out: list[LeftOut] = []
        self._commands: list[Item] = []
        self._missing: set[tuple[str, str]] = set()
        """Kind and name of queues and exchanges that are left out: what binds them is left out for that reason."""

    def _counted(self) -> dict[str, int]:
        """Return the queues of each virtual host that is named, those with queues first."""
        counts: Counter[str] = Counter()
        for table in FIELDS:
            for each in _objects(self._found.get(table)):
                if isinstance(each.get("vhost"), str):
                    counts[each["vhost"]] += table == "queues"
        return dict(sorted(counts.items(), key=lambda item: item[1] == 0))

    def read(self) -> None:
        """Read all sections."""
        shapes: dict[str, Callable[[Item], None]] = {
            "queues": self._queue,
            "exchanges": self._exchange,
            "bindings": self._binding,
            "policies": self._policy,
        }
        for table, shape in shapes.items():
            self._table(table, shape)
        for section, value in self._found.items():
            if section in FIELDS or section in HEAD or value in ([], {}, None, ""):
                continue
            count = len(value) if isinstance(value, list | dict) else 1
            self._leave(section, "section" if section in OTHERS else "section_unknown", count=count)

    def _table(self, table: str, shape: Callable[[Item], None]) -> None:
        listed = self._found.get(table)
        if listed is not None and not isinstance(listed, list):
            self._leave(table, "no_list")
        every = listed if isinstance(listed, list) else []
        wrong = sum(not isinstance(each, dict) for each in every)
        if wrong:
            self._leave(table, "no_objects", count=wrong)
        mine = [each for each in _objects(every) if each.get("vhost", self.vhost) == self.vhost]
        elsewhere = len(every) - wrong - len(mine)
        if elsewhere:
            self._leave(table, "other_vhosts", count=elsewhere)
        for each in mine[:MOST_EACH]:
            unknown = [str(field) for field in each if field not in FIELDS[table]]
            if unknown:
                self._leave(_name(each, table), "fields_unread", names=", ".join(unknown)[:200])
            shape(each)
        if len(mine) > MOST_EACH:
            self._leave(table, "beyond", count=len(mine) - MOST_EACH, most=MOST_EACH)

    def _leave(self, name: str, code: str, /, **values: object) -> None:
        self.left_out.append((name, {"code": code, "values": values}))

    def scenario(self, table: str = "", item: Item | None = None) -> Item:
        """Return the scenario so far, with one object more."""
        topology = (
            {**self.topology, table: [*self.topology[table], item]} if table in FIELDS else self.topology
        )
        commands = self._commands if item is None or table in FIELDS else [*self._commands, item]
        return {
            "version": 1,
            "title": "definitions.json",
            "profile": "real",
            "seed": 1,
            "topology": topology,
            "commands": commands,
            "until_us": UNTIL_US,
        }

    def _take(self, each: Item, table: str, wanted: Item) -> bool:
        """Take an object, or note why not; return whether it was taken."""
        try:
            parse(self.scenario(table, wanted))
        except EngineError as error:
            self.left_out.append((_name(each, table), _placed(why(error))))
            return False
        (self.topology[table] if table in FIELDS else self._commands).append(wanted)
        return True

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
        if other is not None:
            self._leave(_name(each, "queues"), other[2], name=other[0], value=other[1])
        if other is not None or not self._take(each, "queues", wanted):
            self._missing.add(("queue", str(each.get("name"))))

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
            self._missing.add(("exchange", name))

    def _binding(self, each: Item) -> None:
        source, destination = str(each.get("source", "")), str(each.get("destination", ""))
        kind = each.get("destination_type", "queue")
        if source == "":
            return  # every queue is bound to the default exchange by its name
        for end in (("exchange", source), (str(kind), destination)):
            if end in self._missing:
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
        wanted = {
            "name": each.get("name"),
            "pattern": each.get("pattern"),
            "definition": each.get("definition") or {},
            "priority": each.get("priority", 0),
            "apply_to": each.get("apply-to", "queues"),
        }
        self._take(each, "policies", wanted)


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
