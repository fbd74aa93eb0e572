"""A node's configuration as the settings of a session: rabbitmq.conf, advanced.config, the environment in a report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from engine.broker.commands.base import bytes_of
from engine.broker.commands.scenario import parse
from engine.values.errors import EngineError
from playground.inspecting import next_release
from playground.inspecting.listings import REPORT, Term, TermPair, pairs, plain, term
from playground.inspecting.uploads import UnreadableInput, Why, profile_of, why

MOST_CHARS: Final = 200_000
MOST_NAMED: Final = 100
TITLE: Final = "A node's settings"
UNTIL_US: Final = 1_000_000
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
    """A key with its value.

    Args:
        key: of the application `rabbit`.
        in_conf: whether it is in rabbitmq.conf.
    """

    key: str
    value: Term
    written: str
    in_conf: bool


class ConfigurationReport(msgspec.Struct, frozen=True):
    """The part of a configuration that a session can use.

    Args:
        scenario: without a queue, with these settings.
        settings: by name.
        left_out: keys that were left out, each with the reason.
        left_out_count: their total, since only the first are listed.
        next: keys that today's releases refuse or ignore, see `next_release`; None where the text says how a node
            runs, and not with which configuration.
    """

    scenario: dict[str, Any]
    settings: dict[str, Any]
    left_out: list[tuple[str, Why]]
    left_out_count: int
    next: list[dict[str, Any]] | None


def kind_of(text: str) -> str | None:
    """Return what a text is that has settings among other things; None for another text."""
    return next((kind for kind, sign in KINDS.items() if sign.search(text)), None)


def read(text: str) -> ConfigurationReport:
    """Return the settings in a text; raise Unreadable where it is no configuration of a broker."""
    text = text[:MOST_CHARS]
    settings: dict[str, Any] = {}
    profile = _profile_in(text)
    text, parts = _environment_in(text)
    left_out: list[tuple[str, Why]] = [(part, {"code": "part_of_report", "values": {}}) for part in parts]
    kind = kind_of(text)
    is_observed = kind in ("node_log", "metrics_page")
    if kind:
        left_out.append((text.strip().partition("\n")[0][:255], {"code": f"part_of_{kind}", "values": {}}))
    else:
        left_out += [(line, {"code": "line_unread", "values": {}}) for line in _unread(text)]
    queue: dict[str, Any] = {"name": "orders"}
    entries = [*_observed(text)] if is_observed else [*_lines(text), *_terms(text), *_arguments(text)]
    coming = next_release.of_settings([(each.written, _said(each.value), each.in_conf) for each in entries])
    known = (each.key in NAMES or each.key in VERSION_KEYS or _is_of_broker(each) for each in entries)
    if not coming and not any(known):
        raise UnreadableInput("figures")
    for entry in _decided(entries, left_out):
        if entry.key in VERSION_KEYS and str(entry.value) in ("1", "2"):
            if str(entry.value) == "2":
                queue["arguments"] = {"x-queue-version": 2}
                left_out.append((entry.written, {"code": "version_of_queue", "values": {"version": 2}}))
            continue
        name = NAMES.get(entry.key)
        if entry.key == DEFAULT_TYPE and str(entry.value) in ("quorum", "stream"):
            values = {"type": str(entry.value)}
            left_out.append((entry.written, {"code": "untyped_queues", "values": values}))
            continue
        if name is None:
            left_out.append((entry.written[:255], {"code": "key_unused", "values": {}}))
            continue
        try:
            if entry.in_conf and entry.written not in IN_CONF:
                left_out.append((entry.written, {"code": "not_in_conf", "values": {}}))
                continue
            wished = {**settings, name: _value(name, entry)}
            if entry.in_conf and name == RATIO and _is_from_1(wished[name]):
                left_out.append((entry.written, {"code": "ratio_in_conf", "values": {}}))
                continue
            parse(_scenario(profile, wished, queue))
        except EngineError as error:
            left_out.append((entry.written, why(error)))
        else:
            settings = wished
    scenario = parse(_scenario(profile, settings, queue)).to_json()
    return ConfigurationReport(
        scenario, settings, left_out[:MOST_NAMED], len(left_out), None if is_observed else coming
    )


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
    """Yield one entry for each key; the others are noted.

    The last one counts, advanced.config after rabbitmq.conf, but for a fraction, which goes before a number of bytes.
    """
    found: dict[str, ConfigurationEntry] = {}
    for entry in entries:
        before = found.get(entry.key)
        first = before is not None and entry.in_conf and _is_bytes(entry) and not _is_bytes(before)
        if before is not None:
            passed_over, counts = (entry, before) if first else (before, entry)
            values = {"key": counts.written, "value": _said(counts.value)}
            left_out.append((passed_over.written, {"code": "given_again", "values": values}))
        if not first:
            found[entry.key] = entry
    yield from found.values()


def _is_of_broker(entry: ConfigurationEntry) -> bool:
    """Return whether some release has a key of rabbitmq.conf in its schemas."""
    return entry.in_conf and bool(next_release.places_of(entry.written))


def _is_bytes(entry: ConfigurationEntry) -> bool:
    return entry.written.endswith(".absolute")


def _is_from_1(value: Any) -> bool:
    return isinstance(value, int | float) and value >= 1


def _said(value: Term) -> str:
    return str(value[-1] if isinstance(value, list) and value else value)[:80]


def _profile_in(text: str) -> str:
    """Return the profile that plays the release which a text names, the reference's where it names none."""
    found = WRITER.search(text)
    version = next(filter(None, found.groups()), "") if found else ""
    return profile_of(NEWEST.get(version, version))


def _scenario(profile: str, settings: dict[str, Any], queue: dict[str, Any]) -> dict[str, Any]:
    return {
        "version": 1,
        "title": TITLE,
        "profile": profile,
        "settings": settings,
        "seed": 1,
        "topology": {"queues": [queue]},
        "commands": [],
        "until_us": UNTIL_US,
    }


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
    """Return a number where a text is one."""
    if re.fullmatch(r"-?\d{1,18}", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?\d{1,18}\.\d{1,18}", text) else text
