"""The answers to the page Inspect for what a reader gave: the same from a server and in the reader's browser.

A text of another kind is refused by its name; the messages that were found become a scenario.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from itertools import groupby
from typing import Any, Final, Protocol

import msgspec

from engine.broker.commands.scenario import parse
from engine.inspect.directory_kinds import STORES
from engine.values.errors import EngineError
from playground.inspecting import definitions, listings, next_release, rehearsal, revival
from playground.inspecting.definitions import kind_of
from playground.inspecting.listings import COLUMN, JSON, REPORT, SPOKEN
from playground.inspecting.rehearsal import queues_of
from playground.inspecting.revival import QueueRevival
from playground.inspecting.uploads import USUAL, Files, ReleaseChoice, UnreadableInput
from playground.typed_texts import bare_text

SAID: Final = (
    (REPORT, "report_without_status"),
    (
        re.compile(
            r"^[ \t]*(Status of node |Cluster status of node |Reporting memory breakdown )", re.MULTILINE
        ),
        "node_status",
    ),
    (re.compile(r"^[ \t]*##  ##  +RabbitMQ \d", re.MULTILINE), "node_log"),
)
"""What tools say above what they print; a report has all of it."""
LISTING: Final = re.compile(r"^[ \t]*Listing queues", re.MULTILINE)
FAILED: Final = re.compile(
    r"^(?:Error(?: \([a-z ]{1,40}\))?:|\*\* \(?exception error:?)\s*(\S[^\n]{0,200})", re.MULTILINE
)
"""How a tool says that it did not do what was asked."""
VARIABLE: Final = re.compile(r"\s*(?:export\s+)?[A-Z][A-Z0-9_]*=")
"""A line of rabbitmq-env.conf."""
OTHER: Final = re.compile(r"^[ \t]*Listing (?!queues)([a-z]{1,40})", re.MULTILINE)
QUEUE_COLUMNS: Final = frozenset({"messages", "messages_ready", "consumers", "durable", "auto_delete"})
PLACES: Final = frozenset({"messages_ram", "messages_paged_out", "backing_queue_status"})
OVERVIEW: Final = frozenset({"queue_totals", "object_totals", "management_version"})
NODE: Final = frozenset({"mem_used", "mem_limit", "disk_free", "disk_free_limit", "memory", "running_nodes"})
ENTRY: Final = frozenset({"level", "msg"})
"""Of a log in JSON."""


def refusal(text: str) -> UnreadableInput:
    """Return why a text is refused: what it is, where that can be told."""
    begins = JSON.search(text)
    if begins is not None:
        return _of_json(text[begins.start() :])
    failed = FAILED.search(text)
    if failed is not None:
        return UnreadableInput("tool_failed", says=failed[1].strip())
    said = next((code for begins, code in SAID if begins.search(text)), None) or kind_of(text)
    other = None if said else OTHER.search(text)
    if other is not None:
        return UnreadableInput("other_listing", name=other[1])
    return UnreadableInput(said or _of_lines(text))


def _of_lines(text: str) -> str:
    """Return what a text is that no tool says anything in but that it lists queues."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if lines and all(map(VARIABLE.match, lines)):
        return "environment_file"
    rows = [line for line in lines if not SPOKEN.match(line.strip())]
    if LISTING.search(text) and not rows:
        return "no_queues"
    if rows and not PLACES.isdisjoint(re.split(r"[\s|│,;\"]+", rows[0])):
        return "cut_text" if len(rows) > 1 or text[-1:] != "\n" else "no_queues"
    return "listing_without_status" if LISTING.search(text) or _is_table(lines) else "figures"


def _of_json(text: str) -> UnreadableInput:
    """Return what JSON is, by the keys of its first object."""
    try:
        found = json.JSONDecoder().raw_decode(text.strip())[0]
    except (ValueError, RecursionError):
        return UnreadableInput("cut_text")
    if isinstance(found, dict) and isinstance(found.get("items"), list):
        found = found["items"]
    if isinstance(found, list):
        if not found:
            return UnreadableInput("no_queues")
        found = found[0]
    if not isinstance(found, dict):
        return UnreadableInput("figures")
    if isinstance(found.get("error"), str):
        return UnreadableInput(
            "tool_failed", says=f"{found['error']} {found.get('reason') or ''}".strip()[:200]
        )
    return UnreadableInput(_of_keys(found))


def _of_keys(found: Mapping[str, Any]) -> str:
    if not OVERVIEW.isdisjoint(found):
        return "overview"
    if set(found) >= ENTRY:
        return "node_log"
    if "name" in found and not QUEUE_COLUMNS.isdisjoint(found):
        return "listing_without_status"
    if not NODE.isdisjoint(found):
        return "node_status"
    return "figures" if QUEUE_COLUMNS.isdisjoint(found) else "listing_without_status"


def _is_table(lines: list[str]) -> bool:
    """Return whether lines are a listing of queues: by the head's columns, or names and numbers between tabs."""
    rows = [[cell.strip() for cell in re.split(r"[\t|│]", line.strip().strip("|│"))] for line in lines]
    rows = [row for row in rows if len(row) > 1]
    if any(all(map(COLUMN.match, row)) and not QUEUE_COLUMNS.isdisjoint(row) for row in rows):
        return True
    return bool(rows) and all(len(row) == len(rows[0]) and row[-1].isdecimal() for row in rows)


TITLE: Final = "Messages from a broker's files"
MOST_COMMANDS: Final = 400
PUBLISH_US: Final = 100_000
RESTART_US: Final = 2_000_000
UNTIL_US: Final = 3_000_000


def scenario(report: dict[str, Any], revival: QueueRevival) -> dict[str, Any] | None:
    """Return a scenario that ends with the live persistent messages as a start brings them back, or None. Their
    seq_ids begin at 0. There is no scenario for too many messages of too many sizes to list one by one.
    """
    shown: dict[str, Any] = revival.shown or {}
    names = {each["name"] for each in shown["topology"]["queues"]}
    commands: list[dict[str, Any]] = []
    for queue in queues_of(report):
        name = revival.names.get(str(queue["name"] or queue["dir"]))
        messages = queue["messages"]
        if name not in names or sum(not each["acked"] for each in messages) != queue["live_messages"]:
            continue
        alive = (each["size"] for each in messages if not each["acked"] and each["persistent"])
        for size, same in groupby(alive):
            count = sum(1 for _each in same)
            publish = {"do": "publish", "count": count, "size_bytes": size, "persistent": True}
            commands.append({"at_us": PUBLISH_US, **publish, "routing_key": name})
    if not commands or len(commands) > MOST_COMMANDS:
        return None
    restart = {"at_us": RESTART_US, "do": "restart", "kind": "clean"}
    found = {**shown, "title": TITLE, "commands": [*commands, restart], "until_us": UNTIL_US}
    try:
        return parse(found).to_json()
    except EngineError:
        return None


Answer = dict[str, Any]
KnownReports = dict[str, Answer]
"""By the directory of a virtual host; of files of a single one, by nothing."""
MOST_LEFT_OUT: Final = 200
"""Names of files that were not read."""


class ReadingSteps(Protocol):
    """Is told what is done now."""

    def __call__(self, step: str, **values: Any) -> None:
        """Take note of a step: `reading` with path, done and size in bytes; `starting`; `answering`."""


def _ignore(step: str, **values: Any) -> None:
    """Nobody asks how far it is."""


def listing(text: str) -> Answer:
    """Return the figures of a pasted listing, the settings of a configuration, or the topology of definitions.
    Raises Unreadable: it is none of them; the code says what it is.
    """
    text = bare_text(text)
    if definitions.BEGINS.match(text):
        return topology(text.encode(errors="replace"))
    try:
        found: Answer = msgspec.to_builtins(listings.read(text))
        if REPORT.search(text):
            with contextlib.suppress(UnreadableInput):
                found["environment"] = msgspec.to_builtins(definitions.read_configuration(text))
    except UnreadableInput as without:
        try:
            found = msgspec.to_builtins(definitions.read_configuration(text))
        except UnreadableInput as bad:
            raise (without if without.code != bad.code else refusal(text[: definitions.MOST_CHARS])) from bad
    return found


def topology(data: bytes) -> Answer:
    """Return definitions.json as a scenario, and the parts of the file that are not played."""
    found: Answer = msgspec.to_builtins(definitions.read(data))
    return found


def directory(
    files: Files,
    choice: ReleaseChoice = USUAL,
    steps: ReadingSteps = _ignore,
    known: KnownReports | None = None,
) -> tuple[Answer, QueueRevival | None]:
    """Return the report on a broker's files, and the start on them where there is a queue to start. `choice`: which
    virtual host is meant, and which release starts on its files. `steps`: is told how far it is. `known`: reports
    on the same files by virtual host, which gets those that are made.
    """
    known = {} if known is None else known
    files, flags, definitions = without_beside(files)
    several = revival.vhost_directories(files)
    if len(several) > 1:
        if choice.vhost not in several:
            rows = []
            for each in several:
                part = revival.of_vhost(files, each)
                rows.append(_vhost_row(each, _report_on(known, each, part, choice, flags, steps)))
            return {"vhosts": rows}, None
        files = revival.of_vhost(files, choice.vhost)
    report = _report_on(known, choice.vhost if len(several) > 1 else "", files, choice, flags, steps)
    steps("starting")
    revived = revival.revive(files, report, choice, definitions)
    source = rehearsal.source_of(report, choice)
    target = rehearsal.target_of(source, choice.target)
    rehearsed: list[Answer] = []
    orderly: Answer | None = None
    if revived is not None and choice.stopped and target is None:
        revived = revival.start(rehearsal.stopping(revived))
    elif revived is not None and target is not None:
        found = rehearsal.in_order(revived)[0] if choice.stopped else revived
        revived = found and revival.start(rehearsal.upgraded(found, source, target, choice))
    started = revived is not None and revived.state is not None
    plain = target is None and not choice.stopped
    if revived is not None and started and plain:
        rehearsed, orderly = rehearsal.rehearse(revived, report, flags, choice, steps)
    if revived is not None:
        revived.decoded.forget()
    steps("answering")
    stores = rehearsal.store_rows(report, revived)
    return {
        "kind": report["kind"],
        "source": source,
        "target": target.name if target else "",
        "release": rehearsal.release_of(report),
        "queues": rehearsal.queue_rows(report, revived),
        "stores": stores,
        "collector": rehearsal.collector_row(source.partition("-")[0], stores),
        "stop": rehearsal.stop_row(report, files),
        "unowned": rehearsal.unowned_rows(report),
        "damage": rehearsal.damage_rows(report, files),
        "damage_more": max(0, len(report["damage"]) - rehearsal.MOST_DAMAGE) + report["damage_more"],
        "files": rehearsal.file_rows(files),
        "files_more": max(0, len(files) - rehearsal.MOST_LISTED),
        "stopped": choice.stopped,
        "orderly": orderly,
        "upgrades": rehearsed,
        "failure": revived.failure if revived else None,
        "unplayed": revived.unplayed if revived else None,
        "not_shown": revived.not_shown if revived else 0,
        "begun": scenario(report, revived) if started else None,  # type: ignore[arg-type]
        "started": started and rehearsal.shown(revived.shown),  # type: ignore[union-attr,arg-type]
    }, revived


def _report_on(
    known: KnownReports,
    vhost: str,
    files: Files,
    choice: ReleaseChoice,
    flags: bytes | None,
    steps: ReadingSteps,
) -> Answer:
    """Return the report on the files of a virtual host, which are read where it is not known yet."""
    if vhost not in known:
        known[vhost] = revival.report_on(files, steps, choice.entries, next_release.series_of(flags))
    return known[vhost]


def without_beside(files: Files) -> tuple[Files, bytes | None, bytes | None]:
    """Return the files of a directory, and what lies beside it: its node's list of feature flags, and definitions."""
    lists = [path for path in files if path.endswith("-feature_flags")]
    defined = [path for path in files if path.endswith(".json")]
    beside = [*lists, *defined]
    if not beside:
        return files, None, None
    rest = {path: data for path, data in files.items() if path not in beside}
    tops = {path.partition("/")[0] for path in rest if "/" in path}
    below = len(tops) == 1 and tops.isdisjoint(("queues", "msg_stores", *STORES))
    if below and all("/" in path for path in rest) and any("/" not in path for path in beside):
        rest = {path.partition("/")[2]: data for path, data in rest.items()}
    return rest, files[lists[0]] if lists else None, files[defined[0]] if defined else None


def names_left_out(names: list[str]) -> Answer:
    return {"left_out": names[:MOST_LEFT_OUT], "left_out_count": len(names)}


def _vhost_row(directory: str, report: Answer) -> Answer:
    vhost = report["vhosts"][0]
    return {
        "dir": directory,
        "name": vhost["vhost"],
        "queues": len(vhost["queues"]),
        "live": sum(each["lasting_messages"] for each in vhost["queues"]),
        "damage": len(report["damage"]),
    }


def run(revived: QueueRevival) -> list[Any]:
    """Return the start as the messages that a page plays, in parts."""
    return [msgspec.json.decode(part) for part in revived.messages]
