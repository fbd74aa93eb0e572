"""What the next release refuses: parts of a configuration or of definitions, and directories, by their feature flags.

Refusals are those that real nodes of 4.0.5 and 4.3.6 gave (`tests/recordings/upgrades`, held to it by a test), and keys
that their own schemas lack (`schema_keys.json`); what has no effect is said by rules of docs/rules/queue-v2.md.

Flags are those that `rabbit_core_ff` and the management plugin declare, read from their sources at the tags of the
releases; where a node was really tried, docs/rules says so. A release refuses a directory in which a flag that it
requires is not enabled; it touches no file of a queue then.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from engine.amqp.rules import REFERENCE, VALIDATIONS

REFUSED: Final = "refused"
NO_EFFECT: Final = "no_effect"
TAKEN: Final = "taken"
WARNED: Final = "warned"
"""Taken, with a warning in the log: a deprecated feature that is permitted by default."""
LEFT_OUT: Final = "left_out"
"""A policy with this key applies to no classic queue any more."""
JOINED: Final = "joined"
"""A policy with this key applies to classic queues, as it did not before."""

Fate = tuple[str, str, str]
"""What 4.0 does, what 4.3 does, and by what the page has words for it."""

MIRRORS: Final[Fate] = (REFUSED, REFUSED, "mirrors")
MODE: Final[Fate] = (NO_EFFECT, NO_EFFECT, "mode")
VERSION: Final[Fate] = (NO_EFFECT, NO_EFFECT, "version")
LOCATOR: Final[Fate] = (TAKEN, REFUSED, "locator")
PAGING: Final[Fate] = (NO_EFFECT, NO_EFFECT, "paging")

POLICIES: Final[dict[str, Fate]] = {
    "queue-mode": MODE,
    "queue-version": VERSION,
    "queue-master-locator": LOCATOR,
}
"""By the key of a definition, those of mirrors besides."""
ARGUMENTS: Final[dict[str, Fate]] = {
    "x-queue-mode": MODE,
    "x-queue-version": VERSION,
    "x-queue-master-locator": LOCATOR,
}
OLD_VERSION: Final[Fate] = (NO_EFFECT, REFUSED, "version")
"""Of an argument that asks for version 1."""
SETTINGS: Final[dict[str, Fate]] = {
    "vm_memory_high_watermark_paging_ratio": PAGING,
    "memory_monitor_interval": PAGING,
    "mirroring_sync_batch_size": (NO_EFFECT, NO_EFFECT, "mirrors"),
}
OF_ANOTHER_TYPE: Final[Fate] = (REFUSED, REFUSED, "other_type")
"""An argument of classic queues in the declaration of a quorum queue or a stream, which 3.10.8 refuses as well."""
TRANSIENT: Final[Fate] = (WARNED, WARNED, "transient_nonexcl_queues")
"""Of a queue that is neither durable nor exclusive (tests/ctl/recorded, list_deprecated_features)."""
GONE_KEY, AMOUNT = "gone_key", "amount"
AMOUNTS: Final = frozenset({"vm_memory_high_watermark.absolute", "disk_free_limit.absolute"})
"""Keys whose value 4.x validates as an amount of information."""
AMOUNT_FORM: Final = re.compile(r"\d+|.*[0-9](k|m|g|t|p)i?b?", re.IGNORECASE)
"""What the validator of 4.x takes: whole bytes, or digits before a unit. It looks at the end alone."""
TARGETS: Final = ("4.0.5", "4.3.6")
NEXT: Final = tuple(VALIDATIONS[name] for name in TARGETS)
FOR_CLASSIC: Final = ("all", "queues", "classic_queues")
DEFAULT_VERSION: Final = "classic_queue.default_version"
MOST_NAMED: Final = 5


def of_definitions(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each key of policies and argument of queues that today's releases treat otherwise. `found`:
    definitions.json, of any shape.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for place, key, name, fate in _fates(found):
        row = rows.setdefault((place, key), {**_row(place, key, fate), "names": [], "count": 0})
        row["count"] += 1
        if len(row["names"]) < MOST_NAMED:
            row["names"].append(name[:255])
    return sorted(rows.values(), key=lambda row: (REFUSED not in row["fates"], row["place"], row["key"]))


def outcomes(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return for each of today's releases how far it gets with definitions, as real nodes got.

    A refused policy ends the import before any queue and binding; a refused queue ends it before the bindings, the
    other queues are there. Some are not declared without a word. A node that loads the file when it starts does not
    start where the import ends.

    Returns:
        `target`, `ends` (whether the import ends with an error), `queues` of how many `of`, None where that is not
        known, `bindings` (whether they are there), and `refused`: the entries to be removed first.
    """
    of, fates = len(_objects(found.get("queues"))), _fates(found)
    rows = []
    for at, target in enumerate(TARGETS):
        refused = [each for each in fates if each[3][at] == REFUSED]
        policies = [each for each in refused if each[0] == "policy"]
        operator = [each for each in refused if each[0] == "operator_policy"]
        queues = [each for each in refused if each[0] == "queue"]
        loud = [each for each in queues if each[3] is not LOCATOR]
        gone = len({each[2] for each in queues})
        rows.append(
            {
                "target": target,
                "ends": bool(policies or operator or loud),
                "queues": 0 if policies else None if operator else of - gone,
                "of": of,
                "bindings": not (policies or operator or loud),
                "refused": len(refused),
            }
        )
    return rows


class _Schemas(msgspec.Struct):
    """What `tools/schema_keys.py` writes: releases, and keys with the places of those that have them. `$` stands for
    a name of the operator's own.
    """

    releases: list[str]
    keys: dict[str, str]


_SCHEMAS: Final = msgspec.json.decode(
    pkgutil.get_data("playground.inspecting", "schema_keys.json") or b"", type=_Schemas
)
_FORMS: Final = [
    (key.partition("$")[0], re.compile(re.escape(key).replace(r"\$", "[^.]+")), places)
    for key, places in _SCHEMAS.keys.items()
    if "$" in key
]
"""Of each key with such a name in it what comes before the name, its form, and its places."""


def places_of(key: str) -> frozenset[str]:
    """Return the releases that have a key of rabbitmq.conf."""
    exact = _SCHEMAS.keys.get(key)
    places = exact or "".join(
        each for begin, form, each in _FORMS if key.startswith(begin) and form.fullmatch(key)
    )
    return frozenset(_SCHEMAS.releases[int(place)] for place in places)


def of_settings(pairs: list[tuple[str, str, bool]]) -> list[dict[str, Any]]:
    """Return a row for each key of a configuration that today's releases treat otherwise. `pairs`: keys and values,
    and whether they stand in `rabbitmq.conf`.
    """
    rows = []
    for key, value, in_conf in pairs:
        fate = SETTINGS.get(key)
        if key == DEFAULT_VERSION and value.strip() == "1":
            fate = (REFUSED, REFUSED, "version")
        if in_conf and key in AMOUNTS and not AMOUNT_FORM.fullmatch(value.strip()):
            fate = (REFUSED, REFUSED, AMOUNT)
        there = places_of(key) if in_conf else frozenset()
        if there and not there.issuperset(TARGETS) and there & {"3.8.9", "3.10.8"}:
            first, second = (TAKEN if target in there else REFUSED for target in TARGETS)
            fate = (first, second, GONE_KEY)
        if fate is not None:
            rows.append({**_row("configuration", key, fate), "names": [], "count": 1})
    return rows


def _row(place: str, key: str, fate: Fate) -> dict[str, Any]:
    return {"place": place, "key": key, "fates": fate[:2], "instead": fate[2]}


def _fates(found: dict[str, Any]) -> list[tuple[str, str, str, Fate]]:
    return [*_of_policies(found), *_of_queues(found)]


def _of_policies(found: dict[str, Any]) -> Iterator[tuple[str, str, str, Fate]]:
    """Yield what becomes of policies; operator policies are parameters, and a section of their own is ignored."""
    operator = [
        {**each["value"], "name": each.get("name")}
        for each in _objects(found.get("parameters"))
        if each.get("component") == "operator_policy" and isinstance(each.get("value"), dict)
    ]
    for place, policies in (("policy", _objects(found.get("policies"))), ("operator_policy", operator)):
        for each in policies:
            definition = each.get("definition")
            for key in definition if isinstance(definition, dict) else ():
                fate = MIRRORS if key.startswith("ha-") else POLICIES.get(key)
                if fate is None and each.get("apply-to", "all") in FOR_CLASSIC:
                    fate = _of_foreign(key)
                if fate is not None:
                    yield place, key, str(each.get("name")), fate


def _of_foreign(key: str) -> Fate | None:
    """Return what becomes of a policy whose key classic queues have in one release and not in another (P17)."""
    before = key in REFERENCE.not_for_classic
    first, second = (
        TAKEN if (key in row.not_for_classic) == before else JOINED if before else LEFT_OUT for row in NEXT
    )
    return None if first == second == TAKEN else (first, second, JOINED if before else LEFT_OUT)


def _of_queues(found: dict[str, Any]) -> Iterator[tuple[str, str, str, Fate]]:
    for each in _objects(found.get("queues")):
        if each.get("durable") is False and not each.get("exclusive"):
            yield "queue", "durable = false", str(each.get("name")), TRANSIENT
        arguments = each.get("arguments")
        given = arguments if isinstance(arguments, dict) else {}
        is_other = bool(given) and given.get("x-queue-type", each.get("type")) in ("quorum", "stream")
        for key, value in given.items():
            fate = OLD_VERSION if key == "x-queue-version" and value == 1 else ARGUMENTS.get(key)
            if is_other:
                fate = OF_ANOTHER_TYPE if key == "x-queue-mode" else None
            if fate is not None:
                yield "queue", key if fate is not OLD_VERSION else f"{key} = 1", str(each.get("name")), fate


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


SERIES: Final = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "4.0", "4.1", "4.2", "4.3")
"""In the order of an upgrade."""

_OF_3_11: Final = frozenset(
    "implicit_default_bindings maintenance_mode_status quorum_queue user_limits virtual_host_metadata".split()
)
_OF_3_12: Final = _OF_3_11.union(
    "classic_mirrored_queue_version classic_queue_type_delivery_support direct_exchange_routing_v2 feature_flags_v2 "
    "listener_records_in_ets stream_queue stream_single_active_consumer tracking_records_in_ets".split()
)
_OF_4_0: Final = _OF_3_12.union(
    "message_containers restart_streams stream_filtering stream_sac_coordinator_unblock_group "
    "stream_update_config_command".split()
)
_OF_MANAGEMENT: Final = frozenset({"drop_unroutable_metric", "empty_basic_get_metric"})
"""Declared by the management plugin's agent: a node without the plugin neither has nor needs them."""
REQUIRED: Final[dict[str, frozenset[str]]] = {
    **dict.fromkeys(("3.8", "3.9", "3.10"), frozenset()),
    "3.11": _OF_3_11,
    **dict.fromkeys(("3.12", "3.13"), _OF_3_12),
    **dict.fromkeys(("4.0", "4.1", "4.2", "4.3"), _OF_4_0),
}
"""Flags without which a series does not start."""
KNOWN: Final[dict[str, frozenset[str]]] = {
    "3.8": frozenset(
        {"implicit_default_bindings", "maintenance_mode_status", "quorum_queue", "virtual_host_metadata"}
    ),
    "3.10": _OF_3_11 | {"classic_mirrored_queue_version", "stream_queue"},
    "4.0": _OF_4_0 | {"message_containers_deaths_v2", "quorum_queue_non_voters", "rabbitmq_4.0.0"},
    "4.3": _OF_4_0 | {"message_containers_deaths_v2", "quorum_queue_non_voters", "rabbitmq_4.0.0"},
}
"""Flags that a series of the table of releases can enable at all."""
STEPS: Final = {"3.8": "3.10", "3.10": "3.11", "3.11": "3.12", "3.12": "3.13", "3.13": "4.0", "4.0": "4.3"}
"""The next series at which an upgrade stops, all flags enabled at each."""


def read_flags(data: bytes) -> frozenset[str] | None:
    """Return the flags that a node's list names as enabled, None if it is not a list. `data`: the file
    `<node>-feature_flags`, a list of atoms.
    """
    text = data[: 1 << 16].decode("utf-8", "replace").strip()
    if not re.fullmatch(r"\[[\sa-z0-9_.,']*\]\.", text):
        return None
    return frozenset(re.findall(r"[a-z][a-z0-9_.]*", text[1:-2]))


def series_of(data: bytes | None) -> str | None:
    """Return the series of a 4.x by the node's own list of flags, None where there is no list. `data`: see
    `read_flags`.
    """
    flags = None if data is None else read_flags(data)
    if flags is None:
        return None
    return "4.3" if any(re.fullmatch(r"rabbitmq_4\.[1-9]\d*\.0", each) for each in flags) else "4.0"


def gate(source: str, target: str, enabled: frozenset[str] | None) -> dict[str, Any]:
    """Return whether a release starts on a directory of another, and the way where it does not. An older release
    never is: no release of RabbitMQ supports going back, whatever the flags say. `source`, `target`: series.
    `enabled`: flags in the directory; None where its list was not given, which then counts as all that there are.
    """
    flags = KNOWN[source] if enabled is None else enabled
    plugin = _OF_MANAGEMENT if flags & _OF_MANAGEMENT else frozenset()
    missing = sorted(_required(target, plugin) - flags)
    is_back = SERIES.index(target) < SERIES.index(source)
    way = []
    at = source
    while at != target and at in STEPS and SERIES.index(STEPS[at]) <= SERIES.index(target):
        at = STEPS[at]
        way.append(at)
    return {
        "accepted": not missing and not is_back,
        "missing": missing,
        "enable_first": sorted(_required(way[0], plugin) - flags) if way else [],
        "way": way,
        "listed": enabled is not None,
    }


def _required(series: str, plugin: frozenset[str]) -> frozenset[str]:
    """Return the flags that a series requires, with those of a plugin that is in use; these it requires since 3.12."""
    needed = REQUIRED[series]
    return needed | plugin if needed >= _OF_3_12 else needed
