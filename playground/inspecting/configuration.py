"""A node's configuration as the settings of a session: rabbitmq.conf, advanced.config, `rabbitmqctl environment`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from engine.broker.commands.memory_limit import bytes_of
from engine.broker.commands.scenario import parse
from engine.values.errors import EngineError
from playground.inspecting.listing.terms import Pair, Term, pairs, plain, term
from playground.inspecting.unreadable import Unreadable, Why, why

MOST_CHARS: Final = 200_000
MOST_NAMED: Final = 100
TITLE: Final = "A node's settings"
UNTIL_US: Final = 1_000_000
LINE: Final = re.compile(r"\s*([a-z][a-z0-9_.$-]*)\s*=\s*(\S.*?)\s*\Z", re.IGNORECASE)

SAID: Final = re.compile(r"Application environment of node .*")

NAMES: Final = {
    "vm_memory_high_watermark": "vm_memory_high_watermark",
    "vm_memory_high_watermark_paging_ratio": "vm_memory_high_watermark_paging_ratio",
    "vm_memory_calculation_strategy": "vm_memory_calculation_strategy",
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


class Configuration(msgspec.Struct, frozen=True):
    """What of a configuration a session can have.

    Args:
        scenario: without a queue, with these settings.
        settings: by name.
        left_out: keys that were not taken over, each with the reason.
        left_out_count: of all: only the first ones are named.
    """

    scenario: dict[str, Any]
    settings: dict[str, Any]
    left_out: list[tuple[str, Why]]
    left_out_count: int


def read(text: str) -> Configuration:
    """Return the settings in a text; raise Unreadable where it is no configuration of a broker."""
    text = text[:MOST_CHARS].removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    settings: dict[str, Any] = {}
    left_out: list[tuple[str, Why]] = [
        (line, {"code": "line_unread", "values": {}}) for line in _unread(text)
    ]
    for key, value in {
        **dict(_lines(text)),
        **dict(_terms(text)),
    }.items():  # the last of several counts, as there
        name = NAMES.get(key)
        if name is None:
            left_out.append((key[:255], {"code": "key_unused", "values": {}}))
            continue
        try:
            wished = {**settings, name: _value(name, value)}
            parse(_scenario(wished))
        except EngineError as error:
            left_out.append((key, why(error)))
        else:
            settings = wished
    if not settings:
        raise Unreadable("figures")
    scenario = parse(_scenario(settings)).to_json()
    return Configuration(scenario, settings, left_out[:MOST_NAMED], len(left_out))


def _scenario(settings: dict[str, Any]) -> dict[str, Any]:
    return {
        "version": 1,
        "title": TITLE,
        "profile": "real",
        "settings": settings,
        "seed": 1,
        "topology": {"queues": [{"name": "orders"}]},
        "commands": [],
        "until_us": UNTIL_US,
    }


def _lines(text: str) -> Iterator[tuple[str, Term]]:
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
            yield head, Pair([INSIDE[last], value]) if INSIDE[last] else value
        else:
            yield key, value


def _unread(text: str) -> Iterator[str]:
    """Yield lines before any term that are no key with a value, no comment, and nothing that a tool says."""
    for line in text.splitlines():
        begin = line.strip()
        if begin.startswith("["):
            return
        if begin and not begin.startswith(("#", "%")) and not SAID.match(begin) and not LINE.match(line):
            yield begin[:255]


def _terms(text: str) -> Iterator[tuple[str, Term]]:
    """Yield the keys of the application `rabbit` in Erlang's form, and the other applications by name."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(("%", "#"))]
    begin = next((at for at, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    for each in term("\n".join(lines[begin:])):
        for application, values in pairs(each) if isinstance(each, list) else ():
            if application == "rabbit" and isinstance(values, list):
                yield from pairs(values)
            else:
                yield application, ""


def _value(name: str, value: Term) -> Any:
    """Return a value as a session's setting has it; raise CommandError where it is no amount."""
    if isinstance(value, list):
        parts = [plain(str(each)) for each in value]
        if name in ("vm_memory_high_watermark", "disk_free_limit") and len(parts) == len(("kind", "value")):
            kind, amount = parts
            return {kind: _number(amount) if kind == "mem_relative" else bytes_of(amount)}
        return [_number(part) for part in parts]
    text = plain(str(value))
    if name in ("ram_bytes", "disk_free_limit", "msg_store_file_size_limit"):
        return bytes_of(text)
    return _number(text)


def _number(text: str) -> Any:
    """Return a number where a text is one."""
    if re.fullmatch(r"-?\d{1,18}", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?\d{1,18}\.\d{1,18}", text) else text
