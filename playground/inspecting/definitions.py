"""What a node was told: definitions.json as a scenario; rabbitmq.conf and its like as a session's settings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from engine.amqp.arguments import NOT_HERE
from engine.broker.commands.base import MAX_SHORT_BYTES, bytes_of
from engine.broker.commands.scenario import MAX_QUEUES, MAX_VHOSTS, parse
from engine.releases import PROFILES
from engine.values.errors import EngineError
from engine.values.labels import FIRST_HOST
from playground.inspecting import next_release
from playground.inspecting.listings import REPORT, Term, TermPair, pairs, plain, term
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
    """One virtual host: what of it can be played. `untyped`: type of its queues that name none."""

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
        commands = self.commands if mine else [*self.commands, wanted]
        parse(_scenario("definitions.json", self._profile, topology, commands))
        (self.topology[table] if mine else self.commands).append(wanted)


def _scenario(title: str, profile: str, topology: Item, commands: list[Item], **more: Any) -> Item:
    times = {"commands": commands, "until_us": UNTIL_US}
    return {
        "version": 1,
        "title": title,
        "profile": profile,
        "seed": 1,
        "topology": topology,
        **times,
        **more,
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
        return _scenario("definitions.json", self._profile, topology, commands)

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

    def _listed(self, table: str) -> list[Item]:
        """Return the objects of a table; name what else is in it."""
        listed = self._found.get(table)
        objects = _objects(listed)
        if isinstance(listed, list) and len(objects) < len(listed):
            self._leave(table, "no_objects", count=len(listed) - len(objects))
        elif not isinstance(listed, list | None):
            self._leave(table, "no_list")
        return objects

    def _leave_fields(self, each: Item, table: str, unread: list[str]) -> None:
        if unread:
            self._leave(_name(each, table), "fields_unread", names=", ".join(map(str, unread))[:200])

    def _table(self, table: str, shape: Callable[[Item], None]) -> None:
        every = self._listed(table)
        mine = [each for each in every if _vhost(each) in self.hosts]
        if len(mine) < len(every):
            self._leave(table, "other_vhosts", count=len(every) - len(mine))
        seen: Counter[str] = Counter()
        for each in mine:
            seen[_vhost(each)] += 1
            if seen[_vhost(each)] > MOST_EACH:
                continue
            self._leave_fields(each, table, [field for field in each if field not in FIELDS[table]])
            shape(each)
        beyond = sum(max(0, count - MOST_EACH) for count in seen.values())
        if beyond:
            self._leave(table, "beyond", count=beyond, most=MOST_EACH)

    def _vhosts(self) -> None:
        """Name what of the section of virtual hosts is not read: limits, tags, descriptions."""
        for each in self._listed("vhosts"):
            unread = [field for field, value in each.items() if field not in VHOST_FIELDS and value]
            self._leave_fields(each, "vhosts", unread)

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
        keys = definition.keys() if isinstance(definition, dict) else set()
        foreign = sorted(self._validation.not_for_classic & keys)
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


MOST_CHARS: Final = 200_000
TITLE: Final = "A node's settings"
LINE: Final = re.compile(r"\s*([a-z][a-z0-9_.$-]*)\s*=(?!>)\s*([^\s#][^#]*?)\s*(?:#.*)?\Z", re.IGNORECASE)
"""A key with a value, which ends at a sign for comments (conf_parse of 3.10.8)."""

COMMENT: Final = re.compile(r"\s*(%|#(?!\{))")
"""A comment of either form; a map of Erlang's begins with the same sign."""
ARGUMENTS: Final = re.compile(r"-rabbit((?:[ \t]+(?:\{[^{}\n]{1,80}\}|[^\s\"'{-][^\s\"']{0,80}))+)")
ARGUMENT: Final = re.compile(r"\{[^{}\n]{1,80}\}|[^\s\"']{1,81}")
KINDS: Final = {
    "compose_file": re.compile(r"^services:\s*(?:#.*)?$", re.MULTILINE),
    "manifest_file": re.compile(r"^(?:apiVersion|kind):\s", re.MULTILINE),
    "metrics_page": re.compile(
        r"^(?:# (?:HELP|TYPE) )?(?:rabbitmq|erlang_vm)_[a-z_]+(?:[ {]|$)", re.MULTILINE
    ),
    "node_log": re.compile(
        r"^.{0,100}?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\S{0,20} \[[a-z]{1,20}\] |^=[A-Z]{1,20} REPORT====",
        re.MULTILINE,
    ),
}
"""Texts that have settings among other things."""
WRITER: Final = re.compile(
    r"(?:^RabbitMQ version: |Starting RabbitMQ |^[ \t]*##  ## {1,20}RabbitMQ )(\d{1,3}\.\d{1,3})"
    r"|^[ \t]*(?:- )?image:[ \t]*[\"']?(?:[^\s\"':]{1,80}/)?rabbitmq:(\d{1,3}(?:\.\d{1,3})?)",
    re.MULTILINE,
)
"""Where a report, a log or a container's file names the release."""
NEWEST: Final = {"3": "3.13", "4": "4.3"}
"""What a tag of an image stands for that names no second number."""
OBSERVED: Final = (
    (
        r"Memory high watermark set to \d{1,9} MiB \((\d{1,15}) bytes\)",
        "vm_memory_high_watermark",
        "absolute",
    ),
    (r"of \d{1,9} MiB \((\d{1,15}) bytes\) total", "total_memory_available_override_value", ""),
    (r"Disk free limit set to (\d{1,12}[kMGT]?i?B?)\b", "disk_free_limit", ""),
    (r"^rabbitmq_resident_memory_limit_bytes\S* (\d\S{0,20})", "vm_memory_high_watermark", "absolute"),
    (r"^rabbitmq_disk_space_available_limit_bytes\S* (\d\S{0,20})", "disk_free_limit", ""),
)
"""What a node's log and its metrics say of its settings, and the key that each is."""
SAID: Final = re.compile(r"Application environment of node .*")
SECTION: Final = re.compile(
    r"^Application environment of node [^\n]*\n.*?(?:\n\s*\n|\Z)", re.MULTILINE | re.DOTALL
)
"""The environment in a report."""
PART: Final = re.compile(r"^(?!Reporting )\S.*\.\.\.$", re.MULTILINE)
"""What begins a part of a report."""

NAMES: Final = {
    "vm_memory_high_watermark": "vm_memory_high_watermark",
    "vm_memory_high_watermark_paging_ratio": "vm_memory_high_watermark_paging_ratio",
    "vm_memory_calculation_strategy": "vm_memory_calculation_strategy",
    "memory_monitor_interval": "memory_monitor_interval_ms",
    "total_memory_available_override_value": "ram_bytes",
    "disk_free_limit": "disk_free_limit",
    "credit_flow_default_credit": "credit_flow_default_credit",
    "queue_master_locator": "queue_master_locator",
    "queue_index_embed_msgs_below": "queue_index_embed_msgs_below",
    "queue_index_max_journal_entries": "queue_index_max_journal_entries",
    "queue_index_segment_entry_count": "segment_entry_count",
    "msg_store_file_size_limit": "msg_store_file_size_limit",
    "msg_store_io_batch_size": "msg_store_io_batch_size",
    "msg_store_credit_disc_bound": "msg_store_credit_disc_bound",
    "lazy_queue_explicit_gc_run_operation_threshold": "explicit_gc_run_operation_threshold",
}
"""Keys of the broker's application `rabbit`, each with the setting of a session that it is."""
INSIDE: Final = {"relative": "", "absolute": "absolute", "mem_relative": "mem_relative"}
"""Last steps of keys in rabbitmq.conf that say how a value is meant."""
VERSION_KEYS: Final = ("classic_queue.default_version", "classic_queue_default_version")
"""What decides of which version a queue is that does not say so itself: in rabbitmq.conf, and in Erlang's form."""
DEFAULT_TYPE: Final = "default_queue_type"
"""The type of queues that name none, of a whole node."""
IN_CONF: Final = frozenset(
    "vm_memory_high_watermark.relative vm_memory_high_watermark.absolute vm_memory_high_watermark_paging_ratio "
    "memory_monitor_interval vm_memory_calculation_strategy total_memory_available_override_value "
    "disk_free_limit.relative disk_free_limit.absolute queue_master_locator queue_index_embed_msgs_below".split()
)
"""Those that rabbitmq.conf of 3.10.8 has; with any other a node does not start."""
RATIO: Final = "vm_memory_high_watermark_paging_ratio"
EMBED: Final = "queue_index_embed_msgs_below"
SIZE: Final = re.compile(r"(\d{1,12})([kmg])b", re.IGNORECASE)
"""A size as rabbitmq.conf has it for `EMBED`; its units go by 1,024 there."""
AMOUNT: Final = re.compile(r"\d{1,15}(?:\.\d{1,17}e\+\d{1,2})?")
"""A number of bytes among metrics."""
POWERS: Final = {"k": 1, "m": 2, "g": 3}


class ConfigurationEntry(NamedTuple):
    """A key with its value. `key`: of the application `rabbit`. `in_conf`: whether it is in rabbitmq.conf."""

    key: str
    value: Term
    written: str
    in_conf: bool


class ConfigurationReport(msgspec.Struct, frozen=True):
    """The part of a configuration that a session can use. `scenario`: without a queue, with these settings.
    `settings`: by name. `left_out`: keys that were left out, each with the reason. `left_out_count`: their total,
    since only the first are listed. `next`: keys that today's releases refuse or ignore, see `next_release`; None
    where the text says how a node runs, and not with which configuration.
    """

    scenario: dict[str, Any]
    settings: dict[str, Any]
    left_out: list[tuple[str, Why]]
    left_out_count: int
    next: list[dict[str, Any]] | None


def kind_of(text: str) -> str | None:
    """Return what a text is that has settings among other things; None for another text."""
    return next((kind for kind, sign in KINDS.items() if sign.search(text)), None)


def read_configuration(text: str) -> ConfigurationReport:
    """Return the settings in a text; raise Unreadable where it is no configuration of a broker."""
    text = text[:MOST_CHARS]
    settings: dict[str, Any] = {}
    profile = _profile_in(text)
    text, parts = _environment_in(text)
    left_out: list[LeftOut] = []

    def leave(name: str, code: str, **values: object) -> None:
        left_out.append((name[:255], {"code": code, "values": values}))

    for part in parts:
        leave(part, "part_of_report")
    kind = kind_of(text)
    is_observed = kind in ("node_log", "metrics_page")
    if kind:
        leave(text.strip().partition("\n")[0], f"part_of_{kind}")
    for line in () if kind else _unread(text):
        leave(line, "line_unread")
    queue: dict[str, Any] = {"name": "orders"}
    entries = [*_observed(text)] if is_observed else [*_lines(text), *_terms(text), *_arguments(text)]
    coming = next_release.of_settings([(each.written, _said(each.value), each.in_conf) for each in entries])
    known = (
        each.key in NAMES
        or each.key in VERSION_KEYS
        or (each.in_conf and next_release.places_of(each.written))
        for each in entries
    )
    if not coming and not any(known):
        raise UnreadableInput("figures")
    for entry in _decided(entries, left_out):
        if entry.key in VERSION_KEYS and str(entry.value) in ("1", "2"):
            if str(entry.value) == "2":
                queue["arguments"] = {"x-queue-version": 2}
                leave(entry.written, "version_of_queue", version=2)
            continue
        code = _unused(entry)
        if code:
            leave(entry.written, code, **({"type": str(entry.value)} if code == "untyped_queues" else {}))
            continue
        name = NAMES[entry.key]
        try:
            wished = {**settings, name: _value(name, entry)}
            parse(_of_settings(profile, wished, queue))
            settings = wished
        except EngineError as error:
            left_out.append((entry.written, why(error)))
    scenario = parse(_of_settings(profile, settings, queue)).to_json()
    return ConfigurationReport(
        scenario, settings, left_out[:MOST_NAMED], len(left_out), None if is_observed else coming
    )


def _unused(entry: ConfigurationEntry) -> str:
    """Return by which reason an entry cannot be a session's setting, nothing where it may be one."""
    name = NAMES.get(entry.key)
    if entry.key == DEFAULT_TYPE and str(entry.value) in ("quorum", "stream"):
        return "untyped_queues"
    if name is None:
        return "key_unused"
    if entry.in_conf and entry.written not in IN_CONF:
        return "not_in_conf"
    ratio = _value(name, entry) if entry.in_conf and name == RATIO else None
    return "ratio_in_conf" if isinstance(ratio, int | float) and ratio >= 1 else ""


def _of_settings(profile: str, settings: Item, queue: Item) -> Item:
    return _scenario(TITLE, profile, {"queues": [queue]}, [], settings=settings)


def _environment_in(text: str) -> tuple[str, list[str]]:
    """Return the environment in a report, and what its other parts are called; any other text is returned as it is."""
    found = SECTION.search(text) if REPORT.search(text) else None
    if found is None:
        return text, []
    rest = text[: found.start()] + text[found.end() :]
    return found[0], [name for name in PART.findall(rest) if not name.startswith("Timeout: ")]


def _decided(
    entries: Iterable[ConfigurationEntry], left_out: list[tuple[str, Why]]
) -> Iterator[ConfigurationEntry]:
    """Yield one entry for each key; the others are noted. The last one counts, advanced.config after rabbitmq.conf,
    but for a fraction, which goes before a number of bytes.
    """
    found: dict[str, ConfigurationEntry] = {}
    for entry in entries:
        before = found.get(entry.key)
        is_bytes = entry.in_conf and entry.written.endswith(".absolute")
        first = before is not None and is_bytes and not before.written.endswith(".absolute")
        if before is not None:
            passed_over, counts = (entry, before) if first else (before, entry)
            values = {"key": counts.written, "value": _said(counts.value)}
            left_out.append((passed_over.written, {"code": "given_again", "values": values}))
        if not first:
            found[entry.key] = entry
    yield from found.values()


def _said(value: Term) -> str:
    return str(value[-1] if isinstance(value, list) and value else value)[:80]


def _profile_in(text: str) -> str:
    """Return the profile that plays the release which a text names, the reference's where it names none."""
    found = WRITER.search(text)
    version = next(filter(None, found.groups()), "") if found else ""
    return profile_of(NEWEST.get(version, version))


def _lines(text: str) -> Iterator[ConfigurationEntry]:
    """Yield the keys of rabbitmq.conf; how a value is meant becomes a part of the value."""
    for line in text.splitlines():
        found = None if line.lstrip().startswith(("#", "%", "{", "[")) else LINE.match(line)
        if found is None:
            continue
        key, value = found[1], found[2].strip("'\"")
        head, _, last = key.rpartition(".")
        if head in NAMES and last in INSIDE:
            if head == "disk_free_limit" and last == "relative":
                last = "mem_relative"
            yield ConfigurationEntry(
                head, TermPair([INSIDE[last], value]) if INSIDE[last] else value, key, True
            )
        else:
            yield ConfigurationEntry(key, value, key, True)


def _arguments(text: str) -> Iterator[ConfigurationEntry]:
    """Yield the keys that arguments of the runtime set: `-rabbit KEY VALUE`, as a container's environment has them."""
    for given in ARGUMENTS.findall(text):
        words = ARGUMENT.findall(given)
        for key, value in zip(words[::2], words[1::2], strict=False):
            found = term(value)
            yield ConfigurationEntry(key, found[0] if found else value, f"-rabbit {key}", False)


def _observed(text: str) -> Iterator[ConfigurationEntry]:
    """Yield the keys whose values a node has written into its log, or counts among its metrics."""
    for form, key, kind in OBSERVED:
        for value in re.findall(form, text, re.MULTILINE):
            amount = str(int(float(value))) if AMOUNT.fullmatch(value) else value
            yield ConfigurationEntry(key, TermPair([kind, amount]) if kind else amount, key, False)


def _unread(text: str) -> Iterator[str]:
    """Yield lines before any term that are no key with a value, no comment, and nothing that a tool says."""
    for line in text.splitlines():
        begin = line.strip()
        if begin.startswith("["):
            return
        if begin and not begin.startswith(("#", "%")) and not SAID.match(begin) and not LINE.match(line):
            yield begin[:255]


def _terms(text: str) -> Iterator[ConfigurationEntry]:
    """Yield the keys of the application `rabbit` in Erlang's form, and the other applications by name."""
    lines = [line for line in text.splitlines() if not COMMENT.match(line)]
    begin = next((at for at, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    for each in term("\n".join(lines[begin:])):
        for application, values in pairs(each) if isinstance(each, list) else ():
            if application == "rabbit" and isinstance(values, list):
                yield from (ConfigurationEntry(key, value, key, False) for key, value in pairs(values))
            else:
                yield ConfigurationEntry(application, "", application, False)


def _value(name: str, entry: ConfigurationEntry) -> Any:
    """Return a value as a session's setting has it; raise CommandError where it is not an amount."""
    value = entry.value
    if isinstance(value, list):
        parts = [plain(str(each)) for each in value]
        if name in ("vm_memory_high_watermark", "disk_free_limit") and len(parts) == len(("kind", "value")):
            kind, amount = parts
            return {kind: _number(amount) if kind == "mem_relative" else bytes_of(amount)}
        return [_number(part) for part in parts]
    text = plain(str(value))
    size = SIZE.fullmatch(text)
    if name == EMBED and entry.in_conf and size is not None:
        return int(size[1]) * 1024 ** POWERS[size[2].lower()]
    if name in ("ram_bytes", "disk_free_limit", "msg_store_file_size_limit"):
        return bytes_of(text)
    return _number(text)


def _number(text: str) -> Any:
    if re.fullmatch(r"-?\d{1,18}", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?\d{1,18}\.\d{1,18}", text) else text
